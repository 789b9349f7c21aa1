/* SPDX-License-Identifier: Apache-2.0
 * What all kernels share: the type of the matrices' elements (float, or what the build says with
 * -DREAL=double) and vectors of it; and batches. Each kernel includes this first; the build puts
 * the text in place of the #include. */
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

/* With BATCH a launch makes many products, one after the other in its groups: `groups` each. The
 * matrices of the next product lie X_stride elements further on, 0 where it is the same matrix. One
 * dimension, for the others are short on some devices (65535 groups). */
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
