/* SPDX-License-Identifier: Apache-2.0
 * Refused calls on host matrices: the status and text for each argument, and C unchanged. No device
 * is needed. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gemm/type.h"
#include "support/check.h"
#include "support/matrix.h"

enum { M = 3, N = 4, K = 5, LD = 8, SPAN = 64 };

struct call {
    int layout, ta, tb;
    int64_t m, n, k;
    float alpha;
    const void *a;
    int64_t lda;
    const void *b;
    int64_t ldb;
    float beta;
    void *c;
    int64_t ldc;
};

static clgemm_type type; /* all tests run for each */
static const double operand[SPAN] = {1};
static double result[SPAN]; /* or as many floats */

static struct call good_call(void) {
    for (int i = 0; i < SPAN; i++)
        clg_element_set(type, result, i, i);
    return (struct call){.layout = CLGEMM_COL_MAJOR,
                         .ta = CLGEMM_NO_TRANS,
                         .tb = CLGEMM_NO_TRANS,
                         .m = M,
                         .n = N,
                         .k = K,
                         .alpha = 1,
                         .a = operand,
                         .lda = LD,
                         .b = operand,
                         .ldb = LD,
                         .c = result,
                         .ldc = LD};
}

static clgemm_status make(const struct call *x) {
    if (type == CLGEMM_F64)
        return clgemm_dgemm((clgemm_layout)x->layout, (clgemm_transpose)x->ta,
                            (clgemm_transpose)x->tb, x->m, x->n, x->k, (double)x->alpha, x->a,
                            x->lda, x->b, x->ldb, (double)x->beta, x->c, x->ldc);
    return clgemm_sgemm((clgemm_layout)x->layout, (clgemm_transpose)x->ta, (clgemm_transpose)x->tb,
                        x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b, x->ldb, x->beta, x->c,
                        x->ldc);
}

/* The call is refused with the status and a text that has both words, and C is unchanged. */
static void assert_refused(const struct call *x, clgemm_status expected, const char *name,
                           const char *value) {
    clg_test_assert_status(make(x), expected);
    clg_test_assert_error_says(name);
    clg_test_assert_error_says(value);
    for (int i = 0; i < SPAN; i++)
        assert_true(clg_element(type, result, i) == i);
}

