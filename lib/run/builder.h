/* SPDX-License-Identifier: Apache-2.0
 * Builds the programs of plans in a thread of the library, so that no call waits for a compiler.
 *
 * The thread starts with the first request and ends with its builder. It receives no signals but
 * those that its own faults raise. exit() waits for the build under way, because a compiler crashes
 * if the process ends around it. The builder knows nothing about devices or programs: the caller's
 * function does the work. */
#ifndef CLG_RUN_BUILDER_H
#define CLG_RUN_BUILDER_H

#include "gemm/plan.h"

struct clg_builder;

/* Limit of waiting requests. */
enum { CLG_BUILDER_WISHES = 16 };

enum clg_wish {
    CLG_WISH_GRANTED, /* it is being built or will be */
    CLG_WISH_LATER,   /* too many are waiting: try again later */
    CLG_WISH_REFUSED  /* the thread cannot be started */
};

/* `build` runs in the thread and builds a plan's programs. `end` precedes the wait for it at the
 * end of the builder or of the process. NULL if memory is short. */
struct clg_builder *clg_builder_new(void (*build)(void *user, const struct clg_plan *plan),
                                    void (*end)(void *user), void *user);

/* Drops waiting requests, and waits for the build under way. NULL is fine. */
void clg_builder_free(struct clg_builder *builder);

/* Requests the plan's programs. Plans with the same programs are one request. */
enum clg_wish clg_builder_wish(struct clg_builder *builder, const struct clg_plan *plan);

/* Whether no request is left. */
bool clg_builder_rests(struct clg_builder *builder);

/* Waits until no request is left: for tests and measurements. */
void clg_builder_wait(struct clg_builder *builder);

#endif
