/* SPDX-License-Identifier: Apache-2.0
 * Wrong arguments: the program's own handlers are called with the number of the first one. The
 * numbers of a row-major call are those of the reference CBLAS before its handler changes them
 * back. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drop_in.h"
#include "judge.h"
#include "level3.h"

/* ---- The program's handlers, which it exports ---------------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

EXPORT int RowMajorStrg = -1;

static struct {
    int calls, number, row_major, value;
    char routine[16];
} heard;

static enum { RETURN, LEAVE, JUMP, MULTIPLY } manner;
static jmp_buf back;

static void hear(int number, const char *routine, size_t length, int value) {
    heard.calls++;
    heard.number = number;
    heard.row_major = RowMajorStrg;
    heard.value = value;
    snprintf(heard.routine, sizeof heard.routine, "%.*s", (int)length, routine);
    if (manner == LEAVE)
        exit(3);
    if (manner == JUMP)
        longjmp(back, 1);
    if (manner == MULTIPLY)
        drop_in_multiply(20, 0.5F);
}

/* Declared here, because headers differ in const. */
EXPORT void cblas_xerbla(int number, const char *routine, const char *form, ...);
void cblas_xerbla(int number, const char *routine, const char *form, ...) {
    va_list args;
    va_start(args, form);
    const int value = *form ? va_arg(args, int) : 0;
    va_end(args);
    hear(number, routine, strlen(routine), value);
}

EXPORT void xerbla_(const char *routine, const int *number, size_t length);
void xerbla_(const char *routine, const int *number, size_t length) {
    hear(*number, routine, length, 0);
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* Arguments that may be wrong; the smallest valid ones for A of 3 x 5 and B of 5 x 4. */
struct arguments {
    int layout, ta, tb, m, n, k, lda, ldb, ldc;
};

static _Alignas(double _Complex) unsigned char x[64 * sizeof(double _Complex)],
    c[64 * sizeof(double _Complex)];

static char letter(int value) {
    static const char letters[] = {[111 - 111] = 'N',
                                   [112 - 111] = 'T',
                                   [113 - 111] = 'C',
                                   [121 - 111] = 'U',
                                   [122 - 111] = 'L'};
    return value < 111 || value > 122 ? '/' : letters[value - 111];
}

/* For each type. */
#define GEMM_CALLS(type, l, scalar, passed)                                                        \
    extern void cblas_##l##gemm(int layout, int ta, int tb, int m, int n, int k, passed alpha,     \
                                const void *a, int lda, const void *b, int ldb, passed beta,       \
                                void *c, int ldc);                                                 \
    extern void l##gemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, \
                         const scalar *alpha, const void *a, const int *lda, const void *b,        \
                         const int *ldb, const scalar *beta, void *c, const int *ldc);             \
    static void cblas_gemm_##type(const struct arguments *a) {                                     \
        const scalar one = 1;                                                                      \
        cblas_##l##gemm(a->layout, a->ta, a->tb, a->m, a->n, a->k, JUDGE_PASS(one), x, a->lda, x,  \
                        a->ldb, JUDGE_PASS(one), c, a->ldc);                                       \
    }                                                                                              \
    static void gemm_##type(const struct arguments *a) {                                           \
        const scalar one = 1;                                                                      \
        const char ta = letter(a->ta), tb = letter(a->tb);                                         \
        l##gemm_(&ta, &tb, &a->m, &a->n, &a->k, &one, x, &a->lda, x, &a->ldb, &one, c, &a->ldc);   \
    }
JUDGE_TYPES(GEMM_CALLS)

typedef void call_function(const struct arguments *arguments);

struct calls {
    call_function *cblas, *fortran;
};
static const struct calls gemm_calls[] = {
#define GEMM_ROW(type, l, scalar, passed) [CLGEMM_##type] = {cblas_gemm_##type, gemm_##type},
    JUDGE_TYPES(GEMM_ROW)
#undef GEMM_ROW
};

struct wrong {
    struct arguments arguments;
    int number;
};

