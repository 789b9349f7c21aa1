/* SPDX-License-Identifier: Apache-2.0
 * The judge of the compiled clients: a product in double precision, for matrices of any layout. */
#ifndef CLG_CLIENTS_JUDGE_H
#define CLG_CLIENTS_JUDGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix by the distances, in elements, between its rows and between its columns. */
struct view {
    const float *data;
    long row, column;
};

/* How many elements of `c` (m x n) lie outside the bound of docs/testing.md around op(A) op(B);
 * the first is printed, with `what`. */
int judge(const char *what, long m, long n, long k, struct view a, struct view b, struct view c);

/* The same, for Fortran: column-major matrices without gaps. */
int judge_columns(long m, long n, long k, const float *a, const float *b, const float *c);

/* Numbers in [-1, 1), the same in every run. */
void fill(float *values, long count, unsigned seed);

#ifdef __cplusplus
}
#endif

#endif
