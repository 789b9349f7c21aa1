/* SPDX-License-Identifier: Apache-2.0
 * How clg_tensor and clg_tensor_mma write C. The build puts this text in place of the #include. */

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

/* Writes 32 rows and 16 columns of C; if all are within C, elements are not checked one by one. */
static void write_sums(__global element *c, const long ldc, const float *sums, const int row,
                       const int column, const int m, const int n, const float alpha,
                       const float beta) {
    const int lane = here((int)get_local_id(0)) % 32;
    const int own_row = row + 8 * (lane / 4 % 4) + lane % 4 * 2;
    const int own_column = column + lane / 16 * 4;
    float2 own[8];
    exchange_sums(own, sums, lane);
    __global element *to = c + own_row + own_column * ldc;
    if (row + ROWS_WRITTEN <= m && column + COLUMNS_WRITTEN <= n) {
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
        if (own_column + j < n && own_row < m)
            STORE(at, 0, beta != 0 ? alpha * own[i].x + beta * LOAD(at, 0) : alpha * own[i].x);
        if (own_column + j < n && own_row + 1 < m)
            STORE(at, 1, beta != 0 ? alpha * own[i].y + beta * LOAD(at, 1) : alpha * own[i].y);
    }
}