static const struct wrong gemm_cases[] = {
    {{0, 111, 111, 3, 4, 5, 5, 5, 5}, 1},
    {{103, -1, -1, -1, -1, -1, 0, 0, 0}, 1},
    /* Row-major: M and N exchange their numbers, and so do lda and ldb. */
    {{101, 0, 111, 3, 4, 5, 5, 4, 4}, 2},
    {{101, 110, -1, -1, -1, -1, 0, 0, 0}, 2},
    {{101, 111, 0, 3, 4, 5, 5, 4, 4}, 3},
    {{101, 112, 115, -1, -1, -1, 0, 0, 0}, 3},
    {{101, 111, 111, -1, 4, 5, 5, 4, 4}, 5},
    {{101, 111, 111, 3, -1, 5, 5, 4, 4}, 4},
    {{101, 111, 111, 3, 4, -1, 5, 4, 4}, 6},
    {{101, 111, 111, 3, 4, 5, 4, 4, 4}, 11},
    {{101, 112, 111, 3, 4, 5, 2, 4, 4}, 11},
    {{101, 111, 111, 3, 4, 5, 5, 3, 4}, 9},
    {{101, 111, 112, 3, 4, 5, 5, 4, 4}, 9},
    {{101, 111, 111, 3, 4, 5, 5, 4, 3}, 14},
    {{101, 111, 111, 0, 0, 0, 0, 1, 1}, 11},
    {{101, 111, 111, 0, 0, 0, 1, 0, 1}, 9},
    {{101, 111, 111, 0, 0, 0, 1, 1, 0}, 14},
    {{101, 111, 111, -1, -1, 5, 5, 4, 4}, 4},
    {{101, 111, 111, 3, 4, 5, 0, 0, 0}, 9},
    /* Column-major: the positions. */
    {{102, 0, 111, 3, 4, 5, 3, 5, 3}, 2},
    {{102, 111, 0, 3, 4, 5, 3, 5, 3}, 3},
    {{102, 111, 111, -1, 4, 5, 3, 5, 3}, 4},
    {{102, 111, 111, 3, -1, 5, 3, 5, 3}, 5},
    {{102, 111, 111, 3, 4, -1, 3, 5, 3}, 6},
    {{102, 111, 111, 3, 4, 5, 2, 5, 3}, 9},
    {{102, 112, 111, 3, 4, 5, 4, 5, 3}, 9},
    {{102, 111, 111, 3, 4, 5, 3, 4, 3}, 11},
    {{102, 111, 112, 3, 4, 5, 3, 3, 3}, 11},
    {{102, 111, 111, 3, 4, 5, 3, 5, 2}, 14},
    {{102, 111, 111, 0, 0, 0, 1, 1, 0}, 14},
    {{102, 111, 111, -1, -1, 5, 0, 0, 0}, 4},
};

/* The numbers of ?gemm_ are one less: it has no layout. */
enum { FIRST_BY_COLUMNS = 19 };

