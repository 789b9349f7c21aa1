/* SPDX-License-Identifier: Apache-2.0
 * Carrying a plan out: programs, workspace, arguments, commands, events. No policy. */
#ifndef CLG_RUN_EXEC_H
#define CLG_RUN_EXEC_H

#include "run/exec_step.h"

/* A plan with its steps' programs, which live as long as the table that they are from. */
struct clg_prepared {
    struct clg_plan plan;
    struct clg_program *programs[CLG_MAX_STEPS];
};

/* Fetches or builds the programs that out->plan names. Enough for a warm-up. */
clgemm_status clg_exec_prepare(struct clg_device *device, struct clg_programs *programs,
                               struct clg_prepared *out);

/* The same where nothing has to be compiled; false where it has to. */
bool clg_exec_find(struct clg_programs *programs, struct clg_prepared *out);

/* What a call brings to a plan: its matrices, in the problem's order, of which those that it does
 * not read may be empty, and its factors. */
struct clg_arguments {
    struct clg_memory memory[CLG_MATRICES];
    struct clg_scalars scalars;
    cl_mem packed; /* the operand that was packed ahead; NULL: it is packed with the rest */
};

/* Enqueues the plan's steps. `last`, if not NULL, receives an event of the last command, owned by
 * the caller; a plan without steps enqueues a marker for it. `first`, if not NULL, receives one of
 * the first command where there are several, else NULL. On failure neither is set and nothing that
 * writes C is enqueued. */
clgemm_status clg_exec(struct clg_device *device, const struct clg_prepared *prepared,
                       const struct clg_arguments *arguments, const struct clg_enqueue *where,
                       cl_event *first, cl_event *last);

/* The same of the one step of the plan that packs an operand ahead, into arguments->packed. */
clgemm_status clg_exec_packing(struct clg_device *device, const struct clg_prepared *prepared,
                               const struct clg_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *last);

#endif
