/* SPDX-License-Identifier: Apache-2.0
 * The type of the matrices' elements: float, or what the build says with -DREAL=double; and vectors
 * of it. Each kernel includes this first; the build puts the text in place of the #include. */
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
