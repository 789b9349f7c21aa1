/* SPDX-License-Identifier: Apache-2.0
 * The device under test. */
#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/select.h"
#include "gemm/family.h"
#include "support/check.h"

/* The device that the library would choose, or NULL. */
static cl_device_id choose(void) {
    struct clg_device_list list;
    const struct clg_device_entry *entry = NULL;
    cl_device_id id = NULL;
    if (clg_device_list_query(&list) != CLGEMM_SUCCESS)
        return NULL;
    if (clg_device_choose(&list, getenv("CLGEMM_DEVICE"), &entry, NULL) == CLGEMM_SUCCESS)
        id = entry->id;
    clg_device_list_free(&list);
    return id;
}

void clg_test_require_device(void) {
    if (choose())
        return;
    printf("skipped: no usable OpenCL device\n");
    exit(CLG_TEST_SKIP);
}

static bool has_doubles(void) {
    cl_device_fp_config config = 0;
    return clGetDeviceInfo(choose(), CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) ==
               CL_SUCCESS &&
           config != 0;
}

int clg_test_num_types(void) {
    static int types;
    const char *only = getenv("CLGEMM_TEST_TYPES");
    if (!types)
        types = only && strcmp(only, "1") == 0 ? 1
                : has_doubles()                ? CLG_TYPE_COUNT
                                               : CLG_TYPE_COUNT - 1;
    return types;
}

clgemm_type clg_test_type(int turn) {
    static const clgemm_type types[] = {CLGEMM_F32,  CLGEMM_F16, CLGEMM_BF16,
                                        CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    return types[turn % clg_test_num_types()];
}

void clg_test_cl_open(struct clg_test_cl *out, cl_command_queue_properties properties) {
    cl_command_queue_properties has = 0;
    cl_int code;
    out->device = choose();
    assert_non_null(out->device);
    out->context = clCreateContext(NULL, 1, &out->device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    code = clGetDeviceInfo(out->device, CL_DEVICE_QUEUE_PROPERTIES, sizeof has, &has, NULL);
    assert_int_equal(code, CL_SUCCESS);
    out->queue = clCreateCommandQueue(out->context, out->device, properties & has, &code);
    assert_int_equal(code, CL_SUCCESS);
}

void clg_test_cl_close(struct clg_test_cl *cl) {
    clFinish(cl->queue);
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
}

void clg_test_engine_open(struct clg_engine *engine, struct clg_binaries **store,
                          const struct clg_test_cl *cl) {
    struct clg_device *device;
    clg_test_assert_success(clg_device_adopt(&device, cl->context, cl->device));
    *store = clg_binaries_new();
    assert_non_null(*store);
    clg_test_assert_success(clg_engine_open(engine, device, *store));
}

void clg_test_engine_close(struct clg_engine *engine, struct clg_binaries *store) {
    clg_engine_close(engine);
    clg_binaries_free(store);
}

struct clg_known *clg_test_last_known(struct clg_known_table *table) {
    struct clg_known *last = NULL;
    pthread_mutex_lock(&table->lock);
    for (int b = 0; b < CLG_KNOWN_BUCKETS; b++)
        for (struct clg_known *known = table->buckets[b]; known; known = known->next)
            if (known->used == table->uses)
                last = known;
    if (last)
        __atomic_add_fetch(&last->users, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&table->lock);
    return last;
}

struct clg_test_fixture clg_test_fixture;

int clg_test_fixture_open(void **state) {
    (void)state;
    clg_test_cl_open(&clg_test_fixture.cl, 0);
    clg_test_engine_open(&clg_test_fixture.engine, &clg_test_fixture.store, &clg_test_fixture.cl);
    return 0;
}

int clg_test_fixture_close(void **state) {
    (void)state;
    clg_test_engine_close(&clg_test_fixture.engine, clg_test_fixture.store);
    clg_test_cl_close(&clg_test_fixture.cl);
    return 0;
}

cl_mem clg_test_buffer(struct clg_test_cl *cl, const struct clg_test_matrix *matrix) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   clg_test_matrix_bytes(matrix), matrix->memory, &code);
    assert_int_equal(code, CL_SUCCESS);
    return buffer;
}

void clg_test_read_back(struct clg_test_cl *cl, cl_mem buffer, struct clg_test_matrix *matrix,
                        cl_event after) {
    cl_int code = clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, 0, clg_test_matrix_bytes(matrix),
                                      matrix->memory, after ? 1 : 0, after ? &after : NULL, NULL);
    assert_int_equal(code, CL_SUCCESS);
}

void clg_test_buffers_create(struct clg_test_cl *cl, const struct clg_test_case *test,
                             struct clg_test_buffers *out) {
    out->a = clg_test_buffer(cl, &test->a);
    out->b = clg_test_buffer(cl, &test->b);
    out->c = clg_test_buffer(cl, &test->c);
}

void clg_test_buffers_release(struct clg_test_buffers *buffers) {
    clReleaseMemObject(buffers->a);
    clReleaseMemObject(buffers->b);
    clReleaseMemObject(buffers->c);
}

