/* SPDX-License-Identifier: Apache-2.0
 * What becomes of sums of products of residues, and of magnitudes: for kernels that multiply them
 * (residues.h). The build puts this text in place of the #include. */

#if CERTIFICATE
/* Whether a sum of magnitudes certifies an element of C, by the bounds of its row and column.
 *
 * Rounding scaled elements to integers changes an element of C by at most (2^-s |b|_1 + 2^-t |a|_1)
 * / 2 and a little, where s and t are the exponents of its row and column. That must be within
 * (k - 1) u of its |A||B|, which is at least 2^-14 of the sum of magnitudes, all relative to the
 * peaks. The bounds have the halves of 2^-s and 2^-t, and the norms; a thousandth covers the
 * roundings here. */
static inline bool is_certified(const float2 of_row, const float2 of_column, const int sum, const int k) {
    return 1.001f * fma(of_row.x, of_column.y, of_column.x * of_row.y) <=
           (float)(k - 1) * 0x1p-67f * (float)sum;
}

static inline void leave_slab(__global int *scales, const int m, const int n, const int first) {
    REST(scales, m, n) = SOME_TILES;
    FAILED(scales, m, n) = first;
}
#else
static __constant int4 folds[] = {FOLDS};

/* more plus the bytes of a word times their weights, which are signed bytes. */
static inline int weighted(const uint word, const int weights, const int more) {
#if HAS_PTX
    int sum = 0;
    PTX("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(weights), "r"(more));
    return sum;
#else
    return more + (int)(word & 255) * (weights << 24 >> 24) + (int)(word >> 8 & 255) * (weights << 16 >> 24) +
           (int)(word >> 16 & 255) * (weights << 8 >> 24) + (int)(word >> 24) * (weights >> 24);
#endif
}

/* A number below 2^22, of which 1.5 * 2^23 + 128 makes the bits `sum` of a float: modulo p, from -128
 * to 127, plus 128, in the lowest byte. One multiply-add rounds its quotient by p to a whole number. */
static inline uint reduced(const int sum, const int4 fold) {
    const float number = as_float(sum) - (0x1.8p23f + 128);
#if HAS_PTX
    float quotient = 0;
    PTX("fma.rn.f32 %0, %1, %2, 0f4B400000;" : "=f"(quotient) : "f"(number), "f"(as_float(fold.w)));
#else
    const float quotient = fma(number, as_float(fold.w), 0x1.8p23f);
#endif
    return (uint)(sum - as_int(quotient) * fold.x);
}

/* s modulo p: its bytes times their weights are congruent to it. */
static inline uint residue_of(const int s, const int4 fold) {
    return reduced(weighted((uint)s ^ 0x80000000U, fold.y, fold.z), fold);
}

static inline uint four_residues(const int *sum, const int4 fold) {
    return bytes_of(residue_of(sum[0], fold), residue_of(sum[1], fold), residue_of(sum[2], fold),
                    residue_of(sum[3], fold));
}
#endif

/* Whether all rows or all columns of a slab's tile are left out: then another family computes it. */
static inline bool is_left_out(const __global int *scales, const int m, const int n, const int first,
                               const int2 corner, const int tile_m, const int tile_n) {
    const __global uint *of_a = (const __global uint *)(UNITS_A(scales, m, n) + corner.x * PARTS / UNIT);
    const __global uint *of_b =
        (const __global uint *)(UNITS_B(scales, m, n) + (first + corner.y * PARTS) / UNIT);
    uint a = 0x01010101, b = 0x01010101;
    for (int i = 0; i < tile_m * PARTS / (4 * UNIT); i++)
        a &= of_a[i];
    for (int i = 0; i < tile_n * PARTS / (4 * UNIT); i++)
        b &= of_b[i];
    return a == 0x01010101 || b == 0x01010101;
}
