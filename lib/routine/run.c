/* SPDX-License-Identifier: Apache-2.0
 * Carries out a routine's operations. */
#include <stdlib.h>

#include "base/log.h"
#include "device/event.h"
#include "device/workspace.h"
#include "routine/routine.h"

/* A call while it is enqueued. */
struct run {
    struct clg_engine *engine;
    const struct clg_ops *ops;
    const struct clg_memory *memory;
    struct clg_workspace workspace;
    const struct clg_prepared **products; /* of the operations that are products, else NULL */
    const struct clg_program *checked[CLG_OP_KINDS]; /* the last program of each kind */
};

/* The operand that a product's view is. */
static struct clg_operand operand_of(const struct run *run, const struct clg_view *view) {
    const struct clg_routine *routine = run->ops->routine;
    struct clg_operand operand = {.bytes = run->ops->workspace * clg_type_size(routine->call.type),
                                  .alignment = 64};
    if (view->place < CLG_MATRICES)
        operand = routine->call.operand[view->place];
    operand.offset += (uint64_t)view->offset;
    operand.ld = view->row == 1 ? view->col : view->row;
    operand.stride = view->stride;
    return operand;
}

/* The leading dimension of a single column may be less than it is long: views do not know. */
static int64_t enough(int64_t ld, int64_t run) {
    return ld > run ? ld : run > 1 ? run : 1;
}

static clgemm_status pose(const struct run *run, const struct clg_op *op,
                          struct clg_problem *problem) {
    const struct clg_call *whole = &run->ops->routine->call;
    const int64_t length[] = {[CLG_A] = op->view[CLG_A].row == 1 ? op->m : op->k,
                              [CLG_B] = op->view[CLG_B].row == 1 ? op->k : op->n,
                              [CLG_C] = op->m};
    struct clg_call call = {.type = whole->type,
                            .math = whole->math,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = op->view[CLG_A].row == 1 ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                            .tb = op->view[CLG_B].row == 1 ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                            .triangle = op->triangle,
                            .stored = op->stored,
                            .m = op->m,
                            .n = op->n,
                            .k = op->k,
                            .batch = op->batch,
                            .scalars = op->scalars};
    for (int i = 0; i < CLG_MATRICES; i++) {
        call.operand[i] = operand_of(run, &op->view[i]);
        call.operand[i].ld = enough(call.operand[i].ld, length[i]);
        if (op->batch <= 1)
            call.operand[i].stride = 0;
    }
    const clgemm_status status = clg_problem_init(problem, &call);
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        problem->matrix[i].conjugated =
            op->view[i].conjugated && clg_type_is_complex(problem->type);
        if (call.operand[i].bytes == UINT64_MAX) /* host memory: what follows a column is unknown */
            problem->matrix[i].readable = problem->matrix[i].rows;
    }
    return status;
}

/* The arguments of an operation. */
static struct clg_arguments arguments_of(const struct run *run, const struct clg_op *op) {
    struct clg_arguments arguments = {.scalars = op->scalars};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int place = op->view[i].place;
        if (place < CLG_MATRICES) {
            arguments.memory[i] = run->memory[place];
            arguments.memory[i].offset =
                (int64_t)run->ops->routine->call.operand[place].offset + op->view[i].offset;
        } else {
            arguments.memory[i] =
                (struct clg_memory){.buffer = run->workspace.buffer, .offset = op->view[i].offset};
        }
    }
    return arguments;
}

/* Makes the plan of an operation that is no product, and builds its programs. */
static clgemm_status prepare_step(const struct run *run, const struct clg_op *op,
                                  struct clg_prepared *out) {
    const struct clg_engine *engine = run->engine;
    clg_op_plan(&out->plan, op, run->ops->routine->call.type, &engine->device->facts);
    clgemm_status status = CLGEMM_SUCCESS;
    for (int s = 0; s < out->plan.num_steps && !status; s++) {
        const struct clg_step *step = &out->plan.steps[s];
        status = clg_programs_get(engine->programs, step->source, step->options, NULL,
                                  &out->programs[s]);
    }
    return status;
}

/* The same, and checks them, unless the last such operation had the last of them. */
static clgemm_status prepare_and_check(struct run *run, const struct clg_op *op,
                                       struct clg_prepared *out) {
    clgemm_status status = prepare_step(run, op, out);
    const struct clg_program *last = status ? NULL : out->programs[out->plan.num_steps - 1];
    if (status || run->checked[op->kind] == last)
        return status;
    if (!(status = clg_op_check(run->engine, op, out)))
        run->checked[op->kind] = last;
    return status;
}

/* Builds an operation's programs. */
static clgemm_status prepare(struct run *run, size_t i, struct clg_prepared *scratch) {
    struct clg_engine *engine = run->engine;
    const struct clg_op *op = &run->ops->list[i];
    struct clg_problem problem;
    if (op->kind != CLG_OP_PRODUCT)
        return prepare_and_check(run, op, scratch);
    const clgemm_status status = pose(run, op, &problem);
    return status ? status : clg_engine_plan(engine, &problem, &run->products[i]);
}

