/* SPDX-License-Identifier: Apache-2.0
 * Times calls back to back, as programs make them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "device/buffer.h"
#include "device/error.h"
#include "src/tuner/measure_device.h"

/* Samples, and the seconds that each takes at least. */
enum { SAMPLES = 5, MOST_CALLS = 1000 };
static const double sample_seconds = 0.002;

enum { BLOCK = 1 << 16 }; /* elements that repeat in a buffer */

/* Random numbers at its beginning, and then copies of them. Equal elements would take less power
 * and be faster. */
static clgemm_status fill(struct clg_measure *m, cl_mem buffer, size_t size, clgemm_type type) {
    const size_t block = BLOCK * clg_type_size(type);
    size_t done = block < size ? block : size;
    void *elements = clg_measure_numbers(type, BLOCK, 1);
    if (!elements)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for the matrices");
    cl_int code = clEnqueueWriteBuffer(m->queue, buffer, CL_TRUE, 0, done, elements, 0, NULL, NULL);
    for (; !code && done < size; done *= 2)
        code = clEnqueueCopyBuffer(m->queue, buffer, buffer, 0, done,
                                   done < size - done ? done : size - done, 0, NULL, NULL);
    if (!code)
        code = clFinish(m->queue);
    free(elements);
    return code ? clg_cl_fail(code, "filling a buffer") : CLGEMM_SUCCESS;
}

/* Makes the pool's buffers large enough for the problem, and of its type. */
static clgemm_status make_room(struct clg_measure *m, const struct clg_problem *problem) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        const size_t size = (size_t)clg_problem_elements(problem, i) * clg_type_size(problem->type);
        if (m->pool[i] && size <= m->pool_size[i] && m->pool_type == problem->type)
            continue;
        clg_buffer_release(m->pool[i]);
        m->pool[i] = NULL;
        if (!(status = clg_buffer_create(m->device, size, &m->pool[i])))
            status = fill(m, m->pool[i], size, problem->type);
        m->pool_size[i] = size;
    }
    m->pool_type = problem->type;
    return status;
}

static clgemm_status time_calls(struct clg_measure *m, const struct clg_prepared *prepared,
                                int calls, double *seconds) {
    const struct clg_arguments arguments = {
        .memory = {{.buffer = m->pool[0]},
                   {.buffer = m->pool[1]},
                   {.buffer = m->pool[2], .offset = prepared->plan.problem.matrix[CLG_C].offset}},
        .scalars = {.alpha = 1}};
    const struct clg_enqueue where = {.queue = m->calls};
    const double start = clg_clock_seconds();
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < calls && !status; i++)
        status = clg_exec(m->device, prepared, &arguments, &where, NULL, NULL);
    const cl_int code = clFinish(m->calls);
    *seconds = (clg_clock_seconds() - start) / calls;
    return status ? status : code ? clg_cl_fail(code, "running the kernels") : CLGEMM_SUCCESS;
}

static clgemm_status measure(struct clg_measure *m, const struct clg_problem *problem,
                             const struct clg_candidate *candidate, struct clg_trial *out) {
    struct clg_prepared prepared;
    double once = 0;
    cl_int code = CL_SUCCESS;
    clg_plan_with(&prepared.plan, candidate->family, &candidate->params, problem,
                  clg_measure_facts(m));
    clgemm_status status = clg_exec_prepare(m->device, m->programs, &prepared);
    if (!status)
        status = make_room(m, problem);
    if (!status && !m->calls)
        m->calls = clCreateCommandQueue(m->device->context, m->device->id, 0, &code);
    if (code)
        status = clg_cl_fail(code, "clCreateCommandQueue");
    for (int warm = 0; warm < 2 && !status; warm++)
        status = time_calls(m, &prepared, 1, &once);
    const int calls = (int)fmin(MOST_CALLS, fmax(1, ceil(sample_seconds / once)));
    while (!status && out->runs < SAMPLES)
        status = time_calls(m, &prepared, calls, &out->seconds[out->runs++]);
    return status;
}

void clg_measure_calls(struct clg_measure *m, const struct clg_tuning_shape *shape,
                       const struct clg_candidate *candidate, struct clg_trial *out) {
    struct clg_problem problem;
    *out = (struct clg_trial){.verdict = CLG_TRIAL_GOOD};
    const char *why = NULL;
    clgemm_status status = clg_tuning_problem(&problem, shape);
    if (!status)
        why = clg_family_unsupported_reason(candidate->family, &problem, clg_measure_facts(m),
                                            &candidate->params);
    if (!status && !why)
        status = measure(m, &problem, candidate, out);
    if (!status && !why) {
        clg_trial_summarize(out);
        return;
    }
    out->verdict = CLG_TRIAL_FAILED;
    snprintf(out->why, sizeof out->why, "%s", why ? why : clg_last_error());
}
