/* SPDX-License-Identifier: Apache-2.0
 * Splits floats into parts (tensor_parts.h), in pairs. NVIDIA's devices have instructions that
 * round pairs; they are used because instructions bound packing (docs/kernels.md). Elsewhere it is
 * plain C. The build puts this text in place of the #include.
 *
 * FP16x3 (two parts, three products): x = 2^s (h + l + e). h is the FP16 number nearest to x / 2^s,
 * l is the one nearest to the rest, and |e| is at most 2^-22 |x / 2^s| or half of the least FP16
 * number. BF16x6 (three parts, six products): three BF16 numbers, which hold a float's 24 bits. The
 * splitting is that of Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores"
 * (2022), and of Henry, Tang and Heinecke, "Leveraging the bfloat16 AI datatype" (2019). Each row
 * has a scale, a power of two, for each block of k. */

#ifdef SCALE_TO
/* The power of two by which the largest magnitude is divided to be in [2^SCALE_TO, twice that), or
 * less if that power is not a normal number; and its inverse. */
static inline float scale_of(const float largest) {
    const int exponent = (int)(as_uint(largest) >> 23) - SCALE_TO;
    return as_float((uint)max(exponent, 1) << 23);
}
static inline float inverse_of(const float scale) {
    return as_float((254u << 23) - as_uint(scale));
}
#endif

/* x / scale, or NaN if the parts cannot represent it. */
static inline float scaled_down(const float x, const float inverse) {
    const float y = x * inverse;
#ifdef LEAST
    return x != 0 && fabs(y) < LEAST ? NAN : y;
#else
    return y;
#endif
}

#if PART_TYPE == TF32
/* Rounds to 10 bits after the point, ties to even; the tensor cores ignore the others. */
static inline uint rounded(const float x) {
    const uint bits = as_uint(x);
    const uint nearest = bits + 0xfff + (bits >> 13 & 1);
    return (isnan(x) ? bits | 0x400000 : nearest) & 0xffffe000;
}

#elif PART_TYPE == F16
/* Two numbers rounded to parts, the first in the lower half of the word; and the values of these
 * parts. (vload_half and vstore_half would put private variables into memory on NVIDIA devices.) */
static inline uint rounded_pair(const float2 x) {
    uint word;
#if HAS_PTX
    PTX("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x.y), "f"(x.x));
#else
    vstore_half2_rte(x, 0, (half *)&word);
#endif
    return word;
}
static inline float2 values_of(const uint word) {
#if HAS_PTX
    float2 x;
    PTX("{ .reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, "
        "high; }"
        : "=f"(x.x), "=f"(x.y)
        : "r"(word));
    return x;
#else
    return vload_half2(0, (const half *)&word);
#endif
}

#else
static inline uint rounded_pair(const float2 x) {
#if HAS_PTX
    uint word;
    PTX("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(x.y), "f"(x.x));
    return word;
#else
    const uint2 bits = as_uint2(x);
    const uint2 nearest = bits + 0x7fff + (bits >> 16 & 1);
    return (isnan(x.x) ? bits.x | 0x400000 : nearest.x) >> 16 |
           ((isnan(x.y) ? bits.y | 0x400000 : nearest.y) & 0xffff0000u);
#endif
}
static inline float2 values_of(const uint word) {
    return (float2)(as_float(word << 16), as_float(word & 0xffff0000u));
}
#endif

#if PART_TYPE != TF32
/* The next parts of two numbers, which are subtracted from them exactly; Inf leaves NaN. */
static inline uint take_parts(float2 *rest) {
    const uint word = rounded_pair(*rest);
    *rest -= values_of(word);
    return word;
}
#endif
