/* SPDX-License-Identifier: Apache-2.0
 * Multiplies the residues of A and B for each modulus by dot products of four bytes, or with MMA on
 * the INT8 tensor cores of NVIDIA's GPUs from 8.0 on, and reduces the sums to residues again
 * (residues.h).
 *
 *     group: one tile of one modulus      TILE_M x TILE_N sums in the registers of WG_M x WG_N
 *                                         work-items, as in clg_tiled
 *     step:  TILE_K bytes of k            a word is four of them; while those of one step are
 *                                         multiplied, the next ones are on their way to registers,
 *                                         and from there to the other half of local memory
 *
 * Residues of C: [modulus][tile][column][row]. A byte is the residue plus 128. CERTIFICATE: multiplies
 * magnitudes instead, and certifies the slab or leaves all of it to clg_tiled. */
#define BY_WORDS 1
#include "ptx.h"
#include "residues.h"
#include "residues_table.h"

#ifndef TILE_M
#define TILE_M 128
#define TILE_N 128
#define TILE_K 32
#define WG_M 16
#define WG_N 16
#define BAND_M 8
#endif
#ifndef MMA
#define MMA 0
#elif !HAS_PTX
#undef MMA /* the device is not what it says it is: what follows is right without */
#define MMA 0
#endif
#ifndef LONG_K
#define LONG_K 0 /* 1: k is 2^17 or more, so that sums could overflow */
#endif
#ifndef CERTIFICATE
#define CERTIFICATE 0
#endif

#include "residues_sums.h"
#include "tile_order.h"

#ifdef cl_khr_integer_dot_product
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#endif

/* AMD's instructions, of chips as clang's target features have them. */
#if defined(__GFX11__) || defined(__GFX12__)
#define V_DOT4_IU8 1
#elif defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx1011__) ||  \
    defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||                       \
    defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) ||                       \
    defined(__gfx1035__) || defined(__gfx1036__)
#define V_DOT4_I8 1
#endif
#if HAS_PTX || V_DOT4_I8 || V_DOT4_IU8 || defined(cl_khr_integer_dot_product)
#define UNROLL (TILE_K / 4)
#else
#define UNROLL 1 /* unpacked bytes are much code, for which compilers take minutes */
#endif

#define GROUP (WG_M * WG_N)
#define REG_M (TILE_M / WG_M)
#define REG_N (TILE_N / WG_N)
#define STEPS_OF_STAGE (ROW_BYTES / TILE_K)
#define SHARE_A (TILE_M * TILE_K / 16 / GROUP) /* vectors of a step that a work-item copies */
#define SHARE_B (TILE_N * TILE_K / 16 / GROUP)
#define PIECE (512 * STEPS_OF_STAGE) /* steps after which the sums of a long k are reduced */

/* The rows and columns of a work-item's sums, relative to its first ones: by fours, all WG_M or WG_N
 * apart. A warp's instructions add 16 x 8 sums, with columns of C as the rows of the left matrix.
 * Which ones is free, so they are such that a work-item loads fragments by vectors, and stores
 * neighbouring bytes: a block of 32 rows and columns has eight rows by four columns of it. */
#if MMA
#define ROW_OF(i) ((i) / 8 * 32 + (i) % 8)
#define COLUMN_OF(j) ((j) / 4 * 32 + (j) % 4)
#define ROW0(id) ((id) / 32 % (WG_M / 4) * (4 * REG_M) + (id) % 4 * 8)
#define COLUMN0(id) ((id) / 32 / (WG_M / 4) * (8 * REG_N) + (id) % 32 / 4 * 4)
#define PADDING 2 /* vectors; so the words of the four work-items of a row are in different banks */
#else
#define ROW_OF(i) ((i) / 4 * (4 * WG_M) + (i) % 4)
#define COLUMN_OF(j) ((j) / 4 * (4 * WG_N) + (j) % 4)
#define ROW0(id) ((id) % WG_M * 4)
#define COLUMN0(id) ((id) / WG_M * 4)
#define PADDING 0
#endif
#define PITCH_A (TILE_M / 4 + PADDING) /* of a step's words of all rows, in vectors */
#define PITCH_B (TILE_N / 4 + PADDING)

