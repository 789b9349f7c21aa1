/* SPDX-License-Identifier: Apache-2.0
 * Element types: the library's one table of them. All code that depends on the type of a problem
 * uses this header; kernels take their element from kernels/real.h. */
#ifndef CLG_GEMM_TYPE_H
#define CLG_GEMM_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clgemm.h"
#include "device/facts.h"

/* X(NAME, routine letters, C type of an element, C type of the parts of alpha, beta and sums, what
 * a device needs, -D options). `needs` is a field of struct clg_facts; every usable device
 * has_compiler. 16-bit elements are computed with as floats (kernels/real.h). */
#define CLG_TYPES(X)                                                     \
    X(F32, "s", float, float, has_compiler, "")                          \
    X(F64, "d", double, double, has_compiler, "-DREAL=double")           \
    X(F16, "h", uint16_t, float, has_compiler, "-DELEMENT=half")         \
    X(BF16, "bf16", uint16_t, float, has_compiler, "-DELEMENT=bfloat16") \
    X(CF32, "c", float[2], float, has_compiler, "-DCOMPLEX")             \
    X(CF64, "z", double[2], double, has_fp64, "-DREAL=double -DCOMPLEX")

enum {
#define CLG_TYPE_COUNTED(name, letters, storage, scalar, needs, options) CLG_TYPE_INDEX_##name,
    CLG_TYPES(CLG_TYPE_COUNTED)
#undef CLG_TYPE_COUNTED
        CLG_TYPE_COUNT
};

struct clg_type {
    const char *name;    /* "F32" */
    const char *letters; /* of the BLAS routines, and on command lines: "s" */
    size_t size;         /* bytes of an element */
    size_t scalar_size;  /* bytes of a part of alpha, beta and sums: of a float or a double */
    const char *options; /* build options of a kernel of this type; NULL: no kernel has it */
};

/* Indexed by clgemm_type. */
extern const struct clg_type clg_types[CLG_TYPE_COUNT];

/* The types that are not complex are the first. */
enum { CLG_REAL_TYPES = CLG_TYPE_INDEX_CF32 };

static inline bool clg_type_is_complex(clgemm_type type) {
    return (int)type >= CLG_REAL_TYPES;
}

/* The type of the parts of complex elements; other types' own. */
static inline clgemm_type clg_type_real(clgemm_type type) {
    return !clg_type_is_complex(type) ? type : type == CLGEMM_CF32 ? CLGEMM_F32 : CLGEMM_F64;
}

/* Numbers in an element. */
static inline int clg_type_parts(clgemm_type type) {
    return clg_type_is_complex(type) ? 2 : 1;
}

/* Operations on numbers in a multiply-add of elements. */
static inline int clg_type_operations(clgemm_type type) {
    return clg_type_is_complex(type) ? 8 : 2;
}

/* Elements of the widest vectors of any type. Copies and workspace align columns for them. */
enum { CLG_WIDEST_VECTOR = 4 };

/* Whether kernels have vectors of that many elements. */
static inline bool clg_is_vector(int width) {
    return width == 1 || width == 2 || width == CLG_WIDEST_VECTOR;
}

/* Math modes: X(NAME, word in CLGEMM_MATH and on command lines). */
#define CLG_MATHS(X)        \
    X(DEFAULT, "default")   \
    X(STRICT, "strict")     \
    X(ACCURATE, "accurate") \
    X(NORMWISE, "normwise") \
    X(TF32, "tf32")         \
    X(BF16, "bf16")         \
    X(F16, "f16")

/* The word of a clgemm_math; NULL if it is not a mode. */
const char *clg_math_word(clgemm_math math);

/* The mode of that word; false if there is none. "default" is not accepted. */
bool clg_math_of_word(const char *word, clgemm_math *out);

/* "f64" into text, which it returns: the type's word in files and reports. */
enum { CLG_TYPE_WORD = 8 };
const char *clg_type_word(char text[CLG_TYPE_WORD], clgemm_type type);

/* Whether it is a clgemm_type at all. */
bool clg_type_is_known(clgemm_type type);

/* Why the device cannot compute with the type, or NULL. */
const char *clg_type_unsupported_reason(clgemm_type type, const struct clg_facts *facts);

/* Whether whole numbers do the arithmetic, as the device has none for doubles
 * (kernels/soft_double.h). */
static inline bool clg_type_is_soft(clgemm_type type, const struct clg_facts *facts) {
    return type == CLGEMM_F64 && !facts->has_fp64;
}

/* About as many instructions on whole numbers are a multiply-add then. */
enum { CLG_SOFT_SLOWER = 128 };

/* Operations on elements of the type that the device can do in a second at most, not on tensor
 * cores. 16-bit elements are computed with as floats. */
double clg_type_peak(clgemm_type type, const struct clg_facts *facts);

static inline size_t clg_type_size(clgemm_type type) {
    return clg_types[type].size;
}

/* Bytes of kernels' `real`, the type of their arithmetic, local memory and workspace. */
static inline size_t clg_type_real_size(clgemm_type type) {
    return clg_types[type].scalar_size;
}

/* Whether elements are narrower than kernels' `real`: then C is rounded when it is stored. */
static inline bool clg_type_is_narrow(clgemm_type type) {
    return clg_type_size(type) < clg_type_real_size(type);
}

/* Numbers in the widest vectors in which kernels read a matrix; the other widths are a half of it,
 * a quarter, ... 1. At most 16 bytes: a GPU's widest load, and the alignment of malloc(). */
static inline unsigned clg_type_vector(clgemm_type type) {
    enum { BYTES = 16 };
    const size_t elements = BYTES / clg_type_size(clg_type_real(type));
    return elements < CLG_WIDEST_VECTOR ? (unsigned)elements : CLG_WIDEST_VECTOR;
}

/* Elements in 16 bytes, the unit of bulk copies. */
static inline unsigned clg_type_bulk(clgemm_type type) {
    return 16 / (unsigned)clg_type_size(type);
}

#endif
