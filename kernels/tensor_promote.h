/* SPDX-License-Identifier: Apache-2.0
 * Sums outside the tensor cores: those of a block of k are added to totals, and products of what
 * parts cannot represent (tensor_parts.h) are computed from the caller's operands. The build puts
 * this text in place of the #include.
 *
 * A warp has the sums of 16 rows of the instruction's left matrix, perhaps several times, and of
 * 2 SUMS_OF_16 rows of its right one. A work-item has, in sums[4 i] to [4 i + 3], row lane / 4 and,
 * in the last two, the row 8 further, with rows 8 i + 2 (lane % 4) and the next. */

/* The caller's operand: element (outer, k) of op(). */
struct operand {
    const __global element *x;
    long along_outer, along_k;
    int outers, depth;
};

/* Initializers, by the names of the kernels' arguments. */
#define FROM_A(product) {a + a_offset + (product)*a_stride, a_along_m, a_along_k, m, k}
#define FROM_B(product) {b + b_offset + (product)*b_stride, b_along_n, b_along_k, n, k}

#if PROMOTED || MAY_OVERFLOW
/* Right rows of a lane, which are 32 apart, and steps along k that are loaded at a time: fewer where
 * registers are short. */
enum { ROWS_OF_LANE = (2 * SUMS_OF_16 + 31) / 32, TOGETHER = SPLIT == 2 ? 8 : 4 };

/* Where the row's element k is; for a row past the end, that of the last row. */
static inline const __global element *row_at(const struct operand *operand, const int outer,
                                             const int k) {
    return operand->x + min(outer, operand->outers - 1) * operand->along_outer +
           k * operand->along_k;
}

/* A step of multiply_row_by_all(). Pointers that move take fewer instructions than addresses that
 * are computed; but clang would keep those of all steps in registers. */
static inline void multiply_step(float products[ROWS_OF_LANE], const __global element **one,
                                 const long along_one, const __global element *others[ROWS_OF_LANE],
                                 const long along_others) {
    const float x = LOAD(*one, 0);
    *one += along_one;
#pragma unroll
    for (int g = 0; g < ROWS_OF_LANE; g++) {
        const float y = LOAD(others[g], 0);
        products[g] = fma(x, y, products[g]);
        others[g] = here_from(others[g] + along_others);
    }
}

/* The products of a row with rows others + lane, others + lane + 32 ..., for the block of k that
 * begins at `first`. */
static void multiply_row_by_all(float products[ROWS_OF_LANE], const struct operand *one,
                                const int row, const struct operand *other, const int others,
                                const int first) {
    const __global element *from = row_at(one, row, first), *from_others[ROWS_OF_LANE];
    int steps = min((int)BLOCK_K, one->depth - first);
#pragma unroll
    for (int g = 0; g < ROWS_OF_LANE; g++) {
        from_others[g] = row_at(other, others + 32 * g + (int)get_local_id(0) % 32, first);
        products[g] = 0;
    }
#pragma unroll 1
    for (; steps >= TOGETHER; steps -= TOGETHER)
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            multiply_step(products, &from, one->along_k, from_others, other->along_k);
#pragma unroll 1
    for (; steps > 0; steps--)
        multiply_step(products, &from, one->along_k, from_others, other->along_k);
}

/* Adds a left row's products, as multiply_row_by_all() has them, to the totals. */
static void add_to_row(float *total, const float products[ROWS_OF_LANE], const int row) {
    const int lane = (int)get_local_id(0) % 32;
    const bool is_x = row == lane / 4, is_y = row == lane / 4 + 8;
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e += 4) {
        const int place = 2 * e % 32 + lane % 4 * 2;
        const float one = from_lane(products[e / 16], place);
        const float next = from_lane(products[e / 16], place + 1);
        if (is_x) {
            total[e] += one;
            total[e + 1] += next;
        }
        if (is_y) {
            total[e + 2] += one;
            total[e + 3] += next;
        }
    }
}
#endif

#if PROMOTED
/* Whether all totals of the warp are NaN, which no sum changes. */
static bool all_nan(const float *total) {
    float least = NAN;
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e++)
        least = fmin(least, total[e]);
    return warp_agrees(isnan(least));
}

/* Adds sums with the roots of their scales. A product of two roots is a normal number, and a sum
 * times it overflows or underflows only if the total does so all the more. Returns whether products
 * of exceptional rows are to be added. */
static bool promote(float *total, const float *sum, const float2 left,
                    const __local float *rights) {
    const __local float *own = rights + (int)get_local_id(0) % 4 * 2;
    int signs = as_int(left.x) | as_int(left.y);
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e += 4) {
        const float2 right = vload2(0, own + 2 * e);
        const float4 root = (float4)(left.x * right, left.y * right);
        total[e] = fma(sum[e] * root.x, root.x, total[e]);
        total[e + 1] = fma(sum[e + 1] * root.y, root.y, total[e + 1]);
        total[e + 2] = fma(sum[e + 2] * root.z, root.z, total[e + 2]);
        total[e + 3] = fma(sum[e + 3] * root.w, root.w, total[e + 3]);
        signs |= as_int(right.x) | as_int(right.y);
    }
    return !warp_agrees(signs >= 0) && !all_nan(total);
}

