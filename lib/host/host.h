/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory, by one of three kinds of access:
 *
 *   pointer  kernels access host memory through host pointers
 *   buffer   kernels access host memory through buffers over it, or copies where that is impossible
 *   copy     matrices are copied to buffers of the device, and C is copied back */
#ifndef CLG_HOST_HOST_H
#define CLG_HOST_HOST_H

#include "base/known.h"
#include "run/engine.h"

enum clg_host_access {
    CLG_HOST_UNKNOWN, /* not determined yet */
    CLG_HOST_COPY,
    CLG_HOST_BUFFER,
    CLG_HOST_POINTER
};

/* ---- Matrices and calls ---- */

/* In the problem's order. A and B are only read. Those that the problem does not use may be NULL.
 */
struct clg_host_matrices {
    void *at[CLG_MATRICES];
};

/* A matrix in host memory as an operand of a call, with the alignment of its address. `stride`:
 * distance to the matrix of the next product. */
static inline struct clg_operand clg_host_operand(const void *matrix, int64_t ld, int64_t stride) {
    unsigned alignment = 64;
    while ((uintptr_t)matrix % alignment)
        alignment /= 2;
    return (struct clg_operand){.unusable = matrix ? NULL : "is NULL",
                                .ld = ld,
                                .stride = stride,
                                .bytes = UINT64_MAX,
                                .alignment = alignment};
}

/* The caller's matrices in the problem's order. */
static inline struct clg_host_matrices clg_host_matrices_of(const struct clg_problem *problem,
                                                            const void *a, const void *b, void *c) {
    void *const given[] = {[CLG_A] = (void *)a, [CLG_B] = (void *)b, [CLG_C] = c};
    struct clg_host_matrices matrices;
    for (int i = 0; i < CLG_MATRICES; i++)
        matrices.at[i] = given[clg_problem_source(problem, i)];
    return matrices;
}

/* Whether each address is aligned for elements of the type. C requires that, but a copy does not.
 */
static inline bool clg_host_is_aligned(void *const matrices[CLG_MATRICES], clgemm_type type) {
    uintptr_t bits = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        bits |= (uintptr_t)matrices[i];
    return bits % clg_type_size(type) == 0;
}

/* The problem has the alignments of the matrices. */
struct clg_host_call {
    const struct clg_problem *problem;
    const struct clg_scalars *scalars;
    const struct clg_host_matrices *matrices;
    struct clg_plan *plan; /* receives the plan that ran, of several the last; may be NULL */
    int devices;           /* that work at a time, of which each has a part of the host's threads */
};

/* ---- Traces of the pipeline ---- */

/* What did the work: one of the queues, by the device's profiling times, or a thread. */
enum clg_pipe_lane { CLG_LANE_UP, CLG_LANE_RUN, CLG_LANE_DOWN, CLG_LANE_THREAD, CLG_LANES };

struct clg_pipe_span {
    enum clg_pipe_lane lane;
    int thread;        /* of CLG_LANE_THREAD; 0: the caller */
    int matrix;        /* that the piece belongs to; for CLG_LANE_RUN: C */
    double begin, end; /* as clg_clock_seconds(); times of a device are shifted to that clock by the
                          earliest times at which its commands can have been enqueued */
};

/* The trace of one call at a time. */
struct clg_pipe_trace {
    struct clg_pipe_span *spans; /* owned by the user, with `room` elements */
    int room;
    int count;       /* atomic; spans beyond `room` are lost. Set to 0 before a call */
    double expected; /* seconds predicted by plans; set to 0 before a call */
};

/* ---- Hosts ---- */

/* Whether transfers from the pinned memory of a CUDA context are fast without staging. */
struct clg_pinned_owner {
    const void *owner;
    bool quick;
};

enum { CLG_PINNED_OWNERS = 4, CLG_PIPES_KNOWN = 16 };

/* What an engine's calls on host matrices share. */
struct clg_host {
    struct clg_engine *engine;
    pthread_mutex_t lock; /* guards the next ones; held while they are determined */
    enum clg_host_access access;
    struct clg_pinned_owner pinned[CLG_PINNED_OWNERS]; /* for which that is known */
    int num_pinned;
    struct clg_known_table pipes; /* struct clg_pipe_known */
    struct clg_pipe_trace *trace; /* trace of the next calls; NULL: none */
};

/* The engine must outlive it. No call may be in progress when it is closed. */
void clg_host_open(struct clg_host *host, struct clg_engine *engine);
void clg_host_close(struct clg_host *host);

/* The device's access. Without copies if it shares the host's memory. The first call for a device
 * may run a small kernel to determine it. */
enum clg_host_access clg_host_access_of(struct clg_host *host);

/* Runs the call and blocks until C is written. Only elements of C are written. On failure no
 * command uses the matrices any more, and C is unchanged, right, or right in some of its parts. */
clgemm_status clg_host_gemm(struct clg_host *host, const struct clg_host_call *call);

/* The same with that access, which the device must support. Every device supports CLG_HOST_BUFFER
 * and CLG_HOST_COPY. */
clgemm_status clg_host_gemm_by(enum clg_host_access access, struct clg_host *host,
                               const struct clg_host_call *call);

/* The rest of level 3. Runs a checked call that has work to do, on the caller's matrices, and
 * blocks until C is written: by host pointers if the device takes them, else by copies. Fails with
 * CLGEMM_STATUS_UNSUPPORTED if these do not fit. */
struct clg_routine;
clgemm_status clg_host_routine(struct clg_host *host, const struct clg_routine *routine,
                               void *const matrices[CLG_MATRICES]);

/* Chooses the plans and builds the programs for the problem, for matrices of its alignments that do
 * not overlap, and for so many devices that work at a time. */
clgemm_status clg_host_warm(struct clg_host *host, const struct clg_problem *problem, int devices);

#endif