/* sum plus four products of signed bytes. */
static inline int dot(const uint a, const uint b, const int sum) {
#if HAS_PTX
    int more = 0;
    PTX("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(more) : "r"(a), "r"(b), "r"(sum));
    return more;
#elif V_DOT4_I8
    return __builtin_amdgcn_sdot4((int)a, (int)b, sum, false);
#elif V_DOT4_IU8
    return __builtin_amdgcn_sudot4(true, (int)a, true, (int)b, sum, false);
#elif defined(cl_khr_integer_dot_product)
    return sum + dot_4x8packed_ss_int(a, b);
#else
    const char4 x = as_char4(a), y = as_char4(b);
    return sum + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
#endif
}

/* A step's words of an operand, as many in a row as work-items: to registers, and to local memory. */
static inline void load_words(uint4 *share, const __global uint4 *from, const int vectors) {
#pragma unroll
    for (int i = 0; i < vectors; i++)
        share[i] = from[i * GROUP];
}

static inline void store_words(__local uint4 *to, const uint4 *share, const int vectors,
                               const int in_row, const int id) {
#pragma unroll
    for (int i = 0; i < vectors; i++) {
        const int at = i * GROUP + id;
        to[at + at / in_row * PADDING] = share[i];
    }
}

static inline void load_fragment(uint *fragment, const __local uint4 *from, const int quads, const int apart) {
#pragma unroll
    for (int q = 0; q < quads; q++) {
        const uint4 four = from[q * apart];
        fragment[4 * q] = four.x;
        fragment[4 * q + 1] = four.y;
        fragment[4 * q + 2] = four.z;
        fragment[4 * q + 3] = four.w;
    }
}

#if MMA
/* Adds the products of eight words of each row to the sums, of which a warp's work-items have 16 x 8
 * in registers: four, a pair of rows in two columns. */
static inline void multiply_warp(int sum[REG_N][REG_M], const __local uint4 *a, const __local uint4 *b) {
    uint of_a[2][REG_M / 2], of_b[2][REG_N];
#pragma unroll
    for (int half_k = 0; half_k < 2; half_k++) {
        load_fragment(of_a[half_k], a + half_k * 4 * PITCH_A, REG_M / 8, 8);
        load_fragment(of_b[half_k], b + half_k * 4 * PITCH_B, REG_N / 4, 8);
    }
#pragma unroll
    for (int j = 0; j < REG_N; j += 2)
#pragma unroll
        for (int x = 0; x < REG_M / 2; x++) {
            const int i = x / 4 * 8 + x % 4;
            PTX("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                "{%8, %9}, {%0, %1, %2, %3};"
                : "+r"(sum[j][i]), "+r"(sum[j][i + 4]), "+r"(sum[j + 1][i]), "+r"(sum[j + 1][i + 4])
                : "r"(of_b[0][j]), "r"(of_b[0][j + 1]), "r"(of_b[1][j]), "r"(of_b[1][j + 1]),
                  "r"(of_a[0][x]), "r"(of_a[1][x]));
        }
}
#endif

/* Adds the products of a step to the sums. */
static inline void multiply_step(int sum[REG_N][REG_M], const __local uint4 *a, const __local uint4 *b,
                                 const int id) {
#if MMA
    a += id % 4 * PITCH_A + (ROW0(id) & ~31) / 4 + id % 32 / 4;
    b += id % 4 * PITCH_B + COLUMN0(id) / 4;
#pragma unroll
    for (int word = 0; word < TILE_K / 4; word += 8)
        multiply_warp(sum, a + word * PITCH_A, b + word * PITCH_B);
#else
#pragma unroll UNROLL
    for (int word = 0; word < TILE_K / 4; word++) {
        uint of_a[REG_M], of_b[REG_N];
        load_fragment(of_a, a + word * PITCH_A + ROW0(id) / 4, REG_M / 4, WG_M);
        load_fragment(of_b, b + word * PITCH_B + COLUMN0(id) / 4, REG_N / 4, WG_N);
#pragma unroll
        for (int j = 0; j < REG_N; j++)
#pragma unroll
            for (int i = 0; i < REG_M; i++)
                sum[j][i] = dot(of_a[i], of_b[j], sum[j][i]);
    }
#endif
}

#if CERTIFICATE
/* Whether all sums of the work-item certify their elements; its first row and column are given. */
static bool certifies(int sum[REG_N][REG_M], const __global int *scales, const int m, const int n,
                      const int k, const int first, const int stored, const int row0,
                      const int column0) {
    bool all = true;
    for (int j = 0; j < REG_N; j++)
        for (int i = 0; i < REG_M; i++) {
            const int row = row0 + ROW_OF(i), column = column0 + COLUMN_OF(j);
            all = all && (row >= m || column >= stored ||
                          is_certified(BOUNDS_A(scales, m, n)[row],
                                       BOUNDS_B(scales, m, n)[first + column], sum[j][i], k));
        }
    return all;
}
#else
/* To the work-item's first four bytes of the tile. */
static void write_residues(int sum[REG_N][REG_M], const int4 fold, __global uint *to) {
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i += 4)
            to[COLUMN_OF(j) * (TILE_M / 4) + ROW_OF(i) / 4] = four_residues(sum[j] + i, fold);
}

