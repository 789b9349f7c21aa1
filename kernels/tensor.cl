/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C on Hopper's tensor cores, from operands that clg_tensor_pack
 * has packed (tensor_parts.h). docs/kernels.md has a picture.
 *
 * One work-group of three teams of 128 stays on each compute unit and takes tile after tile of C,
 * TILE_M x TILE_N. The first work-item of the last team, the producer, copies stages of both
 * operands into a ring in local memory; the other two teams multiply 64 columns of C each. With
 * PROMOTED sums they take turns, a block of k each: while one's products keep the tensor cores busy,
 * the other scales its last block's sums and adds them to its totals, in FP32. That is what makes
 * the results exact: the tensor cores cut off low bits each time they add.
 *
 * (In terms of the instructions, the columns of C are the rows of the left matrix, and the rows of C
 * the columns of the right one: so a work-item's sums are neighbours along m, where C is written.)
 *
 * What the packed parts cannot hold was made NaN, and what overflows on the way becomes Inf or NaN.
 * A warp whose totals are not all finite computes them again from A and B, in FP32 and one after the
 * other, as the strict kernels do: so Inf and NaN come out as they would there, and
 * nothing waits for a look at the data. */
#include "real.h"
#include "tensor_parts.h"

#ifndef TILE_M
#define TILE_M 192
#define TILE_N 128
#define STAGES 5
#define BAND_M 8
#endif
#ifndef STREAMED
#define STREAMED 1 /* 0: each tile is one group's */
#endif
#ifndef VEC_C
#define VEC_C 1 /* 2: rows of C, and its columns, lie on vectors of two */
#endif

#define PRODUCT_N TILE_M
#include "ptx.h"
#include "tensor_ptx.h"
#include "tile_order.h"

#define TEAM 128
#define SUMS_EACH (TILE_M / 2) /* of 64 x TILE_M, a work-item's */

/* Whether the teams that multiply need more registers than a third of the unit's. */
#define DIVIDES_REGISTERS (SUMS_EACH > (PROMOTED ? 64 : 96))

#define STAGE_A STAGE_BYTES(TILE_M)
#define STAGE_B STAGE_BYTES(TILE_N)
#define RING_BYTES (STAGES * (STAGE_A + STAGE_B))
#ifdef SCALE_TO
#define SCALES_KEPT 4 /* blocks whose scales are in local memory: STAGES <= 3 BLOCK */
#else
#define SCALES_KEPT 0
#endif
#define SCALES_BYTES ((TILE_M + TILE_N) * 4)
#if PROMOTED && STAGES < BLOCK
#error a turn takes BLOCK stages before the other team frees any: the ring must hold them
#endif

/* Where in local memory things are: shared addresses. */
struct layout {
    uint a, b, scales, full, empty;
};

static uint stage_of_a(const struct layout at, const int place) {
    return at.a + place * STAGE_A;
}
static uint stage_of_b(const struct layout at, const int place) {
    return at.b + place * STAGE_B;
}

/* A place in the ring, and how often it was passed (mod 2). */
struct ring {
    int place;
    uint parity;
};

static void advance(struct ring *ring) {
    if (++ring->place == STAGES) {
        ring->place = 0;
        ring->parity ^= 1;
    }
}

#include "tensor_schedule.h"
#include "tensor_write.h"

/* ---- The producer ---- */

/* Copies the stages of one unit of work. */
static void produce(const struct layout at, struct ring *ring, uint *block_count,
                    const struct work work, const __global uchar *a, const __global float *a_scales,
                    const long a_rows, const __global uchar *b, const __global float *b_scales,
                    const long b_rows) {
    for (int block = work.first; block < work.end; block++)
        for (int s = 0; s < BLOCK; s++) {
            const uint full = at.full + 8 * ring->place;
            const long stage = (long)block * BLOCK + s;
            const bool scaled = SCALES_KEPT && s == BLOCK - 1;
            barrier_wait(at.empty + 8 * ring->place, ring->parity ^ 1);
            barrier_expect(full, STAGE_A + STAGE_B + (scaled ? SCALES_BYTES : 0));
            copy_bulk(stage_of_a(at, ring->place), a + stage * STAGE_A, STAGE_A, full);
            copy_bulk(stage_of_b(at, ring->place), b + stage * STAGE_B, STAGE_B, full);
            if (scaled) {
                const uint to = at.scales + (*block_count)++ % 4 * SCALES_BYTES;
                copy_bulk(to, (const __global uchar *)(a_scales + block * a_rows), TILE_M * 4, full);
                copy_bulk(to + TILE_M * 4, (const __global uchar *)(b_scales + block * b_rows),
                          TILE_N * 4, full);
            }
            advance(ring);
        }
}

/* ---- The teams that multiply ---- */

/* Adds the products of part `p` of 64 columns and part `q` of the rows, a stage deep. */
static void multiply_parts(float *sum, const uint columns, const uint rows, const int p,
                           const int q, const uint continues) {
#pragma unroll
    for (int half_row = 0; half_row < 2; half_row++)
        multiply(sum, matrix_at(columns + p * TILE_N * ROW_BYTES + half_row * 32),
                 matrix_at(rows + q * TILE_M * ROW_BYTES + half_row * 32),
                 half_row > 0 ? 1 : continues);
}

/* Small products first: so fewer low bits are cut off where the sum is large. */
static void multiply_stage(float *sum, const uint columns, const uint rows, const uint continues) {
    products_begin();
#if SPLIT == 1
    multiply_parts(sum, columns, rows, 0, 0, continues);
    multiply_parts(sum, columns, rows, 1, 1, 1);
#elif SPLIT == 2
    multiply_parts(sum, columns, rows, 1, 0, continues);
    multiply_parts(sum, columns, rows, 0, 1, 1);
    multiply_parts(sum, columns, rows, 0, 0, 1);
#else
    multiply_parts(sum, columns, rows, 2, 0, continues);
    multiply_parts(sum, columns, rows, 0, 2, 1);
    multiply_parts(sum, columns, rows, 1, 1, 1);
    multiply_parts(sum, columns, rows, 1, 0, 1);
    multiply_parts(sum, columns, rows, 0, 1, 1);
    multiply_parts(sum, columns, rows, 0, 0, 1);
#endif
    products_commit();
}

/* Blocks of k, from the ring: waits for each stage, and frees it when the products of the next are
 * under way, the last when all are done. */
static void multiply_blocks(float *sum, const struct layout at, struct ring *ring, const int team,
                            const int blocks, const bool frees) {
    uint before = 0; /* what to free next */
    for (int block = 0; block < blocks; block++)
#pragma unroll
        for (int s = 0; s < BLOCK; s++) {
            barrier_wait(at.full + 8 * ring->place, ring->parity);
            multiply_stage(sum, stage_of_b(at, ring->place) + team * 64 * ROW_BYTES,
                           stage_of_a(at, ring->place), block > 0 || s > 0);
            products_wait_but_last();
            if (frees && before)
                barrier_arrive(before);
            before = at.empty + 8 * ring->place;
            advance(ring);
        }
    if (PROMOTED)
        turn_give(2 - team);
    products_wait(sum);
    if (frees)
        barrier_arrive(before);
}

#ifdef SCALE_TO
/* x times the scales of its row and column, the larger first: what is then lost below the least
 * float is lost for good. */
static float scale_back(const float x, const float row, const float column) {
    return x * fmax(row, column) * fmin(row, column);
}
#endif

#if PROMOTED
/* Adds a block's sums to the totals. A work-item has two columns of C, 8 apart, and of each two
 * neighbouring rows in every 8. */
static void promote(float *total, const float *sum, const __local float *scales, const int row,
                    const int column) {
#ifdef SCALE_TO
    const float left = scales[TILE_M + column], right = scales[TILE_M + column + 8];
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e += 4) {
        const float2 rows = vload2(0, scales + row + 2 * e);
        total[e] += scale_back(sum[e], rows.x, left);
        total[e + 1] += scale_back(sum[e + 1], rows.y, left);
        total[e + 2] += scale_back(sum[e + 2], rows.x, right);
        total[e + 3] += scale_back(sum[e + 3], rows.y, right);
    }
#else
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        total[e] += sum[e];
#endif
}
#endif

