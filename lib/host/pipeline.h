/* SPDX-License-Identifier: Apache-2.0
 * Host matrices through a pipeline: they pass through pinned memory, which threads fill and empty,
 * while transfers in both directions and products run at the same time. */
#ifndef CLG_HOST_PIPELINE_H
#define CLG_HOST_PIPELINE_H

#include "device/buffer.h"
#include "device/staging.h"
#include "host/host.h"
#include "host/plan.h"

/* ---- Calls: pipeline.c ---- */

/* The problem of a plan, and what else it was made from. */
struct clg_pipe_key {
    struct clg_problem problem;
    bool has_beta;
    unsigned direct; /* see struct clg_pipe_plan */
    int devices;     /* that share the host's threads */
    uint64_t room;   /* facts->workspace_max, which tests change */
    struct clg_tuning *tuning;
};

/* A plan that is remembered, because programs tend to repeat their products, and making a plan
 * takes microseconds to tens of microseconds. It does not change. */
struct clg_pipe_known {
    struct clg_known known;
    struct clg_pipe_key key;
    int64_t products; /* computed at a time; 0: there was no memory for a plan */
    struct clg_pipe_plan plan;
};

/* As clg_host_gemm and clg_host_warm. */
clgemm_status clg_host_by_pipe(struct clg_host *host, const struct clg_host_call *call);
clgemm_status clg_host_warm_pipe(struct clg_host *host, const struct clg_problem *problem,
                                 int devices);

/* Opens the table of remembered plans. */
void clg_pipes_open(struct clg_known_table *pipes);

/* ---- Pinned matrices: pinned.c ---- */

/* A bit for each of the call's matrices that is transferred without slots: those in memory that
 * CUDA has pinned, if the device's driver makes use of that, which is timed once. */
unsigned clg_pipe_find_direct(struct clg_host *host, const struct clg_host_call *call);

/* ---- One plan: transfer.c ---- */

/* Multiplies as the plan says. *staged is false, and nothing has happened, if there is no memory
 * for its slots. */
clgemm_status clg_pipe_carry_out(struct clg_host *host, const struct clg_pipe_plan *plan,
                                 const struct clg_host_call *call, bool *staged);

/* ---- Its threads: threads.c ---- */

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
    const struct clg_host_call *call;
    const struct clg_prepared **prepared; /* by the kind of a step */
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
    struct clg_failure failure;
};

/* The work of each thread (clg_workers_run): copies pieces and drives the device until all pieces
 * are copied or something has failed. */
void clg_pipe_work(void *run, int who);

/* Adds spans of the queues to the run's trace, once all commands have ended. False if its events
 * have no times. */
bool clg_pipe_trace_queues(const struct clg_pipe_run *run);

/* Copies a piece of the call's matrices into its slot, as one of so many threads, or back. Gaps
 * between columns are not touched on either side. */
void clg_pipe_copy(const struct clg_host_call *call, const struct clg_pipe_piece *piece, char *slot,
                   bool to_host, int threads);

#endif
