/* SPDX-License-Identifier: Apache-2.0
 * The engine. Over 300 lines, because making and building plans share one lock. */
#include "run/engine.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/process.h"
#include "gemm/estimate.h"
#include "gemm/family.h"
#include "run/choose.h"
#include "run/warm_launch.h"

static bool is_for(const void *known, const void *problem) {
    return clg_problem_equal(&((const struct clg_known_plan *)known)->prepared.plan.problem,
                             problem);
}

clgemm_status clg_engine_open(struct clg_engine *engine, struct clg_device *device,
                              struct clg_binaries *store) {
    *engine = (struct clg_engine){.device = device};
    pthread_mutex_init(&engine->lock, NULL);
    clg_known_open(&engine->plans, CLG_ENGINE_PLANS, is_for);
    clg_avoided_open(&engine->avoided, clg_compiles_at_launch(device));
    engine->trust = (struct clg_trust){device, store, &engine->avoided, CLGEMM_VERIFY_FIRST};
    return clg_programs_open(&engine->programs, device, store);
}

void clg_engine_close(struct clg_engine *engine) {
    clg_builder_free(engine->builder); /* first, because it uses the rest */
    clg_helper_free(engine->helper);
    clg_tuning_release(engine->tuning);
    clg_programs_close(engine->programs);
    clg_device_close(engine->device);
    clg_avoided_close(&engine->avoided);
    clg_known_close(&engine->plans);
    pthread_mutex_destroy(&engine->lock);
}

struct clg_tuning *clg_engine_tuning(struct clg_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct clg_tuning *tuning = clg_tuning_retain(engine->tuning);
    pthread_mutex_unlock(&engine->lock);
    return tuning;
}

bool clg_engine_retune(struct clg_engine *engine, const struct clg_tuning *old,
                       struct clg_tuning *tuning) {
    pthread_mutex_lock(&engine->lock);
    struct clg_tuning *replaced = engine->tuning;
    const bool ours = replaced == old;
    if (ours)
        engine->tuning = tuning;
    pthread_mutex_unlock(&engine->lock);
    if (ours) {
        clg_known_forget(&engine->plans, true);
        clg_tuning_release(replaced);
    }
    return ours;
}

/* ---- Making a plan ---- */

static void refute(struct clg_engine *engine, const struct clg_plan *plan) {
    clg_log(CLG_LOG_CALLS, "family %s is not used in mode %s: %s", plan->family->name,
            clg_math_word(plan->problem.math), clg_last_error());
    clg_avoid(&engine->avoided, plan, CLG_AVOID_REFUTED);
}

static bool is_not_wrong(void *user, const struct clg_plan *plan) {
    return !clg_trust_is_wrong(user, plan);
}

/* The argument of needs_less(). */
struct spilling {
    struct clg_engine *engine;
    const struct clg_plan *plan;
};

static double registers_of(const struct clg_plan *plan, const struct clg_facts *facts) {
    const struct clg_cost_row row = {.family = plan->family, .params = plan->params};
    return clg_estimated_registers(&row, facts, 1);
}

/* Whether the plan is a right one of the family that should need fewer registers. */
static bool needs_less(void *user, const struct clg_plan *plan) {
    const struct spilling *s = user;
    const struct clg_facts *facts = &s->engine->device->facts;
    return plan->family == s->plan->family &&
           registers_of(plan, facts) < registers_of(s->plan, facts) &&
           is_not_wrong(&s->engine->trust, plan);
}

/* Replaces a plan that spills by the next one that needs less, unless that is known to spill as
 * much or could not be built. It has no substitute itself. Where times were measured, they tell
 * what spills take. */
static void give_way(struct clg_engine *engine, const struct clg_list *list,
                     const struct clg_problem *problem, const struct clg_tuning *tuning,
                     struct clg_plan *plan) {
    const uint64_t spills = clg_avoided_spills(&engine->avoided, plan);
    struct spilling spilling = {engine, plan};
    struct clg_plan next;
    if (spills > 0 && plan->why != clg_why_tuned &&
        !clg_choose_by_measurements(&engine->device->facts, tuning) &&
        clg_choose_among(&next, list, problem, &engine->device->facts, clg_why_others_spill,
                         needs_less, &spilling) &&
        clg_avoided_spills(&engine->avoided, &next) < spills &&
        !clg_is_avoided(&engine->avoided, &next, CLG_AVOID_UNBUILT))
        *plan = next;
}

/* Chooses a plan without refuted families and without programs that are wrong on this device or
 * spill there. The next best ones by the families' models replace these: they are in the list. */
