/* SPDX-License-Identifier: Apache-2.0
 * Candidates on a device: the problem's buffers, and runs timed by profiling events. */
#include <math.h>
#include <stdlib.h>

#include "device/buffer.h"
#include "device/error.h"
#include "gemm/exec.h"
#include "tune/measure_device.h"

/* What the copies of A and B may take together: many times any cache, but little of what a device
 * has. */
static const double sets_bytes = 0x1p29, sets_share = 0.25;

const struct clg_facts *clg_measure_facts(const struct clg_measure *measure) {
    return &clg_programs_device(measure->programs)->facts;
}

/* Binaries go from one process to the next by the program cache. Where kernels are compiled at
 * their launch, the runtime's own cache does that, and asking for a binary would have it compile
 * for all work-groups: more than half of the time. */
static clgemm_status open_programs(struct clg_measure *m, const char *request) {
    struct clg_device *device = NULL;
    const clgemm_status status = clg_device_open(&device, request);
    if (status)
        return status;
    m->store = clg_compiles_at_launch(device) ? NULL : clg_binaries_new();
    return clg_programs_open(&m->programs, device, m->store);
}

clgemm_status clg_measure_open(struct clg_measure **out, const char *request) {
    struct clg_measure *m = *out = calloc(1, sizeof *m);
    if (!m)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for a device");
    clgemm_status status = open_programs(m, request);
    if (!status) {
        const struct clg_device *device = clg_programs_device(m->programs);
        cl_int code = CL_SUCCESS;
        m->queue =
            clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
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
    for (int s = 0; s < CLG_MEASURE_SETS; s++) {
        clg_buffer_release(m->a[s]);
        clg_buffer_release(m->b[s]);
        m->a[s] = m->b[s] = NULL;
    }
    clg_buffer_release(m->c);
    m->c = NULL;
    free(m->host_c);
    m->host_c = NULL;
    clg_reference_release(&m->reference);
    m->sets = m->turn = 0;
}

void clg_measure_close(struct clg_measure *m) {
    if (!m)
        return;
    unload(m);
    if (m->queue)
        clReleaseCommandQueue(m->queue);
    clg_cubin_context_release(m->linking);
    clg_programs_close(m->programs);
    clg_binaries_free(m->store);
    free(m);
}

clgemm_status clg_measure_problem(struct clg_problem *out, const struct clg_tuning_shape *shape) {
    clgemm_status status = clg_tuning_problem(out, shape);
    if (!status)
        out->c.offset = CLG_VERIFY_GUARD;
    return status;
}

static size_t bytes_of(const struct clg_matrix *matrix) {
    return (size_t)(matrix->ld * matrix->cols) * sizeof(float);
}

/* Numbers in [-0.5, 0.5). */
static float *random_matrix(const struct clg_matrix *matrix, uint64_t seed) {
    const size_t count = bytes_of(matrix) / sizeof(float);
    float *x = malloc(bytes_of(matrix));
    for (size_t i = 0; x && i < count; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        x[i] = (float)(seed >> 40) / 16777216.0F - 0.5F;
    }
    return x;
}

static clgemm_status upload(struct clg_measure *m, const float *from, size_t bytes, cl_mem *out) {
    clgemm_status status = clg_buffer_create(clg_programs_device(m->programs), bytes, out);
    if (status)
        return status;
    const cl_int code =
        clEnqueueWriteBuffer(m->queue, *out, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
    return code ? clg_cl_fail(code, "clEnqueueWriteBuffer") : CLGEMM_SUCCESS;
}

static clgemm_status load(struct clg_measure *m, const float *a, const float *b) {
    const struct clg_problem *p = &m->problem;
    const double pair = (double)bytes_of(&p->a) + (double)bytes_of(&p->b);
    const double share = sets_share * (double)clg_measure_facts(m)->global_memory;
    const int sets = (int)fmin(CLG_MEASURE_SETS, fmax(1, fmin(sets_bytes, share) / pair));
    if (!clg_reference_create(&m->reference, p, a, b) ||
        !(m->host_c = malloc(m->reference.length * sizeof(float))))
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for the reference");
    clgemm_status status = clg_buffer_create(clg_programs_device(m->programs),
                                             m->reference.length * sizeof(float), &m->c);
    for (; m->sets < sets && !status; m->sets++)
        if (!(status = upload(m, a, bytes_of(&p->a), &m->a[m->sets])))
            status = upload(m, b, bytes_of(&p->b), &m->b[m->sets]);
    return status;
}

clgemm_status clg_measure_load(struct clg_measure *m, const struct clg_tuning_shape *shape) {
    unload(m);
    clgemm_status status = clg_measure_problem(&m->problem, shape);
    if (status)
        return status;
    if (m->problem.work != CLG_WORK_MULTIPLY)
        return clg_fail(CLGEMM_STATUS_INVALID_M, "nothing is multiplied");
    float *a = random_matrix(&m->problem.a, 1), *b = random_matrix(&m->problem.b, 2);
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

clgemm_status clg_measure_run(struct clg_measure *m, const struct clg_plan *plan, double *seconds) {
    const int set = m->turn;
    const struct clg_places places = {
        .a.buffer = m->a[set], .b.buffer = m->b[set], .c.buffer = m->c};
    const struct clg_enqueue where = {.queue = m->queue};
    cl_event first = NULL, last = NULL;
    m->turn = (m->turn + 1) % m->sets;
    clgemm_status status = clg_exec(m->programs, plan, &places, &where, &first, &last);
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
