/* SPDX-License-Identifier: Apache-2.0
 * A step of the ladder as a contender: what it prepares, what it launches, and what its time
 * includes. */
#include "base/checked.h"
#include "bench/ladder/ladder.h"
#include "device/buffer.h"
#include "program/build.h"

enum { HELPER_GROUP = 16 }; /* the helpers' groups are square */

bool ladder_build(struct ladder_kernel *out, struct clg_device *device, const char *source,
                  const char *options, char *why, size_t room) {
    const struct clg_source *text = ladder_source_find(source);
    *out = (struct ladder_kernel){0};
    clgemm_status status = clg_build_source(device, text, options, &out->program);
    if (!status)
        status = clg_kernel_create(text, out->program, &out->kernel);
    if (status)
        snprintf(why, room, "%s", clgemm_last_error());
    return !status;
}

void ladder_kernel_release(struct ladder_kernel *kernel) {
    if (kernel->kernel)
        clReleaseKernel(kernel->kernel);
    if (kernel->program)
        clReleaseProgram(kernel->program);
    *kernel = (struct ladder_kernel){0};
}

/* An argument of a kernel: an int or a buffer. */
struct argument {
    cl_mem buffer; /* NULL: the number counts */
    cl_int number;
};

static cl_int launch(cl_command_queue queue, cl_kernel kernel, const struct argument *arguments,
                     cl_uint count, const size_t global[2], const size_t local[2]) {
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && !code; i++)
        code = arguments[i].buffer
                   ? clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i].buffer)
                   : clSetKernelArg(kernel, i, sizeof(cl_int), &arguments[i].number);
    return code ? code
                : clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
}

static cl_int launch_helper(cl_command_queue queue, const struct ladder_kernel *helper,
                            const struct argument *arguments, cl_uint count, int64_t rows,
                            int64_t cols) {
    const size_t local[2] = {HELPER_GROUP, HELPER_GROUP};
    const size_t global[2] = {(size_t)clg_round_up(rows, HELPER_GROUP),
                              (size_t)clg_round_up(cols, HELPER_GROUP)};
    return launch(queue, helper->kernel, arguments, count, global, local);
}

/* The problem padded to whole tiles. */
static struct shape whole(const struct ladder_run *run, struct shape s) {
    return (struct shape){clg_round_up(s.m, run->launch.tile_m),
                          clg_round_up(s.n, run->launch.tile_n),
                          clg_round_up(s.k, run->launch.tile_k)};
}

static cl_int launch_step(const struct ladder_run *run, cl_command_queue queue, struct shape s,
                          cl_mem a, cl_mem b, cl_mem c) {
    const struct ladder_launch *l = &run->launch;
    const size_t local[2] = {(size_t)l->group_m, (size_t)l->group_n};
    const size_t global[2] = {(size_t)(s.m / l->tile_m * l->group_m),
                              (size_t)(s.n / l->tile_n * l->group_n)};
    const struct argument arguments[] = {
        {NULL, (cl_int)s.m}, {NULL, (cl_int)s.n}, {NULL, (cl_int)s.k}, {a, 0}, {b, 0}, {c, 0}};
    return launch(queue, run->main.kernel, arguments, 6, global, local);
}

static cl_int transpose_b(const struct ladder_run *run, cl_command_queue queue, struct shape s,
                          cl_mem b) {
    const struct argument arguments[] = {
        {NULL, (cl_int)s.k}, {NULL, (cl_int)s.n}, {b, 0}, {run->space->transposed, 0}};
    return launch_helper(queue, &run->space->transpose, arguments, 4, s.k, s.n);
}

static cl_int pad(const struct ladder_run *run, cl_command_queue queue, int64_t rows, int64_t cols,
                  cl_mem in, int64_t out_rows, int64_t out_cols, cl_mem out) {
    const struct argument arguments[] = {
        {NULL, (cl_int)rows},     {NULL, (cl_int)cols},     {in, 0},
        {NULL, (cl_int)out_rows}, {NULL, (cl_int)out_cols}, {out, 0}};
    return launch_helper(queue, &run->space->pad, arguments, 6, out_rows, out_cols);
}

