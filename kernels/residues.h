/* SPDX-License-Identifier: Apache-2.0
 * What the kernels of the family residues share (Ozaki, Uchino and Imamura, "Ozaki scheme II: a
 * GEMM-oriented emulation of floating-point matrix multiplication using an integer modular
 * technique", 2025). C = A B in doubles becomes MODULI products of bytes:
 *
 *   clg_residues_norms  finds for each row of A (column of B) the power of two that makes its
 *                       Euclidean norm at most sqrt(P / 2), P being the product of the moduli
 *   clg_residues_pack   multiplies by it, rounds to integers, and writes their residues: a byte for
 *                       each modulus, from -128 to 127
 *   clg_residues        multiplies residues on INT8 tensor cores, which is exact, and reduces the
 *                       sums to bytes again; clg_residues_dot does so by dot products of four bytes,
 *                       or on the tensor cores of other GPUs
 *   clg_residues_crt    puts them together by the Chinese remainder theorem: no sum of products
 *                       reaches P / 2, so it is the only number that has these remainders
 *
 * A row or column with an infinity or a NaN has no such power. Those tiles of C that it belongs to
 * are left to clg_multistage (clg_tiled), which computes them after the others. In mode accurate,
 * one more product, of magnitudes of seven bits, certifies first that each element's error is within
 * the mode's bound; if one may not be, all of C, or of the slab, is left to that kernel.
 *
 * Packed: [modulus; then magnitudes][tile][stage of k][row of the tile][ROW_BYTES], with chunks of 16
 * bytes swizzled as for PTX's descriptors of 128 bytes; zero past the matrix's ends. BY_WORDS, for
 * clg_residues_dot: a stage is [ROW_BYTES / 4][row of the tile][4 bytes].
 * Scales: an exponent for each row of A and column of B, then a byte for each UNIT of them that is
 * not 0 if some row of it is left out.
 *
 * Where residues of all of C would take too much memory, all but the norms, A's packing and what is
 * left out is repeated for slabs of `columns` columns, from `first` on. The first `stored` of them
 * are stored, the next slab has the others. Scales are always those of all columns.
 *
 * GAUSSIAN: matrices are the parts of complex ones, pairs of rows of A and of columns of B, and C has
 * all products of parts (CLG_FORM_PARTS in gemm/complex.h). With a root r of -1 modulo p, x + iy
 * becomes (x + ry, x - ry), whose products element by element are those of the complex product: two
 * for each modulus, where four products of parts would take twice as many. Rows of the packed
 * operands and tiles are pairs, scales and what is left out are those of real rows. The theorem
 * gives both parts of the product. They take the place of both parts of A times the first of B, and
 * the other products of parts are 0.
 * Kernels include ptx.h first. */
#define ROW_BYTES 128 /* of a row's stage: as many steps of k */
#define STAGE_K ROW_BYTES
#define UNIT 16
#define LEFT_OUT INT_MIN /* in place of an exponent */

#ifndef BY_WORDS
#define BY_WORDS 0
#endif
#ifndef GAUSSIAN
#define GAUSSIAN 0
#endif
#define PARTS (GAUSSIAN ? 2 : 1) /* rows of a row, and planes of a modulus */

/* Rows as they count for the scales' layout: whole tiles of any size, from any row on. */
#define PADDED(rows) (((rows) / 768 + 2) * 768)
#define EXPONENTS_A(scales, m, n) (scales)
#define EXPONENTS_B(scales, m, n) ((scales) + PADDED(m))
#define UNITS_A(scales, m, n) ((const __global uchar *)((scales) + PADDED(m) + PADDED(n)))
#define UNITS_B(scales, m, n) (UNITS_A(scales, m, n) + PADDED(m) / UNIT)

/* What is left out: a word that is set before clg_residues begins; and the first column of the
 * last slab whose certificate failed, or -1. */
enum rest { NOTHING, SOME_TILES };
#define REST(scales, m, n) ((scales)[PADDED(m) + PADDED(n) + (PADDED(m) + PADDED(n)) / (4 * UNIT)])
#define FAILED(scales, m, n) ((&REST(scales, m, n))[1])

/* CERTIFIED, for mode accurate: behind these, a row's largest exponent (a magnitude is
 * less than 2 to its power), and its bounds; see certifies() in residues.cl. */
#ifndef CERTIFIED
#define CERTIFIED 0
#endif
#define PEAKS_A(scales, m, n) (&REST(scales, m, n) + 2)
#define PEAKS_B(scales, m, n) (PEAKS_A(scales, m, n) + PADDED(m))
#define BOUNDS_A(scales, m, n) ((const __global float2 *)(PEAKS_B(scales, m, n) + PADDED(n)))
#define BOUNDS_B(scales, m, n) (BOUNDS_A(scales, m, n) + PADDED(m))

/* Whether some of `tile` of the rows, from `begin` on, is left out. */
static inline bool some_left_out(const __global uchar *units, const int begin, const int tile,
                                 const int rows) {
    uchar some = 0;
    for (int unit = begin / UNIT; unit <= (min(begin + tile, rows) - 1) / UNIT; unit++)
        some |= units[unit];
    return some;
}

/* The low bytes of four words. */
static inline uint bytes_of(const uint x, const uint y, const uint z, const uint w) {
#if HAS_PTX
    uint low = 0, high = 0;
    PTX("prmt.b32 %0, %1, %2, 0x0040;" : "=r"(low) : "r"(x), "r"(y));
    PTX("prmt.b32 %0, %1, %2, 0x0040;" : "=r"(high) : "r"(z), "r"(w));
    PTX("prmt.b32 %0, %0, %1, 0x5410;" : "+r"(low) : "r"(high));
    return low;
#else
    return (x & 255) | (y & 255) << 8 | (z & 255) << 16 | w << 24;
#endif
}
