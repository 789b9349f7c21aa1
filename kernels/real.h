/* SPDX-License-Identifier: Apache-2.0
 * What all kernels share: `real`, the type of their arithmetic (float, or double with
 * -DREAL=double), and vectors of it; `element`, the type of matrices in memory; and batches. Each
 * kernel includes this first; the build puts the text in place of the #include. */
#ifdef SOFT_DOUBLE /* soft_double.h: the bits of a double */
#undef REAL
#define REAL ulong
#endif
#ifndef REAL
#define REAL float
#endif

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)

#define IS_DOUBLE_double 1
#if GLUE(IS_DOUBLE_, REAL)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef REAL real;
typedef GLUE(REAL, 2) real2;
typedef GLUE(REAL, 4) real4;
typedef GLUE(REAL, 8) real8;
typedef GLUE(REAL, 16) real16;

/* Elements are reals, or with -DELEMENT=half or -DELEMENT=bfloat16 (NARROW) 16-bit words. These are
 * converted to floats when they are read, and C is rounded to the nearest, ties to even, when it is
 * written. There is no arithmetic in 16 bits, so no device needs an extension for it.
 *
 * LOAD, STORE: element i of x. _VECTOR: vector i of n elements, aligned like an element; _ALIGNED:
 * the n elements at x, aligned like a vector. */
#define IS_NARROW_half 1
#define IS_NARROW_bfloat16 1
#define IS_HALF_half 1
#define NARROW GLUE(IS_NARROW_, ELEMENT)

#if !NARROW
#define element real
#define LOAD(x, i) (x)[i]
#define STORE(x, i, value) (x)[i] = value
#define LOAD_VECTOR(n, i, x) GLUE(vload, n)(i, x)
#define STORE_VECTOR(n, value, i, x) GLUE(vstore, n)(value, i, x)
#define LOAD_ALIGNED(n, x) *(const __global GLUE(real, n) *)x
#define STORE_ALIGNED(n, value, x) *(__global GLUE(real, n) *)x = value

#elif GLUE(IS_HALF_, ELEMENT)
#define element ushort
#define FROM(x) (const __global half *)(x)
#define TO(x) (__global half *)(x)
#define LOAD(x, i) vload_half(i, FROM(x))
#define STORE(x, i, value) vstore_half_rte(value, i, TO(x))
#define LOAD_VECTOR(n, i, x) GLUE(vload_half, n)(i, FROM(x))
#define STORE_VECTOR(n, value, i, x) GLUE(GLUE(vstore_half, n), _rte)(value, i, TO(x))
#define LOAD_ALIGNED(n, x) GLUE(vloada_half, n)(0, FROM(x))
#define STORE_ALIGNED(n, value, x) GLUE(GLUE(vstorea_half, n), _rte)(value, 0, TO(x))

#else /* the upper half of a float */
#define element ushort
/* These replace built-in functions that are trees of calls in some runtimes: PoCL 3.1's compiler
 * sometimes crashes when it inlines hundreds of them. */
#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#define CONVERT(type, n, x) __builtin_convertvector(x, GLUE(type, n))
typedef ushort2 __attribute__((aligned(2))) words2;
typedef ushort4 __attribute__((aligned(2))) words4;
typedef ushort8 __attribute__((aligned(2))) words8;
typedef ushort16 __attribute__((aligned(2))) words16;
#define LOAD_WORDS(n, i, x) ((const __global GLUE(words, n) *)(x))[i]
#define STORE_WORDS(n, value, i, x) ((__global GLUE(words, n) *)(x))[i] = value
#else
#define CONVERT(type, n, x) GLUE(GLUE(convert_, type), n)(x)
#define LOAD_WORDS(n, i, x) GLUE(vload, n)(i, x)
#define STORE_WORDS(n, value, i, x) GLUE(vstore, n)(value, i, x)
#endif
#define WIDEN(n, x) GLUE(as_float, n)(CONVERT(uint, n, x) << 16)
#define LOAD(x, i) as_float((uint)(x)[i] << 16)
#define STORE(x, i, value) (x)[i] = (ushort)to_bfloat16(value)
#define LOAD_VECTOR(n, i, x) WIDEN(n, LOAD_WORDS(n, i, x))
#define STORE_VECTOR(n, value, i, x) \
    STORE_WORDS(n, CONVERT(ushort, n, GLUE(to_bfloat16_, n)(value)), i, x)
#define LOAD_ALIGNED(n, x) WIDEN(n, *(const __global GLUE(ushort, n) *)(x))
#define STORE_ALIGNED(n, value, x) \
    *(__global GLUE(ushort, n) *)(x) = CONVERT(ushort, n, GLUE(to_bfloat16_, n)(value))

/* A carry out of the digits increments the exponent, which rounds up correctly, also to infinity. A
 * NaN whose digits are all in the lower half must not become infinite, so one digit is set. */
#define TO_BFLOAT16(name, n)                                                        \
    static inline GLUE(uint, n) name(const GLUE(float, n) x) {                      \
        const GLUE(uint, n) bits = GLUE(as_uint, n)(x);                             \
        const GLUE(uint, n) rounded = (bits + (0x7fffU + (bits >> 16 & 1U))) >> 16; \
        return (bits & 0x7fffffffU) > 0x7f800000U ? bits >> 16 | 0x40U : rounded;   \
    }
TO_BFLOAT16(to_bfloat16, )
TO_BFLOAT16(to_bfloat16_2, 2)
TO_BFLOAT16(to_bfloat16_4, 4)
TO_BFLOAT16(to_bfloat16_8, 8)
TO_BFLOAT16(to_bfloat16_16, 16)
#endif

/* With BATCH a launch computes many products with `groups` consecutive work-groups each. The next
 * product's matrices are X_stride elements further on; 0: it is the same matrix. The launch has one
 * dimension, because some devices limit the others to 65535 groups. */
#ifdef BATCH
#define BATCH_ARGS , const int groups
#define BATCH_STRIDE(x) , const long x##_stride
#define PRODUCT ((long)get_group_id(0) / groups)
#define GROUP_ID ((long)get_group_id(0) % groups)
#define PRODUCT_OF(x) (PRODUCT * x##_stride)
#else
#define BATCH_ARGS
#define BATCH_STRIDE(x)
#define GROUP_ID get_group_id(0)
#define PRODUCT_OF(x) 0
#endif
