/* SPDX-License-Identifier: Apache-2.0
 * Passes calls on to the program's own BLAS, in the convention of the caller. */
#include "blas/cpu.h"

_Thread_local int clg_depth;

#define CBLAS_FUNCTIONS(type, element, scalar, bits)                                               \
    typedef void cblas_gemm_##type(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k, \
                                   scalar alpha, const void *a, clg_word lda, const void *b,       \
                                   clg_word ldb, scalar beta, void *c, clg_word ldc);              \
    typedef void cblas_syrk_##type(int layout, int uplo, int trans, clg_word n, clg_word k,        \
                                   scalar alpha, const void *a, clg_word lda, scalar beta,         \
                                   void *c, clg_word ldc);                                         \
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
typedef void fortran_syrk(const char *uplo, const char *trans, const void *n, const void *k,
                          const void *alpha, const void *a, const void *lda, const void *beta,
                          void *c, const void *ldc, size_t uplo_length, size_t trans_length);

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

static char transpose_letter(int value) {
    switch (value) {
    case CLGEMM_NO_TRANS:
        return 'N';
    case CLGEMM_TRANS:
        return 'T';
    case CLGEMM_CONJ_TRANS:
        return 'C';
    case CLG_CONJ_NO_TRANS:
        return 'R';
    default:
        return '?';
    }
}

static char triangle_letter(int value) {
    return value == CLG_UPPER ? 'U' : value == CLG_LOWER ? 'L' : '?';
}

static void fortran_gemm_call(const struct clg_route *route, const struct clg_gemm *call) {
    const char ta = transpose_letter(call->ta), tb = transpose_letter(call->tb);
    const union integer m = integer(route, call->m), n = integer(route, call->n),
                        k = integer(route, call->k), lda = integer(route, call->lda),
                        ldb = integer(route, call->ldb), ldc = integer(route, call->ldc);
    ((fortran_gemm *)route->gemm)(&ta, &tb, &m, &n, &k, &call->alpha, call->a, &lda, call->b, &ldb,
                                  &call->beta, call->c, &ldc, 1, 1);
}

static void fortran_syrk_call(const struct clg_route *route, const struct clg_syrk *call) {
    const char uplo = triangle_letter(call->uplo), trans = transpose_letter(call->trans);
    const union integer n = integer(route, call->n), k = integer(route, call->k),
                        lda = integer(route, call->lda), ldc = integer(route, call->ldc);
    ((fortran_syrk *)route->next)(&uplo, &trans, &n, &k, &call->alpha, call->a, &lda, &call->beta,
                                  call->c, &ldc, 1, 1);
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

static void cblas_syrk_call(const struct clg_route *route, const struct clg_syrk *call) {
    switch ((int)call->type) {
#define CALL(type, element, scalar, bits)                                                    \
    case CLGEMM_##type:                                                                      \
        ((cblas_syrk_##type *)route->next)(call->layout, call->uplo, call->trans, call->n,   \
                                           call->k, CLG_SCALAR(type, call->alpha), call->a,  \
                                           call->lda, CLG_SCALAR(type, call->beta), call->c, \
                                           call->ldc);                                       \
        break;
        CLG_BLAS_TYPES(CALL)
#undef CALL
    }
}

static void fortran_strided_call(const struct clg_route *route, const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    const char ta = transpose_letter(one->ta), tb = transpose_letter(one->tb);
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

void clg_cpu_syrk(const struct clg_route *route, const struct clg_syrk *call) {
    clg_depth++;
    if (!route->next)
        clg_plain_syrk(call);
    else if (route->name->convention == CLG_FORTRAN)
        fortran_syrk_call(route, call);
    else
        cblas_syrk_call(route, call);
    clg_depth--;
}