static clgemm_status enqueue(struct run *run, size_t i, struct clg_prepared *scratch,
                             const struct clg_enqueue *where, cl_event *done) {
    struct clg_engine *engine = run->engine;
    const struct clg_op *op = &run->ops->list[i];
    const struct clg_prepared *prepared = run->products[i];
    const struct clg_arguments arguments = arguments_of(run, op);
    if (!prepared) {
        const clgemm_status status = prepare_step(run, op, scratch);
        if (status)
            return status;
        prepared = scratch;
    }
    return clg_exec(engine->device, prepared, &arguments, where, NULL, done);
}

/* Each operation waits for the one before. */
static clgemm_status enqueue_all(struct run *run, struct clg_prepared *scratch,
                                 const struct clg_enqueue *where, cl_event *last) {
    const bool in_order = clg_queue_is_in_order(where->queue);
    const size_t count = run->ops->count;
    cl_event before = NULL;
    clgemm_status status = CLGEMM_SUCCESS;
    for (size_t i = 0; i < count && !status; i++) {
        const bool waits = before != NULL;
        const struct clg_enqueue after = {where->queue, waits, waits ? &before : NULL};
        cl_event done = NULL;
        status = enqueue(run, i, scratch, i == 0 ? where : &after,
                         !in_order || (last && i + 1 == count) ? &done : NULL);
        clg_event_release(before);
        before = done;
    }
    if (!status && last) {
        *last = before;
        before = NULL;
    }
    clg_event_release(before);
    return status;
}

static clgemm_status run_all(struct run *run, struct clg_prepared *scratch,
                             const struct clg_enqueue *where, cl_event *last) {
    const size_t count = run->ops->count;
    const uint64_t bytes = run->ops->workspace * clg_type_size(run->ops->routine->call.type);
    clgemm_status status = CLGEMM_SUCCESS;
    for (size_t i = 0; i < count && !status; i++)
        status = prepare(run, i, scratch);
    if (!status && bytes)
        status = clg_workspace_take(run->engine->device, where->queue, bytes, &run->workspace);
    if (!status)
        status = enqueue_all(run, scratch, where, last);
    clg_workspace_give(run->engine->device, &run->workspace, where->queue,
                       !status && clg_queue_is_in_order(where->queue));
    for (size_t i = 0; i < count; i++)
        clg_engine_release(run->products[i]);
    return status;
}

static clgemm_status run_ops(struct clg_engine *engine, const struct clg_ops *ops,
                             const struct clg_memory memory[CLG_MATRICES],
                             const struct clg_enqueue *where, cl_event *last) {
    struct run run = {.engine = engine, .ops = ops, .memory = memory};
    struct clg_prepared *scratch = malloc(sizeof *scratch);
    run.products = calloc(ops->count, sizeof *run.products);
    const clgemm_status status =
        scratch && run.products
            ? run_all(&run, scratch, where, last)
            : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the steps of a routine");
    free(scratch);
    free(run.products);
    return status;
}

/* *at_once: a CPU may compute it in blocks as GPUs do, too. */
static clgemm_status plan_and_run(struct clg_engine *engine, const struct clg_routine *routine,
                                  const struct clg_memory memory[CLG_MATRICES],
                                  const struct clg_enqueue *where, cl_event *last, bool *at_once) {
    struct clg_ops ops;
    clgemm_status status = clg_routine_plan(&ops, routine, &engine->device->facts);
    *at_once = !status && (ops.list[0].stored.triangle != CLG_ALL || ops.list[0].in_panels);
    if (!status)
        status = run_ops(engine, &ops, memory, where, last);
    clg_ops_free(&ops);
    return status;
}

/* No kernel fits the device or the memory, or all are wrong. */
static bool is_impossible(clgemm_status status) {
    return status == CLGEMM_STATUS_UNSUPPORTED ||
           status == (clgemm_status)CL_INVALID_WORK_GROUP_SIZE;
}

/* Where one product cannot take the triangle, or panels are wrong, blocks do. C is unchanged then.
 */
clgemm_status clg_routine_run(struct clg_engine *engine, const struct clg_routine *routine,
                              const struct clg_memory memory[CLG_MATRICES],
                              const struct clg_enqueue *where, cl_event *last) {
    struct clg_routine given = *routine;
    bool at_once;
    const clgemm_status status = plan_and_run(engine, &given, memory, where, last, &at_once);
    if (!at_once || !is_impossible(status))
        return status;
    clg_log(CLG_LOG_CALLS, "%s is computed in blocks: %s", clg_routine_name(routine->routine),
            clg_last_error());
    given.in_blocks = true;
    return plan_and_run(engine, &given, memory, where, last, &at_once);
}
