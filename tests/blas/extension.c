/* SPDX-License-Identifier: Apache-2.0
 * A library that calls its BLAS as Python's extensions do: opened with local symbols, and with a
 * BLAS of its own. The build defines INTEGER as that BLAS's integer. */
#define _GNU_SOURCE /* MAP_NORESERVE */
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
#define CBLAS(x) cblas_s##x
#define FORTRAN(x) s##x##_
#define OF(x) s_##x
#include "extension_calls.h"
#undef SCALAR
#undef CBLAS
#undef FORTRAN
#undef OF

#define SCALAR double
#define CBLAS(x) cblas_d##x
#define FORTRAN(x) d##x##_
#define OF(x) d_##x
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

/* In the type that EXTENSION_TYPE names, "s" or "d"; by default single. */
static const struct {
    const char *what;
    int (*single)(void), (*wide)(void);
} parts[] = {
    {"cblas", s_by_cblas, d_by_cblas}, {"fortran", s_by_fortran, d_by_fortran},
    {"syrk", s_by_syrk, d_by_syrk},    {"far", s_far_apart, d_far_apart},
    {"refused", s_refused, d_refused}, {"others", others, others},
    {"killed", killed, killed},
};

__attribute__((visibility("default"))) int extension_run(const char *what);
int extension_run(const char *what) {
    const char *type = getenv("EXTENSION_TYPE");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(what, parts[i].what) == 0)
            return type && *type == 'd' ? parts[i].wide() : parts[i].single();
    return 2;
}
