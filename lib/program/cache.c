/* SPDX-License-Identifier: Apache-2.0
 * Built programs kept as binaries, in memory and on disk. */
#include "program/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "program/build.h"
#include "program/cubin.h"
#include "program/disk.h"

/* Whether the driver takes the binary (NULL is none), to the kernel: some look at it that late. */
static bool load(const struct clg_recipe *recipe, const unsigned char *binary, size_t size,
                 cl_program *out) {
    cl_kernel kernel = NULL;
    if (!binary || clg_build_binary(recipe->device, binary, size, recipe->options, out))
        return false;
    if (clg_kernel_create(recipe->source, *out, &kernel)) {
        clReleaseProgram(*out);
        *out = NULL;
        return false;
    }
    clReleaseKernel(kernel);
    return true;
}

static bool load_from_memory(const struct clg_recipe *recipe, cl_program *out) {
    size_t size = 0;
    unsigned char *binary = clg_binaries_find(recipe->store, recipe->key, &size);
    const bool loaded = load(recipe, binary, size, out);
    free(binary);
    return loaded;
}

static bool load_from_disk(const struct clg_recipe *recipe, cl_program *out) {
    size_t size = 0;
    unsigned char *binary = clg_disk_find(recipe->key, &size);
    const bool loaded = load(recipe, binary, size, out);
    if (loaded)
        clg_binaries_keep(recipe->store, recipe->key, binary, size);
    else if (binary)
        clg_disk_drop(recipe->key);
    free(binary);
    return loaded;
}

bool clg_compiles_at_launch(const struct clg_device *device) {
    return strstr(device->facts.platform, "Portable Computing Language") != NULL;
}

/* False where the launch in advance that such runtimes need failed; it may still be under way. */
static bool launch_in_advance(const struct clg_recipe *recipe, cl_program built) {
    if (!recipe->warm_launch || !clg_compiles_at_launch(recipe->device) ||
        !recipe->warm_launch->run(recipe->warm_launch->user, built))
        return true;
    clg_log(CLG_LOG_PLANS, "program %s is not kept: its launch in advance failed: %s",
            recipe->source->name, clg_last_error());
    return false;
}

/* Keeps the program's binary in memory and on disk, as machine code where that can be had. Whether
 * it is on disk now. */
static bool keep(const struct clg_recipe *recipe, cl_program built) {
    size_t size = 0;
    if (!launch_in_advance(recipe, built))
        return false;
    unsigned char *binary = clg_program_binary(built, &size);
    if (!binary)
        return false;
    clg_cubin_replace(recipe->device, recipe->source, recipe->options, &binary, &size);
    clg_binaries_keep(recipe->store, recipe->key, binary, size);
    const bool kept = clg_disk_keep(recipe->key, binary, size);
    free(binary);
    return kept;
}

/* One context builds and keeps, others that want the same meanwhile then find it in memory. */
static clgemm_status compile(const struct clg_recipe *recipe, cl_program *out,
                             enum clg_origin *origin, bool *kept) {
    const bool may_keep = recipe->key && recipe->store;
    const bool ours = may_keep && clg_binaries_claim(recipe->store, recipe->key);
    if (!ours && may_keep && load_from_memory(recipe, out)) {
        *origin = CLG_FROM_MEMORY;
        return CLGEMM_SUCCESS;
    }
    *origin = CLG_FROM_SOURCE;
    clgemm_status status = clg_build_source(recipe->device, recipe->source, recipe->options, out);
    if (!recipe->store && !status)
        launch_in_advance(recipe, *out);
    if (ours) {
        *kept = !status && keep(recipe, *out);
        clg_binaries_unclaim(recipe->store, recipe->key, status == CLGEMM_SUCCESS);
    }
    return status;
}

static void log_origin(const struct clg_recipe *recipe, const char *words) {
    clg_log(CLG_LOG_PLANS, "program %s [%s] %s", recipe->source->name, recipe->options, words);
}

bool clg_cache_load(const struct clg_recipe *recipe, cl_program *out, enum clg_origin *origin) {
    if (!recipe->key || !recipe->store)
        return false;
    if (load_from_memory(recipe, out)) {
        *origin = CLG_FROM_MEMORY;
        log_origin(recipe, "loaded from memory");
        return true;
    }
    if (load_from_disk(recipe, out)) {
        *origin = CLG_FROM_DISK;
        log_origin(recipe, "loaded from disk");
        return true;
    }
    return false;
}

clgemm_status clg_cache_build(const struct clg_recipe *recipe, cl_program *out,
                              enum clg_origin *origin, bool *kept) {
    *kept = false;
    if (clg_cache_load(recipe, out, origin))
        return CLGEMM_SUCCESS;
    const double start = clg_clock_seconds();
    clgemm_status status = compile(recipe, out, origin, kept);
    char words[64];
    snprintf(words, sizeof words, "%s in %.0f ms",
             status                       ? "could not be built"
             : *origin == CLG_FROM_MEMORY ? "loaded from memory"
                                          : "compiled",
             1e3 * (clg_clock_seconds() - start));
    log_origin(recipe, words);
    return status;
}
