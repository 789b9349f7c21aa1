/* SPDX-License-Identifier: Apache-2.0
 * Keeps compiled programs as binaries: in memory for other contexts of this process, and on disk
 * for later processes. */
#ifndef CLG_PROGRAM_CACHE_H
#define CLG_PROGRAM_CACHE_H

#include "device/device.h"
#include "program/binaries.h"
#include "program/source.h"

/* How to launch a program's kernel once without effect. `run` gets `user` and the program, and
 * waits. */
struct clg_warm_launch {
    clgemm_status (*run)(const void *user, cl_program built);
    const void *user;
};

/* A program to build, and where its binary is kept. */
struct clg_recipe {
    struct clg_device *device;
    struct clg_binaries *store; /* NULL: nothing is kept or found */
    const struct clg_source *source;
    const char *options;
    const char *key;                           /* see program/key.h; NULL: as if without a store */
    const struct clg_warm_launch *warm_launch; /* may be NULL */
};

/* The source of a program. */
enum clg_origin { CLG_FROM_SOURCE, CLG_FROM_MEMORY, CLG_FROM_DISK, CLG_ORIGINS };

/* Whether the device's runtime compiles a kernel at its first launch, as PoCL does. */
bool clg_compiles_at_launch(const struct clg_device *device);

/* Gets the program from memory; else from disk, and keeps it in memory; else from source, and keeps
 * it in both. A binary that the driver refuses counts as absent and is removed from disk. If two
 * contexts need the same program, one builds it and the other waits for the binary.
 *
 * PoCL compiles a kernel for a work-group size at its first launch. Its binary contains that code
 * only if the binary is first requested afterwards. Requested while the kernel runs, it ends the
 * process (3.1). So on PoCL `warm_launch` launches the kernel before any other thread has it. This
 * also happens without a store, because PoCL then has the code in its own cache. The binary is
 * requested only for the disk, because the request compiles once more. */
clgemm_status clg_cache_build(const struct clg_recipe *recipe, cl_program *out,
                              enum clg_origin *origin);

/* The first two steps alone. False if the program would have to be compiled. */
bool clg_cache_load(const struct clg_recipe *recipe, cl_program *out, enum clg_origin *origin);

#endif
