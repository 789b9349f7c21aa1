/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices in host memory: finds and uses the access, and does by itself what needs
 * nothing but host pointers. */
#include "host/host.h"

#include <stdlib.h>

#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "host/buffers.h"
#include "host/pipeline.h"

void clg_host_open(struct clg_host *host, struct clg_engine *engine) {
    *host = (struct clg_host){.engine = engine, .access = CLG_HOST_UNKNOWN};
    pthread_mutex_init(&host->lock, NULL);
    clg_pipes_open(&host->pipes);
}

void clg_host_close(struct clg_host *host) {
    clg_known_close(&host->pipes);
    pthread_mutex_destroy(&host->lock);
}

/* ---- Host pointers ---- */

/* The problem as kernels may use it: what follows a column is unknown. */
static struct clg_problem in_place(const struct clg_problem *problem) {
    struct clg_problem here = *problem;
    for (int i = 0; i < CLG_MATRICES; i++)
        here.matrix[i].readable = here.matrix[i].rows;
    return here;
}

static clgemm_status by_pointer(struct clg_engine *engine, const struct clg_host_call *call) {
    const struct clg_problem here = in_place(call->problem);
    struct clg_arguments arguments = {.scalars = *call->scalars};
    const struct clg_prepared *prepared;
    struct clg_enqueue where = {0};
    cl_event done = NULL;

    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i].pointer = call->matrices->at[i];
    clgemm_status status = clg_engine_plan(engine, &here, &prepared);
    if (status)
        return status;
    if (call->plan)
        *call->plan = prepared->plan;
    if (prepared->plan.num_steps > 0 && !(status = clg_queue_take(engine->device, &where.queue))) {
        if (!(status = clg_exec(engine->device, prepared, &arguments, &where, NULL, &done)))
            status = clg_wait(done);
        if (status)
            clg_queue_drain(where.queue);
        clg_event_release(done);
        clg_queue_give(engine->device, where.queue, status == CLGEMM_SUCCESS);
    }
    clg_engine_release(prepared);
    return status;
}

/* ---- The access ---- */

/* Scales a matrix at an odd address of ordinary memory, and checks all of that memory. */
static bool pointers_work(struct clg_engine *engine) {
    enum { FLOATS = 16, FIRST = 3, ROWS = 3, COLS = 2, LD = 5 };
    float *memory = malloc(FLOATS * sizeof *memory);
    if (!memory)
        return false;
    for (int i = 0; i < FLOATS; i++)
        memory[i] = (float)i;
    const struct clg_call scale = {.layout = CLGEMM_COL_MAJOR,
                                   .ta = CLGEMM_NO_TRANS,
                                   .tb = CLGEMM_NO_TRANS,
                                   .m = ROWS,
                                   .n = COLS,
                                   .scalars = {.beta = 2},
                                   .operand = {clg_host_operand(NULL, ROWS, 0),
                                               clg_host_operand(NULL, 1, 0),
                                               clg_host_operand(memory + FIRST, LD, 0)}};
    const struct clg_host_matrices matrices = {{NULL, NULL, memory + FIRST}};
    struct clg_problem problem;
    const struct clg_host_call call = {&problem, &scale.scalars, &matrices, NULL, 1};
    bool right = !clg_problem_init(&problem, &scale) && !by_pointer(engine, &call);
    for (int i = 0; i < FLOATS; i++) {
        const int at = i - FIRST;
        const bool scaled = at >= 0 && at / LD < COLS && at % LD < ROWS;
        right = right && memory[i] == (float)(scaled ? 2 * i : i);
    }
    free(memory);
    return right;
}

/* Pointers are tried only on CPUs, because a wrong access could lose a GPU's context. */
static enum clg_host_access find_access(struct clg_engine *engine) {
    const struct clg_facts *facts = &engine->device->facts;
    if (!facts->shares_host_memory)
        return CLG_HOST_COPY;
    if (!facts->takes_pointers || !clg_can_set_pointer_args())
        return CLG_HOST_BUFFER;
    if (facts->takes_host_pointers || (facts->kind == CLG_DEVICE_CPU && pointers_work(engine)))
        return CLG_HOST_POINTER;
    return CLG_HOST_BUFFER;
}

enum clg_host_access clg_host_access_of(struct clg_host *host) {
    static const char *const words[] = {[CLG_HOST_COPY] = "copies",
                                        [CLG_HOST_BUFFER] = "buffers over them",
                                        [CLG_HOST_POINTER] = "pointers"};
    pthread_mutex_lock(&host->lock);
    if (host->access == CLG_HOST_UNKNOWN) {
        host->access = find_access(host->engine);
        clg_log(CLG_LOG_PLANS, "host matrices reach device \"%s\" by %s",
                host->engine->device->facts.name, words[host->access]);
    }
    const enum clg_host_access access = host->access;
    pthread_mutex_unlock(&host->lock);
    return access;
}

/* ---- Calls ---- */

clgemm_status clg_host_gemm_by(enum clg_host_access access, struct clg_host *host,
                               const struct clg_host_call *call) {
    bool done = false;
    if (access == CLG_HOST_POINTER || call->problem->work == CLG_WORK_NOTHING)
        return by_pointer(host->engine, call);
    const clgemm_status status =
        access == CLG_HOST_BUFFER ? clg_host_by_buffers(host->engine, call, &done) : CLGEMM_SUCCESS;
    return status || done ? status : clg_host_by_pipe(host, call);
}

clgemm_status clg_host_gemm(struct clg_host *host, const struct clg_host_call *call) {
    return clg_host_gemm_by(clg_host_is_aligned(call->matrices->at, call->problem->type)
                                ? clg_host_access_of(host)
                                : CLG_HOST_COPY,
                            host, call);
}

clgemm_status clg_host_warm(struct clg_host *host, const struct clg_problem *problem, int devices) {
    const enum clg_host_access access = clg_host_access_of(host);
    const struct clg_problem here = in_place(problem);
    bool done = false;
    if (access == CLG_HOST_POINTER)
        return clg_engine_warm(host->engine, &here);
    const clgemm_status status = access == CLG_HOST_BUFFER
                                     ? clg_host_warm_buffers(host->engine, problem, &done)
                                     : CLGEMM_SUCCESS;
    return status || done ? status : clg_host_warm_pipe(host, problem, devices);
}
