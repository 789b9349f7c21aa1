/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C on Hopper's tensor cores, from operands that
 * clg_tensor_pack has packed (tensor_parts.h), or from FP16 and BF16 operands in place
 * (tensor_map.h, tensor_lines.h). docs/kernels.md has a picture.
 *
 * One work-group of three teams of 128 stays on each compute unit and computes one tile of C after
 * the other, TILE_M x TILE_N each. The first work-item of the last team, the producer, copies
 * stages of both operands into a ring in local memory; the other two teams multiply 64 columns of C
 * each. Where an operand is copied singly, a team copies each box of its tile, so there are up to
 * five.
 *
 * With PROMOTED sums the teams that multiply take turns, a block of k each: while one team's
 * products keep the tensor cores busy, the other scales the sums of its last block and adds them to
 * its totals in FP32. This makes the results accurate, because the tensor cores cut off low bits
 * whenever they add.
 *
 * (For the instructions, the columns of C are the rows of the left matrix, and the rows of C the
 * columns of the right one, so a work-item's sums are neighbours along m, the direction in which C
 * is stored.)
 *
 * What parts cannot represent is multiplied in FP32 (tensor_promote.h); TF32 and BF16 parts of floats
 * hold Inf and NaN. So these reach the results that they reach in the strict kernels (but for numbers
 * that round to 0), and no launch has to inspect the data first. */
#include "real.h"
#include "tensor_parts.h"

#ifndef TILE_M
#define TILE_M 192
#define TILE_N 128
#define STAGES 5
#define BAND_M 8
#endif
#ifndef STREAMED
#define STREAMED 1 /* 0: one group computes each tile */
#endif
#ifndef VEC_C
#define VEC_C 1 /* 2: C and its columns are aligned to vectors of two */
#endif

/* How an operand is read: packed, or in place with consecutive elements along or across k, in boxes
 * (tensor_map.h) or singly (tensor_lines.h). */
#define PACKED 0
#define ALONG_K 1
#define ACROSS_K 2
#define ALONG_K_SINGLY 3
#define ACROSS_K_SINGLY 4
#ifndef A_COMES
#define A_COMES PACKED
#define B_COMES PACKED
#endif
#define IN_BOXES(comes) ((comes) == ALONG_K || (comes) == ACROSS_K)
#define SINGLY(comes) ((comes) == ALONG_K_SINGLY || (comes) == ACROSS_K_SINGLY)
#define RUNS_ACROSS_K(comes) ((comes) == ACROSS_K || (comes) == ACROSS_K_SINGLY)
#define BOX_ROWS 64 /* of a box whose lines are across k: 128 bytes; and of one that is copied singly */
/* Rows of the tiles that are copied singly, and teams that copy them, a box each. */
#define COPIED_A (SINGLY(A_COMES) ? TILE_M : 0)
#define COPIED_B (SINGLY(B_COMES) ? TILE_N : 0)
#define COPIERS ((COPIED_A + COPIED_B) / BOX_ROWS)
#ifndef C_BOXES
#define C_BOXES 0 /* 1: C, whose columns are multiples of 16 bytes, is written in boxes if beta is 0 */
#endif
#define MAPPED (IN_BOXES(A_COMES) || IN_BOXES(B_COMES) || C_BOXES)
#define MAP_BYTES 128
enum { MAP_A, MAP_B, MAP_C, MAPS };

#define PRODUCT_N TILE_M
#define LEFT_LINES RUNS_ACROSS_K(B_COMES)
#define RIGHT_LINES RUNS_ACROSS_K(A_COMES)
#include "ptx.h"
#include "tensor_warp.h"
#include "tensor_ptx.h"
#include "tile_order.h"

#define TEAM 128
#define TEAMS 2 /* that multiply */
#define GROUP ((TEAMS + (COPIERS ? COPIERS : 1)) * TEAM)
#define ROWS_EACH TILE_M /* rows of C that a warp computes, of 16 columns */
#define SUMS_EACH (TILE_M / 2) /* sums of a work-item, of 64 x TILE_M */
#define SUMS_OF_16 SUMS_EACH   /* those with 16 columns of C: all */

