/* SPDX-License-Identifier: Apache-2.0
 * Built programs kept as binaries: in memory, for another context of this process, and on disk,
 * for the next process. */
#ifndef CLG_PROGRAM_CACHE_H
#define CLG_PROGRAM_CACHE_H

#include "device/device.h"
#include "program/binaries.h"
#include "program/source.h"

/* How to launch a program's kernel once, in vain: `run` gets `user` and the program, and waits. */
struct clg_warm_launch {
    clgemm_status (*run)(const void *user, cl_program built);
    const void *user;
};

/* A program to be, and where its binary is kept. */
struct clg_recipe {
    struct clg_device *device;
    struct clg_binaries *store; /* NULL: nothing is kept or found */
    const struct clg_source *source;
    const char *options;
    const char *key;                           /* see program/key.h; NULL: as without a store */
    const struct clg_warm_launch *warm_launch; /* may be NULL */
};

/* Where a program came from. */
enum clg_origin { CLG_FROM_SOURCE, CLG_FROM_MEMORY, CLG_FROM_DISK, CLG_ORIGINS };

/* Whether the device's runtime is one that compiles a kernel at its first launch, PoCL. */
bool clg_compiles_at_launch(const struct clg_device *device);

/* The program from memory, else from disk, whose binary memory then gets too, else from source,
 * whose binary both then get; *kept says whether it is on disk now. A binary that the driver
 * refuses counts as absent and is removed from the disk. Where two contexts want the same program,
 * one builds it and the other waits for the binary.
 *
 * PoCL compiles a kernel for its work-groups at the first launch, and its binary holds that code
 * only if it is first asked for after one; asked while a launch of the same kernel is under way, it
 * ends the process (3.1). So there `warm_launch` launches it first, before anyone else has it;
 * without a store too, as PoCL then has the code in its own cache. Asking costs another
 * compilation, so that it is done for the disk alone. */
clgemm_status clg_cache_build(const struct clg_recipe *recipe, cl_program *out,
                              enum clg_origin *origin, bool *kept);

/* The first two parts of that alone; false where the program would have to be compiled. */
bool clg_cache_load(const struct clg_recipe *recipe, cl_program *out, enum clg_origin *origin);

#endif
