/* SPDX-License-Identifier: Apache-2.0
 * Building a set of programs into the program cache, in processes of their own at the same time. */
#ifndef CLGEMM_CACHE_BUILD_H
#define CLGEMM_CACHE_BUILD_H

#include <limits.h>

#include "src/cache/programs.h"
#include "src/common/worker.h"

/* What each process is started as: clgemm cache warm --worker P:D. */
#define CACHE_WORKER_OPTION "--worker"

enum cache_outcome { CACHE_TO_BUILD, CACHE_THERE, CACHE_BUILT, CACHE_FAILED, CACHE_OUTCOMES };

struct cache_request {
    struct clg_problem problem;
    int step;
};

struct cache_answer {
    bool unusable; /* the device; why says why */
    bool built;
    char why[512];
};

struct cache_build {
    const struct cache_programs *programs;
    const struct clg_facts *facts;
    const char *command;          /* what messages begin with */
    const char *device;           /* P:D */
    int jobs;                     /* processes, at most WORKERS_MAX */
    double limit;                 /* seconds for a program */
    double start_limit;           /* and for opening the device */
    enum cache_outcome *outcomes; /* one for each program; the caller's */
    size_t counts[CACHE_OUTCOMES];
    size_t unkept; /* of those that failed: not in the cache in the end, though built */
};

/* Finds out which are in the cache on disk, and sets outcomes and counts. */
void cache_build_look(struct cache_build *build);

/* Builds those that are not; what fails is named on stderr, and costs no other program anything. A
 * terminal is told how far it is. False where worker_stop or no process could use the device ended
 * it; the latter is told on stderr. */
bool cache_build_run(struct cache_build *build);

/* The whole of such a process; returns its exit code. */
int cache_worker_main(const char *device);

#endif
