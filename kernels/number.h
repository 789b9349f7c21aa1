/* SPDX-License-Identifier: Apache-2.0
 * `number`, for kernels that also compute with complex numbers: with COMPLEX, elements, sums, alpha
 * and beta are pairs of a real and an imaginary part, else reals. A factor without an imaginary part
 * multiplies both parts as a real one, so that an infinite part makes no NaN of the other. An
 * argument of SIGN_ARG is -1 if SIGNED is to conjugate the operand, else 1. With SOFT_DOUBLE there
 * is no arithmetic on doubles, so kernels add and multiply numbers by these functions. */
#include "real.h"

#ifdef COMPLEX
typedef real2 number;
#undef element
#define element number
static inline number times(const number x, const number y) {
    return (number)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
static inline number scaled(const number factor, const number x) {
    return factor.y == 0 ? factor.x * x : times(factor, x);
}
static inline bool is_zero(const number x) {
    return x.x == 0 && x.y == 0;
}
#define SIGN_ARG(x) , const real x##_sign
#define SIGNED(x, value) ((value) * (number)(1, x##_sign))
#define plus(x, y) ((x) + (y))
#define plus_product(sum, x, y) ((sum) + times(x, y))
#elif defined(SOFT_DOUBLE)
#include "soft_double.h"
#define number real
#define times(x, y) soft_fma(x, y, ((x) ^ (y)) & SOFT_SIGN) /* a zero of the product's sign */
#define plus(x, y) soft_fma(x, SOFT_ONE, y)
#define plus_product(sum, x, y) soft_fma(x, y, sum)
#define scaled(factor, x) times(factor, x)
#define is_zero(x) (((x) & ~SOFT_SIGN) == 0)
#define SIGN_ARG(x)
#define SIGNED(x, value) (value)
#else
#define number real
#define times(x, y) ((x) * (y))
#define plus(x, y) ((x) + (y))
#define plus_product(sum, x, y) ((sum) + times(x, y))
#define scaled(factor, x) ((factor) * (x))
#define is_zero(x) ((x) == 0)
#define SIGN_ARG(x)
#define SIGNED(x, value) (value)
#endif
