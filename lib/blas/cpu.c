/* SPDX-License-Identifier: Apache-2.0
 * Passes calls on to the program's own BLAS, in the convention of the caller. */
#include "blas/cpu.h"

#include "blas/shapes.h"

_Thread_local int clg_depth;

#define CBLAS_FUNCTIONS(type, element, scalar, bits)                                               \
    typedef void cblas_gemm_##type(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k, \
                                   scalar alpha, const void *a, clg_word lda, const void *b,       \
                                   clg_word ldb, scalar beta, void *c, clg_word ldc);              \
    typedef void cblas_strided_##type(                                                             \
        int layout, int ta, int tb, clg_word m, clg_word n, clg_word k, scalar alpha,              \
        const void *a, clg_word lda, clg_word stride_a, const void *b, clg_word ldb,               \
        clg_word stride_b, scalar beta, void *c, clg_word ldc, clg_word stride_c, clg_word count);
CLG_BLAS_TYPES(CBLAS_FUNCTIONS)

/* The lengths of the strings follow the arguments, as Fortran compilers pass them. A callee may
 * overwrite the stack words that hold them. */
typedef void fortran_gemm(const char *ta, const char *tb, const void *m, const void *n,
                          const void *k, const void *alpha, const void *a, const void *lda,
                          const void *b, const void *ldb, const void *beta, void *c,
                          const void *ldc, size_t ta_length, size_t tb_length);

typedef void fortran_strided(const char *ta, const char *tb, const void *m, const void *n,
                             const void *k, const void *alpha, const void *a, const void *lda,
                             const void *stride_a, const void *b, const void *ldb,
                             const void *stride_b, const void *beta, void *c, const void *ldc,
                             const void *stride_c, const void *count, size_t ta_length,
                             size_t tb_length);

typedef void cblas_groups(int layout, const void *ta, const void *tb, const void *m, const void *n,
                          const void *k, const void *alpha, const void *const *a, const void *lda,
                          const void *const *b, const void *ldb, const void *beta, void *const *c,
                          const void *ldc, clg_word count, const void *sizes);
typedef void fortran_groups(const void *ta, const void *tb, const void *m, const void *n,
                            const void *k, const void *alpha, const void *const *a, const void *lda,
                            const void *const *b, const void *ldb, const void *beta, void *const *c,
                            const void *ldc, const void *count, const void *sizes, size_t ta_length,
                            size_t tb_length);

/* An integer of the width that the callee reads. */
union integer {
    int64_t wide;
    int32_t narrow;
};

static union integer integer(const struct clg_route *route, int64_t value) {
    return route->is_long ? (union integer){.wide = value}
                          : (union integer){.narrow = (int32_t)value};
}

/* The letter of a value of cblas.h. */
static char letter_of(int value) {
    static const char letters[] = {
        [CLGEMM_NO_TRANS] = 'N',   [CLGEMM_TRANS] = 'T', [CLGEMM_CONJ_TRANS] = 'C',
        [CLG_CONJ_NO_TRANS] = 'R', [CLGEMM_UPPER] = 'U', [CLGEMM_LOWER] = 'L',
        [CLGEMM_NON_UNIT] = 'N',   [CLGEMM_UNIT] = 'U',  [CLGEMM_LEFT] = 'L',
        [CLGEMM_RIGHT] = 'R'};
    const bool is_known = value >= 0 && value < (int)sizeof letters && letters[value];
    return is_known ? letters[value] : '?';
}

static void fortran_gemm_call(const struct clg_route *route, const struct clg_gemm *call) {
    const char ta = letter_of(call->ta), tb = letter_of(call->tb);
    const union integer m = integer(route, call->m), n = integer(route, call->n),
                        k = integer(route, call->k), lda = integer(route, call->lda),
                        ldb = integer(route, call->ldb), ldc = integer(route, call->ldc);
    ((fortran_gemm *)route->gemm)(&ta, &tb, &m, &n, &k, &call->alpha, call->a, &lda, call->b, &ldb,
                                  &call->beta, call->c, &ldc, 1, 1);
}

