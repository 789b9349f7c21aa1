/* SPDX-License-Identifier: Apache-2.0
 * Batches by arrays of pointers and offsets: evenly spaced or not, host matrices and buffers. */
#include <string.h>

#include "api/call.h"
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

enum { COUNT = 7 };

/* The order in which products use the matrices: evenly spaced, backwards, mixed, all with the same
 * A, each two with the same B. */
enum order { EVEN, BACKWARDS, MIXED, ORDERS };

static size_t matrix_of(enum order order, size_t z) {
    static const size_t mixed[COUNT] = {3, 0, 6, 1, 5, 2, 4};
    return order == EVEN ? z : order == BACKWARDS ? COUNT - 1 - z : mixed[z];
}

struct batch {
    struct clg_test_problem problem; /* of one product */
    struct clg_test_matrix a, b, c;  /* COUNT of each */
    size_t at[3][COUNT];             /* which of them product z uses, in elements */
    enum order order;
    int sharing; /* 1: A, 2: B */
};

static void create(struct batch *out, clgemm_type type, enum order order, int sharing) {
    struct clg_test_random random = clg_test_random_start((uint64_t)order + 1);
    const struct clg_test_problem p = {.type = type,
                                       .layout = CLGEMM_COL_MAJOR,
                                       .ta = CLGEMM_NO_TRANS,
                                       .tb = CLGEMM_NO_TRANS,
                                       .m = 9,
                                       .n = 11,
                                       .k = 13,
                                       .alpha = 1.5F,
                                       .beta = -0.5F};
    *out = (struct batch){.problem = p, .order = order, .sharing = sharing};
    clg_test_matrices_create(&out->a, type, p.m, p.k, 1, COUNT, 0, 2, &random);
    clg_test_matrices_create(&out->b, type, p.k, p.n, 0, COUNT, 3, 0, &random);
    clg_test_matrices_create(&out->c, type, p.m, p.n, 2, COUNT, 1, 1, &random);
    for (size_t z = 0; z < COUNT; z++) {
        const size_t shared = matrix_of(order, sharing ? z / 2 * 2 : z);
        out->at[0][z] = out->a.offset + (sharing & 1 ? 0 : z) * (size_t)out->a.stride;
        out->at[1][z] = out->b.offset + (sharing & 2 ? shared : z) * (size_t)out->b.stride;
        out->at[2][z] = out->c.offset + matrix_of(order, z) * (size_t)out->c.stride;
    }
}

static void destroy(struct batch *batch) {
    clg_test_matrix_destroy(&batch->a);
    clg_test_matrix_destroy(&batch->b);
    clg_test_matrix_destroy(&batch->c);
}

static clgemm_desc desc_of(const struct batch *batch) {
    return clg_test_desc(&batch->problem, batch->a.ld, batch->b.ld, batch->c.ld);
}

static void check(const struct batch *b) {
    const clgemm_type type = b->problem.type;
    assert_true(clg_test_matrix_guarded(&b->c));
    for (size_t z = 0; z < COUNT; z++)
        clg_test_assert_no_fault(clg_test_result_fault(
            &b->problem, clg_element_at(type, b->a.memory, (int64_t)b->at[0][z]), b->a.ld,
            clg_element_at(type, b->b.memory, (int64_t)b->at[1][z]), b->b.ld,
            clg_element_at(type, b->c.before, (int64_t)b->at[2][z]),
            clg_element_at(type, b->c.memory, (int64_t)b->at[2][z]), b->c.ld));
}

/* Calls with pointers to the matrices. One of them is NULL if `lost` names it. */
static clgemm_status run(struct batch *b, clgemm_handle *handle, int lost) {
    const struct clg_test_factors factors = clg_test_factors_of(&b->problem);
    const clgemm_desc desc = desc_of(b);
    struct clg_test_matrix *matrices[] = {&b->a, &b->b, &b->c};
    void *pointers[3][COUNT];
    for (int i = 0; i < 3; i++)
        for (size_t z = 0; z < COUNT; z++)
            pointers[i][z] =
                clg_element_at(b->problem.type, matrices[i]->memory, (int64_t)b->at[i][z]);
    if (lost >= 0)
        pointers[lost][COUNT - 2] = NULL;
    return clgemm_gemm_batch(handle, &desc, COUNT, clg_test_alpha(&factors),
                             (const void *const *)pointers[0], (const void *const *)pointers[1],
                             clg_test_beta(&factors), pointers[2]);
}

static void pointers(void **state) {
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int form = 0; form < 4 * ORDERS; form++) {
        struct batch b;
        create(&b, clg_test_type(form), (enum order)(form % ORDERS), form / ORDERS);
        clg_test_assert_success(run(&b, form & 1 ? handle : NULL, -1));
        check(&b);
        destroy(&b);
    }
    clgemm_destroy(handle);
}

