/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on doubles by 64-bit whole numbers, for devices without FP64: rounded to the nearest,
 * ties to even, with subnormal numbers, infinities and NaN, as IEEE 754 has it. A double is its bits.
 * The build puts this text in place of the #include. */
#define SOFT_SIGN 0x8000000000000000UL
#define SOFT_INF 0x7ff0000000000000UL
#define SOFT_NAN 0x7ff8000000000000UL
#define SOFT_ONE 0x3ff0000000000000UL
#define SOFT_DIGITS 0x000fffffffffffffUL

/* A number as digits, 53 of them unless it is 0, times 2 to the power of exponent. */
struct soft {
    ulong digits;
    int exponent;
};

static inline struct soft soft_of(const ulong x) {
    const int biased = (int)(x >> 52 & 2047);
    const ulong digits = x & SOFT_DIGITS;
    const int missing = (int)clz(digits) - 11; /* of a subnormal number */
    return biased        ? (struct soft){digits | (SOFT_DIGITS + 1), biased - 1075}
           : digits == 0 ? (struct soft){0, 0}
                         : (struct soft){digits << missing, -1074 - missing};
}

/* x, of 128 bits, without its lowest `by`; the lowest bit left says whether any of them was 1. */
static inline ulong2 soft_without(const ulong2 x, const int by) {
    if (by == 0)
        return x;
    if (by >= 128)
        return (ulong2)(0, (x.x | x.y) != 0);
    if (by >= 64)
        return (ulong2)(0, (by == 64 ? x.x : x.x >> (by - 64)) |
                               ((by == 64 ? x.y : x.x << (128 - by) | x.y) != 0));
    return (ulong2)(x.x >> by, x.x << (64 - by) | x.y >> by | (x.y << (64 - by) != 0));
}

/* The sum of 128 bits, times 2 to the power of exponent, with a sign. */
static inline ulong soft_rounded(ulong2 sum, int exponent, const ulong sign) {
    const int zeros = sum.x ? (int)clz(sum.x) : 64 + (int)clz(sum.y);
    if (zeros >= 64)
        sum = (ulong2)(sum.y << (zeros - 64), 0);
    else if (zeros > 0)
        sum = (ulong2)(sum.x << zeros | sum.y >> (64 - zeros), sum.y << zeros);
    int biased = exponent - zeros + 127 + 1023;
    if (biased < 1) { /* subnormal */
        sum = soft_without(sum, min(1 - biased, 128));
        biased = 1;
    }
    const ulong rest = (sum.x & 2047) << 1 | (sum.y != 0), tie = 2048;
    const ulong bits = ((ulong)(biased - 1) << 52) + (sum.x >> 11);
    const ulong rounded = bits + (rest > tie || (rest == tie && (bits & 1)));
    return sign | (biased >= 2047 || rounded > SOFT_INF ? SOFT_INF : rounded);
}

static inline ulong soft_fma(const ulong a, const ulong b, const ulong c) {
    const ulong sign = (a ^ b) & SOFT_SIGN, size_a = a & ~SOFT_SIGN, size_b = b & ~SOFT_SIGN;
    const ulong size_c = c & ~SOFT_SIGN;
    if (size_a >= SOFT_INF || size_b >= SOFT_INF || size_c >= SOFT_INF) {
        const bool infinite = size_a == SOFT_INF || size_b == SOFT_INF;
        const bool none = size_a > SOFT_INF || size_b > SOFT_INF || size_c > SOFT_INF ||
                          (infinite && (size_a == 0 || size_b == 0)) ||
                          (infinite && size_c == SOFT_INF && sign != (c & SOFT_SIGN));
        return none ? SOFT_NAN : infinite ? sign | SOFT_INF : c;
    }
    if (size_a == 0 || size_b == 0)
        return size_c || sign == (c & SOFT_SIGN) ? c : 0;
    const struct soft x = soft_of(a), y = soft_of(b), z = soft_of(c);
    /* The highest bit of the product is 125 or 126, that of c 125, so a carry has room. */
    const ulong left = x.digits << 10, right = y.digits << 11;
    ulong2 product = (ulong2)(mul_hi(left, right), left * right), more = (ulong2)(z.digits << 9, 0);
    const int of_product = x.exponent + y.exponent - 21, of_more = z.exponent - 73;
    if (size_c == 0)
        return soft_rounded(product, of_product, sign);
    const int apart = of_product - of_more, exponent = max(of_product, of_more);
    product = soft_without(product, clamp(-apart, 0, 128));
    more = soft_without(more, clamp(apart, 0, 128));
    if (sign == (c & SOFT_SIGN))
        return soft_rounded((ulong2)(product.x + more.x + (product.y + more.y < more.y),
                                     product.y + more.y),
                            exponent, sign);
    const bool negative = product.x < more.x || (product.x == more.x && product.y < more.y);
    const ulong2 large = negative ? more : product, small = negative ? product : more;
    const ulong2 rest = (ulong2)(large.x - small.x - (large.y < small.y), large.y - small.y);
    return rest.x | rest.y ? soft_rounded(rest, exponent, negative ? c & SOFT_SIGN : sign) : 0;
}
