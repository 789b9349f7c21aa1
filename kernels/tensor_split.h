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
 * has a scale, a power of four, for each block of k. */

#ifdef SCALE_TO
/* The larger one, or NaN if one is. */
static inline float largest_of(const float x, const float y) {
#if HAS_PTX
    float largest;
    PTX("max.NaN.f32 %0, %1, %2;" : "=f"(largest) : "f"(x), "f"(y));
    return largest;
#else
    return isnan(x) || isnan(y) ? NAN : fmax(x, y);
#endif
}

/* A row's largest magnitude, and the bits, less 1, of the least one that is not 0. */
struct range {
    float most;
#ifdef LEAST
    uint least;
#endif
};
static inline struct range no_range(void) {
    struct range range;
    range.most = 0;
#ifdef LEAST
    range.least = UINT_MAX;
#endif
    return range;
}
static inline struct range range_of_both(struct range range, const struct range other) {
    range.most = largest_of(range.most, other.most);
#ifdef LEAST
    range.least = min(range.least, other.least);
#endif
    return range;
}
static inline struct range range_with(struct range range, const float x) {
    range.most = largest_of(range.most, fabs(x));
#ifdef LEAST
    range.least = min(range.least, (as_uint(x) & 0x7fffffff) - 1);
#endif
    return range;
}

/* One divided by the scale. */
static inline float inverse_of(const float root) {
    return as_float((3 * 127u << 23) - 2 * as_uint(root));
}

/* The root of the scale by which the largest magnitude is divided. The quotient is between
 * 2^SCALE_TO and four times that, both less one part in 2^11, so that with 14 it rounds to an FP16
 * number; it is smaller where the inverse of the scale would not be a normal number. */
static inline float root_of(const struct range range) {
    enum { CARRY = 0x1fff }; /* from just below 2^16 on */
    const int exponent = (int)((as_uint(range.most) + CARRY) >> 23) - 127 - SCALE_TO;
    const float root = as_float((uint)((max(exponent, -126) >> 1) + 127) << 23);
    if (!(range.most < INFINITY))
        return range.most == INFINITY ? EXCEPTIONAL : NAN;
#ifdef LEAST
    if (range.least != UINT_MAX && as_float(range.least + 1) * inverse_of(root) < LEAST)
        return EXCEPTIONAL;
#endif
    return root;
}
#endif

/* Where floats become one part of their range, without a scale: finite ones must not be rounded to
 * an infinity. */
static inline float in_range(const float x) {
#if SPLIT == 1 && PART_TYPE != F16 && !NARROW
    const float most = PART_TYPE == TF32 ? 0x1.ffcp127f : 0x1.fep127f;
    return fabs(x) < INFINITY ? fmax(-most, fmin(x, most)) : x;
#else
    return x;
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
/* The next parts of two numbers, which are subtracted from them exactly. */
static inline uint take_parts(float2 *rest) {
    const uint word = rounded_pair(*rest);
    *rest -= values_of(word);
    return word;
}
#endif
