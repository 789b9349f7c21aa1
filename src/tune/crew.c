/* SPDX-License-Identifier: Apache-2.0
 * The processes of a search and their tasks. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "src/tune/crew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "src/common/scratch.h"

int tune_builders(const struct clg_facts *facts) {
    /* If builders pause while candidates run, the process that runs them needs no core of its
     * own. */
    const int own = facts->kind == CLG_DEVICE_CPU ? 0 : 1;
    return workers_that_fit(facts, worker_cores() - own);
}

static bool make_cache(struct tune_crew *crew) {
    crew->cache_lock = scratch_make_folder("tune", crew->cache);
    if (crew->cache_lock < 0)
        crew->cache[0] = '\0';
    return crew->cache[0];
}

void tune_crew_open(struct tune_crew *crew, const struct tune_worker *like, int num_builders,
                    bool shares_cores) {
    memset(crew, 0, sizeof *crew);
    crew->runner = *like;
    crew->num_builders = num_builders > 0 && make_cache(crew) ? num_builders : 0;
    crew->shares_cores = shares_cores;
    for (int b = 0; b < crew->num_builders; b++)
        crew->builders[b] = *like;
    /* Neither the library nor PoCL should keep the candidates' programs after the search. */
    setenv("CLGEMM_CACHE", crew->num_builders ? "1" : "0", 1);
    if (crew->num_builders) {
        setenv("CLGEMM_CACHE_DIR", crew->cache, 1);
        setenv("CLGEMM_CACHE_MAX_SIZE", "64M", 1);
        setenv("POCL_CACHE_DIR", crew->cache, 1);
        setenv("POCL_KERNEL_CACHE", "1", 1);
    }
}

void tune_crew_end(struct tune_crew *crew) {
    tune_worker_end(&crew->runner);
    for (int b = 0; b < crew->num_builders; b++)
        tune_worker_end(&crew->builders[b]);
    free(crew->built);
    crew->built = NULL;
    crew->num_built = crew->built_room = 0;
    setenv("CLGEMM_CACHE", "0", 1); /* so that no process makes that folder again */
    if (*crew->cache) {
        scratch_remove(crew->cache);
        close(crew->cache_lock);
    }
}

unsigned tune_crew_running(const struct tune_crew *crew) {
    unsigned count = crew->runner.base.process != 0;
    for (int b = 0; b < crew->num_builders; b++)
        count += crew->builders[b].base.process != 0;
    return count;
}

unsigned tune_crew_started(const struct tune_crew *crew) {
    unsigned count = crew->runner.base.started;
    for (int b = 0; b < crew->num_builders; b++)
        count += crew->builders[b].base.started;
    return count;
}

void tune_ahead_begin(struct tune_ahead *ahead, struct tune_crew *crew, struct clg_search *search,
                      const struct clg_space *space, const struct clg_tuning_shape *shape) {
    *ahead = (struct tune_ahead){.crew = crew, .search = search, .space = space, .shape = *shape};
}

void tune_ahead_end(struct tune_ahead *ahead) {
    ahead->ended = true;
    for (int b = 0; b < ahead->crew->num_builders; b++)
        if (ahead->crew->builders[b].base.busy)
            tune_worker_end(&ahead->crew->builders[b]);
    ahead->count = 0;
}

static bool is_built(const struct tune_crew *crew, uint64_t program) {
    for (size_t i = 0; i < crew->num_built; i++)
        if (crew->built[i] == program)
            return true;
    return false;
}

static bool are_built(const struct tune_crew *crew, const struct tune_named *named) {
    for (int i = 0; i < named->num_programs; i++)
        if (!is_built(crew, named->programs[i]))
            return false;
    return true;
}

/* If memory is short, the program is only built again. */
static void note_built(struct tune_crew *crew, const struct tune_named *named) {
    for (int i = 0; i < named->num_programs; i++) {
        if (is_built(crew, named->programs[i]))
            continue;
        if (!clg_array_reserve(&crew->built, &crew->built_room, crew->num_built + 1,
                               sizeof *crew->built))
            return;
        crew->built[crew->num_built++] = named->programs[i];
    }
}

/* Has the search name as many candidates as keep the builders busy. */
static void name_ahead(struct tune_ahead *ahead, int builders) {
    const int most = builders > 0 ? TUNE_AHEAD * builders : 1;
    const struct clg_space *space = ahead->space;
    while (!ahead->ended && ahead->count < most) {
        struct tune_named *last = &ahead->named[ahead->count];
        *last = (struct tune_named){.state = TUNE_NAMED};
        if (clg_search_next(ahead->search, &last->candidate)) {
            last->num_programs = clg_measure_programs(&space->problem, &space->facts,
                                                      &last->candidate, last->programs);
            ahead->count++;
        } else {
            ahead->ended = true;
        }
    }
}