static cl_int unpad(const struct ladder_run *run, cl_command_queue queue, int64_t in_rows,
                    cl_mem in, int64_t rows, int64_t cols, cl_mem out) {
    const struct argument arguments[] = {
        {NULL, (cl_int)in_rows}, {in, 0}, {NULL, (cl_int)rows}, {NULL, (cl_int)cols}, {out, 0}};
    return launch_helper(queue, &run->space->unpad, arguments, 5, rows, cols);
}

/* Everything that the step's time includes. */
static cl_int enqueue(const struct ladder_run *run, const struct device *d, struct shape s) {
    const struct ladder_space *space = run->space;
    cl_command_queue queue = d->queue;
    cl_int code = CL_SUCCESS;
    if (run->step.needs != LADDER_NOTHING)
        code = transpose_b(run, queue, s, d->b);
    if (code || run->step.needs != LADDER_PADDED)
        return code ? code
                    : launch_step(run, queue, s, d->a, run->step.needs ? space->transposed : d->b,
                                  d->c);
    const struct shape w = whole(run, s);
    if (!(code = pad(run, queue, s.m, s.k, d->a, w.m, w.k, space->padded_a)) &&
        !(code = pad(run, queue, s.n, s.k, space->transposed, w.n, w.k, space->padded_b)) &&
        !(code = launch_step(run, queue, w, space->padded_a, space->padded_b, space->padded_c)))
        code = unpad(run, queue, w.m, space->padded_c, s.m, s.n, d->c);
    return code;
}

/* ---- The contender ---- */

static enum outcome open_nothing(struct contender *c) {
    (void)c; /* ladder() has built it */
    return OUTCOME_OK;
}

/* Makes a shared matrix, unless it exists. */
static clgemm_status need(struct device *device, cl_mem *slot, int64_t rows, int64_t cols) {
    return *slot ? CLGEMM_SUCCESS
                 : clg_buffer_create(device->open, (size_t)(rows * cols) * sizeof(float), slot);
}

static enum outcome start(struct contender *c) {
    const struct ladder_run *run = c->state;
    const struct shape s = c->problem->shape, w = whole(run, s);
    struct ladder_space *space = run->space;
    char why[200];
    if (!ladder_takes(&run->step, s, why, sizeof why))
        return contender_say(c, OUTCOME_SKIPPED, "%s", why);
    clgemm_status status = CLGEMM_SUCCESS;
    if (run->step.needs != LADDER_NOTHING)
        status = need(c->device, &space->transposed, s.n, s.k);
    if (!status && run->step.needs == LADDER_PADDED &&
        !(status = need(c->device, &space->padded_a, w.m, w.k)) &&
        !(status = need(c->device, &space->padded_b, w.n, w.k)))
        status = need(c->device, &space->padded_c, w.m, w.n);
    return contender_status(c, status);
}

static enum outcome run_step(struct contender *c, int calls) {
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < calls && !code; i++)
        code = enqueue(c->state, c->device, c->problem->shape);
    const cl_int waited = clFinish(c->device->queue);
    if (!code)
        code = waited;
    return code ? contender_say(c, OUTCOME_FAILED, "%s", clgemm_status_name((clgemm_status)code))
                : OUTCOME_OK;
}

/* The first step that gets here releases what they share. */
static void finish(struct contender *c) {
    struct ladder_space *space = ((struct ladder_run *)c->state)->space;
    cl_mem *const all[] = {&space->transposed, &space->padded_a, &space->padded_b,
                           &space->padded_c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clg_buffer_release(*all[i]);
        *all[i] = NULL;
    }
}

static void close_step(struct contender *c) {
    ladder_kernel_release(&((struct ladder_run *)c->state)->main);
}

const struct contender_ops ladder_ops = {
    .key = "ladder",
    .title = "ladder",
    .shares_device = true,
    .open = open_nothing,
    .start = start,
    .start_c = contender_start_device_c,
    .fetch_c = contender_fetch_device_c,
    .run = run_step,
    .finish = finish,
    .close = close_step,
};
