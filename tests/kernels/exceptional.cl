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
#define LOAD(x, i) (x)[i]
#define PROMOTED (SPLIT > 1)
#define MAY_OVERFLOW (!PROMOTED)
#include "tensor_promote.h"

#if PROMOTED
/* Promotes the sums of a block of k, and adds the products of exceptional rows. */
void promote_block(float *total, float *sum, const __local float *lefts_roots,
                   const __local float *rights_roots, const struct operand *left, int lefts,
                   const struct operand *right, int rights, int block) {
    const int lane = own_id() % 32;
    const float2 roots = (float2)(lefts_roots[lane / 4], lefts_roots[lane / 4 + 8]);
    if (promote(total, sum, roots, rights_roots))
        add_exceptional(total, sum, roots, rights_roots, *left, lefts, *right, rights,
                        block * BLOCK_K);
}
#else
void repeat(float *total, const struct operand *left, int lefts, const struct operand *right,
            int rights) {
    multiply_again(total, *left, lefts, *right, rights);
}
#endif
