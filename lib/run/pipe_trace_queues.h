/* SPDX-License-Identifier: Apache-2.0
 * What the queues of a pipeline did when. */
#ifndef CLG_RUN_PIPE_TRACE_QUEUES_H
#define CLG_RUN_PIPE_TRACE_QUEUES_H

#include "run/pipe_run.h"

/* Adds it to the run's trace, once all has ended; false where its events have no times. */
bool clg_pipe_trace_queues(const struct clg_pipe_run *run);

#endif
