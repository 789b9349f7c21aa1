/* SPDX-License-Identifier: Apache-2.0
 * Builds a set of programs into the program cache, in several processes at a time. */
#ifndef CLGEMM_COMMON_BUILD_H
#define CLGEMM_COMMON_BUILD_H

#include "gemm/family.h"
#include "src/common/worker.h"

/* A program, and a plan with a step that runs it, from which a warm-up launch takes its arguments.
 * The plan is the library's choice for the problem, or that of a family with given parameters. */
struct build_program {
    const char *source;
    char options[CLG_MAX_OPTIONS];
    struct clg_problem problem;
    const struct clg_family *family; /* NULL: the library's choice */
    struct clg_params params;
    int step;
};

/* In the order in which they were added, each once. All zero is an empty set. */
struct build_set {
    struct build_program *items;
    uint64_t *hashes; /* hashes of source and options */
    size_t count, room, hash_room;
    size_t most;    /* the most items that are kept; 0: no limit */
    size_t left;    /* number of programs beyond these */
    bool no_memory; /* there are more */
};

/* Adds the programs of a plan that the set lacks. `chosen`: the plan is the library's choice;
 * otherwise one of clg_plan_with. */
void build_set_add(struct build_set *set, const struct clg_plan *plan, bool chosen);
void build_set_release(struct build_set *set);

enum build_outcome { BUILD_TO_DO, BUILD_THERE, BUILD_DONE, BUILD_FAILED, BUILD_OUTCOMES };

struct build_request {
    struct clg_problem problem;
    int family; /* index in clg_families, or -1: the library's choice */
    struct clg_params params;
    int step;
};

struct build_answer {
    bool unusable; /* the device cannot be used; `why` says why */
    bool built;
    char why[512];
};

struct build {
    const struct build_set *programs;
    const struct clg_facts *facts;
    const char *command; /* what messages about programs begin with; NULL: no messages */
    const char *const *
        words; /* each process's arguments, NULL at the end: this program, in build_worker_main() */
    int jobs;  /* number of processes, at most WORKERS_MAX */
    double limit;                 /* seconds for a program */
    double start_limit;           /* seconds for opening the device */
    enum build_outcome *outcomes; /* one for each program; owned by the caller */
    size_t counts[BUILD_OUTCOMES];
    size_t unkept; /* built, but missing from the cache at the end */
    char why[512]; /* why no process can build */
};

/* NULL, or why the cache on disk keeps nothing. Then building in advance has no use. */
const char *build_unkept_reason(void);

/* Finds which programs are in the cache on disk, and sets outcomes and counts. */
void build_look(struct build *build);

/* Builds the others. A failed program is named on stderr and does not affect the others. A terminal
 * sees the progress. Returns false if worker_stop was set or no process could use the device; then
 * build->why says why. */
bool build_run(struct build *build);

/* The whole of such a process, on the device that `request` names (see clg_device_choose); returns
 * its exit code. */
int build_worker_main(const char *request);

#endif
