/* SPDX-License-Identifier: Apache-2.0
 * Selects some products of a batch, or one. */
#ifndef CLG_BLAS_PRODUCT_H
#define CLG_BLAS_PRODUCT_H

#include "blas/call.h"
#include "blas/element.h"

/* `count` products from `first` on. Only the matrices differ from the whole batch's. */
static inline struct clg_batch clg_batch_part(const struct clg_batch *batch, int64_t first,
                                              int64_t count) {
    struct clg_batch part = *batch;
    struct clg_gemm *gemm = &part.gemm;
    part.count = count;
    if (batch->c && count > 0) {
        gemm->a = *(part.a += first);
        gemm->b = *(part.b += first);
        gemm->c = *(part.c += first);
    } else if (count > 0) {
        gemm->a = clg_element_at(gemm->type, gemm->a, first * batch->stride_a);
        gemm->b = clg_element_at(gemm->type, gemm->b, first * batch->stride_b);
        gemm->c = clg_element_at(gemm->type, gemm->c, first * batch->stride_c);
    }
    return part;
}

static inline struct clg_gemm clg_batch_product(const struct clg_batch *batch, int64_t z) {
    return clg_batch_part(batch, z, 1).gemm;
}

#endif
