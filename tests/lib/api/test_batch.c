/* SPDX-License-Identifier: Apache-2.0
 * Batches of products: right in every layout, with every host access, whole and in parts; and what
 * is refused. A short run draws a quarter of the layouts for each shape. */
#include <stdlib.h>

#include "api/handle.h"
#include "device/workspace.h"
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/host_access.h"

static const int64_t shapes[][4] = {/* m, n, k, batch */
                                    {5, 7, 3, 40},   {16, 16, 16, 33}, {33, 40, 65, 7},
                                    {1, 50, 20, 12}, {64, 64, 300, 3}, {100, 90, 200, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes, FORMS = 16, PARTS = 16 };

static int drawn; /* of the variants' PARTS */

/* Shapes begin with different variants and types. These are the same everywhere, because programs
 * take longer to compile than to run. */
static bool is_drawn(size_t shape, int form) {
    return clg_test_is_long() || (form + (int)shape + form / PARTS + drawn) % PARTS == 0;
}

/* Layouts, transposes, gaps within and between matrices, matrices that all products share. */
static struct clg_test_problem problem_of(size_t shape, int form, clgemm_type type) {
    return (struct clg_test_problem){.type = type,
                                     .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                     .ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .tb = form & 4 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                     .m = shapes[shape][0],
                                     .n = shapes[shape][1],
                                     .k = shapes[shape][2],
                                     .batch = shapes[shape][3],
                                     .alpha = -1.5F,
                                     .beta = form % 3 ? 0.5F : 0.0F,
                                     .gap_a = form % 5 == 1 ? 3 : 0,
                                     .gap_b = form % 5 == 2 ? 1 : 0,
                                     .gap_c = form & 8 ? 2 : 0,
                                     .offset_a = (size_t)(form % 2),
                                     .offset_c = (size_t)(form % 3),
                                     .between = form % 4 == 3 ? 5 : 0,
                                     .shares_a = form % 7 == 3,
                                     .shares_b = form % 7 == 5};
}

static void hosts_and_buffers(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(
        clgemm_create_cl(&handle, clg_test_host.cl.context, clg_test_host.cl.device));
    for (size_t s = 0; s < SHAPES; s++)
        for (int form = 0; form < FORMS; form++) {
            if (!is_drawn(s, form))
                continue;
            const struct clg_test_problem p = problem_of(s, form, clg_test_type((int)s + form / 4));
            struct clg_test_case test;
            clg_test_case_create(&test, &p, &random);
            clg_test_case_run_and_check(&test, form & 1 ? handle : NULL);
            clg_test_matrix_snapshot(&test.c);
            clg_test_case_run_and_check_cl(&clg_test_host.cl, &test, form & 2 ? handle : NULL);
            clg_test_case_destroy(&test);
        }
    clgemm_destroy(handle);
}

/* With every host access, with memory for all and for some of the products at a time. */
static void every_access_and_bound(void **state) {
    static const uint64_t bounds[] = {UINT64_MAX, 300 << 10, 40 << 10};
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_device *device = clg_test_host.engine.device;
    const uint64_t usual = device->facts.workspace_max;
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        device->facts.workspace_max = b > 0 ? bounds[b] : usual;
        clg_engine_retune(&clg_test_host.engine, NULL, NULL); /* other facts, other plans */
        clg_workspace_clear(device);
        for (int w = 0; w < clg_test_host.count; w++)
            for (size_t s = 0; s < SHAPES; s++)
                for (int form = 0; form < FORMS; form++) {
                    if (!is_drawn(s, form))
                        continue;
                    const struct clg_test_problem p =
                        problem_of(s, form, clg_test_type((int)s + form / 4));
                    struct clg_test_case test;
                    clg_test_case_create(&test, &p, &random);
                    clg_test_assert_success(clg_test_case_run_by(clg_test_host.access[w], &test));
                    clg_test_assert_no_fault(clg_test_case_fault(&test));
                    clg_test_case_destroy(&test);
                }
    }
    device->facts.workspace_max = usual;
    clg_engine_retune(&clg_test_host.engine, NULL, NULL);
}

/* Products whose C is only scaled, or not changed at all. */
static void products_that_are_none(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct clg_test_problem p = problem_of(2, form, clg_test_type(form));
        struct clg_test_case test;
        p.beta = form & 2 ? 1.0F : form & 4 ? 0.0F : -2.0F;
        p.alpha = form & 1 ? 0.0F : 1.0F;
        if (!(form & 1))
            p.k = 0;
        clg_test_case_create(&test, &p, &random);
        clg_test_case_run_and_check(&test, NULL);
        clg_test_matrix_snapshot(&test.c);
        clg_test_case_run_and_check_cl(&clg_test_host.cl, &test, NULL);
        clg_test_case_destroy(&test);
    }
}

/* More products than a device may have work-groups along any dimension but the first. */
static void many_small_products(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_test_problem p = problem_of(0, 0, CLGEMM_F32);
    struct clg_test_case test;
    (void)state;
    p.m = p.n = p.k = 2;
    p.batch = 70000;
    clg_test_case_create(&test, &p, &random);
    clg_test_case_run_and_check(&test, NULL);
    clg_test_matrix_snapshot(&test.c);
    clg_test_case_run_and_check_cl(&clg_test_host.cl, &test, NULL);
    clg_test_case_destroy(&test);
}

