/* SPDX-License-Identifier: Apache-2.0
 * Elements of the types that the drop-in supports. All code that depends on the type is based on
 * this list. */
#ifndef CLG_BLAS_ELEMENT_H
#define CLG_BLAS_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "clgemm.h"

/* X(type, type in C). A new type also needs lines in CLG_BLAS_ROUTINES and CLG_BLAS_NAMES. */
#define CLG_BLAS_TYPES(X) \
    X(F32, float)         \
    X(F64, double)

/* Indexed by clgemm_type. */
enum {
#define CLG_BLAS_TYPE_INDEX(type, scalar) CLG_BLAS_INDEX_##type,
    CLG_BLAS_TYPES(CLG_BLAS_TYPE_INDEX)
#undef CLG_BLAS_TYPE_INDEX
        CLG_BLAS_TYPE_COUNT
};

static inline size_t clg_element_size(clgemm_type type) {
    static const size_t sizes[CLG_BLAS_TYPE_COUNT] = {
#define CLG_BLAS_TYPE_SIZE(type, scalar) [CLGEMM_##type] = sizeof(scalar),
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_SIZE)
#undef CLG_BLAS_TYPE_SIZE
    };
    return sizes[type];
}

/* Element `at` of an array; may be written if the array may, as with strchr(). */
static inline void *clg_element_at(clgemm_type type, const void *array, int64_t at) {
    return (char *)array + at * (int64_t)clg_element_size(type);
}

/* A number in its own type, for functions that take its address. */
union clg_element {
#define CLG_BLAS_TYPE_MEMBER(type, scalar) scalar of_##type;
    CLG_BLAS_TYPES(CLG_BLAS_TYPE_MEMBER)
#undef CLG_BLAS_TYPE_MEMBER
};

static inline void clg_element_store(clgemm_type type, void *element, double value) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_STORE(type, scalar)   \
    case CLGEMM_##type:                     \
        *(scalar *)element = (scalar)value; \
        break;
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_STORE)
#undef CLG_BLAS_TYPE_STORE
    }
}

static inline union clg_element clg_element_of(clgemm_type type, double value) {
    union clg_element element = {0};
    clg_element_store(type, &element, value);
    return element;
}

static inline double clg_element_load(clgemm_type type, const void *element) {
    switch ((int)type) {
#define CLG_BLAS_TYPE_LOAD(type, scalar) \
    case CLGEMM_##type:                  \
        return (double)*(const scalar *)element;
        CLG_BLAS_TYPES(CLG_BLAS_TYPE_LOAD)
#undef CLG_BLAS_TYPE_LOAD
    }
    return 0;
}

#endif
