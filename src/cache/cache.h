/* SPDX-License-Identifier: Apache-2.0
 * Declarations that the sub-commands of `clgemm cache` share. */
#ifndef CLGEMM_CACHE_CACHE_H
#define CLGEMM_CACHE_CACHE_H

#include "gemm/type.h"
#include "src/cache/folder.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"
#include "src/output.h"

/* Each compiling process is started as `clgemm cache warm --worker P:D`. */
#define CACHE_WORKER_OPTION "--worker"

struct cache_job {
    const char *command; /* "clgemm cache NAME" */
    struct output output;
    const char *device; /* NULL: the default. Empty lists mean the default too */
    struct shape_list shapes;
    struct transpose_list transposes;
    clgemm_type type;
    bool fix;
    bool all;                   /* --all: also less likely programs */
    int jobs;                   /* number of processes; 0: as many as the machine can use */
    const char *worker;         /* P:D: this is one of the compiling processes */
    struct cache_folder folder; /* open, and the cache on */
};

/* A sub-command: reports on a `struct cache_job` and returns an exit code. */
typedef int cache_action(FILE *out, void *job);

cache_action cache_list, cache_verify, cache_warm;

#endif
