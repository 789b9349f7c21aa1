/* SPDX-License-Identifier: Apache-2.0
 * Elements of the types that the drop-in supports, and products of a batch. */
#ifndef CLG_BLAS_ELEMENT_H
#define CLG_BLAS_ELEMENT_H

#include <stddef.h>
#include <string.h>

#include "blas/call.h"

/* Indexed by clgemm_type. */
enum {
#define CLG_BLAS_TYPE_INDEX(type, scalar, bits) CLG_BLAS_INDEX_##type,
    CLG_BLAS_TYPES(CLG_BLAS_TYPE_INDEX)
#undef CLG_BLAS_TYPE_INDEX
        CLG_BLAS_TYPE_COUNT
};

static inline size_t clg_element_size(clgemm_type type) {
    static const size_t sizes[CLG_BLAS_TYPE_COUNT] = {
#define CLG_BLAS_TYPE_SIZE(type, scalar, bits) [CLGEMM_##type] = sizeof(scalar),
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_SIZE)
#undef CLG_BLAS_TYPE_SIZE
    };
    return sizes[type];
}

/* Element `at` of an array; may be written if the array may, as with strchr(). */
static inline void *clg_element_at(clgemm_type type, const void *array, int64_t at) {
    return (char *)array + at * (int64_t)clg_element_size(type);
}

static inline union clg_element clg_element_read(clgemm_type type, const void *element) {
    union clg_element out = {0};
    memcpy(&out, element, clg_element_size(type));
    return out;
}

/* By its bits, because a thread that flushes denormals takes them for zeros. */
static inline bool clg_element_is_zero(clgemm_type type, union clg_element element) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_IS_ZERO(type, scalar, bits)             \
    case CLGEMM_##type: {                                     \
        bits pattern;                                         \
        memcpy(&pattern, &element.of_##type, sizeof pattern); \
        return (bits)(pattern << 1) == 0;                     \
    }
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_IS_ZERO)
#undef CLG_BLAS_TYPE_IS_ZERO
    }
    return false;
}

static inline void clg_element_store(clgemm_type type, void *element, double value) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_STORE(type, scalar, bits) \
    case CLGEMM_##type:                         \
        *(scalar *)element = (scalar)value;     \
        break;
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_STORE)
#undef CLG_BLAS_TYPE_STORE
    }
}

static inline double clg_element_load(clgemm_type type, const void *element) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_LOAD(type, scalar, bits) \
    case CLGEMM_##type:                        \
        return (double)*(const scalar *)element;
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_LOAD)
#undef CLG_BLAS_TYPE_LOAD
    }
    return 0;
}

/* ---- Some products of a batch ---- */

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
