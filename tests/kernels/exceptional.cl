/* SPDX-License-Identifier: Apache-2.0
 * kernels/tensor_promote.h as functions of a program for the host, where threads are the work-items
 * of a warp (exceptional.c has the functions that they call). */
int own_id(void);
float from_lane(float x, int lane);
uint warp_votes(bool mine);
float exchange(float x, int bits);

static bool warp_agrees(bool mine) {
    return warp_votes(mine) == 0xffffffff;
}

#define get_local_id(d) own_id()
#define fma __builtin_fmaf
#define fmin __builtin_fminf
#define isnan __builtin_isnan
#define min(x, y) ((x) < (y) ? (x) : (y))
#define popcount __builtin_popcount
#define here_from(x) (x)
#define vload2(i, from) (*(const __local float2 *)((from) + 2 * (i)))

#define element float
#define LOAD(x, i) x[i]
#define PROMOTED 1
#include "tensor_promote.h"

/* Promotes the sums of a block of k of dense operands, and adds the products of exceptional rows. */
void promote_block(float *total, float *sum, const __local float *lefts_roots,
                   const __local float *rights_roots, const __global float *left, int lefts, int n,
                   const __global float *right, int rights, int m, int k, int block) {
    const int lane = own_id() % 32;
    const float2 roots = (float2)(lefts_roots[lane / 4], lefts_roots[lane / 4 + 8]);
    const struct operand from_left = {left, k, 1, n, k}, from_right = {right, k, 1, m, k};
    if (promote(total, sum, roots, rights_roots))
        add_exceptional(total, sum, roots, rights_roots, from_left, lefts, from_right, rights,
                        block * BLOCK_K);
}
