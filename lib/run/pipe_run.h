/* SPDX-License-Identifier: Apache-2.0
 * Runs a pipeline: the work of its threads. */
#ifndef CLG_RUN_PIPE_RUN_H
#define CLG_RUN_PIPE_RUN_H

#include "device/staging.h"
#include "device/stream.h"
#include "run/exec.h"
#include "run/host_matrices.h"
#include "run/pipe_steps.h"
#include "run/pipe_trace.h"

enum clg_pipe_queue { CLG_PIPE_UP, CLG_PIPE_RUN, CLG_PIPE_DOWN, CLG_PIPE_QUEUES };

/* A transfer. It has been enqueued if `event` is set. */
struct clg_pipe_transfer {
    cl_event event;
    bool ready;      /* up: the slot is filled; down: it is emptied */
    double enqueued; /* clg_clock_seconds(), if there is a trace */
};

/* The creator sets the first part; the rest begins as zeros. Members used by several threads are
 * accessed atomically; those that the token guards, by its holder. */
struct clg_pipe_run {
    struct clg_device *device;
    const struct clg_pipe_plan *plan;
    const struct clg_problem *problem; /* with the host's matrices */
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
    const struct clg_prepared *const *prepared; /* by the kind of a step */
    cl_mem buffer[CLG_MATRICES];
    cl_command_queue queue[CLG_PIPE_QUEUES];
    char *const *up_slot, *const *down_slot; /* used by pieces in turn */
    int up_slots, down_slots;
    struct clg_pipe_transfer *up, *down; /* by piece */
    cl_event *ran;                       /* by step */
    cl_event *began;              /* of a step's first command; NULL: it has one, or no trace */
    struct clg_pipe_trace *trace; /* NULL: none */

    int token;                    /* atomic: one thread at a time drives the device */
    int sent, launched, read;     /* atomic; counts, increased by the token's holder */
    int take_up, take_down;       /* atomic: the next piece that a thread may copy */
    int up_through, down_through; /* atomic: pieces known to have crossed the bus */
    int polling_up, polling_down; /* atomic: one thread at a time polls */
    int status;                   /* atomic: of the first failure */
    char why[256];                /* its reason */
};

/* The work of each thread (clg_workers_run): copies pieces and drives the device until all pieces
 * are copied or something has failed. */
void clg_pipe_work(void *run, int who);

#endif
