/* SPDX-License-Identifier: Apache-2.0
 * Elements of the types that the drop-in supports, and products of a batch. */
#ifndef CLG_BLAS_ELEMENT_H
#define CLG_BLAS_ELEMENT_H

#include <stddef.h>
#include <string.h>

#include "blas/call.h"

/* The length of arrays indexed by clgemm_type. Types without a routine are in them, too. */
enum { CLG_BLAS_TYPE_COUNT = CLGEMM_CF64 + 1 };

static inline size_t clg_element_size(clgemm_type type) {
    static const size_t sizes[CLG_BLAS_TYPE_COUNT] = {
#define CLG_BLAS_TYPE_SIZE(type, element, scalar, bits) [CLGEMM_##type] = sizeof(element),
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
static inline bool clg_element_is_zero(clgemm_type type, union clg_element value) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_IS_ZERO(type, element, scalar, bits)          \
    case CLGEMM_##type: {                                           \
        bits parts[sizeof(element) / sizeof(bits)], any = 0;        \
        memcpy(parts, &value.of_##type, sizeof parts);              \
        for (size_t i = 0; i < sizeof(element) / sizeof(bits); i++) \
            any |= (bits)(parts[i] << 1);                           \
        return any == 0;                                            \
    }
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_IS_ZERO)
#undef CLG_BLAS_TYPE_IS_ZERO
    }
    return false;
}

/* Any type's numbers as complex ones; of a real type only the real part counts. */
static inline void clg_element_store(clgemm_type type, void *at, double _Complex value) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_STORE(type, element, scalar, bits) \
    case CLGEMM_##type:                                  \
        *(element *)at = (element)value;                 \
        break;
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_STORE)
#undef CLG_BLAS_TYPE_STORE
    }
}

static inline double _Complex clg_element_load(clgemm_type type, const void *at) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_LOAD(type, element, scalar, bits) \
    case CLGEMM_##type:                                 \
        return (double _Complex)((const element *)at)[0];
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
