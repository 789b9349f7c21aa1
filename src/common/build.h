/* SPDX-License-Identifier: Apache-2.0
 * Building a set of programs into the program cache, in processes of their own at the same time. */
#ifndef CLGEMM_COMMON_BUILD_H
#define CLGEMM_COMMON_BUILD_H

#include "gemm/family.h"
#include "src/common/worker.h"

/* A program, and a plan of which it is a step: what a launch in advance takes its arguments from.
 * The plan is the library's choice for the problem, or that family's with those parameters. */
struct build_program {
    const char *source;
    char options[CLG_MAX_OPTIONS];
    struct clg_problem problem;
    const struct clg_family *family; /* NULL: the choice */
    struct clg_params params;
    int step;
};

/* In the order in which they were added, each once. All zero is an empty set. */
struct build_set {
    struct build_program *items;
    uint64_t *hashes; /* of source and options */
    size_t count, room, hash_room;
    size_t most;    /* items that are kept; 0: any number */
    size_t left;    /* programs beyond these */
    bool no_memory; /* there are more */
};

/* Adds what a plan needs that the set has not: one that is the library's `chosen` one, else one of
 * clg_plan_with. */
void build_set_add(struct build_set *set, const struct clg_plan *plan, bool chosen);
void build_set_release(struct build_set *set);

enum build_outcome { BUILD_TO_DO, BUILD_THERE, BUILD_DONE, BUILD_FAILED, BUILD_OUTCOMES };

struct build_request {
    struct clg_problem problem;
    int family; /* index in clg_families, or -1: the choice */
    struct clg_params params;
    int step;
};

struct build_answer {
    bool unusable; /* the device; why says why */
    bool built;
    char why[512];
};

struct build {
    const struct build_set *programs;
    const struct clg_facts *facts;
    const char *command;          /* what messages about programs begin with; NULL: none is told */
    const char *const *words;     /* each process's command line, NULL at the end: this program in
                                     build_worker_main() */
    int jobs;                     /* processes, at most WORKERS_MAX */
    double limit;                 /* seconds for a program */
    double start_limit;           /* and for opening the device */
    enum build_outcome *outcomes; /* one for each program; the caller's */
    size_t counts[BUILD_OUTCOMES];
    size_t unkept; /* of those that failed: not in the cache in the end, though built */
    char why[512]; /* no process can build */
};

/* NULL, or why the cache on disk keeps nothing: then there is nothing to be built ahead. */
const char *build_unkept_reason(void);

/* Finds out which are in the cache on disk, and sets outcomes and counts. */
void build_look(struct build *build);

/* Builds those that are not; what fails is named on stderr, and costs no other program anything. A
 * terminal is told how far it is. False where worker_stop or no process could use the device ended
 * it; of the latter build->why tells. */
bool build_run(struct build *build);

/* The whole of such a process on the device that `request` names (see clg_device_choose); returns
 * its exit code. */
int build_worker_main(const char *request);

#endif
