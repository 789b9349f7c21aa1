/* SPDX-License-Identifier: Apache-2.0
 * The problem's buffers on a device, and runs timed by profiling events. */
#include <math.h>
#include <stdlib.h>

#include "device/buffer.h"
#include "device/error.h"
#include "gemm/element.h"
#include "run/exec.h"
#include "src/tuner/measure_device.h"

/* The most memory of all copies of A and B together: many times any cache, but a small part of the
 * device's memory. */
static const double copies_bytes = 0x1p29, copies_share = 0.25;

const struct clg_facts *clg_measure_facts(const struct clg_measure *measure) {
    return &measure->device->facts;
}

/* The program cache passes binaries to later processes. If the runtime compiles kernels at their
 * launch, its own cache does that. A request for a binary would then make it compile for all
 * work-group sizes, which takes more than half of the time. */
static clgemm_status open_programs(struct clg_measure *m, const char *request) {
    const clgemm_status status = clg_device_open(&m->device, request);
    if (status)
        return status;
    m->store = clg_compiles_at_launch(m->device) ? NULL : clg_binaries_new();
    return clg_programs_open(&m->programs, m->device, m->store);
}

clgemm_status clg_measure_open(struct clg_measure **out, const char *request) {
    struct clg_measure *m = *out = calloc(1, sizeof *m);
    if (!m)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for a device");
    clgemm_status status = open_programs(m, request);
    if (!status) {
        cl_int code = CL_SUCCESS;
        m->queue = clCreateCommandQueue(m->device->context, m->device->id,
                                        CL_QUEUE_PROFILING_ENABLE, &code);
        if (code)
            status = clg_cl_fail(code, "clCreateCommandQueue");
    }
    if (status) {
        clg_measure_close(m);
        *out = NULL;
    }
    return status;
}

static void unload(struct clg_measure *m) {
    for (int s = 0; s < CLG_MEASURE_COPIES; s++) {
        clg_buffer_release(m->a[s]);
        clg_buffer_release(m->b[s]);
        m->a[s] = m->b[s] = NULL;
    }
    clg_buffer_release(m->c);
    m->c = NULL;
    free(m->host_c);
    m->host_c = NULL;
    clg_reference_release(&m->reference);
    m->copies = m->turn = 0;
}

void clg_measure_close(struct clg_measure *m) {
    if (!m)
        return;
    unload(m);
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_buffer_release(m->pool[i]);
    if (m->calls)
        clReleaseCommandQueue(m->calls);
    if (m->queue)
        clReleaseCommandQueue(m->queue);
    clg_cubin_context_release(m->linking);
    clg_programs_close(m->programs);
    clg_device_close(m->device);
    clg_binaries_free(m->store);
    free(m);
}

clgemm_status clg_measure_problem(struct clg_problem *out, const struct clg_tuning_shape *shape) {
    clgemm_status status = clg_tuning_problem(out, shape);
    if (!status)
        out->matrix[CLG_C].offset = CLG_VERIFY_GUARD;
    return status;
}

static size_t bytes_of(const struct clg_problem *problem, enum clg_matrix_index which) {
    return (size_t)clg_problem_elements(problem, which) * clg_type_size(problem->type);
}

void *clg_measure_numbers(clgemm_type type, int64_t count, uint64_t seed) {
    void *x = malloc((size_t)count * clg_type_size(type));
    for (int64_t i = 0; x && i < count * clg_type_parts(type); i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        clg_element_set(type, x, i, (double)(seed >> 11) * 0x1p-53 - 0.5);
    }
    return x;
}

static void *random_matrix(const struct clg_problem *problem, enum clg_matrix_index which,
                           uint64_t seed) {
    return clg_measure_numbers(problem->type, clg_problem_elements(problem, which), seed);
}

static clgemm_status upload(struct clg_measure *m, const void *from, size_t bytes, cl_mem *out) {
    clgemm_status status = clg_buffer_create(m->device, bytes, out);
    if (status)
        return status;
    const cl_int code =
        clEnqueueWriteBuffer(m->queue, *out, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
    return code ? clg_cl_fail(code, "clEnqueueWriteBuffer") : CLGEMM_SUCCESS;
}

static clgemm_status load(struct clg_measure *m, const void *a, const void *b) {
    const struct clg_problem *p = &m->problem;
    const double pair = (double)bytes_of(p, CLG_A) + (double)bytes_of(p, CLG_B);
    const double share = copies_share * (double)clg_measure_facts(m)->global_memory;
    const int copies = (int)fmin(CLG_MEASURE_COPIES, fmax(1, fmin(copies_bytes, share) / pair));
    if (!clg_reference_create(&m->reference, p, a, b) ||
        !(m->host_c = malloc(m->reference.length * clg_type_size(p->type))))
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for the reference");
    clgemm_status status =
        clg_buffer_create(m->device, m->reference.length * clg_type_size(p->type), &m->c);
    for (; m->copies < copies && !status; m->copies++)
        if (!(status = upload(m, a, bytes_of(p, CLG_A), &m->a[m->copies])))
            status = upload(m, b, bytes_of(p, CLG_B), &m->b[m->copies]);
    return status;
}

clgemm_status clg_measure_load(struct clg_measure *m, const struct clg_tuning_shape *shape) {
    unload(m);
    clgemm_status status = clg_measure_problem(&m->problem, shape);
    if (status)
        return status;
    if (m->problem.work != CLG_WORK_MULTIPLY)
        return clg_fail(CLGEMM_STATUS_INVALID_M, "nothing is multiplied");
    void *a = random_matrix(&m->problem, CLG_A, 1), *b = random_matrix(&m->problem, CLG_B, 2);
    status = a && b ? load(m, a, b)
                    : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for the matrices");
    free(a);
    free(b);
    return status;
}

/* Seconds from the start of `first` (NULL: of `last`) to the end of `last`. */
static cl_int time_between(cl_event first, cl_event last, double *seconds) {
    cl_ulong start = 0, end = 0;
    cl_int code = clGetEventProfilingInfo(first ? first : last, CL_PROFILING_COMMAND_START,
                                          sizeof start, &start, NULL);
    if (!code)
        code = clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    *seconds = (double)(end - start) * 1e-9;
    return code;
}

clgemm_status clg_measure_run(struct clg_measure *m, const struct clg_prepared *prepared,
                              double *seconds) {
    const int copy = m->turn;
    const struct clg_arguments arguments = {
        .memory = {{.buffer = m->a[copy]},
                   {.buffer = m->b[copy]},
                   {.buffer = m->c, .offset = prepared->plan.problem.matrix[CLG_C].offset}},
        .scalars = {.alpha = 1}};
    const struct clg_enqueue where = {.queue = m->queue};
    cl_event first = NULL, last = NULL;
    m->turn = (m->turn + 1) % m->copies;
    clgemm_status status = clg_exec(m->device, prepared, &arguments, &where, &first, &last);
    cl_int code = clFinish(m->queue);
    if (!status && !code)
        code = clWaitForEvents(1, &last);
    if (!status && !code)
        code = time_between(first, last, seconds);
    if (first)
        clReleaseEvent(first);
    if (last)
        clReleaseEvent(last);
    return status ? status : code ? clg_cl_fail(code, "running the kernels") : CLGEMM_SUCCESS;
}
