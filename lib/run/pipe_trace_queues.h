/* SPDX-License-Identifier: Apache-2.0
 * Records what the queues of a pipeline did. */
#ifndef CLG_RUN_PIPE_TRACE_QUEUES_H
#define CLG_RUN_PIPE_TRACE_QUEUES_H

#include "run/pipe_run.h"

/* Adds their spans to the run's trace, once all commands have ended. False if its events have no
 * times. */
bool clg_pipe_trace_queues(const struct clg_pipe_run *run);

#endif