clgemm_status clg_test_enqueue(struct clg_test_cl *cl, const struct clg_test_case *test,
                               const struct clg_test_buffers *buffers, clgemm_handle *handle,
                               cl_uint num_wait, const cl_event *wait_list, cl_event *event) {
    const struct clg_test_problem *p = &test->problem;
    const clgemm_desc desc = clg_test_case_desc(test);
    const struct clg_test_factors factors = clg_test_factors_of(p);
    if (desc.batch > 1 || p->type == CLGEMM_BF16 || (handle && p->type != CLGEMM_F32))
        return clgemm_gemm_cl(handle, &desc, clg_test_alpha(&factors), buffers->a, p->offset_a,
                              buffers->b, p->offset_b, clg_test_beta(&factors), buffers->c,
                              p->offset_c, cl->queue, num_wait, wait_list, event);
    if (clg_type_is_complex(p->type))
        return (p->type == CLGEMM_CF32 ? clgemm_cgemm_cl : clgemm_zgemm_cl)(
            p->layout, p->ta, p->tb, p->m, p->n, p->k, clg_test_alpha(&factors), buffers->a,
            p->offset_a, test->a.ld, buffers->b, p->offset_b, test->b.ld, clg_test_beta(&factors),
            buffers->c, p->offset_c, test->c.ld, cl->queue, num_wait, wait_list, event);
    if (p->type == CLGEMM_F64)
        return clgemm_dgemm_cl(p->layout, p->ta, p->tb, p->m, p->n, p->k, (double)p->alpha,
                               buffers->a, p->offset_a, test->a.ld, buffers->b, p->offset_b,
                               test->b.ld, (double)p->beta, buffers->c, p->offset_c, test->c.ld,
                               cl->queue, num_wait, wait_list, event);
    if (p->type == CLGEMM_F16)
        return clgemm_hgemm_cl(p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, buffers->a,
                               p->offset_a, test->a.ld, buffers->b, p->offset_b, test->b.ld,
                               p->beta, buffers->c, p->offset_c, test->c.ld, cl->queue, num_wait,
                               wait_list, event);
    if (handle)
        return clgemm_handle_sgemm_cl(handle, p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha,
                                      buffers->a, p->offset_a, test->a.ld, buffers->b, p->offset_b,
                                      test->b.ld, p->beta, buffers->c, p->offset_c, test->c.ld,
                                      cl->queue, num_wait, wait_list, event);
    return clgemm_sgemm_cl(p->layout, p->ta, p->tb, p->m, p->n, p->k, p->alpha, buffers->a,
                           p->offset_a, test->a.ld, buffers->b, p->offset_b, test->b.ld, p->beta,
                           buffers->c, p->offset_c, test->c.ld, cl->queue, num_wait, wait_list,
                           event);
}

static void read_all_back(struct clg_test_cl *cl, struct clg_test_case *test,
                          const struct clg_test_buffers *buffers, cl_event after) {
    clg_test_read_back(cl, buffers->a, &test->a, after);
    clg_test_read_back(cl, buffers->b, &test->b, after);
    clg_test_read_back(cl, buffers->c, &test->c, after);
}

void clg_test_buffers_check(struct clg_test_cl *cl, struct clg_test_case *test,
                            const struct clg_test_buffers *buffers, cl_event after) {
    read_all_back(cl, test, buffers, after);
    clg_test_assert_no_fault(clg_test_case_fault(test));
}

void clg_test_case_run_and_check_cl(struct clg_test_cl *cl, struct clg_test_case *test,
                                    clgemm_handle *handle) {
    struct clg_test_buffers buffers;
    cl_event event = NULL;
    clg_test_buffers_create(cl, test, &buffers);
    clg_test_assert_success(clg_test_enqueue(cl, test, &buffers, handle, 0, NULL, &event));
    assert_non_null(event);
    clg_test_buffers_check(cl, test, &buffers, event);
    clReleaseEvent(event);
    clg_test_buffers_release(&buffers);
}

void clg_test_plan_enqueue(struct clg_engine *engine, struct clg_prepared *prepared,
                           const struct clg_test_case *test, const struct clg_test_buffers *buffers,
                           const struct clg_enqueue *where, cl_event *done) {
    const cl_mem given[] = {buffers->a, buffers->b, buffers->c};
    struct clg_arguments arguments = {
        .scalars = {(double)test->problem.alpha, (double)test->problem.beta,
                    (double)test->problem.alpha_imag, (double)test->problem.beta_imag}};
    for (int i = 0; i < CLG_MATRICES; i++)
        arguments.memory[i] =
            (struct clg_memory){.buffer = given[clg_problem_source(&prepared->plan.problem, i)],
                                .offset = prepared->plan.problem.matrix[i].offset};
    clg_test_assert_success(clg_exec_prepare(engine->device, engine->programs, prepared));
    clg_test_assert_success(clg_exec(engine->device, prepared, &arguments, where, NULL, done));
}

bool clg_test_family_run(struct clg_engine *engine, struct clg_test_cl *cl,
                         const struct clg_family *family, const struct clg_params *params,
                         clgemm_math math, struct clg_test_case *test) {
    struct clg_call call = clg_test_case_call(test);
    const struct clg_facts *facts = &engine->device->facts;
    const struct clg_enqueue where = {cl->queue, 0, NULL};
    struct clg_test_buffers made;
    struct clg_problem problem;
    struct clg_prepared prepared;
    cl_event done = NULL;
    call.math = math;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    if (clg_family_unsupported_reason(family, &problem, facts, params))
        return false;
    clg_plan_with(&prepared.plan, family, params, &problem, facts);
    clg_test_buffers_create(cl, test, &made);
    clg_test_plan_enqueue(engine, &prepared, test, &made, &where, &done);
    read_all_back(cl, test, &made, done);
    clReleaseEvent(done);
    clg_test_buffers_release(&made);
    return true;
}