static void offsets(void **state) {
    struct clg_test_cl cl[2];
    (void)state;
    clg_test_cl_open(&cl[0], 0);
    clg_test_cl_open(&cl[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int form = 0; form < 8 * ORDERS; form++) {
        struct clg_test_cl *here = &cl[form % 2];
        struct batch b;
        cl_event begin = clCreateUserEvent(here->context, NULL), done = NULL;
        cl_int execution;
        create(&b, clg_test_type(form / 2), (enum order)(form % ORDERS), form / ORDERS % 4);
        const struct clg_test_factors factors = clg_test_factors_of(&b.problem);
        const clgemm_desc desc = desc_of(&b);
        cl_mem x[] = {clg_test_buffer(here, &b.a), clg_test_buffer(here, &b.b),
                      clg_test_buffer(here, &b.c)};
        clg_test_assert_success(clgemm_gemm_batch_cl(
            NULL, &desc, COUNT, clg_test_alpha(&factors), x[0], b.at[0], x[1], b.at[1],
            clg_test_beta(&factors), x[2], b.at[2], here->queue, 1, &begin, &done));
        clFlush(here->queue);
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
        assert_true(execution > CL_COMPLETE); /* nothing has run yet */
        clSetUserEventStatus(begin, CL_COMPLETE);
        clg_test_read_back(here, x[2], &b.c, done);
        check(&b);
        for (int i = 0; i < 3; i++)
            clReleaseMemObject(x[i]);
        clReleaseEvent(begin);
        clReleaseEvent(done);
        destroy(&b);
    }
    clg_test_cl_close(&cl[0]);
    clg_test_cl_close(&cl[1]);
}

static void what_is_refused(void **state) {
    static const clgemm_status invalid[] = {CLGEMM_STATUS_INVALID_A, CLGEMM_STATUS_INVALID_B,
                                            CLGEMM_STATUS_INVALID_C};
    const float one = 1;
    struct batch b;
    (void)state;
    create(&b, CLGEMM_F32, MIXED, 0);
    clgemm_desc desc = desc_of(&b);
    for (int lost = 0; lost < 3; lost++) {
        clg_test_assert_status(run(&b, NULL, lost), (int)invalid[lost]);
        clg_test_assert_error_says("of product 5 is NULL");
        assert_true(clg_test_matrix_unchanged(&b.c));
    }
    clg_test_assert_status(clgemm_gemm_batch(NULL, &desc, 2, &one, NULL, NULL, &one, NULL),
                           CLGEMM_STATUS_INVALID_A);
    clg_test_assert_error_says("array of A is NULL");
    desc.batch = 3;
    clg_test_assert_status(clgemm_gemm_batch(NULL, &desc, 2, &one, NULL, NULL, &one, NULL),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_error_says("batch = 3");
    clg_test_assert_status(clgemm_gemm_batch(NULL, NULL, 2, &one, NULL, NULL, &one, NULL),
                           CLGEMM_STATUS_INVALID_DESC);
    destroy(&b);
}

/* No products, products that need no A and B, and products without any work. */
static void little_or_nothing(void **state) {
    const float one = 1, zero = 0;
    float c[2] = {3, 4};
    void *const at[] = {&c[1], &c[0]};
    struct clg_test_cl cl;
    struct batch b;
    cl_event done = NULL;
    (void)state;
    create(&b, CLGEMM_F32, EVEN, 0);
    clgemm_desc desc = desc_of(&b);
    clg_test_assert_success(clgemm_gemm_batch(NULL, &desc, 0, &one, NULL, NULL, &zero, NULL));
    clg_test_assert_success(clgemm_gemm_batch(NULL, &desc, 2, &zero, NULL, NULL, &one, NULL));
    desc.m = desc.n = desc.k = 1;
    clg_test_assert_success(clgemm_gemm_batch(NULL, &desc, 2, &zero, NULL, NULL, &zero, at));
    assert_true(c[0] == 0 && c[1] == 0);
    clg_test_cl_open(&cl, 0);
    clg_test_assert_success(clgemm_gemm_batch_cl(NULL, &desc, 0, &zero, NULL, NULL, NULL, NULL,
                                                 &one, NULL, NULL, cl.queue, 0, NULL, &done));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    clg_test_cl_close(&cl);
    destroy(&b);
}

/* Without products a call checks what every call checks, and waits for the caller's events. */
static void no_products_are_checked_too(void **state) {
    struct clg_test_cl cl;
    (void)state;
    clg_test_cl_open(&cl, 0);
    cl_event begin = clCreateUserEvent(cl.context, NULL), done = NULL;
    const float one = 1;
    const struct {
        int64_t m;
        cl_command_queue queue;
        cl_uint num_wait;
        const cl_event *wait_list;
        int status;
    } cases[] = {
        {1, cl.queue, 0, NULL, CLGEMM_SUCCESS},
        {1, NULL, 0, NULL, CLGEMM_STATUS_INVALID_QUEUE},
        {1, cl.queue, 0, &begin, CL_INVALID_EVENT_WAIT_LIST},
        {1, cl.queue, 1, NULL, CL_INVALID_EVENT_WAIT_LIST},
        {-1, cl.queue, 0, NULL, CLGEMM_STATUS_INVALID_M},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool has_event = i % 2;
        const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                               CLGEMM_NO_TRANS, cases[i / 2].m, 1, 1, 1, 1, 1);
        cl_event event = NULL;
        clg_test_assert_status(clgemm_gemm_batch_cl(NULL, &desc, 0, &one, NULL, NULL, NULL, NULL,
                                                    &one, NULL, NULL, cases[i / 2].queue,
                                                    cases[i / 2].num_wait, cases[i / 2].wait_list,
                                                    has_event ? &event : NULL),
                               cases[i / 2].status);
        assert_true(has_event && !cases[i / 2].status ? event != NULL : event == NULL);
        if (event)
            clReleaseEvent(event);
    }
    const clgemm_desc desc = clg_gemm_desc(CLGEMM_F32, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                           CLGEMM_NO_TRANS, 1, 1, 1, 1, 1, 1);
    cl_int execution;
    clg_test_assert_success(clgemm_gemm_batch_cl(NULL, &desc, 0, &one, NULL, NULL, NULL, NULL, &one,
                                                 NULL, NULL, cl.queue, 1, &begin, &done));
    clFlush(cl.queue);
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
    assert_true(execution > CL_COMPLETE);
    clSetUserEventStatus(begin, CL_COMPLETE);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    clReleaseEvent(begin);
    clg_test_cl_close(&cl);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers),
        cmocka_unit_test(offsets),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(little_or_nothing),
        cmocka_unit_test(no_products_are_checked_too),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
