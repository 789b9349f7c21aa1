/* SPDX-License-Identifier: Apache-2.0
 * For clg_panel: products of which an operand is a triangle T (TRMM 1: op(A), 2: op(B)). Without
 * TRMM, or with 0, there is none. The build puts this text in place of the #include.
 *
 *       k                      A panel of T, of WIDTH rows of op(A) or columns of op(B), uses the
 *    +-----+                   steps before its square on the diagonal, or after it, and of the
 *    |#\   |                   square the triangle:
 *    |##\  |  lower op(A)
 *    |###\ |                     before   0 <= p < square            index >= p - square
 *    +-----+                     after    square + WIDTH <= p < k    index <= p - square
 *
 *                              `index` is a row's or column's place in the panel; `before` is true
 *                              for a lower op(A) and an upper op(B). */
#ifndef TRMM
#define TRMM 0
#endif

#if TRMM
#define WIDTH (TRMM == 1 ? PANEL_M : REG_N)
#define TRMM_ARGS , const int before, const int unit
#define SQUARE_ARGS , const int place, const int before, const int unit
#define SQUARE_VALUES , place, before, unit
#define PARTS 2 /* the square, and the other steps: ascending */
#define IN_SQUARE (place >= 0)
#define IS_SQUARE(part) ((part) == before)

/* The steps of a part of a panel whose square starts at `square`. */
static inline int2 steps_of(const int part, const int square, const int k, const int before) {
    const int end = min(square + WIDTH, k);
    if (IS_SQUARE(part))
        return (int2)(square, end);
    return before ? (int2)(0, square) : (int2)(end, k);
}
#else
#define TRMM_ARGS
#define SQUARE_ARGS
#define SQUARE_VALUES
#define PARTS 1
#define IN_SQUARE 0
#endif

#if TRMM == 1
__constant real places[2 * 16] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
/* Steps from the diagonal. Scalars are chosen before they become vectors: PoCL 3.1's compiler ends
 * the process at vectors that an int chooses among. */
#define AWAY(half) (load(half, places) - (vec)p)
#define IS_USED(half) (AWAY(half) * (vec)(real)(before ? 1 : -1) >= 0)
#define OF_A(a, half) select(a, (vec)1, AWAY(half) == (vec)(real)(unit ? 0 : NAN))
#define MULTIPLY_ADD_SQUARE(j)                                \
    {                                                         \
        const vec b_j = (vec)(b[at_##j]);                     \
        u##j = select(u##j, fma(a_u, b_j, u##j), IS_USED(0)); \
        v##j = select(v##j, fma(a_v, b_j, v##j), IS_USED(1)); \
    }
#elif TRMM == 2
#define OF_A(a, half) (a)
#define MULTIPLY_ADD_SQUARE(j)                                       \
    if ((j - p) * (before ? 1 : -1) >= 0) {                          \
        const vec b_j = (vec)(unit && j == p ? (real)1 : b[at_##j]); \
        u##j = fma(a_u, b_j, u##j);                                  \
        v##j = fma(a_v, b_j, v##j);                                  \
    }
#endif
