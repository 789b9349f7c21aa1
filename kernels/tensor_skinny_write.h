/* SPDX-License-Identifier: Apache-2.0
 * How clg_tensor_skinny writes C, and computes again what the tensor cores could not. The build
 * puts this text in place of the #include. */

/* The caller's operand: element (outer, k) of op(). */
struct operand {
    const __global float *x;
    long along_outer, along_k;
};

static float element_of(const struct operand *operand, const int outer, const int outers, const int k) {
    return outer < outers ? operand->x[outer * operand->along_outer + k * operand->along_k] : 0;
}

/* C, with the distances between elements along the rows of the wide and of the narrow operand. */
struct result {
    __global float *c;
    long along_wide, along_narrow;
};

/* Sums that are written or computed again at a time, to limit registers. */
enum { SUMS_WRITTEN = 16 };

static void write_sums(const struct result to, const float *sums, const int row, const int column,
                       const int rows, const int columns, const float alpha, const float beta) {
#pragma unroll
    for (int e = 0; e < SUMS_WRITTEN; e++) {
        const int i = row + e / 2 % 2 * 8, j = column + e / 4 * 8 + e % 2;
        if (i < rows && j < columns) {
            __global float *at = to.c + i * to.along_wide + j * to.along_narrow;
            *at = beta != 0 ? alpha * sums[e] + beta * *at : alpha * sums[e];
        }
    }
}

static void compute_again(float *sums, const struct operand wide, const struct operand narrow,
                          const int row, const int column, const int rows, const int columns,
                          const int depth) {
#pragma unroll
    for (int e = 0; e < SUMS_WRITTEN; e++)
        sums[e] = 0;
    for (int k = 0; k < depth; k++) {
        const float first = element_of(&wide, row, rows, k);
        const float second = element_of(&wide, row + 8, rows, k);
#pragma unroll
        for (int e = 0; e < SUMS_WRITTEN; e += 4) {
            const float x = element_of(&narrow, column + e * 2, columns, k);
            const float y = element_of(&narrow, column + e * 2 + 1, columns, k);
            sums[e] = fma(first, x, sums[e]);
            sums[e + 1] = fma(first, y, sums[e + 1]);
            sums[e + 2] = fma(second, x, sums[e + 2]);
            sums[e + 3] = fma(second, y, sums[e + 3]);
        }
    }
}

static bool all_finite(const float *total) {
    float zero = 0;
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        zero = fma(total[e], 0.0f, zero);
    return zero == 0;
}

static void write_tile(const struct result to, float *total, const struct operand wide,
                       const struct operand narrow, const int row, const int column, const int rows,
                       const int columns, const int depth, const float alpha, const float beta) {
    const bool held = warp_agrees(all_finite(total));
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e += SUMS_WRITTEN) {
        if (!held)
            compute_again(total + e, wide, narrow, row, column + 2 * e, rows, columns, depth);
        write_sums(to, total + e, row, column + 2 * e, rows, columns, alpha, beta);
    }
}
