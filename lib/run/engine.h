/* SPDX-License-Identifier: Apache-2.0
 * What a call runs on: an open device, its programs, the tuning table in force, plans remembered,
 * and how matrices in host memory reach the device. A handle owns one.
 *
 * Plans are remembered since choosing one and finding its programs takes microseconds, as long as a
 * small product on a fast device, and programs that multiply tend to repeat themselves. */
#ifndef CLG_RUN_ENGINE_H
#define CLG_RUN_ENGINE_H

#include <pthread.h>

#include "gemm/family.h"
#include "run/builder.h"
#include "run/pipe_known.h"
#include "run/pipe_trace.h"
#include "run/trust.h"
#include "tuning/table.h"

/* A pipeline (run/pipe) has one for each of its steps. */
enum { CLG_ENGINE_PLANS = 64 };

/* How matrices in host memory reach the device (run/host.h). */
enum clg_host_access {
    CLG_HOST_UNKNOWN, /* not found out yet */
    CLG_HOST_COPY,    /* through buffers of the device's own */
    CLG_HOST_BUFFER,  /* buffers over the host's memory */
    CLG_HOST_POINTER  /* kernels get the host's pointers */
};

/* Of which CUDA context's pinned memory it is known whether transfers are quick without a slot
 * (run/pipe_direct.h). */
enum { CLG_PINNED_OWNERS = 4 };
struct clg_pinned_owner {
    const void *owner;
    bool quick;
};

struct clg_engine {
    struct clg_device *device;
    struct clg_programs *programs;
    bool borrowed;                                    /* both are another engine's */
    pthread_mutex_t lock;                             /* guards all below */
    struct clg_prepared remembered[CLG_ENGINE_PLANS]; /* some of them interim */
    int count, oldest, found;    /* how many; the one to be replaced; the one that was found last */
    uint64_t chosen;             /* plans made so far, and not found here */
    uint64_t built;              /* how often the builder has ended a build */
    struct clg_tuning *tuning;   /* what plans are made with; NULL: none */
    struct clg_builder *builder; /* NULL: not used yet */
    bool in_background;
    struct clg_trust trust;
    unsigned refuted[CLG_FAMILIES]; /* a bit for each type and mode: where it is not used */
    unsigned
        general; /* bit t: the general programs of clgemm_type t are built, for the background */
    struct clg_pipe_memory pipes;
    pthread_mutex_t host_lock; /* guards the next ones; held while they are found out */
    enum clg_host_access host_access;
    struct clg_pinned_owner pinned[CLG_PINNED_OWNERS];
    int num_pinned;
    struct clg_pipe_trace *trace; /* of the next calls; NULL: none */
};

/* An engine of that device, which it takes over, also on failure, without a tuning table. `store`
 * (NULL: none) must outlive it: binaries of programs. Close it in any case. */
clgemm_status clg_engine_open(struct clg_engine *engine, struct clg_device *device,
                              struct clg_binaries *store);

/* An engine on the device and with the programs of `other`, which must outlive it, but with plans
 * and a tuning table of its own. */
void clg_engine_borrow(struct clg_engine *engine, const struct clg_engine *other);

/* Releases what it holds. No call may be under way. */
void clg_engine_close(struct clg_engine *engine);

/* The tuning table (or NULL), which the caller releases. */
struct clg_tuning *clg_engine_tuning(struct clg_engine *engine);

/* Takes over `tuning` (or NULL) in place of `old`, and forgets all plans, so that none is used that
 * was made without it. False, and nothing is done, where another thread was quicker and the table
 * is no longer `old`. */
bool clg_engine_retune(struct clg_engine *engine, const struct clg_tuning *old,
                       struct clg_tuning *tuning);

/* In the background: a plan whose programs would have to be compiled is built by a thread of ours,
 * and until then stands back behind one whose programs are there, at the least the general one's,
 * which this function builds. Fails where these cannot be had; then all stays as it was. */
clgemm_status clg_engine_build_in_background(struct clg_engine *engine, bool in_background);

/* The plan of this problem, as clg_choose_plan makes it with the tuning table, or in its stead (see
 * above), and its programs. */
clgemm_status clg_engine_plan(struct clg_engine *engine, const struct clg_problem *problem,
                              struct clg_prepared *out);

/* The plan that packs an operand ahead, which problem->ahead wants, as it suits this problem best;
 * out->plan.packed says whether it does, and out->plan.problem.ahead is for later problems. Waits
 * for compilers in the background, too. */
clgemm_status clg_engine_plan_packing(struct clg_engine *engine, const struct clg_problem *problem,
                                      struct clg_prepared *out);

/* Makes and remembers the plan of this problem, and builds its programs, for calls to come; waits
 * for that in the background, too. */
clgemm_status clg_engine_warm(struct clg_engine *engine, const struct clg_problem *problem);

/* How many plans were made so far: those of clg_engine_plan that were not remembered. */
uint64_t clg_engine_chosen(struct clg_engine *engine);

#endif