/* A is 3 x 3, from the right 4 x 4, or 4 x 5; B and C are 3 x 4, or 4 x 5 and 4 x 4. */
struct wrong_level3 {
    clgemm_routine routine;
    int layout, side, uplo, trans, diag, m, n, k, lda, ldb, ldc, number;
};
static const struct wrong_level3 level3_cases[] = {
    {CLGEMM_SYMM, 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0, 1},
    /* Row-major: M and N exchange their numbers, where both are there. */
    {CLGEMM_SYMM, 101, 140, 0, 0, 0, -1, -1, 0, 0, 0, 0, 2},
    {CLGEMM_SYMM, 101, 141, 123, 0, 0, -1, -1, 0, 0, 0, 0, 3},
    {CLGEMM_SYMM, 101, 141, 121, 0, 0, -1, -1, 0, 0, 0, 0, 4},
    {CLGEMM_SYMM, 101, 141, 121, 0, 0, -1, 4, 0, 3, 4, 4, 5},
    {CLGEMM_SYMM, 101, 141, 121, 0, 0, 3, 4, 0, 2, 3, 3, 8},
    {CLGEMM_SYMM, 101, 142, 121, 0, 0, 3, 4, 0, 3, 3, 3, 8},
    {CLGEMM_SYMM, 101, 141, 121, 0, 0, 3, 4, 0, 3, 3, 3, 10},
    {CLGEMM_SYMM, 101, 141, 121, 0, 0, 3, 4, 0, 3, 4, 3, 13},
    {CLGEMM_SYRK, 101, 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, 2},
    {CLGEMM_SYRK, 101, 0, 121, 0, 0, 0, -1, -1, 0, 0, 0, 3},
    {CLGEMM_SYRK, 101, 0, 121, 111, 0, 0, -1, -1, 0, 0, 0, 4},
    {CLGEMM_SYRK, 101, 0, 121, 111, 0, 0, 4, -1, 0, 0, 0, 5},
    {CLGEMM_SYRK, 101, 0, 121, 111, 0, 0, 4, 5, 4, 0, 3, 8},
    {CLGEMM_SYRK, 101, 0, 122, 112, 0, 0, 4, 5, 3, 0, 3, 8},
    {CLGEMM_SYRK, 101, 0, 121, 111, 0, 0, 4, 5, 5, 0, 3, 11},
    {CLGEMM_SYR2K, 101, 0, 121, 111, 0, 0, 4, 5, 5, 4, 3, 10},
    {CLGEMM_SYR2K, 101, 0, 121, 111, 0, 0, 4, 5, 5, 5, 3, 13},
    {CLGEMM_TRSM, 101, 141, 121, 111, 130, -1, -1, 0, 0, 0, 0, 5},
    {CLGEMM_TRSM, 101, 141, 121, 111, 131, -1, -1, 0, 0, 0, 0, 6},
    {CLGEMM_TRSM, 101, 141, 121, 111, 131, -1, 4, 0, 3, 0, 4, 7},
    {CLGEMM_TRSM, 101, 142, 121, 111, 131, 3, 4, 0, 3, 0, 3, 10},
    {CLGEMM_TRSM, 101, 141, 121, 111, 131, 3, 4, 0, 3, 0, 3, 12},
    /* Column-major: the positions. */
    {CLGEMM_SYMM, 102, 0, 121, 0, 0, 3, 4, 0, 3, 3, 3, 2},
    {CLGEMM_SYMM, 102, 141, 0, 0, 0, 3, 4, 0, 3, 3, 3, 3},
    {CLGEMM_SYMM, 102, 141, 121, 0, 0, -1, -1, 0, 3, 3, 3, 4},
    {CLGEMM_SYMM, 102, 141, 121, 0, 0, 3, -1, 0, 3, 3, 3, 5},
    {CLGEMM_SYMM, 102, 142, 121, 0, 0, 3, 4, 0, 3, 2, 2, 8},
    {CLGEMM_SYMM, 102, 142, 121, 0, 0, 3, 4, 0, 4, 2, 2, 10},
    {CLGEMM_SYMM, 102, 142, 121, 0, 0, 3, 4, 0, 4, 3, 2, 13},
    {CLGEMM_SYMM, 102, 141, 121, 0, 0, 0, 0, 0, 0, 1, 1, 8},
    {CLGEMM_SYRK, 102, 0, 121, 114 + 1, 0, 0, 4, 5, 4, 0, 4, 3},
    {CLGEMM_SYRK, 102, 0, 121, 111, 0, 0, -1, 5, 4, 0, 4, 4},
    {CLGEMM_SYRK, 102, 0, 121, 111, 0, 0, 4, -1, 4, 0, 4, 5},
    {CLGEMM_SYRK, 102, 0, 121, 112, 0, 0, 4, 5, 4, 0, 4, 8},
    {CLGEMM_SYRK, 102, 0, 122, 111, 0, 0, 4, 5, 4, 0, 3, 11},
    {CLGEMM_SYR2K, 102, 0, 121, 112, 0, 0, 4, 5, 5, 4, 4, 10},
    {CLGEMM_SYR2K, 102, 0, 121, 111, 0, 0, 4, 5, 4, 4, 3, 13},
    {CLGEMM_TRMM, 102, 0, 121, 111, 131, 3, 4, 0, 3, 0, 3, 2},
    {CLGEMM_TRMM, 102, 141, 0, 111, 131, 3, 4, 0, 3, 0, 3, 3},
    {CLGEMM_TRMM, 102, 141, 121, 110, 131, 3, 4, 0, 3, 0, 3, 4},
    {CLGEMM_TRMM, 102, 141, 121, 113, 133, 3, 4, 0, 3, 0, 3, 5},
    {CLGEMM_TRMM, 102, 141, 121, 111, 131, -1, 4, 0, 3, 0, 3, 6},
    {CLGEMM_TRMM, 102, 141, 121, 111, 131, 3, -1, 0, 3, 0, 3, 7},
    {CLGEMM_TRMM, 102, 142, 121, 111, 131, 3, 4, 0, 3, 0, 3, 10},
    {CLGEMM_TRMM, 102, 141, 121, 111, 131, 3, 4, 0, 3, 0, 2, 12},
};
enum { FIRST_LEVEL3_BY_COLUMNS = 23 };

