/* SPDX-License-Identifier: Apache-2.0
 * Builds the programs of plans in a thread of ours, so that no call waits for a compiler.
 *
 * The thread starts with the first wish, takes no signals but those that a fault of its own raises,
 * and ends with its builder; when the process exits, exit() waits for the build under way, since
 * compilers do not survive that the process is torn down around them. A plan whose build failed is
 * not tried again. Knows neither devices nor programs: what to do is the caller's function. */
#ifndef CLG_RUN_BUILDER_H
#define CLG_RUN_BUILDER_H

#include "gemm/plan.h"

struct clg_builder;

/* Wishes that wait at a time. */
enum { CLG_BUILDER_WISHES = 16 };

enum clg_wish {
    CLG_WISH_GRANTED, /* it is being built, or will be */
    CLG_WISH_FAILED,  /* its build has failed before */
    CLG_WISH_LATER,   /* too many wait: wish again */
    CLG_WISH_REFUSED  /* there is no thread, nor will there be one */
};

/* `build` runs in the thread and builds a plan's programs; `done` follows each build, well ended or
 * not. NULL where memory is short. */
struct clg_builder *clg_builder_new(clgemm_status (*build)(void *user, const struct clg_plan *plan),
                                    void (*done)(void *user), void *user);

/* Drops what waits, and waits for the build under way. NULL is fine. */
void clg_builder_free(struct clg_builder *builder);

/* Has the plan's programs built. Plans with the same programs are one wish. */
enum clg_wish clg_builder_wish(struct clg_builder *builder, const struct clg_plan *plan);

/* Whether nothing is wished for any more: for tests and measurements, as is the next. */
bool clg_builder_rests(struct clg_builder *builder);

/* Waits until that is so. */
void clg_builder_wait(struct clg_builder *builder);

#endif
