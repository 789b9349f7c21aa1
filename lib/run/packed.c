/* SPDX-License-Identifier: Apache-2.0
 * Packs an operand once. */
#include "run/packed.h"

#include "device/buffer.h"
#include "device/event.h"

/* Packs the operand if the plan does, else enqueues a marker. Either way `made` is the event after
 * which it can be used. */
static clgemm_status carry_out(struct clg_packed *packed, struct clg_engine *engine,
                               const struct clg_problem *problem,
                               const struct clg_prepared *prepared,
                               const struct clg_enqueue *where) {
    const struct clg_plan *plan = &prepared->plan;
    struct clg_arguments arguments = {.scalars = {.alpha = 1}};
    clgemm_status status;
    if (plan->packed < 0)
        return clg_event_join(where->queue, where->num_wait, where->wait_list, &packed->made);
    const uint64_t bytes = plan->workspaces[plan->packed];
    if ((status = clg_buffer_create(engine->device, (size_t)bytes, &packed->buffer)))
        return status;
    packed->ahead = plan->problem.ahead;
    arguments.memory[packed->ahead.which] = (struct clg_memory){
        .buffer = packed->source, .offset = problem->matrix[packed->ahead.which].offset};
    arguments.packed = packed->buffer;
    return clg_exec_packing(engine->device, prepared, &arguments, where, &packed->made);
}

static clgemm_status make(struct clg_packed *packed, struct clg_engine *engine,
                          const struct clg_problem *problem, const struct clg_enqueue *where) {
    const struct clg_prepared *prepared;
    clgemm_status status = clg_engine_plan_packing(engine, problem, &prepared);
    if (!status)
        status = carry_out(packed, engine, problem, prepared, where);
    clg_engine_release(prepared);
    return status;
}

clgemm_status clg_packed_make(struct clg_packed *out, struct clg_engine *engine,
                              const struct clg_problem *problem, cl_mem source,
                              const struct clg_enqueue *where, cl_event *event) {
    *out = (struct clg_packed){.ahead = {.wanted = false}};
    pthread_mutex_init(&out->lock, NULL);
    clgemm_status status = source ? clg_buffer_retain(source) : CLGEMM_SUCCESS;
    if (status)
        return status;
    out->source = source;
    if ((status = make(out, engine, problem, where)) ||
        (status = clg_queue_flush(where->queue))) /* calls in other queues will wait for it */
        return status;
    if (event) {
        clg_event_retain(out->made);
        *event = out->made;
    }
    return CLGEMM_SUCCESS;
}

void clg_packed_end(struct clg_packed *packed) {
    clg_event_release(packed->made);
    clg_buffer_release(packed->buffer);
    clg_buffer_release(packed->source);
    pthread_mutex_destroy(&packed->lock);
}

void clg_packed_use(const struct clg_packed *packed, struct clg_problem *problem,
                    struct clg_arguments *arguments) {
    problem->ahead = packed->ahead;
    arguments->packed = packed->buffer;
}

clgemm_status clg_packed_wait(struct clg_packed *packed, cl_event *out) {
    clgemm_status status = CLGEMM_SUCCESS;
    bool done = true;
    *out = NULL;
    pthread_mutex_lock(&packed->lock);
    if (packed->made && !(status = clg_event_is_done(packed->made, &done))) {
        if (done) {
            clg_event_release(packed->made);
            packed->made = NULL;
        } else {
            clg_event_retain(packed->made);
            *out = packed->made;
        }
    }
    pthread_mutex_unlock(&packed->lock);
    return status ? clg_fail(status, "the operand could not be packed: its commands failed with %d",
                             (int)status)
                  : CLGEMM_SUCCESS;
}
