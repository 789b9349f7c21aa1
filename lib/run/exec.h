/* SPDX-License-Identifier: Apache-2.0
 * Executes a plan: programs, workspace, arguments, commands, events. It decides nothing. */
#ifndef CLG_RUN_EXEC_H
#define CLG_RUN_EXEC_H

#include "run/exec_step.h"

/* A plan with the programs of its steps, which live as long as the table that they are from. */
struct clg_prepared {
    struct clg_plan plan;
    struct clg_program *programs[CLG_MAX_STEPS];
};

/* Gets or builds the programs that out->plan names. Sufficient for a warm-up. */
clgemm_status clg_exec_prepare(struct clg_device *device, struct clg_programs *programs,
                               struct clg_prepared *out);

/* The same if nothing has to be compiled; else false. */
bool clg_exec_find(struct clg_programs *programs, struct clg_prepared *out);

/* The arguments of a call: its matrices in the problem's order, which may be empty if they are not
 * used, and its factors. */
struct clg_arguments {
    struct clg_memory memory[CLG_MATRICES];
    struct clg_scalars scalars;
    cl_mem packed; /* the packed operand; NULL: the plan packs it */
};

/* Enqueues the plan's steps. `last`, if not NULL, receives an event of the last command, which the
 * caller owns; for a plan without steps, that of a marker. `first`, if not NULL, receives an event
 * of the first command if there are several, else NULL. On failure neither is set, and nothing that
 * writes C runs. */
clgemm_status clg_exec(struct clg_device *device, const struct clg_prepared *prepared,
                       const struct clg_arguments *arguments, const struct clg_enqueue *where,
                       cl_event *first, cl_event *last);

/* The same for the step of the plan that packs an operand, into arguments->packed. */
clgemm_status clg_exec_packing(struct clg_device *device, const struct clg_prepared *prepared,
                               const struct clg_arguments *arguments,
                               const struct clg_enqueue *where, cl_event *last);

#endif
