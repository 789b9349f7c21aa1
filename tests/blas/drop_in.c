/* SPDX-License-Identifier: Apache-2.0
 * Programs with the drop-in before their BLAS. DROP_IN is its path, from the build. */
#define _GNU_SOURCE
#include "drop_in.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/child.h"

enum { MOST_SETTINGS = 16 };

static char output[1 << 20];

/* AddressSanitizer's runtime need not come before a library that is preloaded. */
static const char *sanitizer_options(void) {
    static char options[512];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "ASAN_OPTIONS=%s%sverify_asan_link_order=0",
             given ? given : "", given ? ":" : "");
    return options;
}

int drop_in_run(const char *role, const char *const *environment) {
    const char *settings[MOST_SETTINGS] = {"LD_PRELOAD=" DROP_IN, "CLGEMM_VERBOSE=1",
                                           sanitizer_options()};
    int count = 3;
    for (; environment && *environment; environment++) {
        assert_true(count < MOST_SETTINGS - 1);
        settings[count++] = *environment;
    }
    const int status = clg_test_run_self(role, settings, output, sizeof output);
    if (status == CLG_TEST_SKIP)
        skip();
    return status;
}

void drop_in_succeed(const char *role, const char *const *environment) {
    const int status = drop_in_run(role, environment);
    if (status != 0)
        print_error("%s ended with %d:\n%s\n", role, status, output);
    assert_int_equal(status, 0);
}

int drop_in_lines(const char *text) {
    int count = 0;
    for (const char *line = output; *line;) {
        const char *end = strchrnul(line, '\n');
        const char *found = strstr(line, text);
        count += found && found < end;
        line = *end ? end + 1 : end;
    }
    return count;
}

void drop_in_assert_lines(const char *text, int expected) {
    enum { HEAD = 4000 };
    const int count = drop_in_lines(text);
    if (count != expected)
        print_error("%d lines, not %d, with \"%s\" in what begins so:\n%.*s\n", count, expected,
                    text, HEAD, output);
    assert_int_equal(count, expected);
}

/* ---- In such a program --------------------------------------------------------------------- */

extern void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b,
                   const int *ldb, const float *beta, float *c, const int *ldc);
extern void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *beta, float *c,
                   const int *ldc);

static void give_up(const char *fault) {
    fprintf(stderr, "%s\n", fault);
    exit(1);
}

static const char *letter(clgemm_transpose value) {
    return value == CLGEMM_NO_TRANS ? "N" : value == CLGEMM_TRANS ? "t" : "C";
}

void drop_in_check_gemm(const struct clg_test_problem *p, enum names names) {
    struct clg_test_random random = clg_test_random_start(p->m * 31 + p->n);
    struct clg_test_case test;
    clg_test_case_create(&test, p, &random);
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = (int)test.a.ld,
              ldb = (int)test.b.ld, ldc = (int)test.c.ld;
    const float *a = clg_test_matrix_data(&test.a), *b = clg_test_matrix_data(&test.b);
    float *c = clg_test_matrix_data(&test.c);
    if (names == BY_CBLAS)
        cblas_sgemm((CBLAS_ORDER)p->layout, (CBLAS_TRANSPOSE)p->ta, (CBLAS_TRANSPOSE)p->tb, m, n, k,
                    p->alpha, a, lda, b, ldb, p->beta, c, ldc);
    else
        sgemm_(letter(p->ta), letter(p->tb), &m, &n, &k, &p->alpha, a, &lda, b, &ldb, &p->beta, c,
               &ldc);
    const char *fault = clg_test_case_fault(&test);
    if (fault)
        give_up(fault);
    clg_test_case_destroy(&test);
}

/* Element (i, p) of op(A), which is n x k. */
static double element(const struct clg_test_problem *p, const struct clg_test_matrix *a, int64_t i,
                      int64_t l) {
    const bool by_columns = (p->layout == CLGEMM_COL_MAJOR) == (p->ta == CLGEMM_NO_TRANS);
    return clg_element(CLGEMM_F32, clg_test_matrix_data(a),
                       by_columns ? i + l * a->ld : i * a->ld + l);
}

