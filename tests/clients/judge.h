/* SPDX-License-Identifier: Apache-2.0
 * The judge of the compiled clients: a product in long double, for matrices of any layout, in
 * single or double precision. */
#ifndef CLG_CLIENTS_JUDGE_H
#define CLG_CLIENTS_JUDGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix, by the distances in elements between its rows and between its columns. `size` is the
 * element's, a float's or a double's. */
struct view {
    const void *data;
    long row, column;
    size_t size;
};

/* The number of elements of `c` (m x n) outside the bound of docs/testing.md around op(A) op(B).
 * The first is printed, with `what`. */
int judge(const char *what, long m, long n, long k, struct view a, struct view b, struct view c);

/* The same for Fortran: column-major matrices of floats without gaps. */
int judge_columns(long m, long n, long k, const float *a, const float *b, const float *c);

/* Numbers in [-1, 1), the same in every run; those of fill_wide() are not floats. */
void fill(float *values, long count, unsigned seed);
void fill_wide(double *values, long count, unsigned seed);

#ifdef __cplusplus
}

inline void fill(double *values, long count, unsigned seed) {
    fill_wide(values, count, seed);
}
#endif

#endif
