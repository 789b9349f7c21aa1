/* SPDX-License-Identifier: Apache-2.0
 * A library that calls its BLAS as Python's extensions do: opened with local symbols, and with a
 * BLAS of its own. The build defines INTEGER as that BLAS's integer. */
#define _GNU_SOURCE /* MAP_NORESERVE */
#include <complex.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef INTEGER
#define INTEGER int
#endif

extern double cblas_ddot(INTEGER n, const double *x, INTEGER incx, const double *y, INTEGER incy);
extern double dasum_(const INTEGER *n, const double *x, const INTEGER *incx);

enum { N = 24 };

#define SCALAR float
#define PASSED float
#define CBLAS(x) cblas_s##x
#define FORTRAN(x) s##x##_
#define OF(x) s_##x
#include "extension_calls.h"

#define SCALAR double
#define PASSED double
#define CBLAS(x) cblas_d##x
#define FORTRAN(x) d##x##_
#define OF(x) d_##x
#include "extension_calls.h"

#define COMPLEX
#define SCALAR float _Complex
#define PASSED const void *
#define CBLAS(x) cblas_c##x
#define FORTRAN(x) c##x##_
#define OF(x) c_##x
#include "extension_calls.h"

#define SCALAR double _Complex
#define PASSED const void *
#define CBLAS(x) cblas_z##x
#define FORTRAN(x) z##x##_
#define OF(x) z_##x
#include "extension_calls.h"

/* Calls that the drop-in does not intercept. */
static int others(void) {
    const double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    const INTEGER three = 3, one = 1;
    return cblas_ddot(three, x, one, y, one) != 32 || dasum_(&three, y, &one) != 15;
}

static int killed(void) {
    return raise(SIGTERM);
}

/* In the types "sdcz", of which EXTENSION_TYPE names one; by default the first. */
static const struct {
    const char *what;
    int (*run[4])(void);
} parts[] = {
    {"cblas", {s_by_cblas, d_by_cblas, c_by_cblas, z_by_cblas}},
    {"fortran", {s_by_fortran, d_by_fortran, c_by_fortran, z_by_fortran}},
    {"syrk", {s_by_syrk, d_by_syrk}},
    {"gemm3m", {[2] = c_by_gemm3m, z_by_gemm3m}},
    {"far", {s_far_apart, d_far_apart, c_far_apart, z_far_apart}},
    {"refused", {s_refused, d_refused, c_refused, z_refused}},
    {"others", {others, others, others, others}},
    {"killed", {killed, killed, killed, killed}},
};

__attribute__((visibility("default"))) int extension_run(const char *what);
int extension_run(const char *what) {
    static const char letters[] = "sdcz";
    const char *named = getenv("EXTENSION_TYPE"), *found = strchr(letters, named ? *named : 's');
    const size_t type = found ? (size_t)(found - letters) : 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(what, parts[i].what) == 0 && type < 4 && parts[i].run[type])
            return parts[i].run[type]();
    return 2;
}