static clgemm_status choose(struct clg_engine *engine, const struct clg_problem *problem,
                            const struct clg_tuning *tuning, struct clg_list *list,
                            struct clg_plan *out) {
    const struct clg_facts *facts = &engine->device->facts;
    const unsigned refuted = clg_avoided_families(&engine->avoided, problem);
    const clgemm_status status = clg_choose_without(out, list, refuted, problem, facts, tuning);
    if (status)
        return status;
    if (!is_not_wrong(&engine->trust, out) &&
        !clg_choose_among(out, list, problem, facts, clg_why_others_wrong, is_not_wrong,
                          &engine->trust))
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                        "every program that can compute this failed its check on device \"%s\"",
                        facts->name);
    give_way(engine, list, problem, tuning, out);
    return CLGEMM_SUCCESS;
}

static struct clg_helper *helper_of(struct clg_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct clg_helper *helper = engine->mode == CLGEMM_BUILD_HELPER ? engine->helper : NULL;
    pthread_mutex_unlock(&engine->lock);
    return helper;
}

/* Whether the plan can be used without a compiler. At a launch of another width, a runtime may
 * compile once more; the helper's check is such a launch. */
static bool needs_no_help(struct clg_engine *engine, struct clg_prepared *prepared) {
    return clg_exec_find(engine->programs, prepared) &&
           (!clg_compiles_at_launch(engine->device) ||
            clg_trust_knows(&engine->trust, &prepared->plan));
}

/* Has the plan's programs built and checked by the helper, if there is one; then they are on disk.
 */
static clgemm_status get_help(struct clg_engine *engine, struct clg_prepared *prepared) {
    struct clg_helper *helper = helper_of(engine);
    if (!helper || needs_no_help(engine, prepared))
        return CLGEMM_SUCCESS;
    return clg_helper_build(helper, engine->device, &prepared->plan);
}

/* Builds the plan's programs and checks them. *again: another plan must be chosen. The programs are
 * wrong, or they belong to a family whose use requires a proof, and the check was not possible or
 * the family does not pay. */
static clgemm_status build_and_check(struct clg_engine *engine, struct clg_prepared *out,
                                     bool *again) {
    const struct clg_plan *plan = &out->plan;
    const bool to_prove = clg_plan_is_to_prove(plan);
    const clgemm_status helped = get_help(engine, out);
    *again = false;
    if (helped)
        return helped;
    const clgemm_status built = clg_trust_pays(&engine->trust, plan)
                                    ? clg_exec_prepare(engine->device, engine->programs, out)
                                    : CLGEMM_STATUS_UNSUPPORTED;
    const enum clg_finding finding =
        built ? CLG_FINDING_NONE : clg_trust_check(&engine->trust, out);
    *again = finding == CLG_FINDING_WRONG || (to_prove && finding == CLG_FINDING_NONE);
    if (to_prove && *again)
        refute(engine, plan);
    return *again && !built ? CLGEMM_STATUS_UNSUPPORTED : built;
}

/* Finds the first plan that can be built, is right, and does not give way to one that spills less.
 */
static clgemm_status prepare(struct clg_engine *engine, const struct clg_tuning *tuning,
                             struct clg_prepared *out) {
    const struct clg_problem problem = out->plan.problem;
    for (int tries = 0;; tries++) {
        struct clg_plan next;
        struct clg_list list;
        bool again;
        const clgemm_status built = build_and_check(engine, out, &again);
        if (built && out->plan.why == clg_why_others_spill)
            clg_avoid(&engine->avoided, &out->plan, CLG_AVOID_UNBUILT);
        else if (!again && (built || !clg_avoided_spills(&engine->avoided, &out->plan)))
            return built;
        if (tries == CLG_AVOIDED_MOST)
            return built;
        const clgemm_status chosen = choose(engine, &problem, tuning, &list, &next);
        if (chosen || (!built && !again && next.family == out->plan.family &&
                       clg_params_equal(&next.params, &out->plan.params)))
            return chosen;
        out->plan = next;
    }
}

/* ---- Building in the background ---- */

clgemm_status clg_engine_build(struct clg_engine *engine, const struct clg_plan *plan) {
    struct clg_prepared prepared = {.plan = *plan};
    bool again;
    const clgemm_status status = build_and_check(engine, &prepared, &again);
    return again ? CLGEMM_SUCCESS : status;
}

static void end_help(void *user) {
    struct clg_engine *engine = user;
    if (engine->helper)
        clg_helper_stop(engine->helper);
}

/* Called by the builder. A failure is reported once, and then avoided. Interim plans must be
 * chosen again. */
static void build(void *user, const struct clg_plan *plan) {
    struct clg_engine *engine = user;
    struct clg_prepared prepared = {.plan = *plan};
    bool again;
    if (clg_is_avoided(&engine->avoided, plan, CLG_AVOID_UNBUILT))
        return;
    const clgemm_status status = build_and_check(engine, &prepared, &again);
    if (status && status != CLGEMM_STATUS_EXITING) {
        clg_log(CLG_LOG_CALLS, "a plan could not be built, and others are used: %s",
                clg_last_error());
        clg_avoid(&engine->avoided, plan, CLG_AVOID_UNBUILT);
    }
    clg_known_forget(&engine->plans, false);
}