/* Whether the teams that multiply need more than a third of the unit's registers each. */
#define DIVIDES_REGISTERS (PROMOTED || SUMS_EACH > (MAPPED ? 64 : 96))
#if MAPPED
#define PRODUCER_REGISTERS 40
#define TEAM_REGISTERS 232
#else
#define PRODUCER_REGISTERS 24
#define TEAM_REGISTERS 240
#endif

#define STAGE_A STAGE_BYTES(TILE_M)
#define STAGE_B STAGE_BYTES(TILE_N)
#define RING_BYTES (STAGES * (STAGE_A + STAGE_B))
#define SCALES_KEPT (PROMOTED ? 4 : 0) /* blocks, in local memory; STAGES <= 3 BLOCK */
#define SCALES_BYTES ((TILE_M + TILE_N) * 4)
#if COPIERS && (DIVIDES_REGISTERS || TILE_M > BOX_ROWS)
#error teams that copy need registers, which larger tiles do not leave
#endif
#if PROMOTED && STAGES < BLOCK
#error a turn takes BLOCK stages before the other team frees any: the ring must hold them
#endif

/* Shared addresses of the parts of local memory. */
struct layout {
    uint a, b, scales, full, empty;
};

static uint stage_of_a(const struct layout at, const int place) {
    return at.a + place * STAGE_A;
}
static uint stage_of_b(const struct layout at, const int place) {
    return at.b + place * STAGE_B;
}

#if MAPPED
#include "tensor_split.h"
#include "tensor_map.h"
#else
#define MAP_ARGS
#endif
#include "tensor_schedule.h"
#include "tensor_promote.h"
#include "tensor_write.h"

/* Stages of a unit of work. Those past the end of k hold zeros, and are only multiplied where turns
 * take whole blocks. */
static int stages_of(const struct work work, const int k) {
    const int whole = (work.end - work.first) * BLOCK;
    return PROMOTED ? whole : min(whole, (k + STAGE_K - 1) / STAGE_K - work.first * BLOCK);
}

#include "tensor_produce.h"
#if COPIERS
#include "tensor_lines.h"
#endif
#include "tensor_multiply.h"

/* Computes `products` products, whose matrices, and packed operands in bytes, are strides apart. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clg_tensor(const int m, const int n, const int k, const float alpha, const float beta,
           const __global uchar *restrict a_packed, const long a_packed_stride,
           const __global uchar *restrict b_packed, const long b_packed_stride,
           const __global element *restrict a, const long a_offset, const long a_along_m,
           const long a_along_k, const long a_stride, const __global element *restrict b,
           const long b_offset, const long b_along_n, const long b_along_k, const long b_stride,
           __global element *c, const long c_offset, const long ldc, const long c_stride,
           const int products SHARED_ARGS MAP_ARGS) {
    __local uchar memory[RING_BYTES + SCALES_KEPT * SCALES_BYTES + 16 * STAGES]
        __attribute__((aligned(1024)));
#if MAPPED
    __local uint new_maps[MAPS * MAP_BYTES / 4] __attribute__((aligned(MAP_BYTES)));
    maps += get_group_id(0) * (MAPS * MAP_BYTES);
#else
    const __global uchar *maps = 0;
#endif
#if C_BOXES
    __local uchar boxes[2 * TEAM / 32 * BOXES_BYTES] __attribute__((aligned(1024)));
#endif
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
            barrier_init(at.full + 8 * s, COPIERS ? COPIERS * TEAM : 1);
            barrier_init(at.empty + 8 * s, 2 * TEAM / 32);
        }
        barriers_ready();
#if STREAMED
        given[0] = group_number(counters);
#else
        given[0] = (int)get_group_id(0);
#endif
    }
#if MAPPED
    if (id / 32 == 2 * TEAM / 32) {
        const struct map of_a = map_of(a + a_offset, A_COMES == ALONG_K, TILE_M, m, k,
                                       A_COMES == ALONG_K ? a_along_m : a_along_k, products, a_stride);
        const struct map of_b = map_of(b + b_offset, B_COMES == ALONG_K, TILE_N, n, k,
                                       B_COMES == ALONG_K ? b_along_n : b_along_k, products, b_stride);
        const struct map of_c = map_of_result(c + c_offset, m, n, ldc, products, c_stride);
        maps_make(maps, new_maps, lane == MAP_A ? of_a : lane == MAP_B ? of_b : of_c);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    const int number = given[0];
    struct schedule schedule = schedule_of(number, m, n, k, products);
    struct work work;
    struct ring ring = {0, 0};
#if !COPIERS
    uint block_count = 0;
#endif

    if (team >= TEAMS) {
#if DIVIDES_REGISTERS
        REGISTERS_FEWER(PRODUCER_REGISTERS);
#endif
        if (COPIERS || id == TEAMS * TEAM) {
#if MAPPED
            map_seen(maps + MAP_A * MAP_BYTES);
            map_seen(maps + MAP_B * MAP_BYTES);
#endif
            while (next_work(&schedule, &work)) {
                const int stages = stages_of(work, k);
                const long all_stages = (long)schedule.blocks * BLOCK;
                const struct source of_a =
                    source_of(A_COMES, TILE_M, a_packed, a_packed_stride, maps + MAP_A * MAP_BYTES,
                              a_stride, work.corner.x, work.product, schedule.tiles_m, all_stages);
                const struct source of_b =
                    source_of(B_COMES, TILE_N, b_packed, b_packed_stride, maps + MAP_B * MAP_BYTES,
                              b_stride, work.corner.y, work.product, schedule.tiles_n, all_stages);
#if COPIERS
                /* Rows of A's tile, then of B's, before the team's box. */
                const int rows = (team - TEAMS) * BOX_ROWS, rows_of_b = rows - COPIED_A;
                const struct operand from_a = FROM_A(work.product), from_b = FROM_B(work.product);
                if (!COPIED_B || rows < COPIED_A)
                    produce_lines(at, &ring, work, stages, at.a + rows * ROW_BYTES, STAGE_A, &from_a,
                                  A_COMES == ALONG_K_SINGLY, work.corner.x + rows, of_a, of_b);
                else
                    produce_lines(at, &ring, work, stages, at.b + rows_of_b * ROW_BYTES, STAGE_B,
                                  &from_b, B_COMES == ALONG_K_SINGLY, work.corner.y + rows_of_b, of_a,
                                  of_b);
