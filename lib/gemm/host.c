/* SPDX-License-Identifier: Apache-2.0
 * A multiplication of matrices in host memory. */
#include "gemm/host.h"

#include "base/checked.h"
#include "device/buffer.h"
#include "device/event.h"
#include "gemm/exec.h"

/* Columns on the device start at multiples of this many floats, so that every matrix is read in
 * vectors, whatever the host's leading dimension. */
enum { DEVICE_LD_UNIT = 4 };

/* The problem with matrices as they will lie on the device. */
static clgemm_status on_device(struct clg_problem *out, const struct clg_problem *problem) {
    *out = *problem;
    struct clg_matrix *const matrices[] = {&out->a, &out->b, &out->c};
    for (int i = 0; i < 3; i++) {
        struct clg_matrix *matrix = matrices[i];
        int64_t elements;
        if (matrix->rows > INT64_MAX - DEVICE_LD_UNIT ||
            !clg_span(clg_round_up(matrix->rows, DEVICE_LD_UNIT), matrix->cols,
                      clg_round_up(matrix->rows, DEVICE_LD_UNIT), 0, &elements))
            return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW,
                            "a matrix has more bytes than an int64_t counts");
        matrix->ld = clg_round_up(matrix->rows, DEVICE_LD_UNIT);
        matrix->offset = 0;
        matrix->vector = DEVICE_LD_UNIT;
    }
    return CLGEMM_SUCCESS;
}

/* Makes the matrix's buffer, and fills it from `host` if that is not NULL. */
static clgemm_status bring(struct clg_device *device, cl_command_queue queue,
                           const struct clg_matrix *on_device, const float *host, int64_t host_ld,
                           cl_mem *out) {
    const size_t bytes = (size_t)(on_device->ld * on_device->cols) * sizeof(float);
    clgemm_status status = clg_buffer_create(device, bytes, out);
    if (!status && host)
        status =
            clg_upload(queue, *out, on_device->ld, host, host_ld, on_device->rows, on_device->cols);
    return status;
}

clgemm_status clg_host_gemm(struct clg_programs *programs, const struct clg_problem *problem,
                            const struct clg_host_matrices *host, struct clg_plan *plan) {
    struct clg_device *device = clg_programs_device(programs);
    struct clg_buffers buffers = {NULL, NULL, NULL};
    struct clg_problem there;
    cl_command_queue queue = NULL;
    cl_event done = NULL;

    clgemm_status status = on_device(&there, problem);
    if (status || (status = clg_plan_make(plan, &there, &device->facts)) || plan->num_steps == 0)
        return status;
    if ((status = clg_queue_take(device, &queue)))
        goto out;
    if (there.work == CLG_WORK_MULTIPLY &&
        ((status = bring(device, queue, &there.a, host->a, problem->a.ld, &buffers.a)) ||
         (status = bring(device, queue, &there.b, host->b, problem->b.ld, &buffers.b))))
        goto out;
    if ((status = bring(device, queue, &there.c, problem->beta != 0 ? host->c : NULL, problem->c.ld,
                        &buffers.c)))
        goto out;

    const struct clg_enqueue where = {.queue = queue};
    if ((status = clg_exec(programs, plan, &buffers, &where, NULL, &done)) ||
        (status = clg_wait(done)))
        goto out;
    status = clg_download(queue, buffers.c, there.c.ld, host->c, problem->c.ld, there.c.rows,
                          there.c.cols);
out:
    clg_event_release(done);
    clg_buffer_release(buffers.c);
    clg_buffer_release(buffers.b);
    clg_buffer_release(buffers.a);
    clg_queue_give(device, queue, status == CLGEMM_SUCCESS);
    return status;
}
