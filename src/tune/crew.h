/* SPDX-License-Identifier: Apache-2.0
 * The processes of a search: builders that compile what the strategy names ahead, and one that
 * runs it. What is built goes from one to the other through a program cache that is the search's
 * own, so that the one that runs candidates only loads binaries.
 *
 * A device that shares the host's cores, a CPU, would be slowed down by compilers: there builders
 * stand still (SIGSTOP) while a candidate runs. */
#ifndef CLGEMM_TUNE_CREW_H
#define CLGEMM_TUNE_CREW_H

#include <limits.h>

#include "device/facts.h"
#include "src/tune/worker.h"
#include "tune/search.h"

enum { TUNE_BUILDERS_MAX = WORKERS_MAX - 1, TUNE_AHEAD = 2 /* candidates for a builder */ };

struct tune_crew {
    struct tune_worker runner, builders[TUNE_BUILDERS_MAX];
    int num_builders;     /* 0: the runner builds what it runs */
    bool shares_cores;    /* the device's with the builders */
    char cache[PATH_MAX]; /* the folder of that program cache; "" if there is none */
    int cache_lock;       /* the descriptor that holds it, or -1 */
    uint64_t *built;      /* programs that are there, as clg_measure_programs names them */
    size_t num_built, built_room;
};

/* As many builders as are worth having on this machine, for a device of these facts. */
int tune_builders(const struct clg_facts *facts);

/* Readies a crew, whose processes start when they are first needed: `like` is what each of them is
 * to be. Sets the environment for them. With builders, makes the folder of their program cache;
 * where that fails there are none. tune_crew_end ends the processes and removes the folder. */
void tune_crew_open(struct tune_crew *crew, const struct tune_worker *like, int num_builders,
                    bool shares_cores);
void tune_crew_end(struct tune_crew *crew);

/* Processes that are started now, and that ever were. */
unsigned tune_crew_running(const struct tune_crew *crew);
unsigned tune_crew_started(const struct tune_crew *crew);

/* A candidate under way: named by the strategy, with a builder, built. One whose programs are all
 * there already needs no builder, and none builds what another one is building. */
struct tune_named {
    struct clg_candidate candidate;
    uint64_t programs[CLG_MEASURE_PROGRAMS];
    int num_programs;
    enum { TUNE_NAMED, TUNE_BUILDING, TUNE_BUILT } state;
    const struct tune_worker *builder;
    struct clg_trial trial; /* of building it */
};

/* One search's candidates under way, oldest first. */
struct tune_ahead {
    struct tune_crew *crew;
    struct clg_search *search;
    const struct clg_space *space;
    struct clg_tuning_shape shape;
    struct tune_named named[TUNE_AHEAD * TUNE_BUILDERS_MAX];
    int count;
    bool begun; /* the first was taken */
    bool ended; /* the strategy has no more */
};

void tune_ahead_begin(struct tune_ahead *ahead, struct tune_crew *crew, struct clg_search *search,
                      const struct clg_space *space, const struct clg_tuning_shape *shape);
/* Gives up what is under way. */
void tune_ahead_end(struct tune_ahead *ahead);

/* Takes the oldest candidate that is built, or could not be; the strategy's first one first. False:
 * there are no more, none is built by the time `until`, or worker_stop. */
bool tune_ahead_next(struct tune_ahead *ahead, double until, struct tune_named *out);

/* Has a candidate tried while others are built. What goes wrong is the trial's verdict. False:
 * given up because of worker_stop. */
bool tune_ahead_try(struct tune_ahead *ahead, const struct clg_candidate *candidate, double best,
                    struct tune_answer *answer);

#endif
