/* SPDX-License-Identifier: Apache-2.0
 * Keeps compiled programs as binaries, in memory and on disk. */
#define _GNU_SOURCE /* memmem, asprintf */
#include "program/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "program/build.h"
#include "program/cubin.h"
#include "program/disk.h"
#include "program/rewrite.h"

struct binary {
    unsigned char *bytes; /* NULL: none */
    size_t size;
};

static bool load_from_memory(const struct clg_recipe *recipe, cl_program *out) {
    size_t size = 0;
    unsigned char *binary = clg_binaries_find(recipe->store, recipe->key, &size);
    const bool loaded =
        clg_build_accepts(recipe->device, recipe->source, binary, size, recipe->options, out);
    free(binary);
    return loaded;
}

bool clg_compiles_at_launch(const struct clg_device *device) {
    return strstr(device->facts.platform, "Portable Computing Language") != NULL;
}

/* PoCL's binary is an archive of files in its own cache. If somebody removed these meanwhile, it
 * lacks the program's code, and PoCL ends the process that loads it. */
static bool has_code(const struct clg_recipe *recipe, const unsigned char *binary, size_t size) {
    static const char code[] = "/program.bc";
    return !clg_compiles_at_launch(recipe->device) || memmem(binary, size, code, sizeof code - 1);
}

static bool load_from_disk(const struct clg_recipe *recipe, cl_program *out) {
    size_t size = 0;
    unsigned char *binary = clg_disk_find(recipe->key, &size);
    const bool loaded =
        binary && has_code(recipe, binary, size) &&
        clg_build_accepts(recipe->device, recipe->source, binary, size, recipe->options, out);
    if (loaded)
        clg_binaries_keep(recipe->store, recipe->key, binary, size);
    else if (binary)
        clg_disk_drop(recipe->key);
    free(binary);
    return loaded;
}

/* Launches the kernel in advance on runtimes that need it. False if that failed; the launch may
 * still be running. */
static bool launch_in_advance(const struct clg_recipe *recipe, cl_program built) {
    if (!recipe->warm_launch || !clg_compiles_at_launch(recipe->device) ||
        !recipe->warm_launch->run(recipe->warm_launch->user, built))
        return true;
    clg_log(CLG_LOG_PLANS, "program %s is not kept: its launch in advance failed: %s",
            recipe->source->name, clg_last_error());
    return false;
}

/* To return a binary, PoCL compiles the kernel once more, for work-groups of any size, and that
 * takes longer than compiling it for the launch did. Another context need not have the binary: it
 * builds from source in tens of milliseconds, because PoCL's own cache has the code. */
static bool is_worth_keeping(const struct clg_device *device) {
    return !clg_compiles_at_launch(device) || clg_disk_is_on();
}

/* Keeps the program's binary in memory and on disk. `given` is the binary if it is known already.
 * If the driver keeps no machine code itself, the binary becomes machine code where possible. */
static void keep(const struct clg_recipe *recipe, cl_program built, const struct binary *given) {
    struct binary binary = *given;
    if (!launch_in_advance(recipe, built) || !is_worth_keeping(recipe->device))
        return;
    if (!given->bytes) {
        if (!(binary.bytes = clg_program_binary(built, &binary.size)))
            return;
        if (!has_code(recipe, binary.bytes, binary.size)) {
            free(binary.bytes);
            return;
        }
        if (!clg_cubin_driver_keeps())
            clg_cubin_replace(recipe->device, recipe->source, recipe->options, &binary.bytes,
                              &binary.size);
    }
    clg_binaries_keep(recipe->store, recipe->key, binary.bytes, binary.size);
    clg_disk_keep(recipe->key, binary.bytes, binary.size);
    if (!given->bytes)
        free(binary.bytes);
}

/* Replaces the compiled program by the rewritten one. It is linked to machine code even if the
 * driver has a cache, because these kernels were measured as such code. */
static clgemm_status rewrite(const struct clg_recipe *recipe, cl_program *program,
                             struct binary *out) {
    out->bytes = clg_program_binary(*program, &out->size);
    clReleaseProgram(*program);
    *program = NULL;
    if (!out->bytes || !clg_rewrite_ptx(&out->bytes, &out->size))
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                        "the driver's binary of %s is not the expected PTX", recipe->source->name);
    clg_cubin_replace(recipe->device, recipe->source, recipe->options, &out->bytes, &out->size);
    return clg_build_binary(recipe->device, out->bytes, out->size, recipe->options, program);
}

/* Compiles what is rewritten. NVIDIA's assembler need not do its best for a program that is
 * replaced; its PTX is the same. */
static clgemm_status compile_to_rewrite(const struct clg_recipe *recipe, cl_program *out,
                                        struct binary *binary) {
    char *options = NULL;
    if (asprintf(&options, "%s -cl-nv-opt-level=0", recipe->options) < 0)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the options of a program");
    const clgemm_status status = clg_build_source(recipe->device, recipe->source, options, out);
    free(options);
    return status ? status : rewrite(recipe, out, binary);
}

/* *binary receives what the program was loaded from, if it was; the caller frees it. */
static clgemm_status compile_source(const struct clg_recipe *recipe, cl_program *out,
                                    struct binary *binary) {
    return clg_rewrite_of(recipe->source)
               ? compile_to_rewrite(recipe, out, binary)
               : clg_build_source(recipe->device, recipe->source, recipe->options, out);
}

/* One context builds and keeps the program. Others that need it meanwhile then find it in memory.
 */
static clgemm_status compile(const struct clg_recipe *recipe, cl_program *out,
                             enum clg_origin *origin) {
    const bool may_keep = recipe->key && recipe->store;
    const bool ours = may_keep && clg_binaries_claim(recipe->store, recipe->key);
    if (!ours && may_keep && load_from_memory(recipe, out)) {
        *origin = CLG_FROM_MEMORY;
        return CLGEMM_SUCCESS;
    }
    *origin = CLG_FROM_SOURCE;
    struct binary binary = {0};
    clgemm_status status = compile_source(recipe, out, &binary);
    if (!recipe->store && !status)
        launch_in_advance(recipe, *out);
    if (ours) {
        if (!status)
            keep(recipe, *out, &binary);
        clg_binaries_unclaim(recipe->store, recipe->key, status == CLGEMM_SUCCESS);
    }
    free(binary.bytes);
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
                              enum clg_origin *origin) {
    if (clg_cache_load(recipe, out, origin))
        return CLGEMM_SUCCESS;
    const double start = clg_clock_seconds();
    clgemm_status status = compile(recipe, out, origin);
    char words[64];
    clg_format(words, sizeof words, "%s in %.0f ms",
               status                       ? "could not be built"
               : *origin == CLG_FROM_MEMORY ? "loaded from memory"
                                            : "compiled",
               1e3 * (clg_clock_seconds() - start));
    log_origin(recipe, words);
    return status;
}
