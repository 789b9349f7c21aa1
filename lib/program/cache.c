/* SPDX-License-Identifier: Apache-2.0
 * Built programs kept as binaries, in memory and on disk. */
#include "program/cache.h"

#include <stdlib.h>

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

clgemm_status clg_cache_build(const struct clg_recipe *recipe, cl_program *out,
                              enum clg_origin *origin) {
    static const char *const words[CLG_ORIGINS] = {[CLG_FROM_SOURCE] = "compiled",
                                                   [CLG_FROM_MEMORY] = "loaded from memory",
                                                   [CLG_FROM_DISK] = "loaded from disk"};
    clgemm_status status = CLGEMM_SUCCESS;
    if (recipe->key && load_from_memory(recipe, out)) {
        *origin = CLG_FROM_MEMORY;
    } else if (recipe->key && load_from_disk(recipe, out)) {
        *origin = CLG_FROM_DISK;
    } else {
        *origin = CLG_FROM_SOURCE;
        status = clg_build_source(recipe->device, recipe->source, recipe->options, out);
    }
    clg_log(CLG_LOG_PLANS, "program %s [%s] %s", recipe->source->name, recipe->options,
            status ? "could not be built" : words[*origin]);
    return status;
}

bool clg_cache_keep(const struct clg_recipe *recipe, cl_program built) {
    size_t size = 0;
    unsigned char *binary = recipe->key ? clg_program_binary(built, &size) : NULL;
    if (!binary)
        return false;
    clg_cubin_replace(recipe->device, recipe->source, recipe->options, &binary, &size);
    clg_binaries_keep(recipe->store, recipe->key, binary, size);
    const bool kept = clg_disk_keep(recipe->key, binary, size);
    free(binary);
    return kept;
}