#if LONG_K
static void reduce_sums(int sum[REG_N][REG_M], const int4 fold) {
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            sum[j][i] = (int)(residue_of(sum[j][i], fold) & 255) - 128;
}
#endif
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_residues_dot(const int m, const int n, const int k, const int first, const int columns,
                 const int stored, const __global uchar *restrict a_packed,
                 const __global uchar *restrict b_packed, __global int *restrict scales,
                 __global uchar *restrict residues) {
    __local uint4 tile_a[2][TILE_K / 4 * PITCH_A], tile_b[2][TILE_K / 4 * PITCH_B];
    const int tiles_m = (m / PARTS + TILE_M - 1) / TILE_M;
    const int tiles_n = (columns / PARTS + TILE_N - 1) / TILE_N;
    const int tiles = tiles_m * tiles_n, unit = (int)get_group_id(0);
    const int plane = CERTIFICATE ? MODULI : unit / tiles, tile = unit % tiles;
    const int2 corner = tile_corner(tile, tiles_m, tiles_n);
    if ((!CERTIFICATE && FAILED(scales, m, n) == first) ||
        (REST(scales, m, n) != NOTHING &&
         is_left_out(scales, m, n, first, corner, TILE_M, TILE_N)))
        return;
    const int id = (int)get_local_id(0);
    const int steps = (k + STAGE_K - 1) / STAGE_K * STEPS_OF_STAGE;
    const __global uint4 *a = (const __global uint4 *)a_packed + id +
                              ((long)plane * tiles_m + corner.x / TILE_M) * steps * (TILE_M * TILE_K / 16);
    const __global uint4 *b = (const __global uint4 *)b_packed + id +
                              ((long)plane * tiles_n + corner.y / TILE_N) * steps * (TILE_N * TILE_K / 16);
    uint4 share_a[SHARE_A], share_b[SHARE_B];
    int sum[REG_N][REG_M];
#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            sum[j][i] = 0;

    load_words(share_a, a, SHARE_A);
    load_words(share_b, b, SHARE_B);
    for (int step = 0; step < steps; step++) {
        __local uint4 *now_a = tile_a[step % 2], *now_b = tile_b[step % 2];
        store_words(now_a, share_a, SHARE_A, TILE_M / 4, id);
        store_words(now_b, share_b, SHARE_B, TILE_N / 4, id);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + 1 < steps) {
            a += TILE_M * TILE_K / 16;
            b += TILE_N * TILE_K / 16;
            load_words(share_a, a, SHARE_A);
            load_words(share_b, b, SHARE_B);
        }
#if LONG_K
        if (step > 0 && step % PIECE == 0)
            reduce_sums(sum, folds[plane / PARTS]);
#endif
        multiply_step(sum, now_a, now_b, id);
    }

#if CERTIFICATE
    if (!certifies(sum, scales, m, n, k, first, stored, corner.x + ROW0(id), corner.y + COLUMN0(id)))
        leave_slab(scales, m, n, first);
#else
    write_residues(sum, folds[plane / PARTS],
                   (__global uint *)residues + (long)unit * (TILE_M * TILE_N / 4) +
                       COLUMN0(id) * (TILE_M / 4) + ROW0(id) / 4);
#endif
}
