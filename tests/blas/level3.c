/* SPDX-License-Identifier: Apache-2.0
 * Calls of level 3's other routines through the drop-in. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "level3.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "blas/shapes.h"
#include "blas/summary.h"

/* The letter of a value of cblas.h, some in lower case. */
static char letter(int value) {
    static const char letters[] = {
        [CLGEMM_NO_TRANS] = 'N', [CLGEMM_TRANS] = 't', [CLGEMM_CONJ_TRANS] = 'C',
        [CLGEMM_UPPER] = 'u',    [CLGEMM_LOWER] = 'L', [CLGEMM_NON_UNIT] = 'n',
        [CLGEMM_UNIT] = 'U',     [CLGEMM_LEFT] = 'l',  [CLGEMM_RIGHT] = 'R'};
    const bool known = value >= 0 && value < (int)sizeof letters && letters[value];
    return known ? letters[value] : '/';
}

/* Arguments, by their sort (blas/shapes.h). Of integers by address the low half may be read.
 * NOLINTBEGIN(bugprone-macro-parentheses): types and names */
#define CBLAS_LETTER(T, name) (int)d->name
#define CBLAS_SIZE(T, name) d->name
#define CBLAS_REAL(T, name) *(const clg_real_##T *)name
#define CBLAS_SCALAR(T, name) \
    _Generic((clg_scalar_##T){0}, const void * : name, default : *(const clg_real_##T *)name)
#define CBLAS_INPUT(T, name) name
#define CBLAS_OUTPUT(T, name) name
#define CBLAS_ARGUMENT(sort, T, member, name) , CBLAS_##sort(T, name)

#define FORTRAN_LETTER(name) \
    (const char[]) {         \
        letter((int)d->name) \
    }
#define FORTRAN_SIZE(name) \
    (const int64_t[]) {    \
        d->name            \
    }
#define FORTRAN_SCALAR(name) name
#define FORTRAN_REAL(name) name
#define FORTRAN_INPUT(name) name
#define FORTRAN_OUTPUT(name) name
#define FORTRAN_ARGUMENT(sort, T, member, name) , FORTRAN_##sort(name)
/* NOLINTEND(bugprone-macro-parentheses) */

void level3_call(void *function, enum names names, const clgemm_level3_desc *d, const void *alpha,
                 const void *a, const void *b, const void *beta, void *c) {
#define CALL(NAME, routine_name, kind, type_name)                            \
    if (d->routine == CLGEMM_##kind && d->type == CLGEMM_##type_name) {      \
        if (names == BY_CBLAS)                                               \
            ((void (*)(CLG_CBLAS_PARAMETERS(kind, type_name)))function)(     \
                (int)d->layout CLG_SHAPE_##kind(CBLAS_ARGUMENT, type_name)); \
        else                                                                 \
            ((void (*)(CLG_FORTRAN_PARAMETERS(kind, type_name)))function)(   \
                CLG_LIST(CLG_SHAPE_##kind(FORTRAN_ARGUMENT, type_name)));    \
    }
    CLG_BLAS_LEVEL3(CALL)
}

const char *level3_name(clgemm_routine routine) {
    static const char *const names[] = {
        [CLGEMM_SYMM] = "symm", [CLGEMM_HEMM] = "hemm",   [CLGEMM_SYRK] = "syrk",
        [CLGEMM_HERK] = "herk", [CLGEMM_SYR2K] = "syr2k", [CLGEMM_HER2K] = "her2k",
        [CLGEMM_TRMM] = "trmm", [CLGEMM_TRSM] = "trsm"};
    return names[routine];
}

void *level3_function(clgemm_routine routine, enum names names) {
    char name[32];
    snprintf(name, sizeof name, names == BY_CBLAS ? "cblas_?%s" : "?%s_", level3_name(routine));
    drop_in_name_type(name);
    void *function = dlsym(RTLD_DEFAULT, name);
    if (!function) {
        fprintf(stderr, "%s is missing\n", name);
        exit(1);
    }
    return function;
}

const char *level3_fault(void *function, enum names names, clgemm_routine routine, int form,
                         int64_t most, struct clg_test_random *random) {
    struct clg_test_level3 call = clg_test_level3_draw(routine, drop_in_type, form, most, random);
    clgemm_level3_desc *d = &call.desc;
    float alpha[2], beta[2];
    d->batch = 0;
    d->k += d->k == 0; /* leading dimensions are 1 at least */
    if (names == BY_FORTRAN)
        d->layout = CLGEMM_COL_MAJOR;
    if (call.alpha[0] == 0)
        call.alpha[0] = 0.5;
    clg_test_level3_create(&call, random);
    level3_call(function, names, d, clg_test_level3_factor(&call, call.alpha, alpha),
                clg_test_matrix_data(&call.matrix[CLG_TEST_A]),
                clg_test_matrix_data(&call.matrix[CLG_TEST_B]),
                clg_test_level3_factor(&call, call.beta, beta),
                clg_test_matrix_data(&call.matrix[CLG_TEST_C]));
    const char *fault = clg_test_level3_fault(&call);
    clg_test_level3_destroy(&call);
    return fault;
}

void level3_check(clgemm_routine routine, enum names names, int form, int64_t most,
                  struct clg_test_random *random) {
    const char *fault =
        level3_fault(level3_function(routine, names), names, routine, form, most, random);
    if (fault) {
        fprintf(stderr, "%s\n", fault);
        exit(1);
    }
}
