/* SPDX-License-Identifier: Apache-2.0
 * Passes calls on to the program's own BLAS, in the convention that they came by. */
#include "blas/cpu.h"

#include <stddef.h>

#include "blas/plain.h"

_Thread_local int clg_depth;

typedef void cblas_gemm(int layout, int ta, int tb, clg_word m, clg_word n, clg_word k, float alpha,
                        const float *a, clg_word lda, const float *b, clg_word ldb, float beta,
                        float *c, clg_word ldc);
typedef void cblas_syrk(int layout, int uplo, int trans, clg_word n, clg_word k, float alpha,
                        const float *a, clg_word lda, float beta, float *c, clg_word ldc);

/* Behind the arguments stand the lengths of the strings, as Fortran compilers pass them: a callee
 * may take the words in which they come for its own. */
typedef void fortran_gemm(const char *ta, const char *tb, const void *m, const void *n,
                          const void *k, const float *alpha, const float *a, const void *lda,
                          const float *b, const void *ldb, const float *beta, float *c,
                          const void *ldc, size_t ta_length, size_t tb_length);
typedef void fortran_syrk(const char *uplo, const char *trans, const void *n, const void *k,
                          const float *alpha, const float *a, const void *lda, const float *beta,
                          float *c, const void *ldc, size_t uplo_length, size_t trans_length);

/* An integer in the width that the callee reads. */
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

void clg_cpu_gemm(const struct clg_route *route, const struct clg_gemm *call) {
    clg_depth++;
    if (!route->gemm)
        clg_plain_gemm(call);
    else if (route->name->convention == CLG_FORTRAN)
        fortran_gemm_call(route, call);
    else
        ((cblas_gemm *)route->gemm)(call->layout, call->ta, call->tb, call->m, call->n, call->k,
                                    call->alpha, call->a, call->lda, call->b, call->ldb, call->beta,
                                    call->c, call->ldc);
    clg_depth--;
}

void clg_cpu_syrk(const struct clg_route *route, const struct clg_syrk *call) {
    clg_depth++;
    if (!route->next)
        clg_plain_syrk(call);
    else if (route->name->convention == CLG_FORTRAN)
        fortran_syrk_call(route, call);
    else
        ((cblas_syrk *)route->next)(call->layout, call->uplo, call->trans, call->n, call->k,
                                    call->alpha, call->a, call->lda, call->beta, call->c,
                                    call->ldc);
    clg_depth--;
}