/* The product of two rows from `first` on: `steps` elements, without those past their ends. */
static float multiply_rows(const struct operand *x, const int row_of_x, const struct operand *y,
                           const int row_of_y, const int first, int steps) {
    const __global element *from_x = row_at(x, row_of_x, first);
    const __global element *from_y = row_at(y, row_of_y, first);
    float product = 0;
    steps = min(steps, x->depth - first);
#pragma unroll 1
    for (; steps >= TOGETHER; steps -= TOGETHER)
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const float left = LOAD(from_x, 0), right = LOAD(from_y, 0);
            product = fma(left, right, product);
            from_x = here_from(from_x + x->along_k);
            from_y = here_from(from_y + y->along_k);
        }
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        const float left = LOAD(from_x, i * x->along_k), right = LOAD(from_y, i * y->along_k);
        product = fma(left, right, product);
    }
    return product;
}

/* Whether the lane's right row `group` is exceptional. */
static inline bool is_exceptional(const __local float *roots, const int group) {
    const int own = 32 * group + (int)get_local_id(0) % 32;
    return own < 2 * SUMS_OF_16 && roots[own] < 0;
}

/* Adds the products of exceptional rows for the block of k that begins at `first`; `lefts` and
 * `rights` are the warp's first rows. A left row is multiplied by all right ones, a right row by all
 * left ones; but if many right rows are exceptional, every left row by all, for those alone. It
 * clears `sum`, which takes no registers meanwhile. */
static void add_exceptional(float *total, float *sum, const float2 left,
                            const __local float *roots, const struct operand from_left,
                            const int lefts, const struct operand from_right, const int rights,
                            const int first) {
    enum { MANY = 16 };
    const int lane = (int)get_local_id(0) % 32;
    int count = 0;
#pragma unroll 1
    for (int g = 0; g < ROWS_OF_LANE; g++)
        count += popcount(warp_votes(is_exceptional(roots, g)));
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        const bool by_all = from_lane(i < 8 ? left.x : left.y, i % 8 * 4) < 0;
        float products[ROWS_OF_LANE];
        if (!by_all && count < MANY)
            continue;
        multiply_row_by_all(products, &from_left, lefts + i, &from_right, rights, first);
#pragma unroll
        for (int g = 0; g < ROWS_OF_LANE; g++)
            products[g] = by_all || is_exceptional(roots, g) ? products[g] : 0;
        add_to_row(total, products, i);
    }
#pragma unroll 1
    for (int g = 0; g < ROWS_OF_LANE && count < MANY; g++) {
        uint marked = warp_votes(is_exceptional(roots, g));
#pragma unroll 1
        for (int r = 32 * g; marked; r++, marked >>= 1) {
            if (!(marked & 1))
                continue;
            const int own = first + lane / 16 * (BLOCK_K / 2); /* a half of the block */
            const float half_product = multiply_rows(&from_right, rights + r, &from_left,
                                                     lefts + lane % 16, own, BLOCK_K / 2);
            const float product = half_product + exchange(half_product, 16);
            const float x = from_lane(product, lane / 4), y = from_lane(product, lane / 4 + 8);
            const bool is_mine = lane % 4 == r / 2 % 4;
            const bool adds_x = is_mine && !(left.x < 0), adds_y = is_mine && !(left.y < 0);
            const float4 add = (float4)(adds_x && r % 2 == 0 ? x : 0, adds_x && r % 2 ? x : 0,
                                        adds_y && r % 2 == 0 ? y : 0, adds_y && r % 2 ? y : 0);
#pragma unroll
            for (int e = 0; e < SUMS_OF_16; e += 4) { /* without branches, for clang 14 */
                const bool is_here = e / 4 == r / 8;
                total[e] += is_here ? add.x : 0;
                total[e + 1] += is_here ? add.y : 0;
                total[e + 2] += is_here ? add.z : 0;
                total[e + 3] += is_here ? add.w : 0;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e++)
        sum[e] = 0;
}
#elif MAY_OVERFLOW
static bool all_finite(const float *total) {
    float zero = 0;
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e++)
        zero = fma(total[e], 0.0f, zero);
    return zero == 0;
}

/* Computes a warp's totals again, from the caller's operands in FP32, unless all are finite. */
static void multiply_again(float *total, const struct operand from_left, const int lefts,
                           const struct operand from_right, const int rights) {
    if (warp_agrees(all_finite(total)))
        return;
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e++)
        total[e] = 0;
#pragma unroll 1
    for (int first = 0; first < from_left.depth; first += BLOCK_K)
#pragma unroll 1
        for (int i = 0; i < 16; i++) {
            float products[ROWS_OF_LANE];
            multiply_row_by_all(products, &from_left, lefts + i, &from_right, rights, first);
            add_to_row(total, products, i);
        }
}
#endif
