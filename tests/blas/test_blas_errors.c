/* SPDX-License-Identifier: Apache-2.0
 * Wrong arguments: the program's own handlers hear of the first, by its number. The numbers of a
 * row-major call are those of the reference CBLAS before its handler changes them back. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drop_in.h"

/* ---- The program's handlers; its build exports them ---------------------------------------- */

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

/* Declared here, as headers differ in what is const. */
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

extern void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha,
                        const float *a, int lda, const float *b, int ldb, float beta, float *c,
                        int ldc);
extern void cblas_ssyrk(int layout, int uplo, int trans, int n, int k, float alpha, const float *a,
                        int lda, float beta, float *c, int ldc);
extern void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b,
                   const int *ldb, const float *beta, float *c, const int *ldc);
extern void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *beta, float *c,
                   const int *ldc);

/* ---- Calls --------------------------------------------------------------------------------- */

/* Arguments as they may go wrong; the least right ones, for A of 3 x 5, B of 5 x 4. */
struct arguments {
    int layout, ta, tb, m, n, k, lda, ldb, ldc;
};

static float x[64], c[64];

static void call_gemm(const struct arguments *a) {
    cblas_sgemm(a->layout, a->ta, a->tb, a->m, a->n, a->k, 1, x, a->lda, x, a->ldb, 0.5F, c,
                a->ldc);
}

/* ta stands for uplo, tb for trans. */
static void call_syrk(const struct arguments *a) {
    cblas_ssyrk(a->layout, a->ta, a->tb, a->n, a->k, 1, x, a->lda, 0.5F, c, a->ldc);
}

static char letter(int value) {
    static const char letters[] = {[111 - 111] = 'N',
                                   [112 - 111] = 'T',
                                   [113 - 111] = 'C',
                                   [121 - 111] = 'U',
                                   [122 - 111] = 'L'};
    return value < 111 || value > 122 ? '/' : letters[value - 111];
}

static void call_sgemm_(const struct arguments *a) {
    const float one = 1;
    const char ta = letter(a->ta), tb = letter(a->tb);
    sgemm_(&ta, &tb, &a->m, &a->n, &a->k, &one, x, &a->lda, x, &a->ldb, &one, c, &a->ldc);
}

static void call_ssyrk_(const struct arguments *a) {
    const float one = 1;
    const char uplo = letter(a->ta), trans = letter(a->tb);
    ssyrk_(&uplo, &trans, &a->n, &a->k, &one, x, &a->lda, &one, c, &a->ldc);
}

struct wrong {
    struct arguments arguments;
    int number;
};

