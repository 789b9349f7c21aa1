/* SPDX-License-Identifier: Apache-2.0
 * A pipeline under way: what its threads do. */
#ifndef CLG_RUN_PIPE_RUN_H
#define CLG_RUN_PIPE_RUN_H

#include "device/staging.h"
#include "device/stream.h"
#include "run/exec.h"
#include "run/host_matrices.h"
#include "run/pipe_steps.h"
#include "run/pipe_trace.h"

enum clg_pipe_queue { CLG_PIPE_UP, CLG_PIPE_RUN, CLG_PIPE_DOWN, CLG_PIPE_QUEUES };

/* A transfer: enqueued once `event` is there. */
struct clg_pipe_transfer {
    cl_event event;
    bool ready;      /* up: its slot is filled; down: emptied */
    double enqueued; /* clg_clock_seconds, where there is a trace */
};

/* Whoever makes it fills in what stands first; all else begins as zeros. What several threads use
 * is read and written atomically, what the token guards by the thread that has it. */
struct clg_pipe_run {
    struct clg_device *device;
    const struct clg_pipe_plan *plan;
    const struct clg_problem *problem; /* with the host's matrices */
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *host;
    const struct clg_prepared *prepared; /* by the steps' kinds */
    cl_mem buffer[CLG_MATRICES];
    cl_command_queue queue[CLG_PIPE_QUEUES];
    char *const *up_slot, *const *down_slot; /* pieces take them in turns */
    int up_slots, down_slots;
    struct clg_pipe_transfer *up, *down; /* by pieces */
    cl_event *ran;                       /* by steps */
    cl_event *began;              /* of the first of a step's commands; NULL: one, or no trace */
    struct clg_pipe_trace *trace; /* NULL: none */

    int token;                    /* atomic: one thread at a time drives the device */
    int sent, launched, read;     /* atomic; how far that is: by the token's holder */
    int take_up, take_down;       /* atomic: the next piece that a thread may copy */
    int up_through, down_through; /* atomic: pieces seen to have crossed the bus */
    int polling_up, polling_down; /* atomic: one thread looks at a time */
    int status;                   /* atomic: of the first failure */
    char why[256];                /* its reason */
};

/* What each thread runs (clg_workers_run): copies pieces and drives the device until all is copied
 * or something failed. */
void clg_pipe_work(void *run, int who);

#endif
