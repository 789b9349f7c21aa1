/* SPDX-License-Identifier: Apache-2.0
 * The engine: an open device, its programs, the current tuning table and remembered plans. A handle
 * owns one.
 *
 * Plans are remembered because choosing one and finding its programs takes microseconds, as long as
 * a small product on a fast device, and programs tend to repeat their products. */
#ifndef CLG_RUN_ENGINE_H
#define CLG_RUN_ENGINE_H

#include <pthread.h>

#include "base/known.h"
#include "gemm/family.h"
#include "run/builder.h"
#include "run/helper.h"
#include "run/trust.h"
#include "tuning/table.h"

/* A pipeline (host/) needs one for each of its steps. */
enum { CLG_ENGINE_PLANS = 256 };

struct clg_known_plan {
    struct clg_known known; /* interim: programs of a better plan are being built */
    struct clg_prepared prepared;
};

struct clg_engine {
    struct clg_device *device;
    struct clg_programs *programs;
    struct clg_known_table plans; /* struct clg_known_plan */
    struct clg_avoided avoided;
    struct clg_trust trust;
    pthread_mutex_t lock;        /* guards the next ones */
    struct clg_tuning *tuning;   /* for making plans; NULL: none */
    struct clg_builder *builder; /* NULL: not used yet */
    struct clg_helper *helper;   /* NULL: not used yet, or there is none */
    clgemm_build mode;
    unsigned general; /* a bit for each type, single and batched: the general programs are built */
};

/* Opens an engine on that device, which it takes over even on failure, without a tuning table.
 * `store` (NULL: none) keeps binaries of programs and must outlive the engine. Close it in any
 * case. */
clgemm_status clg_engine_open(struct clg_engine *engine, struct clg_device *device,
                              struct clg_binaries *store);

/* Releases what the engine holds. No call may be in progress. */
void clg_engine_close(struct clg_engine *engine);

/* The tuning table, or NULL. The caller releases it. */
struct clg_tuning *clg_engine_tuning(struct clg_engine *engine);

/* Replaces the table `old` by `tuning` (or NULL), which it takes over, and forgets all plans.
 * False, without effect, if another thread has replaced `old` already. */
bool clg_engine_retune(struct clg_engine *engine, const struct clg_tuning *old,
                       struct clg_tuning *tuning);

/* Switches how programs are built. In the background, a thread of the library builds plans whose
 * programs must be compiled; with a helper, that process compiles for it, and for calls that wait.
 * Until then a plan is used whose programs exist: at least the general one, whose programs this
 * function builds. If they cannot be built, fails without effect. */
clgemm_status clg_engine_set_mode(struct clg_engine *engine, clgemm_build mode);

/* Whether programs are being built in the background. */
bool clg_engine_is_building(struct clg_engine *engine);

/* Builds a plan's programs and checks them, so that both are kept. For the helper. */
clgemm_status clg_engine_build(struct clg_engine *engine, const struct clg_plan *plan);

/* The plan of this problem, as clg_choose_plan makes it with the tuning table, or an interim one
 * (see above), and its programs. The caller releases it; NULL on failure. */
clgemm_status clg_engine_plan(struct clg_engine *engine, const struct clg_problem *problem,
                              const struct clg_prepared **out);

/* NULL is fine. */
void clg_engine_release(const struct clg_prepared *prepared);

/* The plan that packs the operand that problem->ahead names, in the layout that suits this problem
 * best. (*out)->plan.packed says whether it does, and (*out)->plan.problem.ahead is for later
 * problems. Always waits for the compiler. Released as above. */
clgemm_status clg_engine_plan_packing(struct clg_engine *engine, const struct clg_problem *problem,
                                      const struct clg_prepared **out);

/* Makes and remembers the plan of this problem, and builds its programs, for later calls. Always
 * waits for the compiler. */
clgemm_status clg_engine_warm(struct clg_engine *engine, const struct clg_problem *problem);

#endif