#else
                produce(at, &ring, &block_count, work, stages, of_a, of_b);
#endif
            }
        }
        return;
    }

#if DIVIDES_REGISTERS
    REGISTERS_MORE(TEAM_REGISTERS);
#endif
#if C_BOXES
    map_seen(maps + MAP_C * MAP_BYTES);
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
            multiply_stages(sum, at, &ring, team, BLOCK, lane == 0);
            const __local float *roots =
                (const __local float *)(memory + RING_BYTES + block_count++ % 4 * SCALES_BYTES);
            const int column = team * 64 + warp * 16;
            const __local float *lefts = roots + TILE_M + column + lane / 4;
            const float2 left = (float2)(lefts[0], lefts[8]);
            if (promote(total, sum, left, roots)) {
                const int first = here(block * BLOCK_K), product = here(work.product);
                const struct operand from_a = FROM_A(product), from_b = FROM_B(product);
                add_exceptional(total, sum, left, roots, from_b, work.corner.y + column, from_a,
                                work.corner.x, first);
            }
        }
#else
        multiply_stages(sum, at, &ring, team, stages_of(work, k), lane == 0);
#endif
#if STREAMED
        if (!completes(counters, sums, &schedule, &work, number, team, total))
            continue;
#endif
        const int row = here(work.corner.x), column = here(work.corner.y + team * 64 + warp * 16);
        __global element *to = c + c_offset + work.product * c_stride;
#if MAY_OVERFLOW
        if (column < n) {
            const struct operand from_a = FROM_A(work.product), from_b = FROM_B(work.product);
            multiply_again(total, from_b, column, from_a, row);
        }
#endif
#if C_BOXES
        if (beta == 0) {
            write_boxes(maps + MAP_C * MAP_BYTES,
                        (uint)(size_t)boxes + id / 32 * BOXES_BYTES, total, row, column,
                        c_stride ? work.product : 0, alpha);
            continue;
        }
#endif
        if (column < n)
#pragma unroll
            for (int e = 0; e < SUMS_EACH; e += SUMS_WRITTEN)
                write_sums(to, ldc, total + e, row + 2 * e, column, m, n, alpha, beta);
    }
    if (PROMOTED && team == 0)
        turn_wait(1);
#if C_BOXES
    boxes_read(true);
#endif
}
