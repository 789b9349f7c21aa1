/* SPDX-License-Identifier: Apache-2.0
 * What the sub-commands of `clgemm cache` share. */
#ifndef CLGEMM_CACHE_CACHE_H
#define CLGEMM_CACHE_CACHE_H

#include "gemm/type.h"
#include "src/cache/folder.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"
#include "src/output.h"

/* What a process in which programs are built is started as: clgemm cache warm --worker P:D. */
#define CACHE_WORKER_OPTION "--worker"

struct cache_job {
    const char *command; /* "clgemm cache NAME" */
    struct output output;
    const char *device; /* NULL: the default, as with the empty lists */
    struct shape_list shapes;
    struct transpose_list transposes;
    clgemm_type type;
    bool fix;
    bool all;                   /* also programs that are less likely */
    int jobs;                   /* processes; 0: as many as the machine has use for */
    const char *worker;         /* P:D: this is a process in which programs are built */
    struct cache_folder folder; /* open, and the cache on */
};

/* A sub-command: reports on a `struct cache_job`, and returns an exit code. */
typedef int cache_action(FILE *out, void *job);

cache_action cache_list, cache_verify, cache_warm;

#endif
