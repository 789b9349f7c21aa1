/* SPDX-License-Identifier: Apache-2.0
 * The processes of a search: builders, which compile the search's candidates in advance, and one
 * runner, which runs them. Programs pass from one to the other through the search's own program
 * cache, so that the runner only loads binaries.
 *
 * If the device is a CPU, compilers would slow it down. So the builders are stopped (SIGSTOP) while
 * a candidate runs. */
#ifndef CLGEMM_TUNE_CREW_H
#define CLGEMM_TUNE_CREW_H

#include <limits.h>

#include "device/facts.h"
#include "src/tune/worker.h"
#include "src/tuner/search.h"

enum { TUNE_BUILDERS_MAX = WORKERS_MAX - 1, TUNE_AHEAD = 2 /* candidates per builder */ };

struct tune_crew {
    struct tune_worker runner, builders[TUNE_BUILDERS_MAX];
    int num_builders;     /* 0: the runner builds what it runs */
    bool shares_cores;    /* device and builders share the host's cores */
    char cache[PATH_MAX]; /* the folder of the program cache; "" if there is none */
    int cache_lock;       /* the descriptor that holds its lock, or -1 */
    uint64_t *built;      /* programs in the cache, as clg_measure_programs names them */
    size_t num_built, built_room;
};

/* The number of builders that are useful on this machine, for a device with these facts. */
int tune_builders(const struct clg_facts *facts);

/* Prepares a crew, whose processes start when they are first needed. `like` is the template for
 * each of them. Sets the environment for them. With builders, makes the folder of their program
 * cache; if that fails, there are no builders. tune_crew_end ends the processes and removes the
 * folder. */
void tune_crew_open(struct tune_crew *crew, const struct tune_worker *like, int num_builders,
                    bool shares_cores);
void tune_crew_end(struct tune_crew *crew);

/* The number of processes that run now, and that were ever started. */
unsigned tune_crew_running(const struct tune_crew *crew);
unsigned tune_crew_started(const struct tune_crew *crew);

/* A candidate's state: named by the search, with a builder, built. A candidate whose programs are
 * all in the cache needs no builder, and two builders never build the same program. */
struct tune_named {
    struct clg_candidate candidate;
    uint64_t programs[CLG_MEASURE_PROGRAMS];
    int num_programs;
    enum { TUNE_NAMED, TUNE_BUILDING, TUNE_BUILT } state;
    const struct tune_worker *builder;
    struct clg_trial trial; /* the result of building it */
};

/* The pending candidates of one search, oldest first. */
struct tune_ahead {
    struct tune_crew *crew;
    struct clg_search *search;
    const struct clg_space *space;
    struct clg_tuning_shape shape;
    struct tune_named named[TUNE_AHEAD * TUNE_BUILDERS_MAX];
    int count;
    bool begun; /* the first was taken */
    bool ended; /* the search has no more candidates */
};

void tune_ahead_begin(struct tune_ahead *ahead, struct tune_crew *crew, struct clg_search *search,
                      const struct clg_space *space, const struct clg_tuning_shape *shape);
/* Gives up the pending candidates. */
void tune_ahead_end(struct tune_ahead *ahead);

/* Takes the oldest candidate that is built, or that could not be built; the search's first one
 * comes first. False: there are no more, none is built by the time `until`, or worker_stop is
 * set. */
bool tune_ahead_next(struct tune_ahead *ahead, double until, struct tune_named *out);

/* Has a candidate tried while others are built. Errors are part of the trial's verdict. False:
 * given up because of worker_stop. */
bool tune_ahead_try(struct tune_ahead *ahead, const struct clg_candidate *candidate, double best,
                    struct tune_answer *answer);

#endif