/* Whether a builder is working on a program that the candidate needs. */
static bool is_under_way(const struct tune_ahead *ahead, const struct tune_named *named) {
    for (int n = 0; n < ahead->count; n++)
        for (int i = 0; ahead->named[n].state == TUNE_BUILDING && i < named->num_programs; i++)
            for (int j = 0; j < ahead->named[n].num_programs; j++)
                if (named->programs[i] == ahead->named[n].programs[j] &&
                    !is_built(ahead->crew, named->programs[i]))
                    return true;
    return false;
}

/* The oldest candidate that a builder can take now, or NULL. */
static struct tune_named *find_to_build(struct tune_ahead *ahead) {
    for (int i = 0; i < ahead->count; i++)
        if (ahead->named[i].state == TUNE_NAMED && !is_under_way(ahead, &ahead->named[i]))
            return &ahead->named[i];
    return NULL;
}

/* Gives named candidates to idle builders. Without builders, the runner builds them. */
static void build_ahead(struct tune_ahead *ahead) {
    struct tune_crew *crew = ahead->crew;
    struct tune_named *named;
    int builders = 0;
    for (int b = 0; b < crew->num_builders; b++)
        builders += crew->builders[b].device != NULL;
    name_ahead(ahead, builders);
    for (int i = 0; i < ahead->count; i++)
        if (ahead->named[i].state == TUNE_NAMED &&
            (builders == 0 || are_built(crew, &ahead->named[i])))
            ahead->named[i].state = TUNE_BUILT;
    for (int b = 0; b < crew->num_builders; b++) {
        struct tune_worker *builder = &crew->builders[b];
        if (builder->device && !builder->base.busy && (named = find_to_build(ahead))) {
            named->state = TUNE_BUILDING;
            named->builder = builder;
            tune_worker_ask(builder, &ahead->shape, &named->candidate, TUNE_BUILD, 0);
        }
    }
}

/* Records what a builder built. A builder that cannot use the device is dismissed, because some
 * devices accept only one process. The runner then builds its candidate. */
static void take_built(struct tune_ahead *ahead, struct tune_worker *builder) {
    static const struct clg_trial good = {.verdict = CLG_TRIAL_GOOD};
    for (int i = 0; i < ahead->count; i++) {
        struct tune_named *named = &ahead->named[i];
        if (named->state == TUNE_BUILDING && named->builder == builder) {
            named->state = TUNE_BUILT;
            named->trial = builder->answer.unusable ? good : builder->answer.trial;
            if (!builder->answer.unusable && named->trial.verdict == CLG_TRIAL_GOOD)
                note_built(ahead->crew, named);
        }
    }
    if (builder->answer.unusable) {
        tune_worker_end(builder);
        builder->device = NULL;
    }
}

/* The next process of the crew that has its answer. */
static struct tune_worker *wait_for_any(struct tune_crew *crew, double until) {
    struct tune_worker *workers[WORKERS_MAX] = {&crew->runner};
    for (int b = 0; b < crew->num_builders; b++)
        workers[1 + b] = &crew->builders[b];
    return tune_worker_wait(workers, 1 + crew->num_builders, until);
}

/* The oldest candidate that can be taken, or -1. */
static int find_built(const struct tune_ahead *ahead) {
    const int among = ahead->begun || ahead->count == 0 ? ahead->count : 1;
    for (int i = 0; i < among; i++)
        if (ahead->named[i].state == TUNE_BUILT)
            return i;
    return -1;
}

bool tune_ahead_next(struct tune_ahead *ahead, double until, struct tune_named *out) {
    while (!worker_stop) {
        build_ahead(ahead);
        const int at = find_built(ahead);
        if (at >= 0) {
            *out = ahead->named[at];
            ahead->count--;
            for (int i = at; i < ahead->count; i++)
                ahead->named[i] = ahead->named[i + 1];
            return ahead->begun = true;
        }
        struct tune_worker *builder = wait_for_any(ahead->crew, until);
        if (!builder)
            return false;
        take_built(ahead, builder);
    }
    return false;
}

static void pause_builders(struct tune_crew *crew, bool pause) {
    for (int b = 0; crew->shares_cores && b < crew->num_builders; b++)
        tune_worker_pause(&crew->builders[b], pause);
}

bool tune_ahead_try(struct tune_ahead *ahead, const struct clg_candidate *candidate, double best,
                    struct tune_answer *answer) {
    struct tune_crew *crew = ahead->crew;
    struct tune_worker *done = NULL;
    pause_builders(crew, true);
    tune_worker_ask(&crew->runner, &ahead->shape, candidate, TUNE_TRY, best);
    do {
        if (done)
            take_built(ahead, done);
        if (!crew->shares_cores)
            build_ahead(ahead);
        done = wait_for_any(crew, INFINITY);
    } while (done && done != &crew->runner);
    pause_builders(crew, false);
    if (done)
        *answer = crew->runner.answer;
    else
        tune_worker_end(&crew->runner);
    return done;
}