#define REFUSED(field, wrong, status, name, value)               \
    do {                                                         \
        struct call x = good_call();                             \
        x.field = wrong;                                         \
        assert_refused(&x, CLGEMM_STATUS_##status, name, value); \
    } while (0)

static void each_argument_has_its_status_and_text(void **state) {
    (void)state;
    REFUSED(layout, 103, INVALID_LAYOUT, "layout", "103");
    REFUSED(layout, 0, INVALID_LAYOUT, "layout", "0");
    REFUSED(ta, 114, INVALID_TRANS_A, "ta", "114");
    REFUSED(ta, 'N', INVALID_TRANS_A, "ta", "78");
    REFUSED(tb, 110, INVALID_TRANS_B, "tb", "110");
    REFUSED(m, -1, INVALID_M, "m", "-1");
    REFUSED(n, -20, INVALID_N, "n", "-20");
    REFUSED(k, INT64_MIN, INVALID_K, "k", "-9223372036854775808");
    REFUSED(a, NULL, INVALID_A, "A", "NULL");
    REFUSED(lda, 2, INVALID_LDA, "lda", "2");
    REFUSED(lda, -8, INVALID_LDA, "lda", "-8");
    REFUSED(b, NULL, INVALID_B, "B", "NULL");
    REFUSED(ldb, 4, INVALID_LDB, "ldb", "4");
    REFUSED(c, NULL, INVALID_C, "C", "NULL");
    REFUSED(ldc, 0, INVALID_LDC, "ldc", "0");
}

/* From the i-th argument on all are wrong: the i-th is reported. */
static void first_wrong_argument_wins(void **state) {
    (void)state;
    static const clgemm_status order[] = {
        CLGEMM_STATUS_INVALID_LAYOUT, CLGEMM_STATUS_INVALID_TRANS_A, CLGEMM_STATUS_INVALID_TRANS_B,
        CLGEMM_STATUS_INVALID_M,      CLGEMM_STATUS_INVALID_N,       CLGEMM_STATUS_INVALID_K,
        CLGEMM_STATUS_INVALID_A,      CLGEMM_STATUS_INVALID_LDA,     CLGEMM_STATUS_INVALID_B,
        CLGEMM_STATUS_INVALID_LDB,    CLGEMM_STATUS_INVALID_C,       CLGEMM_STATUS_INVALID_LDC};
    for (int i = 0; i < 12; i++) {
        const struct call good = good_call();
        struct call x = {
            .layout = i <= 0 ? 7 : good.layout,
            .ta = i <= 1 ? 7 : good.ta,
            .tb = i <= 2 ? 7 : good.tb,
            .m = i <= 3 ? -3 : good.m,
            .n = i <= 4 ? -4 : good.n,
            .k = i <= 5 ? -5 : good.k,
            .alpha = 1,
            .a = i <= 6 ? NULL : good.a,
            .lda = i <= 7 ? -7 : good.lda,
            .b = i <= 8 ? NULL : good.b,
            .ldb = i <= 9 ? -9 : good.ldb,
            .c = i <= 10 ? NULL : good.c,
            .ldc = -11,
        };
        clg_test_assert_status(make(&x), order[i]);
    }
}

/* The least leading dimension that a layout and transposes allow, and one less. Errors of row-major
 * calls are in the caller's terms: A is the caller's A, though internally it becomes B. */
static void least_leading_dimensions(void **state) {
    (void)state;
    for (int form = 0; form < 8; form++) {
        struct call x = good_call();
        int row = form & 1, ta = form & 2, tb = form & 4;
        x.layout = row ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR;
        x.ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
        x.tb = tb ? CLGEMM_CONJ_TRANS : CLGEMM_NO_TRANS;
        const int64_t a = !row == !ta ? M : K, b = !row == !tb ? K : N, c = row ? N : M;
        const struct call wide = x;
        char value[24];
        x.lda = a - 1;
        snprintf(value, sizeof value, "%" PRId64, x.lda);
        assert_refused(&x, CLGEMM_STATUS_INVALID_LDA, "lda", value);
        x = wide;
        x.ldb = b - 1;
        snprintf(value, sizeof value, "%" PRId64, x.ldb);
        assert_refused(&x, CLGEMM_STATUS_INVALID_LDB, "ldb", value);
        x = wide;
        x.ldc = c - 1;
        snprintf(value, sizeof value, "%" PRId64, x.ldc);
        assert_refused(&x, CLGEMM_STATUS_INVALID_LDC, "ldc", value);
        x = wide;
        x.lda = a;
        x.ldb = b;
        x.ldc = c;
        x.alpha = 0; /* no work: accepted even without a device */
        x.beta = 1;
        clg_test_assert_success(make(&x));
    }
}

static void null_matters_only_where_memory_is_used(void **state) {
    (void)state;
    struct call x = good_call();
    x.alpha = 0;
    x.a = x.b = NULL;
    x.c = NULL;
    x.beta = 1;
    clg_test_assert_success(make(&x)); /* nothing is read or written */
    x.beta = 0;
    clg_test_assert_status(make(&x), CLGEMM_STATUS_INVALID_C);
    x.m = 0;
    x.alpha = 1;
    clg_test_assert_success(make(&x));
    x.ldc = 0; /* a wrong leading dimension is refused even if C is empty */
    clg_test_assert_status(make(&x), CLGEMM_STATUS_INVALID_LDC);
}

static void sizes_that_overflow_are_refused(void **state) {
    (void)state;
    static const int64_t huge[] = {INT64_MAX, INT64_MAX / 2, INT64_MAX / 4, INT64_MAX / 8};
    for (int i = 0; i < 4; i++) {
        REFUSED(lda, huge[i], SIZE_OVERFLOW, "A", "");
        REFUSED(ldb, huge[i], SIZE_OVERFLOW, "B", "");
        REFUSED(ldc, huge[i], SIZE_OVERFLOW, "C", "");
        struct call x = good_call();
        x.m = x.lda = x.ldc = huge[i];
        assert_refused(&x, CLGEMM_STATUS_SIZE_OVERFLOW, "A", "");
        x = good_call();
        x.n = huge[i];
        assert_refused(&x, CLGEMM_STATUS_SIZE_OVERFLOW, "B", "");
        x = good_call();
        x.layout = CLGEMM_ROW_MAJOR;
        x.m = huge[i];
        assert_refused(&x, CLGEMM_STATUS_SIZE_OVERFLOW, "A", "");
    }
}

static void handles_must_not_be_null(void **state) {
    (void)state;
    const struct call x = good_call();
    clg_test_assert_status(clgemm_handle_sgemm(NULL, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                               CLGEMM_NO_TRANS, M, N, K, 1, x.a, LD, x.b, LD, 0,
                                               x.c, LD),
                           CLGEMM_STATUS_INVALID_HANDLE);
    clg_test_assert_status(clgemm_create(NULL, NULL), CLGEMM_STATUS_INVALID_HANDLE);
    clgemm_destroy(NULL);
}

static void every_status_has_a_name_and_a_text(void **state) {
    (void)state;
#define CHECK(name, value, text)                                                             \
    assert_string_equal(clgemm_status_name((clgemm_status)(value)), "CLGEMM_STATUS_" #name); \
    assert_string_equal(clgemm_status_text((clgemm_status)(value)), text);
    CLGEMM_STATUS_MAP(CHECK)
#undef CHECK
    static const struct {
        int code;
        const char *name;
    } opencl[] = {{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"}, {-5, "CL_OUT_OF_RESOURCES"},
                  {-11, "CL_BUILD_PROGRAM_FAILURE"},        {-38, "CL_INVALID_MEM_OBJECT"},
                  {-57, "CL_INVALID_EVENT_WAIT_LIST"},      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
    for (size_t i = 0; i < sizeof opencl / sizeof *opencl; i++) {
        assert_string_equal(clgemm_status_name((clgemm_status)opencl[i].code), opencl[i].name);
        assert_true(strlen(clgemm_status_text((clgemm_status)opencl[i].code)) > 0);
    }
    assert_string_equal(clgemm_status_name(CLGEMM_SUCCESS), "CLGEMM_SUCCESS");
    static const int unknown[] = {1, -500, -9999, -19999, 2147483647};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_true(strlen(clgemm_status_name((clgemm_status)unknown[i])) > 0);
        assert_true(strlen(clgemm_status_text((clgemm_status)unknown[i])) > 0);
    }
}

static void version_is_the_headers(void **state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR,
             CLGEMM_VERSION_PATCH);
    assert_string_equal(clgemm_version(), version);
}

static void *last_error_here(void *unused) {
    (void)unused;
    return (void *)clgemm_last_error();
}

static void last_error_belongs_to_its_thread(void **state) {
    (void)state;
    struct call x = good_call();
    pthread_t thread;
    void *there;
    x.m = -77;
    clg_test_assert_status(make(&x), CLGEMM_STATUS_INVALID_M);
    assert_int_equal(pthread_create(&thread, NULL, last_error_here, NULL), 0);
    assert_int_equal(pthread_join(thread, &there), 0);
    assert_ptr_not_equal(there, clgemm_last_error());
    clg_test_assert_error_says("-77");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_argument_has_its_status_and_text),
        cmocka_unit_test(first_wrong_argument_wins),
        cmocka_unit_test(least_leading_dimensions),
        cmocka_unit_test(null_matters_only_where_memory_is_used),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(handles_must_not_be_null),
        cmocka_unit_test(every_status_has_a_name_and_a_text),
        cmocka_unit_test(version_is_the_headers),
        cmocka_unit_test(last_error_belongs_to_its_thread),
    };
    int failed = 0;
    for (type = CLGEMM_F32; type <= CLGEMM_F64; type++)
        failed += cmocka_run_group_tests_name(clg_types[type].name, tests, NULL, NULL);
    return failed;
}