/* How complex numbers are not transposed in rank updates. */
static const struct wrong_level3 complex_cases[] = {
    {CLGEMM_HEMM, 102, 141, 121, 0, 0, 3, 4, 0, 2, 3, 3, 8},
    {CLGEMM_SYRK, 102, 0, 121, 113, 0, 0, 4, 5, 5, 0, 4, 3},
    {CLGEMM_HERK, 102, 0, 121, 112, 0, 0, 4, 5, 5, 0, 4, 3},
    {CLGEMM_HERK, 102, 0, 121, 113, 0, 0, 4, 5, 4, 0, 4, 8},
    {CLGEMM_SYR2K, 102, 0, 121, 113, 0, 0, 4, 5, 5, 5, 4, 3},
    {CLGEMM_HER2K, 102, 0, 121, 112, 0, 0, 4, 5, 5, 5, 4, 3},
};

/* ---- What handlers must be told ------------------------------------------------------------ */

static int faults;

/* `name` is the routine's, with '?' for its letter. */
static unsigned char before[sizeof c];

static void listen(void) {
    memset(&heard, 0, sizeof heard);
    memcpy(before, c, sizeof c);
    RowMajorStrg = -1;
}

/* Judges the call since then. `name` is the routine's, with '?' for its letter; `row_major` is
 * negative for names of Fortran, and `value` that of an enumerator, else 0. */
static void expect(const char *name, int number, int row_major, int value) {
    char routine[16];
    snprintf(routine, sizeof routine, "%s", name);
    drop_in_name_type(routine);
    const bool cblas = row_major >= 0;
    if (heard.calls == 1 && heard.number == number && strcmp(heard.routine, routine) == 0 &&
        heard.row_major == row_major && RowMajorStrg == (cblas ? 0 : -1) &&
        (!cblas || heard.value == value) && memcmp(before, c, sizeof c) == 0)
        return;
    fprintf(stderr, "%s: number %d, heard %d times \"%s\" %d, RowMajorStrg %d, value %d\n", routine,
            number, heard.calls, heard.routine, heard.number, heard.row_major, heard.value);
    faults++;
}

static void refuse_gemm(const struct wrong *wrong, bool by_fortran) {
    const struct arguments *a = &wrong->arguments;
    const int enumerators[] = {0, a->layout, a->ta, a->tb};
    listen();
    gemm_calls[drop_in_type].cblas(a);
    expect("cblas_?gemm", wrong->number, a->layout == 101,
           wrong->number < 4 ? enumerators[wrong->number] : 0);
    if (!by_fortran)
        return;
    listen();
    gemm_calls[drop_in_type].fortran(a);
    expect("?GEMM ", wrong->number - 1, -1, 0);
}

/* The value of the wrong argument if it is an enumerator. */
static int enumerator_of(const struct wrong_level3 *wrong) {
    const bool triangular = wrong->routine == CLGEMM_TRMM || wrong->routine == CLGEMM_TRSM;
    if (wrong->routine == CLGEMM_SYMM || wrong->routine == CLGEMM_HEMM || triangular) {
        const int values[] = {0,           wrong->layout, wrong->side,
                              wrong->uplo, wrong->trans,  wrong->diag};
        return wrong->number < (triangular ? 6 : 4) ? values[wrong->number] : 0;
    }
    const int values[] = {0, wrong->layout, wrong->uplo, wrong->trans};
    return wrong->number < 4 ? values[wrong->number] : 0;
}