static const struct wrong gemm_cases[] = {
    {{0, 111, 111, 3, 4, 5, 5, 5, 5}, 1},
    {{103, -1, -1, -1, -1, -1, 0, 0, 0}, 1},
    /* By rows: M and N, lda and ldb, have each other's number. */
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
    /* By columns: positions. */
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

/* Of sgemm_, the number is one less: it has no layout. */
enum { FIRST_BY_COLUMNS = 19 };

static const struct wrong syrk_cases[] = {
    {{0, 121, 111, 0, 4, 5, 5, 0, 4}, 1},    {{101, 0, 111, 0, 4, 5, 5, 0, 4}, 2},
    {{101, 121, 0, 0, 4, 5, 5, 0, 4}, 3},    {{101, 121, 111, 0, -1, 5, 5, 0, 4}, 4},
    {{101, 121, 111, 0, 4, -1, 5, 0, 4}, 5}, {{101, 121, 111, 0, 4, 5, 4, 0, 4}, 8},
    {{101, 122, 112, 0, 4, 5, 3, 0, 4}, 8},  {{101, 121, 111, 0, 4, 5, 5, 0, 3}, 11},
    {{102, 0, 111, 0, 4, 5, 4, 0, 4}, 2},    {{102, 121, 0, 0, 4, 5, 4, 0, 4}, 3},
    {{102, 121, 111, 0, -1, 5, 4, 0, 4}, 4}, {{102, 121, 111, 0, 4, -1, 4, 0, 4}, 5},
    {{102, 121, 111, 0, 4, 5, 3, 0, 4}, 8},  {{102, 122, 112, 0, 4, 5, 4, 0, 4}, 8},
    {{102, 122, 111, 0, 4, 5, 4, 0, 3}, 11},
};
enum { FIRST_SYRK_BY_COLUMNS = 8 };

/* ---- What must be heard -------------------------------------------------------------------- */

static int faults;

static void expect(void (*call)(const struct arguments *), const struct arguments *arguments,
                   const char *routine, int number, int row_major) {
    float before[64];
    memset(&heard, 0, sizeof heard);
    memcpy(before, c, sizeof c);
    RowMajorStrg = -1;
    call(arguments);
    const bool cblas = row_major >= 0;
    const int enumerators[] = {0, arguments->layout, arguments->ta, arguments->tb};
    if (heard.calls == 1 && heard.number == number && strcmp(heard.routine, routine) == 0 &&
        heard.row_major == row_major && RowMajorStrg == (cblas ? 0 : -1) &&
        (!cblas || heard.value == (number < 4 ? enumerators[number] : 0)) &&
        memcmp(before, c, sizeof c) == 0)
        return;
    fprintf(stderr, "%s: number %d, heard %d times \"%s\" %d, RowMajorStrg %d, value %d\n", routine,
            number, heard.calls, heard.routine, heard.number, heard.row_major, heard.value);
    faults++;
}

static int numbers(void) {
    const int num_gemm = sizeof gemm_cases / sizeof gemm_cases[0],
              num_syrk = sizeof syrk_cases / sizeof syrk_cases[0];
    for (int i = 0; i < num_gemm; i++) {
        const struct wrong *wrong = &gemm_cases[i];
        expect(call_gemm, &wrong->arguments, "cblas_sgemm", wrong->number,
               wrong->arguments.layout == 101);
        if (i >= FIRST_BY_COLUMNS)
            expect(call_sgemm_, &wrong->arguments, "SGEMM ", wrong->number - 1, -1);
    }
    for (int i = 0; i < num_syrk; i++) {
        const struct wrong *wrong = &syrk_cases[i];
        expect(call_syrk, &wrong->arguments, "cblas_ssyrk", wrong->number,
               wrong->arguments.layout == 101);
        if (i >= FIRST_SYRK_BY_COLUMNS)
            expect(call_ssyrk_, &wrong->arguments, "SSYRK ", wrong->number - 1, -1);
    }
    return faults;
}

static void the_numbers_are_the_references(void **state) {
    (void)state;
    drop_in_succeed("numbers", NULL);
    drop_in_assert_lines("", 0); /* no call that is refused is a call */
}

/* ---- What a handler may do --------------------------------------------------------------------
 */

static int leaves(void) {
    manner = LEAVE;
    call_gemm(&gemm_cases[0].arguments);
    return 0;
}

static int jumps(void) {
    manner = JUMP;
    for (volatile int i = 0; i < 3; i++)
        if (!setjmp(back))
            call_gemm(&gemm_cases[2].arguments);
    drop_in_multiply(20, 0);
    return heard.calls == 3 ? 0 : 1;
}

static int multiplies(void) {
    manner = MULTIPLY;
    call_gemm(&gemm_cases[2].arguments);
    return heard.calls == 1 ? 0 : 1;
}

static void a_handler_may_do_anything(void **state) {
    (void)state;
    assert_int_equal(drop_in_run("leaves", NULL), 3);
    drop_in_succeed("jumps", NULL);
    drop_in_assert_lines("sgemm on=cpu why=small", 1);
    drop_in_succeed("multiplies", NULL);
    drop_in_assert_lines("sgemm on=cpu why=small", 1);
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
    return drop_in_main(argc, argv, roles, sizeof roles / sizeof roles[0], own_tests);
}