/* Whether C(i, j) is right: in the triangle the product, outside of it what was there. */
static bool is_right(const struct clg_test_problem *p, const struct clg_test_matrix *a,
                     const struct clg_test_matrix *c, int64_t i, int64_t j, bool inside) {
    const int64_t at = p->layout == CLGEMM_COL_MAJOR ? i + j * c->ld : i * c->ld + j;
    const float *before = clg_test_matrix_before(c), *after = clg_test_matrix_data(c);
    if (!inside)
        return memcmp(&before[at], &after[at], sizeof(float)) == 0;
    double sum = 0, absolute = 0;
    for (int64_t l = 0; l < p->k; l++) {
        const double x = element(p, a, i, l) * element(p, a, j, l);
        sum += x;
        absolute += fabs(x);
    }
    const double old = p->beta == 0 ? 0 : (double)before[at];
    const double exact = (double)p->alpha * sum + (double)p->beta * old;
    return fabs((double)after[at] - exact) <= clg_test_error_bound(p, absolute, old);
}

void drop_in_check_syrk(const struct clg_test_problem *p, int uplo, enum names names) {
    struct clg_test_random random = clg_test_random_start((uint64_t)(p->n * 31 + p->k));
    const bool a_by_columns = (p->layout == CLGEMM_COL_MAJOR) == (p->ta == CLGEMM_NO_TRANS);
    struct clg_test_matrix a, c;
    clg_test_matrix_create(&a, CLGEMM_F32, a_by_columns ? p->n : p->k, a_by_columns ? p->k : p->n,
                           p->gap_a, 0, &random);
    clg_test_matrix_create(&c, CLGEMM_F32, p->n, p->n, p->gap_c, 0, &random);
    const int n = (int)p->n, k = (int)p->k, lda = (int)a.ld, ldc = (int)c.ld;
    if (names == BY_CBLAS)
        cblas_ssyrk((CBLAS_ORDER)p->layout, (CBLAS_UPLO)uplo, (CBLAS_TRANSPOSE)p->ta, n, k,
                    p->alpha, clg_test_matrix_data(&a), lda, p->beta, clg_test_matrix_data(&c),
                    ldc);
    else
        ssyrk_(uplo == CblasUpper ? "u" : "L", letter(p->ta), &n, &k, &p->alpha,
               clg_test_matrix_data(&a), &lda, &p->beta, clg_test_matrix_data(&c), &ldc);
    bool right = clg_test_matrix_unchanged(&a) && clg_test_matrix_guarded(&c);
    for (int64_t i = 0; i < n && right; i++)
        for (int64_t j = 0; j < n && right; j++)
            right = is_right(p, &a, &c, i, j, uplo == CblasUpper ? i <= j : i >= j);
    if (!right) {
        fprintf(stderr, "ssyrk: layout %d uplo %d trans %d n %d k %d alpha %g beta %g\n",
                (int)p->layout, uplo, (int)p->ta, n, k, (double)p->alpha, (double)p->beta);
        give_up("C is wrong");
    }
    clg_test_matrix_destroy(&a);
    clg_test_matrix_destroy(&c);
}

bool drop_in_is_mapped(const char *name) {
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, name) != NULL;
    if (maps)
        fclose(maps);
    return found;
}

void drop_in_multiply(int n, float beta) {
    const struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                             .ta = CLGEMM_NO_TRANS,
                                             .tb = CLGEMM_TRANS,
                                             .m = n,
                                             .n = n,
                                             .k = n,
                                             .alpha = 1,
                                             .beta = beta,
                                             .gap_c = 1};
    drop_in_check_gemm(&problem, BY_CBLAS);
}

int drop_in_main(int argc, char **argv, const struct role *roles, size_t num_roles,
                 int (*own_tests)(void)) {
    for (size_t i = 0; argc > 1 && i < num_roles; i++)
        if (strcmp(argv[1], roles[i].name) == 0)
            clg_test_end_child(roles[i].run());
    return argc > 1 ? 2 : own_tests();
}
