/* SPDX-License-Identifier: Apache-2.0
 * Carrying a plan out: programs, workspace, arguments, commands, events. No policy. */
#ifndef CLG_GEMM_EXEC_H
#define CLG_GEMM_EXEC_H

#include "gemm/exec_step.h"
#include "program/programs.h"

/* Builds the programs that the plan names, and notes them in it. Enough for a warm-up. */
clgemm_status clg_exec_prepare(struct clg_programs *programs, struct clg_plan *plan);

/* Enqueues the plan's steps. `last`, if not NULL, receives an event of the last command, owned by
 * the caller; a plan without steps enqueues a marker for it. `first`, if not NULL, receives one of
 * the first command where there are several, else NULL. On failure neither is set and nothing that
 * writes C is enqueued. */
clgemm_status clg_exec(struct clg_programs *programs, const struct clg_plan *plan,
                       const struct clg_places *places, const struct clg_enqueue *where,
                       cl_event *first, cl_event *last);

#endif