static void refuse_level3(const struct wrong_level3 *wrong, bool by_fortran) {
    const double _Complex one = 1;
    const clgemm_level3_desc desc = {.routine = wrong->routine,
                                     .type = drop_in_type,
                                     .layout = (clgemm_layout)wrong->layout,
                                     .side = (clgemm_side)wrong->side,
                                     .uplo = (clgemm_uplo)wrong->uplo,
                                     .trans = (clgemm_transpose)wrong->trans,
                                     .diag = (clgemm_diag)wrong->diag,
                                     .m = wrong->m,
                                     .n = wrong->n,
                                     .k = wrong->k,
                                     .lda = wrong->lda,
                                     .ldb = wrong->ldb,
                                     .ldc = wrong->ldc};
    char name[16];
    snprintf(name, sizeof name, "cblas_?%s", level3_name(wrong->routine));
    listen();
    level3_call(level3_function(wrong->routine, BY_CBLAS), BY_CBLAS, &desc, &one, x, x, &one, c);
    expect(name, wrong->number, wrong->layout == 101, enumerator_of(wrong));
    if (!by_fortran)
        return;
    snprintf(name, sizeof name, "?%s ", level3_name(wrong->routine));
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    listen();
    level3_call(level3_function(wrong->routine, BY_FORTRAN), BY_FORTRAN, &desc, &one, x, x, &one,
                c);
    expect(name, wrong->number - 1, -1, 0);
}

static int numbers(void) {
    const int num_gemm = sizeof gemm_cases / sizeof gemm_cases[0],
              num_level3 = sizeof level3_cases / sizeof level3_cases[0],
              num_complex = sizeof complex_cases / sizeof complex_cases[0];
    for (int i = 0; i < num_gemm; i++)
        refuse_gemm(&gemm_cases[i], i >= FIRST_BY_COLUMNS);
    for (int i = 0; i < num_level3; i++)
        refuse_level3(&level3_cases[i], i >= FIRST_LEVEL3_BY_COLUMNS);
    for (int i = 0; i < num_complex && clg_type_is_complex(drop_in_type); i++)
        refuse_level3(&complex_cases[i], true);
    return faults;
}

static void the_numbers_are_the_references(void **state) {
    (void)state;
    drop_in_succeed("numbers", NULL);
    drop_in_assert_lines("", 0); /* a refused call is not counted */
}

/* ---- What a handler may do ----------------------------------------------------------------- */

static int leaves(void) {
    manner = LEAVE;
    gemm_calls[drop_in_type].cblas(&gemm_cases[0].arguments);
    return 0;
}

static int jumps(void) {
    manner = JUMP;
    for (volatile int i = 0; i < 3; i++)
        if (!setjmp(back))
            gemm_calls[drop_in_type].cblas(&gemm_cases[2].arguments);
    drop_in_multiply(20, 0);
    return heard.calls == 3 ? 0 : 1;
}

static int multiplies(void) {
    manner = MULTIPLY;
    gemm_calls[drop_in_type].cblas(&gemm_cases[2].arguments);
    return heard.calls == 1 ? 0 : 1;
}

static void a_handler_may_do_anything(void **state) {
    (void)state;
    assert_int_equal(drop_in_run("leaves", NULL), 3);
    drop_in_succeed("jumps", NULL);
    drop_in_assert_lines("?gemm on=cpu why=small", 1);
    drop_in_succeed("multiplies", NULL);
    drop_in_assert_lines("?gemm on=cpu why=small", 1);
}

static int own_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_the_references),
        cmocka_unit_test(a_handler_may_do_anything),
    };
    return cmocka_run_group_tests_name("blas: errors", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {
        {"numbers", numbers}, {"leaves", leaves}, {"jumps", jumps}, {"multiplies", multiplies}};
    return drop_in_main(argc, argv, EVERY_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
