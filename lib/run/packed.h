/* SPDX-License-Identifier: Apache-2.0
 * An operand that is packed once for the calls that use it.
 *
 * It refers to a matrix of the caller, which must not change. If the plan for its first problem has
 * a step that packs the operand, it also has a buffer with the result of that step. Later problems
 * name the family and the layout (struct clg_ahead), so that their plans have the same step, and
 * are executed without it.
 *
 * The matrix is kept because a plan of another family reads it. So does the tensor family if an
 * element is too large or too small for its parts, or is NaN. */
#ifndef CLG_RUN_PACKED_H
#define CLG_RUN_PACKED_H

#include <pthread.h>

#include "run/engine.h"

struct clg_packed {
    struct clg_ahead ahead; /* `wanted` false: plans have no step that packs it */
    cl_mem source;          /* the matrix, retained */
    cl_mem buffer;          /* the packed operand; NULL: the matrix is used in place */
    pthread_mutex_t lock;   /* guards the next */
    cl_event made;          /* of the commands that pack it; NULL: they have ended */
};

/* Packs the operand problem->ahead.which of `problem`, which is `source`, with commands in `where`.
 * `event`, if not NULL, receives an event of these commands, which the caller owns. End it with
 * clg_packed_end in any case. */
clgemm_status clg_packed_make(struct clg_packed *out, struct clg_engine *engine,
                              const struct clg_problem *problem, cl_mem source,
                              const struct clg_enqueue *where, cl_event *event);

/* Releases what the operand holds. Commands in progress keep what they need. */
void clg_packed_end(struct clg_packed *packed);

/* Sets the problem's `ahead`, and the buffer to execute its plan with. */
void clg_packed_use(const struct clg_packed *packed, struct clg_problem *problem,
                    struct clg_arguments *arguments);

/* *out receives an event, owned by the caller, that commands which use the operand must wait for;
 * NULL: none. Fails if packing failed. */
clgemm_status clg_packed_wait(struct clg_packed *packed, cl_event *out);

#endif
