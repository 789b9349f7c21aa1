/* SPDX-License-Identifier: Apache-2.0
 * An operand that is packed once, for the calls that use it.
 *
 * It is a matrix of the caller's, which he leaves as it is, and, where the plan that was made for
 * its first problem has a step that packs it, a buffer of ours with what that step writes. Later
 * problems name the family and the form of that (struct clg_ahead), so that their plans come out
 * with the same step, and are carried out without it. The matrix is kept beside it: a plan of
 * another family reads it, and so does the tensor family where an element is too large or small for
 * its parts, or is no number. */
#ifndef CLG_RUN_PACKED_H
#define CLG_RUN_PACKED_H

#include <pthread.h>

#include "run/engine.h"

struct clg_packed {
    struct clg_ahead ahead; /* not wanted: plans have no step that packs it */
    cl_mem source;          /* the matrix; retained */
    cl_mem buffer;          /* packed; NULL: it is used as it lies */
    pthread_mutex_t lock;   /* guards the next */
    cl_event made;          /* of the commands that make it; NULL: they are through */
};

/* Packs the operand problem->ahead.which of `problem`, which is `source`, by commands that go to
 * `where`. `event`, if not NULL, receives an event of theirs, owned by the caller. End it with
 * clg_packed_end in any case. */
clgemm_status clg_packed_make(struct clg_packed *out, struct clg_engine *engine,
                              const struct clg_problem *problem, cl_mem source,
                              const struct clg_enqueue *where, cl_event *event);

/* Releases what it holds; commands that use it keep what they need. */
void clg_packed_end(struct clg_packed *packed);

/* The problem's `ahead`, and the buffer that its plan is carried out with. */
void clg_packed_use(const struct clg_packed *packed, struct clg_problem *problem,
                    struct clg_arguments *arguments);

/* *out: an event that commands which use it have to wait for, owned by the caller; NULL: there is
 * none. Fails where packing ended badly. */
clgemm_status clg_packed_wait(struct clg_packed *packed, cl_event *out);

#endif