/* Of `products` products; their matrices and packed operands (bytes) lie strides apart. `state` is for
 * tiles of several groups; clg_tensor_pack has cleared its first STATE_BYTES. */
__kernel __attribute__((reqd_work_group_size(3 * TEAM, 1, 1))) void
clg_tensor(const int m, const int n, const int k, const float alpha, const float beta,
           const __global uchar *restrict a_packed, const long a_packed_stride,
           const __global uchar *restrict b_packed, const long b_packed_stride,
           const __global element *restrict a, const long a_offset, const long a_along_m,
           const long a_along_k, const long a_stride, const __global element *restrict b,
           const long b_offset, const long b_along_n, const long b_along_k, const long b_stride,
           __global element *c, const long c_offset, const long ldc, const long c_stride,
           const int products, __global uchar *state) {
    __local uchar memory[RING_BYTES + SCALES_KEPT * SCALES_BYTES + 16 * STAGES]
        __attribute__((aligned(1024)));
    __local int given[1];
    const int id = (int)get_local_id(0), team = id / TEAM, warp = id % TEAM / 32, lane = id % 32;
    struct layout at;
    at.a = (uint)(size_t)memory;
    at.b = at.a + STAGES * STAGE_A;
    at.scales = at.a + RING_BYTES;
    at.full = at.scales + SCALES_KEPT * SCALES_BYTES;
    at.empty = at.full + 8 * STAGES;
    if (id == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(at.full + 8 * s, 1);
            barrier_init(at.empty + 8 * s, 2 * TEAM / 32);
        }
        barriers_ready();
        given[0] = STREAMED ? atomic_inc((volatile __global int *)state) : (int)get_group_id(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int number = given[0];
    struct schedule schedule = schedule_of(number, m, n, k, products);
    struct work work;
    struct ring ring = {0, 0};
    uint block_count = 0;

    if (team == 2) {
#if DIVIDES_REGISTERS
        REGISTERS_FEWER(24);
#endif
        if (id == 2 * TEAM)
            while (next_work(&schedule, &work)) {
                const long stages = (long)schedule.blocks * BLOCK;
                const __global uchar *tiles_a = a_packed + work.product * a_packed_stride;
                const __global uchar *tiles_b = b_packed + work.product * b_packed_stride;
                produce(at, &ring, &block_count, work,
                        tiles_a + work.corner.x / TILE_M * stages * STAGE_A,
                        SCALES(tiles_a, TILE_M, schedule.tiles_m, stages) + work.corner.x,
                        (long)schedule.tiles_m * TILE_M,
                        tiles_b + work.corner.y / TILE_N * stages * STAGE_B,
                        SCALES(tiles_b, TILE_N, schedule.tiles_n, stages) + work.corner.y,
                        (long)schedule.tiles_n * TILE_N);
            }
        return;
    }

#if DIVIDES_REGISTERS
    REGISTERS_MORE(240);
#endif
    float sum[SUMS_EACH];
#if PROMOTED
    float total[SUMS_EACH];
#else
    float *total = sum;
#endif
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        sum[e] = 0;
    if (PROMOTED && team == 1)
        turn_give(1);
    while (next_work(&schedule, &work)) {
#if PROMOTED
#pragma unroll
        for (int e = 0; e < SUMS_EACH; e++)
            total[e] = 0;
        for (int block = work.first; block < work.end; block++) {
            turn_wait(1 + team);
            multiply_blocks(sum, at, &ring, team, 1, lane == 0);
            promote(total, sum,
                    (const __local float *)(memory + RING_BYTES +
                                            (SCALES_KEPT ? block_count++ % 4 * SCALES_BYTES : 0)),
                    lane % 4 * 2, team * 64 + warp * 16 + lane / 4);
        }
#else
        multiply_blocks(sum, at, &ring, team, work.end - work.first, lane == 0);
#endif
#if STREAMED
        if (work.end < schedule.blocks) {
            share_sums(state, number, team, id % TEAM, total);
            continue;
        }
        for (int other = number, rest = work.first; rest > 0;) {
            add_shared_sums(state, --other, team, id % TEAM, total);
            rest = share_begin(schedule.tiles * schedule.blocks, other) -
                   work.tile * schedule.blocks;
        }
#endif
        const int row = here(work.corner.x), column = here(work.corner.y + team * 64 + warp * 16);
        __global element *to = c + c_offset + work.product * c_stride;
        if (warp_agrees(all_finite(total))) {
#pragma unroll
            for (int e = 0; e < SUMS_EACH; e += SUMS_WRITTEN)
                write_sums(to, ldc, total + e, row + 2 * e, column, m, n, alpha, beta);
        } else {
            const struct operand from_a = {a + a_offset + work.product * a_stride, a_along_m,
                                           a_along_k};
            const struct operand from_b = {b + b_offset + work.product * b_stride, b_along_n,
                                           b_along_k};
            compute_again(to, ldc, from_a, from_b, row, column, m, n, k, alpha, beta);
        }
    }
    if (PROMOTED && team == 0)
        turn_wait(1);
}
