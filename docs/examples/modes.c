/* SPDX-License-Identifier: Apache-2.0
 * Math modes: the largest error of each, in units of u |A||B|, checked against the mode's bound.
 *
 *     cc modes.c $(pkg-config --cflags --libs clgemm) -lm && ./a.out
 *
 * A mode permits other arithmetic than FP32's. On devices whose tensor cores the library does not
 * use, all modes compute in strict FP32. docs/accuracy.md has the bounds. */
#include <clgemm.h>
#include <math.h>
#include <stdio.h>

enum { N = 128, K = 256, BLOCK = 128 };

static const double u = 0x1p-24; /* the unit roundoff of FP32 */

static const struct {
    const char *name;
    clgemm_math math;
    double rounding; /* relative error of each operand before it is multiplied */
    double normwise; /* allowed in each BLOCK of k, times the largest of A's row and B's column */
} modes[] = {
    {"strict", CLGEMM_MATH_STRICT, 0, 0},           {"accurate", CLGEMM_MATH_ACCURATE, 0, 0},
    {"normwise", CLGEMM_MATH_NORMWISE, 0, 0x1p-31}, {"tf32", CLGEMM_MATH_TF32, 0x1p-11, 0},
    {"bf16", CLGEMM_MATH_BF16, 0x1p-8, 0},          {"f16", CLGEMM_MATH_F16, 0x1p-11, 0},
};

static float a[N * K], b[K * N], c[N * N];

/* Numbers in [-1, 1] that look random, from a linear congruential generator. */
static void fill(float *x, int count, unsigned seed) {
    for (int i = 0; i < count; i++) {
        seed = seed * 1664525U + 1013904223U;
        x[i] = (float)((int)(seed >> 16) % 4001 - 2000) / 2000.0F;
    }
}

/* The largest error of an element of C as a multiple of u |A||B|; negative if one is beyond what
 * the mode permits. */
static double largest_error(int mode) {
    const double r = modes[mode].rounding, blocks = (double)K / BLOCK;
    double largest = 0;
    int beyond = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0, sum_of_sizes = 0, row = 0, column = 0;
            for (int p = 0; p < K; p++) {
                const double x = a[p * N + i], y = b[j * K + p];
                sum += x * y;
                sum_of_sizes += fabs(x * y);
                row = fmax(row, fabs(x));
                column = fmax(column, fabs(y));
            }
            const double error = fabs(c[j * N + i] - sum);
            const double bound = ((K + 2) * u + 2 * r + r * r) * sum_of_sizes +
                                 modes[mode].normwise * blocks * row * column;
            beyond += !(error <= bound); /* also if it is NaN */
            largest = fmax(largest, error / (u * sum_of_sizes));
        }
    return beyond ? -1 : largest;
}

int main(void) {
    const float alpha = 1, beta = 0;
    clgemm_desc desc = {.size = sizeof desc,
                        .type = CLGEMM_F32,
                        .layout = CLGEMM_COL_MAJOR,
                        .ta = CLGEMM_NO_TRANS,
                        .tb = CLGEMM_NO_TRANS,
                        .m = N,
                        .n = N,
                        .k = K,
                        .lda = N,
                        .ldb = K,
                        .ldc = N};
    fill(a, N * K, 1);
    fill(b, K * N, 2);

    printf("modes:");
    for (int mode = 0; mode < (int)(sizeof modes / sizeof *modes); mode++) {
        /* For one call. clgemm_set_option() and CLGEMM_MATH set the mode of calls that name none.
         */
        desc.math = modes[mode].math;
        clgemm_status status = clgemm_gemm(NULL, &desc, &alpha, a, b, &beta, c);
        if (status != CLGEMM_SUCCESS) {
            fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
            return 1;
        }
        const double error = largest_error(mode);
        if (error < 0) {
            printf(" %s is beyond its bound\n", modes[mode].name);
            return 1;
        }
        printf(" %s %.1f", modes[mode].name, error);
    }
    printf(" (each within its bound)\n");
    return 0;
}