static void cblas_gemm_call(const struct clg_route *route, const struct clg_gemm *call) {
    switch ((int)call->type) {
#define CALL(type, element, scalar, bits)                                                      \
    case CLGEMM_##type:                                                                        \
        ((cblas_gemm_##type *)route->gemm)(call->layout, call->ta, call->tb, call->m, call->n, \
                                           call->k, CLG_SCALAR(type, call->alpha), call->a,    \
                                           call->lda, call->b, call->ldb,                      \
                                           CLG_SCALAR(type, call->beta), call->c, call->ldc);  \
        break;
        CLG_BLAS_TYPES(CALL)
#undef CALL
    }
}

static void fortran_strided_call(const struct clg_route *route, const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    const char ta = letter_of(one->ta), tb = letter_of(one->tb);
    const union integer m = integer(route, one->m), n = integer(route, one->n),
                        k = integer(route, one->k), lda = integer(route, one->lda),
                        ldb = integer(route, one->ldb), ldc = integer(route, one->ldc),
                        stride_a = integer(route, batch->stride_a),
                        stride_b = integer(route, batch->stride_b),
                        stride_c = integer(route, batch->stride_c),
                        count = integer(route, batch->count);
    ((fortran_strided *)route->next)(&ta, &tb, &m, &n, &k, &one->alpha, one->a, &lda, &stride_a,
                                     one->b, &ldb, &stride_b, &one->beta, one->c, &ldc, &stride_c,
                                     &count, 1, 1);
}

static void cblas_strided_call(const struct clg_route *route, const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    switch ((int)one->type) {
#define CALL(type, element, scalar, bits)                                                        \
    case CLGEMM_##type:                                                                          \
        ((cblas_strided_##type *)route->next)(                                                   \
            one->layout, one->ta, one->tb, one->m, one->n, one->k, CLG_SCALAR(type, one->alpha), \
            one->a, one->lda, batch->stride_a, one->b, one->ldb, batch->stride_b,                \
            CLG_SCALAR(type, one->beta), one->c, one->ldc, batch->stride_c, batch->count);       \
        break;
        CLG_BLAS_TYPES(CALL)
#undef CALL
    }
}

static void groups_call(const struct clg_route *route, const struct clg_groups *call) {
    const union integer count = integer(route, call->count);
    if (route->name->convention == CLG_CBLAS)
        ((cblas_groups *)route->next)(call->layout, call->ta, call->tb, call->m, call->n, call->k,
                                      call->alpha, call->a, call->lda, call->b, call->ldb,
                                      call->beta, call->c, call->ldc, call->count, call->sizes);
    else
        ((fortran_groups *)route->next)(call->ta, call->tb, call->m, call->n, call->k, call->alpha,
                                        call->a, call->lda, call->b, call->ldb, call->beta, call->c,
                                        call->ldc, &count, call->sizes, 1, 1);
}

void clg_cpu_groups(const struct clg_route *route, const struct clg_groups *call) {
    clg_depth++;
    groups_call(route, call);
    clg_depth--;
}

void clg_cpu_batch(const struct clg_route *route, const struct clg_batch *batch) {
    clg_depth++;
    if (route->name->convention == CLG_FORTRAN)
        fortran_strided_call(route, batch);
    else
        cblas_strided_call(route, batch);
    clg_depth--;
}

void clg_cpu_gemm(const struct clg_route *route, const struct clg_gemm *call) {
    clg_depth++;
    if (!route->gemm)
        clg_plain_gemm(call);
    else if (route->name->convention == CLG_FORTRAN)
        fortran_gemm_call(route, call);
    else
        cblas_gemm_call(route, call);
    clg_depth--;
}

/* ---- The rest of level 3 ------------------------------------------------------------------- */

/* Arguments, by their sort. */
#define CBLAS_LETTER(T, name) (int)call->desc.name,
#define CBLAS_SIZE(T, name) call->desc.name,
#define CBLAS_SCALAR(T, name) CLG_SCALAR(T, call->name),
#define CBLAS_REAL(T, name) *(const clg_real_##T *)&call->name,
#define CBLAS_MATRIX(T, name) call->name,
#define CBLAS_ARGUMENT(sort, T, name) CBLAS_##sort(T, name)

#define FORTRAN_LETTER(name) (const char[]){letter_of((int)call->desc.name)},
#define FORTRAN_SIZE(name) (union integer[]){integer(route, call->desc.name)},
#define FORTRAN_SCALAR(name) &call->name,
#define FORTRAN_REAL FORTRAN_SCALAR
#define FORTRAN_MATRIX(name) call->name,
#define FORTRAN_ARGUMENT(sort, T, name) FORTRAN_##sort(name)

/* Lengths of letters. */
#define LENGTH(sort, T, name) LENGTH_##sort
#define LENGTH_LETTER , (size_t)1
#define LENGTH_SIZE
#define LENGTH_SCALAR
#define LENGTH_REAL
#define LENGTH_MATRIX
#define LENGTH_TYPE(sort, T, name) LENGTH_TYPE_##sort
#define LENGTH_TYPE_LETTER , size_t
#define LENGTH_TYPE_SIZE
#define LENGTH_TYPE_SCALAR
#define LENGTH_TYPE_REAL
#define LENGTH_TYPE_MATRIX

static void cblas_level3_call(const struct clg_route *route, const struct clg_level3 *call) {
    switch (route->name->routine) {
#define CALL(NAME, name, kind, type)                                                \
    case CLG_##NAME:                                                                \
        ((void (*)(CLG_CBLAS_PARAMETERS(kind, type)))route->next)(                  \
            (int)call->desc.layout, CLG_SHAPE_##kind(CBLAS_ARGUMENT, type) call->c, \
            call->desc.ldc);                                                        \
        break;
        CLG_BLAS_LEVEL3(CALL)
#undef CALL
    default:
        break;
    }
}

static void fortran_level3_call(const struct clg_route *route, const struct clg_level3 *call) {
    const union integer ldc = integer(route, call->desc.ldc);
    switch (route->name->routine) {
#define CALL(NAME, name, kind, type)                                                           \
    case CLG_##NAME:                                                                           \
        ((void (*)(CLG_FORTRAN_PARAMETERS(kind, type) CLG_SHAPE_##kind(                        \
            LENGTH_TYPE, type)))route->next)(CLG_SHAPE_##kind(FORTRAN_ARGUMENT, type) call->c, \
                                             &ldc CLG_SHAPE_##kind(LENGTH, type));             \
        break;
        CLG_BLAS_LEVEL3(CALL)
#undef CALL
    default:
        break;
    }
}

void clg_cpu_level3(const struct clg_route *route, const struct clg_level3 *call) {
    clg_depth++;
    if (!route->next)
        clg_plain_level3(call);
    else if (route->name->convention == CLG_FORTRAN)
        fortran_level3_call(route, call);
    else
        cblas_level3_call(route, call);
    clg_depth--;
}
