/* SPDX-License-Identifier: Apache-2.0
 * Plans every problem's candidates, and has their programs built. */
#include "bench/regret_build.h"

#include <signal.h>
#include <stdlib.h>

#include "api/handle.h"
#include "base/clock.h"
#include "base/env.h"
#include "bench/candidates.h"
#include "src/common/build.h"

enum { LIMIT = 120, START_LIMIT = 60 }; /* seconds, for a program and for opening the device */

clgemm_status regret_describe(const struct problem *problem, struct clg_problem *whole,
                              struct clg_problem *shallow) {
    const int64_t depth = problem->shape.k;
    const struct clg_call call = problem_call(problem, depth);
    const struct clg_call trial = problem_call(problem, depth < TRIAL_DEPTH ? depth : TRIAL_DEPTH);
    const clgemm_status status = clg_problem_init(whole, &call);
    return status ? status : clg_problem_init(shallow, &trial);
}

/* Problems that cannot be planned are reported when they are measured. */
static void add_problem(struct build_set *set, const struct clg_engine *engine,
                        const struct options *o, const struct problem *problem) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_problem whole, shallow;
    struct candidates list = {0};
    struct clg_plan trial;
    char why[256];
    if (regret_describe(problem, &whole, &shallow) || whole.work != CLG_WORK_MULTIPLY)
        return;
    if (candidates_make(&list, &whole, facts, engine->tuning, o->families, why, sizeof why))
        for (size_t i = 0; i < list.count; i++) {
            build_set_add(set, &list.plans[i], i == 0);
            if (whole.k >= TRIAL_WORTHWHILE &&
                candidates_trial(&trial, &list.plans[i], &shallow, facts))
                build_set_add(set, &trial, false);
        }
    candidates_release(&list);
}

static void add_all(struct build_set *set, const struct clg_engine *engine,
                    const struct options *o) {
    struct problem problem;
    char why[256];
    for (size_t s = 0; s < o->shapes.count; s++)
        for (size_t t = 0; t < o->trans.count; t++)
            if (problem_describe(&problem, o, o->shapes.items[s], o->trans.items[t], why,
                                 sizeof why))
                add_problem(set, engine, o, &problem);
}

/* False if no process could. */
static bool build_missing(struct build *build, const struct options *o) {
    const char *const words[] = {"--regret-child", o->device ? "-d" : NULL, o->device, NULL};
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    build->words = words;
    build->jobs = workers_that_fit(build->facts, worker_cores());
    if ((size_t)build->jobs > build->counts[BUILD_TO_DO])
        build->jobs = (int)build->counts[BUILD_TO_DO];
    /* A dead process is noticed by its pipe. */
    sigaction(SIGPIPE, &ignored, &before);
    const bool done = build_run(build);
    sigaction(SIGPIPE, &before, NULL);
    return done;
}

/* Reports what was built, or why nothing was. */
static bool report(const struct build *build, bool done, double seconds, struct context *context) {
    const size_t *counts = build->counts;
    if (done && !build->unkept)
        context_add(
            context, "programs",
            "%zu: %zu in the cache, %zu built in advance by %d processes in %.1f s, %zu failed",
            build->programs->count, counts[BUILD_THERE], counts[BUILD_DONE], build->jobs, seconds,
            counts[BUILD_FAILED]);
    else
        context_add(context, "programs", "built one at a time, as they are needed: %s",
                    done ? "CLGEMM_CACHE_MAX_SIZE is too small for them, or the disk is full"
                         : build->why);
    return done && !build->unkept;
}

bool regret_build(struct device *device, const struct options *o, struct context *context) {
    const struct clg_engine *engine = &device->handle->engine;
    const double start = clg_clock_seconds();
    const char *unkept = build_unkept_reason();
    struct build_set set = {.items = NULL};
    struct build build = {.programs = &set,
                          .facts = &engine->device->facts,
                          .limit = LIMIT,
                          .start_limit = START_LIMIT};
    bool done = false;
    if (!unkept)
        add_all(&set, engine, o);
    build.outcomes = calloc(set.count + 1, sizeof *build.outcomes);
    if (unkept || set.no_memory || !build.outcomes) {
        snprintf(build.why, sizeof build.why, "%s", unkept ? unkept : "out of memory");
    } else {
        build_look(&build);
        done = build_missing(&build, o);
    }
    done = report(&build, done, clg_clock_seconds() - start, context);
    free(build.outcomes);
    build_set_release(&set);
    return done;
}

int regret_build_child(const struct options *o) {
    return build_worker_main(o->device ? o->device : clg_env("CLGEMM_DEVICE"));
}
