/* SPDX-License-Identifier: Apache-2.0
 * Decides how a problem on host matrices uses a pipeline, and which products are computed. Calls no
 * OpenCL function. */
#ifndef CLG_RUN_PIPE_MAKE_H
#define CLG_RUN_PIPE_MAKE_H

#include "run/pipe_joint.h"
#include "run/pipe_known.h"

/* Completes *out, which has a key, with a plan for as many products at a time as fit, or with a
 * joint transfer if that is faster. `tuning`: measurements of the device. `processors`: number that
 * may copy. */
void clg_pipe_make(struct clg_pipe_known *out, const struct clg_facts *facts,
                   const struct clg_tuning *tuning, int processors);

/* Product number 0, 1, ... of the plan; NULL after the last. Some may be equal. */
const struct clg_problem *clg_pipe_product(const struct clg_pipe_known *known, int number);

#endif
