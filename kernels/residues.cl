/* SPDX-License-Identifier: Apache-2.0
 * Multiplies the residues of A and B for each modulus on Hopper's INT8 tensor cores, and reduces
 * the sums to residues again (residues.h).
 *
 * One work-group of three teams of 128 stays on each compute unit, as in clg_tensor, and computes
 * one tile of one modulus after the other. The first work-item of the last team copies stages of
 * both operands into a ring in local memory; the other two teams multiply half of the columns of C
 * each. (For the instructions, the columns of C are the rows of the left matrix.)
 *
 * Residues of C: [modulus][tile][block of 64 columns][32 rows][work-item of a team][16 bytes], in
 * the order of the sums. A byte is the residue plus 128.
 *
 * CERTIFICATE: multiplies magnitudes instead, and certifies the slab or leaves all of it to
 * clg_multistage. */
#include "ptx.h"
#include "residues.h"
#include "residues_table.h"

#ifndef TILE_M
#define TILE_M 192
#define TILE_N 256
#define STAGES 3
#define BAND_M 8
#endif
#ifndef LONG_K
#define LONG_K 0 /* 1: k is 2^17 or more, so that sums could overflow */
#endif

#ifndef CERTIFICATE
#define CERTIFICATE 0
#endif
#define PLANES (CERTIFICATE ? 1 : MODULI * PARTS)
#include "residues_sums.h"

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define PART_TYPE S8
#define PRODUCT_N TILE_M
#include "tensor_ptx.h"
#include "tile_order.h"

#define TEAM 128
#define TEAMS 2
#define BLOCKS (TILE_N / (64 * TEAMS)) /* of 64 columns, that a team computes: 1 or 2 */
#define SUMS_EACH (TILE_M / 2)         /* sums of a work-item in each */
#define STAGE_A (TILE_M * ROW_BYTES)
#define STAGE_B (TILE_N * ROW_BYTES)
#define PIECE 512 /* stages after which the sums of a long k are reduced */

#if !CERTIFICATE
static inline __attribute__((always_inline)) void
write_residues(const int *sum, const int4 fold, __global uint4 *to) {
#pragma unroll
    for (int i = 0; i < SUMS_EACH / 16; i++)
        to[i * TEAM] = (uint4)(four_residues(sum + 16 * i, fold), four_residues(sum + 16 * i + 4, fold),
                               four_residues(sum + 16 * i + 8, fold),
                               four_residues(sum + 16 * i + 12, fold));
}

#if LONG_K
static inline __attribute__((always_inline)) void reduce_sums(int *sum, const int4 fold) {
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        sum[e] = (int)(residue_of(sum[e], fold) & 255) - 128;
}
#endif
#endif

#if CERTIFICATE
/* Whether sums of magnitudes certify a block of elements of C, 64 columns of the slab from `column`
 * on. */
static inline __attribute__((always_inline)) bool
certifies(const int *sum, const __global int *scales, const int m, const int n, const int k,
          const int first, const int stored, const int row0, const int column) {
    const int item = (int)get_local_id(0) % TEAM;
    const int j = column + item / 32 * 16 + item % 32 / 4, i0 = row0 + item % 4 * 2;
    const __global float2 *of_rows = BOUNDS_A(scales, m, n) + i0;
    const __global float2 *of_columns = BOUNDS_B(scales, m, n) + first + j;
    const float2 both[] = {j < stored ? of_columns[0] : (float2)(0),
                           j + 8 < stored ? of_columns[8] : (float2)(0)};
    bool all = true;
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++) {
        const int i = e / 4 * 8 + e % 2;
        const float2 b = both[e / 2 % 2], a = i0 + i < m ? of_rows[i] : (float2)(0);
        all = all && is_certified(a, b, sum[e], k);
    }
    return all;
}
#endif

/* What becomes of a block of sums: 64 columns of C, number `block` of the tile. */
static inline __attribute__((always_inline)) void
finish(const int *sum, __global int *scales, __global uchar *residues, const int m, const int n,
       const int k, const int first, const int stored, const int unit, const int tiles,
       const int2 corner, const int block) {
#if CERTIFICATE
    if (!certifies(sum, scales, m, n, k, first, stored, corner.x, corner.y + block * 64))
        leave_slab(scales, m, n, first);
#else
    __global uint4 *to = (__global uint4 *)residues +
                         ((long)unit * (TILE_N / 64) + block) * (64 * TILE_M / 16) +
                         get_local_id(0) % TEAM;
    write_residues(sum, folds[unit / tiles / PARTS], to);
#endif
}