/* Builds the general plan for one kind of work. For a runtime that compiles at launch, builds it
 * for narrow and for wide grids. */
static clgemm_status build_general(struct clg_engine *engine, clgemm_type type, bool batched,
                                   enum clg_work work) {
    struct clg_prepared general;
    const struct clg_facts *facts = &engine->device->facts;
    const bool compiles_at_launch = clg_compiles_at_launch(engine->device);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int wide = 0; wide <= compiles_at_launch && !status; wide++)
        if (!(status = clg_choose_general(&general.plan, type, batched, work, wide, facts)))
            status = get_help(engine, &general);
    if (!status)
        status = clg_exec_prepare(engine->device, engine->programs, &general);
    if (status || !compiles_at_launch)
        return status;
    const struct clg_warm_step step = {engine->device, &general.plan, 0};
    const struct clg_warm_launch launch = {clg_warm_launch_run, &step};
    status = clg_program_launch(general.programs[0], &launch);
    if (!status && !(status = clg_choose_general(&general.plan, type, batched, work, true, facts)))
        status = clg_program_launch(general.programs[0], &launch);
    return status;
}

/* Builds, once, the programs that can compute any product of the type, or any batch of them. */
static clgemm_status build_general_once(struct clg_engine *engine, clgemm_type type, bool batched) {
    const unsigned bit = 1U << (2 * (unsigned)type + batched);
    pthread_mutex_lock(&engine->lock);
    const bool done = engine->general & bit;
    pthread_mutex_unlock(&engine->lock);
    if (done)
        return CLGEMM_SUCCESS;
    clgemm_status status = build_general(engine, type, batched, CLG_WORK_MULTIPLY);
    if (!status)
        status = build_general(engine, type, batched, CLG_WORK_SCALE);
    if (status)
        return status;
    pthread_mutex_lock(&engine->lock);
    engine->general |= bit;
    pthread_mutex_unlock(&engine->lock);
    return CLGEMM_SUCCESS;
}

bool clg_engine_is_building(struct clg_engine *engine) {
    pthread_mutex_lock(&engine->lock);
    struct clg_builder *builder = engine->builder; /* stays until the engine is closed */
    pthread_mutex_unlock(&engine->lock);
    return builder && !clg_builder_rests(builder);
}

/* Only for F32: most programs multiply floats. The general programs of other types, and of batches,
 * are built by their first call. */
clgemm_status clg_engine_set_mode(struct clg_engine *engine, clgemm_build mode) {
    pthread_mutex_lock(&engine->lock);
    const clgemm_build before = engine->mode;
    if (!engine->helper && mode == CLGEMM_BUILD_HELPER)
        engine->helper = clg_helper_new();
    if (!engine->builder && mode != CLGEMM_BUILD_WAIT)
        engine->builder = clg_builder_new(build, end_help, engine);
    const bool works = engine->builder || mode == CLGEMM_BUILD_WAIT;
    if (works)
        engine->mode = mode;
    pthread_mutex_unlock(&engine->lock);
    if (!works)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a builder");
    const clgemm_status status =
        mode == CLGEMM_BUILD_WAIT ? CLGEMM_SUCCESS : build_general_once(engine, CLGEMM_F32, false);
    if (status) {
        pthread_mutex_lock(&engine->lock);
        engine->mode = before;
        pthread_mutex_unlock(&engine->lock);
    }
    return status;
}

/* The argument of is_ready(). */
struct readiness {
    struct clg_engine *engine;
    struct clg_prepared *prepared;
};

static bool is_ready(void *user, const struct clg_plan *plan) {
    const struct readiness *r = user;
    if (plan != &r->prepared->plan)
        r->prepared->plan = *plan;
    if (!clg_exec_find(r->engine->programs, r->prepared) ||
        (helper_of(r->engine) && !needs_no_help(r->engine, r->prepared)) ||
        !clg_trust_pays(&r->engine->trust, plan))
        return false;
    const enum clg_finding finding = clg_trust_check(&r->engine->trust, r->prepared);
    return finding == CLG_FINDING_RIGHT ||
           (finding == CLG_FINDING_NONE && !clg_plan_is_to_prove(plan));
}

/* Finds a plan that needs no compiler: the plan itself if its programs exist, else an interim plan
 * while they are built. False if the caller must build them. *keep: whether the plan may be
 * remembered. */
