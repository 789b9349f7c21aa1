/* SPDX-License-Identifier: Apache-2.0
 * Calls by a description: right results, which errors are refused and named, what is remembered
 * between calls, and that a warm-up leaves nothing for the first call to do. Over 300 lines,
 * because all rules of a description are here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "support/check.h"
#include "support/device.h"

static struct clg_test_cl cl;

static int set_up(void **state) {
    (void)state;
    clg_test_cl_open(&cl, 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    clg_test_cl_close(&cl);
    return 0;
}

static clgemm_desc desc_of(const struct clg_test_case *test) {
    return clg_test_case_desc(test);
}

static clgemm_status run(struct clg_test_case *test, clgemm_handle *handle,
                         const clgemm_desc *desc) {
    const struct clg_test_factors factors = clg_test_factors_of(&test->problem);
    return clgemm_gemm(handle, desc, clg_test_alpha(&factors), clg_test_matrix_data(&test->a),
                       clg_test_matrix_data(&test->b), clg_test_beta(&factors),
                       clg_test_matrix_data(&test->c));
}

static clgemm_status enqueue(const struct clg_test_case *test, const clgemm_desc *desc,
                             const struct clg_test_buffers *buffers, clgemm_handle *handle,
                             cl_event *done) {
    const struct clg_test_problem *p = &test->problem;
    const struct clg_test_factors factors = clg_test_factors_of(p);
    return clgemm_gemm_cl(handle, desc, clg_test_alpha(&factors), buffers->a, p->offset_a,
                          buffers->b, p->offset_b, clg_test_beta(&factors), buffers->c, p->offset_c,
                          cl.queue, 0, NULL, done);
}

/* ---- Results ---- */

/* All layouts and transposes, with gaps and offsets, on host matrices and on buffers. */
static void a_description_is_as_good_as_arguments(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    for (int form = 0; form < 32; form++) {
        const struct clg_test_problem problem = {
            .type = clg_test_type(form / 16),
            .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
            .ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
            .tb = form & 4 ? CLGEMM_CONJ_TRANS : CLGEMM_NO_TRANS,
            .m = 37,
            .n = 21,
            .k = 50,
            .alpha = -1.5F,
            .beta = 0.25F,
            .gap_a = 3,
            .gap_c = 1,
            .offset_b = 5};
        clgemm_handle *used = form & 8 ? handle : NULL;
        struct clg_test_case test;
        struct clg_test_buffers buffers;
        cl_event done = NULL;
        clg_test_case_create(&test, &problem, &random);
        const clgemm_desc desc = desc_of(&test);
        clg_test_buffers_create(&cl, &test, &buffers);
        clg_test_assert_success(run(&test, used, &desc));
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_assert_success(enqueue(&test, &desc, &buffers, used, &done));
        clg_test_buffers_check(&cl, &test, &buffers, done);
        clReleaseEvent(done);
        clg_test_buffers_release(&buffers);
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
}

/* A factor that passed through a float would be off by 1e-8 of itself. */
static void factors_of_doubles_are_doubles(void **state) {
    const double a = 1, b = 1, alpha = 1.0 / 3, beta = 0.1;
    double c = 1;
    (void)state;
    if (clg_test_num_types() < 2)
        skip();
    clg_test_assert_success(clgemm_dgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         1, alpha, &a, 1, &b, 1, beta, &c, 1));
    assert_true(fabs(c - (alpha + beta)) < 0x1p-50);
    clg_test_assert_success(clgemm_dgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1,
                                         0, 1, NULL, 1, NULL, 1, beta, &c, 1));
    assert_true(fabs(c - beta * (alpha + beta)) < 0x1p-50);
}

/* Callers of an older version know fewer fields, those of a newer one more. */
static void descriptions_of_other_versions(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    const struct clg_test_problem problem = clg_test_small_problem();
    struct {
        clgemm_desc desc;
        int64_t later[2];
    } longer = {.later = {0, 0}};
    struct clg_test_case test;
    (void)state;
    clg_test_case_create(&test, &problem, &random);
    longer.desc = desc_of(&test);
    longer.desc.size = offsetof(clgemm_desc, batch);
    longer.desc.batch = -7; /* is not read */
    clg_test_assert_success(run(&test, NULL, &longer.desc));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    longer.desc.batch = 1;
    longer.desc.size = sizeof longer;
    clg_test_matrix_snapshot(&test.c);
    clg_test_assert_success(run(&test, NULL, &longer.desc));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    longer.later[1] = 1;
    clg_test_assert_status(run(&test, NULL, &longer.desc), CLGEMM_STATUS_UNSUPPORTED);
    clg_test_assert_error_says("does not know");
    clg_test_case_destroy(&test);
}

