/* SPDX-License-Identifier: Apache-2.0
 * Built programs kept as binaries: in memory, for another context of this process, and on disk,
 * for the next process. */
#ifndef CLG_PROGRAM_CACHE_H
#define CLG_PROGRAM_CACHE_H

#include "device/device.h"
#include "program/binaries.h"
#include "program/source.h"

/* A program to be, and where its binary is kept. */
struct clg_recipe {
    struct clg_device *device;
    struct clg_binaries *store;
    const struct clg_source *source;
    const char *options;
    const char *key; /* see program/key.h; NULL: not to be kept or found */
};

/* Where a program came from. */
enum clg_origin { CLG_FROM_SOURCE, CLG_FROM_MEMORY, CLG_FROM_DISK, CLG_ORIGINS };

/* The program from memory, else from disk, whose binary memory then gets too, else from source. A
 * binary that the driver refuses counts as absent and is removed from the disk. */
clgemm_status clg_cache_build(const struct clg_recipe *recipe, cl_program *out,
                              enum clg_origin *origin);

/* Keeps the program's binary in memory and on disk, as machine code where that can be had. Whether
 * it is on disk now. */
bool clg_cache_keep(const struct clg_recipe *recipe, cl_program built);

#endif
