/* SPDX-License-Identifier: Apache-2.0
 * How a problem on host matrices goes through a pipeline, and what is multiplied on the way;
 * decided without one OpenCL call. */
#ifndef CLG_RUN_PIPE_MAKE_H
#define CLG_RUN_PIPE_MAKE_H

#include "run/pipe_joint.h"
#include "run/pipe_known.h"

/* Fills in the rest of what has a key: a plan for as many products at a time as fit, or a joint
 * transfer where that is quicker. `tuning`: what was measured of the device; `processors`: that may
 * copy. */
void clg_pipe_make(struct clg_pipe_known *out, const struct clg_facts *facts,
                   const struct clg_tuning *tuning, int processors);

/* What is multiplied: number 0, 1, ...; NULL past the last. The same one may be there again. */
const struct clg_problem *clg_pipe_product(const struct clg_pipe_known *known, int number);

#endif