/* ---- What is refused ---- */

static void what_is_refused_is_named(void **state) {
    static const struct {
        size_t field;
        int64_t value;
        bool wide; /* the field has 64 bits */
        clgemm_status status;
        const char *says;
    } cases[] = {
        {offsetof(clgemm_desc, size), 8, true, CLGEMM_STATUS_INVALID_DESC, "size = 8"},
        {offsetof(clgemm_desc, size), 1 << 20, true, CLGEMM_STATUS_INVALID_DESC, "size"},
        {offsetof(clgemm_desc, type), CLG_TYPE_COUNT, false, CLGEMM_STATUS_INVALID_DESC,
         "type = 6"},
        {offsetof(clgemm_desc, type), -1, false, CLGEMM_STATUS_INVALID_DESC, "type = -1"},
        {offsetof(clgemm_desc, math), 77, false, CLGEMM_STATUS_INVALID_DESC, "math = 77"},
        {offsetof(clgemm_desc, batch), -1, true, CLGEMM_STATUS_INVALID_DESC, "batch = -1"},
        {offsetof(clgemm_desc, layout), 0, false, CLGEMM_STATUS_INVALID_LAYOUT, "layout = 0"},
        {offsetof(clgemm_desc, m), -1, true, CLGEMM_STATUS_INVALID_M, "m = -1"},
        {offsetof(clgemm_desc, ldc), 0, true, CLGEMM_STATUS_INVALID_LDC, "ldc = 0"},
    };
    struct clg_test_random random = clg_test_random_start(3);
    const struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    struct clg_test_buffers buffers;
    (void)state;
    clg_test_case_create(&test, &problem, &random);
    clg_test_buffers_create(&cl, &test, &buffers);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clgemm_desc desc = desc_of(&test);
        const int narrow = (int)cases[i].value;
        memcpy((char *)&desc + cases[i].field,
               cases[i].wide ? (const void *)&cases[i].value : &narrow,
               cases[i].wide ? sizeof cases[i].value : sizeof narrow);
        clg_test_assert_status(run(&test, NULL, &desc), (int)cases[i].status);
        clg_test_assert_error_says(cases[i].says);
        assert_true(clg_test_matrix_unchanged(&test.c));
        clg_test_assert_status(enqueue(&test, &desc, &buffers, NULL, NULL), (int)cases[i].status);
        clg_test_assert_error_says(cases[i].says);
        clg_test_assert_status(clgemm_warmup_gemm(NULL, &desc, 1), (int)cases[i].status);
        clg_test_assert_error_says(cases[i].says);
    }
    clg_test_buffers_release(&buffers);
    clg_test_case_destroy(&test);
}

/* A device without doubles says so, and still computes floats. */
static void a_type_that_the_device_lacks_is_named(void **state) {
    struct clg_test_random random = clg_test_random_start(8);
    struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    clgemm_handle *handle;
    (void)state;
    problem.type = CLGEMM_CF64;
    clg_test_case_create(&test, &problem, &random);
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    handle->engine.device->facts.has_fp64 = false;
    const clgemm_desc desc = desc_of(&test);
    clg_test_assert_status(run(&test, handle, &desc), CLGEMM_STATUS_UNSUPPORTED);
    clg_test_assert_error_says("F64");
    clg_test_assert_status(clgemm_warmup_gemm(handle, &desc, 1), CLGEMM_STATUS_UNSUPPORTED);
    assert_true(clg_test_matrix_unchanged(&test.c));
    clg_test_check_works(handle);
    clgemm_destroy(handle);
    clg_test_case_destroy(&test);
}