/* Columns of one C between those of another, as in a tensor whose second index is the product. */
static void interleaved(void **state) {
    enum { M = 6, N = 5, K = 4, BATCH = 3, LD = M * BATCH };
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_problem p = problem_of(0, 0, CLGEMM_F32);
    struct clg_test_matrix a, b, c;
    (void)state;
    p.m = M;
    p.n = N;
    p.k = K;
    clg_test_matrix_create(&a, p.type, M, K, 0, 0, &random);
    clg_test_matrix_create(&b, p.type, K, N * BATCH, 0, 0, &random);
    clg_test_matrix_create(&c, p.type, LD, N, 0, 0, &random);
    clgemm_desc desc = clg_test_desc(&p, M, K, LD);
    desc.batch = BATCH;
    desc.stride_b = (int64_t)K * N;
    desc.stride_c = M;
    const struct clg_test_factors factors = clg_test_factors_of(&p);
    clg_test_assert_success(clgemm_gemm(NULL, &desc, clg_test_alpha(&factors), a.memory, b.memory,
                                        clg_test_beta(&factors), c.memory));
    for (int64_t z = 0; z < BATCH; z++)
        clg_test_assert_no_fault(clg_test_result_fault(
            &p, a.memory, M, clg_element_at(p.type, b.memory, z * K * N), K,
            clg_element_at(p.type, c.before, z * M), clg_element_at(p.type, c.memory, z * M), LD));
    clg_test_matrix_destroy(&a);
    clg_test_matrix_destroy(&b);
    clg_test_matrix_destroy(&c);
}

static void what_is_refused(void **state) {
    static const struct {
        int64_t stride_a, stride_b, stride_c;
        const char *says; /* NULL: it is accepted */
    } cases[] = {
        {-1, 12, 15, "stride_a"}, {12, -12, 15, "stride_b"}, {12, 12, -15, "stride_c"},
        {12, 12, 0, "overlap"},   {12, 12, 14, "overlap"},   {12, 12, 2, "overlap"},
        {12, 12, 15, NULL},       {0, 0, 16, NULL},          {1, 2, 21, NULL},
        {12, 12, INT64_MAX, ""},
    };
    struct clg_test_problem p = problem_of(0, 0, CLGEMM_F32);
    float a[64] = {0}, b[64] = {0}, c[64];
    const float one = 1, zero = 0;
    (void)state;
    p.m = 3;
    p.n = 4;
    p.k = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clgemm_desc desc = clg_test_desc(&p, 3, 3, 4); /* C: 3 rows of 4, 15 elements */
        desc.batch = 3;
        desc.stride_a = cases[i].stride_a;
        desc.stride_b = cases[i].stride_b;
        desc.stride_c = cases[i].stride_c;
        for (int e = 0; e < 64; e++)
            c[e] = 7;
        const clgemm_status status = clgemm_gemm(NULL, &desc, &one, a, b, &zero, c);
        if (!cases[i].says) {
            clg_test_assert_success(status);
            continue;
        }
        clg_test_assert_status(status, *cases[i].says ? CLGEMM_STATUS_INVALID_DESC
                                                      : CLGEMM_STATUS_SIZE_OVERFLOW);
        clg_test_assert_error_says(cases[i].says);
        for (int e = 0; e < 64; e++)
            assert_true(c[e] == 7);
    }
}

/* The last product's matrix ends past the buffer. */
static void buffers_that_are_too_small(void **state) {
    struct clg_test_random random = clg_test_random_start(6);
    const struct clg_test_problem p = problem_of(1, 0, CLGEMM_F32);
    static const clgemm_status expected[] = {CLGEMM_STATUS_INVALID_A, CLGEMM_STATUS_INVALID_B,
                                             CLGEMM_STATUS_INVALID_C};
    struct clg_test_case test;
    struct clg_test_buffers good;
    (void)state;
    clg_test_case_create(&test, &p, &random);
    clg_test_buffers_create(&clg_test_host.cl, &test, &good);
    struct clg_test_matrix *matrices[] = {&test.a, &test.b, &test.c};
    for (int i = 0; i < 3; i++) {
        struct clg_test_buffers wrong = good;
        struct clg_test_matrix cut = *matrices[i];
        cut.count =
            (size_t)((cut.matrices - 1) * cut.stride + (cut.vectors - 1) * cut.ld + cut.length - 1);
        cl_mem small = clg_test_buffer(&clg_test_host.cl, &cut);
        *(i == 0 ? &wrong.a : i == 1 ? &wrong.b : &wrong.c) = small;
        clg_test_assert_status(
            clg_test_enqueue(&clg_test_host.cl, &test, &wrong, NULL, 0, NULL, NULL),
            (int)expected[i]);
        clReleaseMemObject(small);
    }
    clg_test_buffers_release(&good);
    clg_test_case_destroy(&test);
}

/* Plans and programs of a batch are remembered and warmed like those of a product. */
static void a_warm_up_leaves_nothing_to_do(void **state) {
    struct clg_test_random random = clg_test_random_start(7);
    clgemm_handle *handle;
    (void)state;
    clg_test_assert_success(
        clgemm_create_cl(&handle, clg_test_host.cl.context, clg_test_host.cl.device));
    for (size_t s = 0; s < SHAPES; s++) {
        struct clg_test_problem p = problem_of(s, 0, clg_test_type((int)s));
        struct clg_test_case test;
        clg_test_case_create(&test, &p, &random);
        const clgemm_desc desc = clg_test_case_desc(&test);
        clg_test_assert_success(clgemm_warmup_gemm(handle, &desc, 1));
        const uint64_t chosen = handle->engine.plans.missed;
        clg_test_case_run_and_check(&test, handle);
        assert_int_equal(handle->engine.plans.missed, chosen);
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_and_buffers),
        cmocka_unit_test(every_access_and_bound),
        cmocka_unit_test(products_that_are_none),
        cmocka_unit_test(many_small_products),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(buffers_that_are_too_small),
        cmocka_unit_test(a_warm_up_leaves_nothing_to_do),
    };
    clg_test_require_device();
    drawn = clg_test_is_long() ? 0 : clg_test_draw(PARTS);
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
