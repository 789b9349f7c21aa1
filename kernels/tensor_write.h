/* SPDX-License-Identifier: Apache-2.0
 * How clg_tensor writes C, and computes again what the tensor cores could not. The build puts this
 * text in place of the #include. */

/* The caller's operand: element (outer, k) of op(). */
struct operand {
    const __global element *x;
    long along_outer, along_k;
};

static float element_of(const struct operand *operand, const int outer, const int outers,
                        const int k, const int depth) {
    return outer < outers && k < depth
               ? LOAD(operand->x, outer * operand->along_outer + k * operand->along_k)
               : 0;
}

/* A work-item's sums of 32 rows: sums[4 i] ... [4 i + 3] are rows 8 i + 2 (lane % 4) and the next,
 * of columns lane / 4 and lane / 4 + 8. Four work-items with a column each exchange sums so that
 * each has rows of all four columns; then a warp writes 128 bytes of a column at once. */
enum { ROWS_WRITTEN = 32, COLUMNS_WRITTEN = 16, SUMS_WRITTEN = 16 };

/* Afterwards the upper of two work-items has both second values, and the other both first ones. */
static float2 exchange_one(const float2 x, const bool upper, const int bits) {
    const float got = exchange(upper ? x.x : x.y, bits);
    return upper ? (float2)(got, x.y) : (float2)(x.x, got);
}

/* A work-item's rows of each of its columns after the exchange. */
static void exchange_sums(float2 own[8], const float *sums, const int lane) {
    const int place = lane / 4 % 4;
    float of[4][4]; /* [column][half and row] */
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float2 x = exchange_one((float2)(sums[e], sums[8 + e]), place & 2, 8);
        const float2 y = exchange_one((float2)(sums[4 + e], sums[12 + e]), place & 2, 8);
        const float2 low = exchange_one((float2)(x.x, y.x), place & 1, 4);
        const float2 high = exchange_one((float2)(x.y, y.y), place & 1, 4);
        of[0][e] = low.x;
        of[1][e] = low.y;
        of[2][e] = high.x;
        of[3][e] = high.y;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        own[i] = (float2)(of[i % 4][i / 4 * 2], of[i % 4][i / 4 * 2 + 1]);
}

/* Writes 32 rows of C and those of 16 columns whose bits in `but` are not set; if these are all, and
 * within C, elements are not checked one by one. */
static void write_sums(__global element *c, const long ldc, const float *sums, const int row,
                       const int column, const uint but, const int m, const int n,
                       const float alpha, const float beta) {
    const int lane = here((int)get_local_id(0)) % 32;
    const int own_row = row + 8 * (lane / 4 % 4) + lane % 4 * 2;
    const int own_column = column + lane / 16 * 4;
    float2 own[8];
    exchange_sums(own, sums, lane);
    __global element *to = c + own_row + own_column * ldc;
    if (but == 0 && row + ROWS_WRITTEN <= m && column + COLUMNS_WRITTEN <= n) {
        if (beta != 0)
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const __global element *old = to + (i % 4 + i / 4 * 8) * ldc;
                own[i] = alpha * own[i] + beta * (float2)(LOAD(old, 0), LOAD(old, 1));
            }
        else
#pragma unroll
            for (int i = 0; i < 8; i++)
                own[i] *= alpha;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            __global element *at = to + (i % 4 + i / 4 * 8) * ldc;
            if (VEC_C == 2) {
                STORE_ALIGNED(2, (real2)(own[i].x, own[i].y), at);
            } else {
                STORE(at, 0, own[i].x);
                STORE(at, 1, own[i].y);
            }
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int j = i % 4 + i / 4 * 8;
        __global element *at = to + j * ldc;
        const bool written = own_column + j < n && !(but >> (own_column - column + j) & 1);
        if (written && own_row < m)
            STORE(at, 0, beta != 0 ? alpha * own[i].x + beta * LOAD(at, 0) : alpha * own[i].x);
        if (written && own_row + 1 < m)
            STORE(at, 1, beta != 0 ? alpha * own[i].y + beta * LOAD(at, 1) : alpha * own[i].y);
    }
}