static void nothing_where_something_is_needed(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    const struct clg_test_problem problem = clg_test_small_problem();
    struct clg_test_case test;
    float *a, *b, *c, one = 1;
    (void)state;
    clg_test_case_create(&test, &problem, &random);
    const clgemm_desc desc = desc_of(&test);
    a = clg_test_matrix_data(&test.a);
    b = clg_test_matrix_data(&test.b);
    c = clg_test_matrix_data(&test.c);
    clg_test_assert_status(clgemm_gemm(NULL, NULL, &one, a, b, &one, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_error_says("desc is NULL");
    clg_test_assert_status(clgemm_gemm(NULL, &desc, NULL, a, b, &one, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_error_says("alpha is NULL");
    clg_test_assert_status(clgemm_gemm(NULL, &desc, &one, a, b, NULL, c),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_error_says("beta is NULL");
    clg_test_assert_status(clgemm_gemm(NULL, &desc, &one, a, NULL, &one, c),
                           CLGEMM_STATUS_INVALID_B);
    clg_test_assert_error_says("B is NULL");
    clg_test_assert_status(clgemm_warmup_gemm(NULL, NULL, 1), CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_success(clgemm_warmup_gemm(NULL, NULL, 0));
    assert_true(clg_test_matrix_unchanged(&test.c));
    clg_test_case_destroy(&test);
}

static void options(void **state) {
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clgemm_handle *const handles[] = {handle, NULL};
    for (int i = 0; i < 2; i++) {
        clgemm_handle *h = handles[i];
        clg_test_assert_status(clgemm_set_option(h, (clgemm_option)0, 0),
                               CLGEMM_STATUS_INVALID_OPTION);
        clg_test_assert_status(clgemm_set_option(h, CLGEMM_OPTION_MATH, 99),
                               CLGEMM_STATUS_INVALID_OPTION);
        clg_test_assert_status(clgemm_set_option(h, CLGEMM_OPTION_MATH, -1),
                               CLGEMM_STATUS_INVALID_OPTION);
        for (int math = CLGEMM_MATH_STRICT; math <= CLGEMM_MATH_F16; math++) {
            clg_test_assert_success(clgemm_set_option(h, CLGEMM_OPTION_MATH, math));
            clg_test_check_works(h);
        }
        clg_test_assert_success(clgemm_set_option(h, CLGEMM_OPTION_MATH, CLGEMM_MATH_STRICT));
        clg_test_check_works(h);
        clg_test_assert_success(clgemm_set_option(h, CLGEMM_OPTION_MATH, CLGEMM_MATH_DEFAULT));
        clg_test_check_works(h);
    }
    clgemm_destroy(handle);
}

/* ---- What calls remember ---- */

/* alpha and beta are not part of a plan; only if there is no product to compute is another one
 * needed. */
static void other_factors_need_no_other_plan(void **state) {
    static const float factors[][2] = {{1, 0}, {2, 0}, {-0.5F, 1}, {3, 0.25F}, {1e-3F, -7}};
    struct clg_test_random random = clg_test_random_start(5);
    clgemm_handle *handle;
    uint64_t chosen = 0;
    (void)state;
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        const struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                                 .ta = CLGEMM_NO_TRANS,
                                                 .tb = CLGEMM_TRANS,
                                                 .m = 66,
                                                 .n = 44,
                                                 .k = 200,
                                                 .alpha = factors[i][0],
                                                 .beta = factors[i][1]};
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        clg_test_case_run_and_check(&test, handle);
        clg_test_matrix_snapshot(&test.c);
        clg_test_case_run_and_check_cl(&cl, &test, handle);
        clg_test_case_destroy(&test);
        if (i == 0)
            chosen = handle->engine.plans.missed;
    }
    assert_true(chosen > 0);
    assert_int_equal(handle->engine.plans.missed, chosen);
    clgemm_destroy(handle);
}

static unsigned programs_of(const clgemm_handle *handle) {
    unsigned count = 0;
    for (int origin = 0; origin < CLG_ORIGINS; origin++)
        count += clg_programs_count(handle->engine.programs, (enum clg_origin)origin);
    return count;
}

/* The first calls after a warm-up choose no plan and build no program: host matrices as malloc()
 * places them, and buffers that end with the matrix or with its last column's gap. */
static void check_warm(clgemm_handle *handle, const struct clg_test_problem *problem) {
    struct clg_test_random random = clg_test_random_start(6);
    struct clg_test_case test;
    struct clg_test_buffers buffers;
    clg_test_case_create(&test, problem, &random);
    const clgemm_desc desc = desc_of(&test);
    clg_test_assert_success(clgemm_warmup_gemm(handle, &desc, 1));
    const uint64_t chosen = handle->engine.plans.missed;
    const unsigned programs = programs_of(handle);
    clg_test_assert_success(run(&test, handle, &desc));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    for (int tail = 0; tail < 2; tail++) {
        struct clg_test_matrix *matrices[] = {&test.a, &test.b, &test.c};
        struct clg_test_case cut = test;
        struct clg_test_matrix *shorter[] = {&cut.a, &cut.b, &cut.c};
        cl_event done = NULL;
        for (int i = 0; i < 3; i++)
            shorter[i]->count = (size_t)(matrices[i]->ld * (matrices[i]->vectors - !tail) +
                                         (tail ? 0 : matrices[i]->length));
        clg_test_buffers_create(&cl, &cut, &buffers);
        clg_test_assert_success(enqueue(&cut, &desc, &buffers, handle, &done));
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
        clg_test_buffers_release(&buffers);
    }
    assert_int_equal(handle->engine.plans.missed, chosen);
    assert_int_equal(programs_of(handle), programs);
    clg_test_case_destroy(&test);
}

static void a_warm_up_leaves_nothing_to_do(void **state) {
    static const enum clg_host_access accesses[] = {CLG_HOST_UNKNOWN, CLG_HOST_COPY,
                                                    CLG_HOST_BUFFER};
    (void)state;
    for (size_t a = 0; a < sizeof accesses / sizeof *accesses; a++)
        for (int form = 0; form < 4; form++) {
            const struct clg_test_problem problem = {
                .type = clg_test_type((int)a + form / 2),
                .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                .tb = CLGEMM_NO_TRANS,
                .m = 50,
                .n = 23,
                .k = 70,
                .alpha = 2,
                .beta = form & 1 ? 0.5F : 0.0F,
                .gap_a = form & 2 ? 2 : 0,
                .gap_b = form & 2 ? 5 : 0,
                .gap_c = form & 2 ? 1 : 0};
            clgemm_handle *handle;
            clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
            handle->host.access = accesses[a];
            check_warm(handle, &problem);
            clgemm_destroy(handle);
        }
}

/* If a problem is copied in blocks, its blocks are warmed. */
static void blocks_are_warmed(void **state) {
    static const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                                    .ta = CLGEMM_TRANS,
                                                    .tb = CLGEMM_NO_TRANS,
                                                    .m = 150,
                                                    .n = 70,
                                                    .k = 290,
                                                    .alpha = 1,
                                                    .beta = 1};
    struct clg_test_random random = clg_test_random_start(7);
    struct clg_test_case test;
    clgemm_handle *handle;
    (void)state;
    setenv("CLGEMM_WORKSPACE_MAX", "120K", 1);
    clg_test_assert_success(clgemm_create_cl(&handle, cl.context, cl.device));
    unsetenv("CLGEMM_WORKSPACE_MAX");
    handle->host.access = CLG_HOST_COPY;
    clg_test_case_create(&test, &problem, &random);
    const clgemm_desc desc = desc_of(&test);
    clg_test_assert_success(clgemm_warmup_gemm(handle, &desc, 1));
    const uint64_t chosen = handle->engine.plans.missed;
    assert_true(chosen > 3); /* it is in blocks */
    clg_test_case_run_and_check(&test, handle);
    assert_int_equal(handle->engine.plans.missed, chosen);
    clg_test_case_destroy(&test);
    clgemm_destroy(handle);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_as_good_as_arguments),
        cmocka_unit_test(factors_of_doubles_are_doubles),
        cmocka_unit_test(descriptions_of_other_versions),
        cmocka_unit_test(what_is_refused_is_named),
        cmocka_unit_test(a_type_that_the_device_lacks_is_named),
        cmocka_unit_test(nothing_where_something_is_needed),
        cmocka_unit_test(options),
        cmocka_unit_test(other_factors_need_no_other_plan),
        cmocka_unit_test(a_warm_up_leaves_nothing_to_do),
        cmocka_unit_test(blocks_are_warmed),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
