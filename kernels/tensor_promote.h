/* SPDX-License-Identifier: Apache-2.0
 * Adds the sums of a block of k to totals outside the tensor cores, and then the products of what
 * parts cannot represent (tensor_parts.h). The build puts this text in place of the #include. */

/* The caller's operand: element (outer, k) of op(), and 0 past its ends. */
struct operand {
    const __global element *x;
    long along_outer, along_k;
    int outers, depth;
};

static inline float element_of(const struct operand *operand, const int outer, const int k) {
    return outer < operand->outers && k < operand->depth
               ? LOAD(operand->x, outer * operand->along_outer + k * operand->along_k)
               : 0;
}

/* Initializers, by the names of the kernels' arguments. */
#define FROM_A(product) {a + a_offset + (product)*a_stride, a_along_m, a_along_k, m, k}
#define FROM_B(product) {b + b_offset + (product)*b_stride, b_along_n, b_along_k, n, k}

#if PROMOTED
/* A warp has the sums of 16 rows of the instruction's left matrix, perhaps several times, and of
 * 2 SUMS_OF_16 rows of its right one. A work-item has, in sums[4 i] to [4 i + 3], row lane / 4 and,
 * in the last two, the row 8 further, with rows 8 i + 2 (lane % 4) and the next. */
enum { ROWS_OF_LANE = (2 * SUMS_OF_16 + 31) / 32 };

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

/* The product of two rows for the block of k that begins at `first`. */
static float multiply_rows(const struct operand *x, const int row_of_x, const struct operand *y,
                           const int row_of_y, const int first) {
    enum { TOGETHER = 8 }; /* elements of each row that are loaded at a time */
    float product = 0;
#pragma unroll 1
    for (int k = first; k < first + BLOCK_K; k += TOGETHER)
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            product = fma(element_of(x, row_of_x, k + i), element_of(y, row_of_y, k + i), product);
    return product;
}

/* Those of a row with rows others + lane, others + lane + 32 ... */
static void multiply_row_by_all(float products[ROWS_OF_LANE], const struct operand *one,
                                const int row, const struct operand *other, const int others,
                                const int first) {
    enum { TOGETHER = SPLIT == 2 ? 8 : 2 }; /* with three parts registers are short */
    const int own = others + (int)get_local_id(0) % 32;
#pragma unroll
    for (int g = 0; g < ROWS_OF_LANE; g++)
        products[g] = 0;
#pragma unroll 1
    for (int k = first; k < first + BLOCK_K; k += TOGETHER)
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const float x = element_of(one, row, k + i);
#pragma unroll
            for (int g = 0; g < ROWS_OF_LANE; g++)
                products[g] = fma(x, element_of(other, own + 32 * g, k + i), products[g]);
        }
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
    for (int r = 0; r < 2 * SUMS_OF_16; r++)
        count += roots[r] < 0;
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        const bool by_all = from_lane(i < 8 ? left.x : left.y, i % 8 * 4) < 0;
        if (!by_all && count < MANY)
            continue;
        const bool is_x = i == lane / 4, is_y = i == lane / 4 + 8;
        float products[ROWS_OF_LANE];
        multiply_row_by_all(products, &from_left, lefts + i, &from_right, rights, first);
#pragma unroll
        for (int e = 0; e < SUMS_OF_16; e += 4) {
            const int place = 2 * e % 32 + lane % 4 * 2;
            const float2 right = vload2(0, roots + lane % 4 * 2 + 2 * e);
            float one = from_lane(products[e / 16], place);
            float next = from_lane(products[e / 16], place + 1);
            one = by_all || right.x < 0 ? one : 0;
            next = by_all || right.y < 0 ? next : 0;
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
#pragma unroll 1
    for (int r = 0; r < 2 * SUMS_OF_16; r++) {
        if (!(roots[r] < 0) || count >= MANY)
            continue;
        const float product =
            multiply_rows(&from_right, rights + r, &from_left, lefts + lane % 16, first);
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
#pragma unroll
    for (int e = 0; e < SUMS_OF_16; e++)
        sum[e] = 0;
}
#endif