/* Which of the 16 columns hold sums of a warp that are not finite: bit j for column j. */
static uint not_finite(const float *sums) {
    const int column = (int)get_local_id(0) % 32 / 4;
    float zero[2] = {0, 0}; /* or NaN, for a work-item's columns */
#pragma unroll
    for (int e = 0; e < SUMS_WRITTEN; e++)
        zero[e / 2 % 2] = fma(sums[e], 0.0f, zero[e / 2 % 2]);
    return (uint)(zero[0] != 0) << column | (uint)(zero[1] != 0) << (column + 8);
}

/* Columns that are computed again at a time, and steps of k whose loads are under way. */
enum { COLUMNS_AGAIN = 4, STEPS_AHEAD = 2 };

/* Computes 32 rows of C again from A and B, in those of 16 columns whose bits are set. A work-item
 * has a row. */
static void compute_again(__global element *c, const long ldc, const struct operand a,
                          const struct operand b, const int row, const int column, uint columns,
                          const int m, const int n, const int depth, const float alpha,
                          const float beta) {
    const int own_row = row + here((int)get_local_id(0)) % 32;
    int next = 0;
    while (columns) {
        int own[COLUMNS_AGAIN]; /* the last one several times if there are fewer */
        float sums[COLUMNS_AGAIN];
#pragma unroll
        for (int j = 0; j < COLUMNS_AGAIN; j++) {
            next = columns ? 31 - (int)clz(columns) : next;
            columns &= ~(1u << next);
            own[j] = column + next;
            sums[j] = 0;
        }
#pragma unroll 1
        for (int k = 0; k < depth; k += STEPS_AHEAD)
#pragma unroll
            for (int i = 0; i < STEPS_AHEAD; i++) {
                const float x = element_of(&a, own_row, m, k + i, depth);
#pragma unroll
                for (int j = 0; j < COLUMNS_AGAIN; j++)
                    sums[j] = fma(x, element_of(&b, own[j], n, k + i, depth), sums[j]);
            }
#pragma unroll
        for (int j = 0; j < COLUMNS_AGAIN; j++)
            if (own_row < m && own[j] < n && (j == 0 || own[j] != own[j - 1])) {
                const long at = own_row + own[j] * ldc;
                STORE(c, at, beta != 0 ? alpha * sums[j] + beta * LOAD(c, at) : alpha * sums[j]);
            }
    }
}

/* Writes a warp's sums of a tile: ROWS_EACH rows from `row` on, and 16 columns for each ROWS_EACH /
 * 2 of SUMS_EACH sums. Columns of 32 rows that are not finite are computed again. */
static inline __attribute__((always_inline)) void
write_tile(__global element *c, const long ldc, const float *total, const struct operand a,
           const struct operand b, const int row, const int column, const int m, const int n,
           const int depth, const float alpha, const float beta) {
    ulong again[2] = {0, 0}; /* 16 bits for each 16 sums */
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e += SUMS_WRITTEN) {
        uint columns = not_finite(total + e);
        if (!warp_agrees(columns == 0))
            columns = warp_union(columns);
        write_sums(c, ldc, total + e, row + e % (ROWS_EACH / 2) * 2,
                   column + e / (ROWS_EACH / 2) * 16, columns, m, n, alpha, beta);
        again[e / 64] |= (ulong)columns << e % 64;
    }
#pragma unroll 1
    for (int e = 0; (again[0] | again[1]) != 0; e += SUMS_WRITTEN) {
        compute_again(c, ldc, a, b, row + e % (ROWS_EACH / 2) * 2,
                      column + e / (ROWS_EACH / 2) * 16, (uint)again[0] & 0xffff, m, n, depth,
                      alpha, beta);
        again[0] = again[0] >> 16 | again[1] << 48;
        again[1] >>= 16;
    }
}