__kernel __attribute__((reqd_work_group_size(3 * TEAM, 1, 1))) void
clg_residues(const int m, const int n, const int k, const int first, const int columns,
             const int stored, const __global uchar *restrict a_packed,
             const __global uchar *restrict b_packed, __global int *restrict scales,
             __global uchar *restrict residues) {
    __local uchar memory[STAGES * (STAGE_A + STAGE_B) + 16 * STAGES] __attribute__((aligned(1024)));
    const uint at_a = (uint)(size_t)memory, at_b = at_a + STAGES * STAGE_A;
    const uint full = at_b + STAGES * STAGE_B, empty = full + 8 * STAGES;
    const int id = (int)get_local_id(0), team = id / TEAM;
    const int tiles_m = (m / PARTS + TILE_M - 1) / TILE_M;
    const int tiles_n = (columns / PARTS + TILE_N - 1) / TILE_N;
    const int tiles = tiles_m * tiles_n, step = (int)get_num_groups(0);
    const int stages = (k + STAGE_K - 1) / STAGE_K, rest = REST(scales, m, n);
    if (!CERTIFICATE && FAILED(scales, m, n) == first)
        return;
    struct ring ring = {0, 0};
    if (id == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, TEAMS * TEAM / 32);
        }
        barriers_ready();
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (team == TEAMS) {
        REGISTERS_FEWER(24);
        if (id > TEAMS * TEAM)
            return;
        for (int unit = (int)get_group_id(0); unit < PLANES * tiles; unit += step) {
            const int plane = CERTIFICATE ? MODULI : unit / tiles;
            const int2 corner = tile_corner(unit % tiles, tiles_m, tiles_n);
            if (rest != NOTHING && is_left_out(scales, m, n, first, corner, TILE_M, TILE_N))
                continue;
            const __global uchar *a =
                a_packed + ((long)plane * tiles_m + corner.x / TILE_M) * stages * STAGE_A;
            const __global uchar *b =
                b_packed + ((long)plane * tiles_n + corner.y / TILE_N) * stages * STAGE_B;
            for (int s = 0; s < stages; s++, a += STAGE_A, b += STAGE_B) {
                barrier_wait(empty + 8 * ring.place, ring.parity ^ 1);
                barrier_expect(full + 8 * ring.place, STAGE_A + STAGE_B);
                copy_bulk(at_a + ring.place * STAGE_A, a, STAGE_A, full + 8 * ring.place);
                copy_bulk(at_b + ring.place * STAGE_B, b, STAGE_B, full + 8 * ring.place);
                advance(&ring);
            }
        }
        return;
    }

    REGISTERS_MORE(240);
    const bool frees = id % 32 == 0;
    int sum0[SUMS_EACH];
#if BLOCKS == 2
    int sum1[SUMS_EACH];
#endif
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++) {
        sum0[e] = 0;
#if BLOCKS == 2
        sum1[e] = 0;
#endif
    }
    for (int unit = (int)get_group_id(0); unit < PLANES * tiles; unit += step) {
        const int2 corner = tile_corner(unit % tiles, tiles_m, tiles_n);
        if (rest != NOTHING && is_left_out(scales, m, n, first, corner, TILE_M, TILE_N))
            continue;
        uint before = 0; /* the stage to free next */
        for (int s = 0; s < stages; s++) {
            const uint left = at_b + ring.place * STAGE_B + team * (BLOCKS * 64 * ROW_BYTES);
            const uint right = at_a + ring.place * STAGE_A;
#if LONG_K
            if (s > 0 && s % PIECE == 0) {
                products_wait(sum0);
                reduce_sums(sum0, folds[unit / tiles / PARTS]);
#if BLOCKS == 2
                products_wait(sum1);
                reduce_sums(sum1, folds[unit / tiles / PARTS]);
#endif
            }
#endif
            barrier_wait(full + 8 * ring.place, ring.parity);
            products_begin();
#pragma unroll
            for (int i = 0; i < ROW_BYTES / 32; i++) {
                const uint continues = i > 0 ? 1u : (uint)s;
                multiply(sum0, matrix_at(left + 32 * i), matrix_at(right + 32 * i), continues);
#if BLOCKS == 2
                multiply(sum1, matrix_at(left + 64 * ROW_BYTES + 32 * i),
                         matrix_at(right + 32 * i), continues);
#endif
            }
            products_commit();
            if (s > 0) {
                products_wait_but_last();
                if (frees)
                    barrier_arrive(before);
            }
            before = empty + 8 * ring.place;
            advance(&ring);
        }
        products_wait(sum0);
#if BLOCKS == 2
        products_wait(sum1);
#endif
        if (frees)
            barrier_arrive(before);
        finish(sum0, scales, residues, m, n, k, first, stored, unit, tiles, corner, team * BLOCKS);
#if BLOCKS == 2
        finish(sum1, scales, residues, m, n, k, first, stored, unit, tiles, corner,
               team * BLOCKS + 1);
#endif
    }
}