static bool do_without_compiler(struct clg_engine *engine, const struct clg_problem *problem,
                                const struct clg_list *list, struct clg_prepared *out, bool *keep) {
    struct readiness readiness = {engine, out};
    struct clg_prepared interim;
    *keep = true;
    if (is_ready(&readiness, &out->plan))
        return true;
    readiness.prepared = &interim;
    if (build_general_once(engine, problem->type, problem->batch > 1) ||
        !clg_choose_among(&interim.plan, list, problem, &engine->device->facts, clg_why_interim,
                          is_ready, &readiness))
        return false;
    if (!clg_is_avoided(&engine->avoided, &out->plan, CLG_AVOID_UNBUILT) && !clg_is_exiting()) {
        const enum clg_wish wish = clg_builder_wish(engine->builder, &out->plan);
        if (wish == CLG_WISH_REFUSED)
            return false;
        *keep = wish != CLG_WISH_LATER;
    }
    *out = interim;
    return true;
}

/* ---- Plans ---- */

static struct clg_known_plan *find(struct clg_engine *engine, const struct clg_problem *problem,
                                   uint64_t *since) {
    return clg_known_find(&engine->plans, clg_problem_hash(problem), problem, since);
}

/* Makes a plan and its programs. *keep becomes false if it must not be remembered. */
static clgemm_status make(struct clg_engine *engine, const struct clg_problem *problem, bool waits,
                          struct clg_prepared *out, bool *keep) {
    struct clg_list list;
    pthread_mutex_lock(&engine->lock);
    struct clg_tuning *tuning = clg_tuning_retain(engine->tuning);
    waits = waits || engine->mode == CLGEMM_BUILD_WAIT;
    pthread_mutex_unlock(&engine->lock);
    clgemm_status status = choose(engine, problem, tuning, &list, &out->plan);
    if (!status && (waits || !do_without_compiler(engine, problem, &list, out, keep)))
        status = prepare(engine, tuning, out);
    clg_tuning_release(tuning);
    return status;
}

/* Makes and remembers a plan, after a search that returned `since`. The caller releases it. */
static clgemm_status add(struct clg_engine *engine, const struct clg_problem *problem, bool waits,
                         uint64_t since, struct clg_known_plan **out) {
    struct clg_known_plan *plan = malloc(sizeof *plan);
    bool keep = true;
    *out = NULL;
    if (!plan)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a plan");
    if (clg_is_exiting() && clg_compiles_at_launch(engine->device)) {
        free(plan);
        return clg_fail(CLGEMM_STATUS_EXITING, "exit() has begun, and device \"%s\" would compile",
                        engine->device->facts.name);
    }
    const clgemm_status status = make(engine, problem, waits, &plan->prepared, &keep);
    if (status) {
        free(plan);
        return status;
    }
    plan->known = (struct clg_known){.hash = clg_problem_hash(problem),
                                     .interim = plan->prepared.plan.why == clg_why_interim,
                                     .users = 1};
    if (keep)
        clg_known_keep(&engine->plans, &plan->known, since);
    *out = plan;
    return CLGEMM_SUCCESS;
}

clgemm_status clg_engine_plan(struct clg_engine *engine, const struct clg_problem *problem,
                              const struct clg_prepared **out) {
    uint64_t since;
    struct clg_known_plan *plan = find(engine, problem, &since);
    const clgemm_status status = plan ? CLGEMM_SUCCESS : add(engine, problem, false, since, &plan);
    *out = plan ? &plan->prepared : NULL;
    return status;
}

void clg_engine_release(const struct clg_prepared *prepared) {
    if (prepared)
        clg_known_release((char *)prepared - offsetof(struct clg_known_plan, prepared));
}

clgemm_status clg_engine_warm(struct clg_engine *engine, const struct clg_problem *problem) {
    uint64_t since;
    struct clg_known_plan *plan = find(engine, problem, &since);
    const bool ready = plan && !plan->known.interim;
    clg_known_release(plan);
    if (ready)
        return CLGEMM_SUCCESS;
    const clgemm_status status = add(engine, problem, true, since, &plan);
    if (!status)
        clg_known_forget(&engine->plans, false);
    clg_known_release(plan);
    return status;
}

/* The layout of a packed operand is part of the problem, and so of the key of a remembered plan. So
 * it is decided first. */
clgemm_status clg_engine_plan_packing(struct clg_engine *engine, const struct clg_problem *problem,
                                      const struct clg_prepared **out) {
    struct clg_tuning *tuning = clg_engine_tuning(engine);
    struct clg_list list;
    struct clg_plan plan;
    clgemm_status status = choose(engine, problem, tuning, &list, &plan);
    clg_tuning_release(tuning);
    *out = NULL;
    if (!status && !(status = clg_engine_warm(engine, &plan.problem)))
        status = clg_engine_plan(engine, &plan.problem, out);
    return status;
}
