/* SPDX-License-Identifier: Apache-2.0
 * Checks of arguments. */
#include "blas/arguments.h"

static bool is_transpose(int value) {
    return (value >= CLGEMM_NO_TRANS && value <= CLGEMM_CONJ_TRANS) || value == CLG_CONJ_NO_TRANS;
}

static bool transposes(int value) {
    return value == CLGEMM_TRANS || value == CLGEMM_CONJ_TRANS;
}

static bool is_layout(int value) {
    return value == CLGEMM_ROW_MAJOR || value == CLGEMM_COL_MAJOR;
}

/* Whether a leading dimension is large enough for columns of `rows` elements. */
static bool holds(int64_t ld, int64_t rows) {
    return ld >= (rows > 1 ? rows : 1);
}

/* Checks sgemm_'s arguments from m on. */
static int check_sizes(const struct clg_gemm *call) {
    if (call->m < 0)
        return 3;
    if (call->n < 0)
        return 4;
    if (call->k < 0)
        return 5;
    if (!holds(call->lda, transposes(call->ta) ? call->k : call->m))
        return 8;
    if (!holds(call->ldb, transposes(call->tb) ? call->n : call->k))
        return 10;
    return holds(call->ldc, call->m) ? 0 : 13;
}

int clg_gemm_check(const struct clg_gemm *call, enum clg_convention convention) {
    const int shift = convention == CLG_CBLAS; /* the layout is its first argument */
    if (!is_layout(call->layout))
        return 1;
    if (!is_transpose(call->ta))
        return 1 + shift;
    if (!is_transpose(call->tb))
        return 2 + shift;
    int wrong;
    if (call->layout == CLGEMM_COL_MAJOR) {
        wrong = check_sizes(call);
    } else {
        const struct clg_gemm swapped = {.ta = call->tb,
                                         .tb = call->ta,
                                         .m = call->n,
                                         .n = call->m,
                                         .k = call->k,
                                         .lda = call->ldb,
                                         .ldb = call->lda,
                                         .ldc = call->ldc};
        wrong = check_sizes(&swapped);
    }
    return wrong ? wrong + shift : 0;
}

int clg_batch_check(const struct clg_batch *call, enum clg_convention convention) {
    enum { BATCH_SIZE = 17 };
    const int wrong = call->count ? clg_gemm_check(&call->gemm, convention) : 0;
    return wrong || call->count >= 0 ? wrong : BATCH_SIZE + (convention == CLG_CBLAS);
}

int clg_groups_check(int64_t count, int64_t size, enum clg_convention convention) {
    enum { GROUP_COUNT = 14, GROUP_SIZE = 15 };
    const int wrong = count < 0 ? GROUP_COUNT : size < 0 ? GROUP_SIZE : 0;
    return wrong ? wrong + (convention == CLG_CBLAS) : 0;
}

int clg_syrk_check(const struct clg_syrk *call, enum clg_convention convention) {
    const int shift = convention == CLG_CBLAS;
    const bool by_rows = call->layout == CLGEMM_ROW_MAJOR;
    if (!is_layout(call->layout))
        return 1;
    if (call->uplo != CLG_UPPER && call->uplo != CLG_LOWER)
        return 1 + shift;
    if (!is_transpose(call->trans))
        return 2 + shift;
    if (call->n < 0)
        return 3 + shift;
    if (call->k < 0)
        return 4 + shift;
    if (!holds(call->lda, transposes(call->trans) != by_rows ? call->k : call->n))
        return 7 + shift;
    return holds(call->ldc, call->n) ? 0 : 10 + shift;
}
