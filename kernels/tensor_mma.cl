/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C on the tensor cores of NVIDIA's devices from compute
 * capability 8.0 on, by PTX's mma.sync, from operands that clg_tensor_pack has packed
 * (tensor_parts.h). Parts, blocks, promotion of sums and the treatment of NaN and Inf are those of
 * clg_tensor, which uses Hopper's own instructions.
 *
 * One work-group of eight warps stays on each compute unit and computes one tile of C after the
 * other, TILE_M x TILE_N each; a warp has ROWS_EACH x COLUMNS_EACH of it. All warps copy stages of
 * both operands into a ring in local memory, past the registers (cp.async), STAGES - 1 stages ahead
 * of the one that is multiplied. The columns of C are the rows of the left matrix, and the rows of
 * C the columns of the right one. */
#include "real.h"
#include "tensor_parts.h"

#ifndef TILE_M
#define TILE_M 128
#define TILE_N 128
#define STAGES 3
#define BAND_M 8
#endif
#ifndef STREAMED
#define STREAMED 1 /* 0: one group computes each tile */
#endif
#ifndef VEC_C
#define VEC_C 1 /* 2: C and its columns are aligned to vectors of two */
#endif

#include "ptx.h"
#include "tensor_warp.h"
#include "tile_order.h"

#define WARPS 8
#define WARPS_N (TILE_M > TILE_N ? 2 : 4)
#define ROWS_EACH (TILE_M / (WARPS / WARPS_N))
#define COLUMNS_EACH (TILE_N / WARPS_N)
#define SUMS_EACH (ROWS_EACH * COLUMNS_EACH / 32) /* sums of a work-item */
#define SUMS_OF_16 (ROWS_EACH / 2)                /* those with 16 columns of C */

#define STAGE_A STAGE_BYTES(TILE_M)
#define STAGE_B STAGE_BYTES(TILE_N)
#define SCALES_BYTES (PROMOTED ? (TILE_M + TILE_N) * 4 : 0) /* of a block, beside its last stage */
#define PLACE_BYTES (STAGE_A + STAGE_B + SCALES_BYTES)

/* All warps are one team. */
#define TEAM (WARPS * 32)
#define TEAMS 1
#if STREAMED
static void team_together(const int team) {
    (void)team;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

#include "tensor_schedule.h"
#include "tensor_promote.h"
#include "tensor_write.h"

/* ---- Copies ---- */

/* Copies 16 bytes by each work-item, repeatedly until all bytes are copied. */
static void copy(const uint to, const __global uchar *from, const int bytes) {
#pragma unroll
    for (int at = 0; at < bytes; at += TEAM * 16) {
        const int mine = at + (int)get_local_id(0) * 16;
        if (bytes % (TEAM * 16) == 0 || mine < bytes)
            PTX("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + mine), "l"(from + mine)
                : "memory");
    }
}

/* Both operands' stages of a tile and their scales, from the first stage on. */
struct source {
    const __global uchar *a, *b;
    const __global float *scales_a, *scales_b;
    long rows_a, rows_b; /* scales from one block to the next */
};

static struct source source_of(const __global uchar *a, const __global uchar *b,
                               const struct schedule *schedule, const struct work *work) {
    const long stages = (long)schedule->blocks * BLOCK;
    const int2 corner = work->corner;
    const struct source source = {
        a + corner.x / TILE_M * stages * STAGE_A,
        b + corner.y / TILE_N * stages * STAGE_B,
        SCALES(a, TILE_M, schedule->tiles_m, stages) + corner.x,
        SCALES(b, TILE_N, schedule->tiles_n, stages) + corner.y,
        (long)schedule->tiles_m * TILE_M,
        (long)schedule->tiles_n * TILE_N};
    return source;
}

static void copy_stage(const uint place, const struct source *source, const int stage) {
    copy(place, source->a + (long)stage * STAGE_A, STAGE_A);
    copy(place + STAGE_A, source->b + (long)stage * STAGE_B, STAGE_B);
    if (SCALES_BYTES && stage % BLOCK == BLOCK - 1) {
        const long block = stage / BLOCK;
        const uint to = place + STAGE_A + STAGE_B;
        copy(to, (const __global uchar *)(source->scales_a + block * source->rows_a), TILE_M * 4);
        copy(to + TILE_M * 4, (const __global uchar *)(source->scales_b + block * source->rows_b),
             TILE_N * 4);
    }
}
static void end_stage(void) {
    PTX("cp.async.commit_group;" ::: "memory");
}
/* Waits until this work-item's part of the oldest of STAGES - 1 stages in flight has arrived. */
static void await_stage(void) {
    PTX("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}

/* ---- Products ---- */

#if PART_TYPE == TF32
#define SHAPE "m16n8k8.row.col.f32.tf32.tf32.f32"
#elif PART_TYPE == BF16
#define SHAPE "m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define SHAPE "m16n8k16.row.col.f32.f16.f16.f32"
#endif

/* Loads 16 rows of an operand, 32 bytes of each along k, as four matrices of 8 rows and 16 bytes.
 * Each quarter of the warp passes the addresses of the rows of one matrix. */
static void load_rows(uint to[4], const uint tile, const int row, const int chunk) {
    PTX("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
        : "r"(tile + row * ROW_BYTES + SWIZZLED(chunk, row) * 16)
        : "memory");
}

/* Adds the products of 16 columns and 8 rows of C. */
static void multiply(float *sum, const uint left[4], const uint low, const uint high) {
    PTX("mma.sync.aligned." SHAPE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(low), "r"(high));
}

/* Adds the products of part `p` of the columns and part `q` of the rows. */
static void multiply_parts(float *sum, uint left[SPLIT][COLUMNS_EACH / 16][4],
                           uint right[SPLIT][ROWS_EACH / 16][4], const int p, const int q) {
#pragma unroll
    for (int r = 0; r < ROWS_EACH / 8; r++)
#pragma unroll
        for (int j = 0; j < COLUMNS_EACH / 16; j++)
            multiply(sum + (j * (ROWS_EACH / 8) + r) * 4, left[p][j], right[q][r / 2][r % 2 * 2],
                     right[q][r / 2][r % 2 * 2 + 1]);
}

/* Adds the products of a stage for the warp's rows and columns, from `row` and `column` on. */
static void multiply_stage(float *sum, const uint place, const int row, const int column) {
    const int lane = (int)get_local_id(0) % 32;
#pragma unroll
    for (int i = 0; i < ROW_BYTES / 32; i++) {
        uint left[SPLIT][COLUMNS_EACH / 16][4], right[SPLIT][ROWS_EACH / 16][4];
#pragma unroll
        for (int p = 0; p < SPLIT; p++) {
#pragma unroll
            for (int j = 0; j < COLUMNS_EACH / 16; j++)
                load_rows(left[p][j], place + STAGE_A + p * TILE_N * ROW_BYTES,
                          column + j * 16 + lane % 16, 2 * i + lane / 16);
#pragma unroll
            for (int r = 0; r < ROWS_EACH / 16; r++)
                load_rows(right[p][r], place + p * TILE_M * ROW_BYTES,
                          row + r * 16 + lane % 8 + lane / 16 * 8, 2 * i + lane / 8 % 2);
        }
#define ADD(p, q, continues) multiply_parts(sum, left, right, p, q)
        ADD_PRODUCTS(ADD, 1);
#undef ADD
    }
}

static void clear(float *sum) {
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        sum[e] = 0;
}

/* Computes `products` products, whose matrices, and packed operands in bytes, are strides apart. */
__kernel __attribute__((reqd_work_group_size(TEAM, 1, 1))) void
clg_tensor_mma(const int m, const int n, const int k, const float alpha, const float beta,
               const __global uchar *restrict a_packed, const long a_packed_stride,
               const __global uchar *restrict b_packed, const long b_packed_stride,
               const __global element *restrict a, const long a_offset, const long a_along_m,
               const long a_along_k, const long a_stride, const __global element *restrict b,
               const long b_offset, const long b_along_n, const long b_along_k, const long b_stride,
               __global element *c, const long c_offset, const long ldc, const long c_stride,
               const int products SHARED_ARGS) {
    __local uchar memory[STAGES * PLACE_BYTES] __attribute__((aligned(1024)));
    const int id = (int)get_local_id(0), warp = id / 32;
    const int row = warp / WARPS_N * ROWS_EACH, column = warp % WARPS_N * COLUMNS_EACH;
    const uint ring = (uint)(size_t)memory;
    int number = (int)get_group_id(0);
#if STREAMED
    __local int given[1];
    if (id == 0)
        given[0] = group_number(counters);
    barrier(CLK_LOCAL_MEM_FENCE);
    number = given[0];
#endif
    struct schedule schedule = schedule_of(number, m, n, k, products);
    struct work work;
    float total[SUMS_EACH];
#if PROMOTED
    float sum[SUMS_EACH];
#else
    float *sum = total;
#endif
    while (next_work(&schedule, &work)) {
        const struct source source =
            source_of(a_packed + work.product * a_packed_stride,
                      b_packed + work.product * b_packed_stride, &schedule, &work);
        const int end = work.end * BLOCK;
        int next = work.first * BLOCK, place = 0, free = STAGES - 1; /* stage to copy; places */
        barrier(CLK_LOCAL_MEM_FENCE);                                /* the ring is free */
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++, next++) {
            if (next < end)
                copy_stage(ring + s * PLACE_BYTES, &source, next);
            end_stage();
        }
        clear(total);
        for (int block = work.first; block < work.end; block++) {
            if (PROMOTED)
                clear(sum);
            for (int s = 0; s < BLOCK; s++, next++) {
                await_stage();
                barrier(CLK_LOCAL_MEM_FENCE);
                if (next < end)
                    copy_stage(ring + free * PLACE_BYTES, &source, next);
                end_stage();
                multiply_stage(sum, ring + place * PLACE_BYTES, row, column);
                free = place;
                place = place == STAGES - 1 ? 0 : place + 1;
            }
#if PROMOTED
            /* The last stage's place stays valid until the next barrier. */
            const __local float *roots =
                (const __local float *)(memory + free * PLACE_BYTES + STAGE_A + STAGE_B);
            const __local float *lefts = roots + TILE_M + column + id % 32 / 4;
#pragma unroll
            for (int j = 0; j < COLUMNS_EACH / 16; j++) {
                const float2 left = (float2)(lefts[16 * j], lefts[16 * j + 8]);
                float *of = total + j * SUMS_OF_16, *add = sum + j * SUMS_OF_16;
                if (promote(of, add, left, roots + row)) {
                    const int first = here(block * BLOCK_K), product = here(work.product);
                    const struct operand from_a = FROM_A(product), from_b = FROM_B(product);
                    add_exceptional(of, add, left, roots + row, from_b,
                                    work.corner.y + column + 16 * j, from_a, work.corner.x + row,
                                    first);
                }
            }
#endif
        }
#if STREAMED
        if (!completes(counters, sums, &schedule, &work, number, 0, total))
            continue;
#endif
        __global element *to = c + c_offset + work.product * c_stride;
        const int first_row = work.corner.x + row, first_column = work.corner.y + column;
#if MAY_OVERFLOW
        if (first_column < n) {
            const struct operand from_a = FROM_A(work.product), from_b = FROM_B(work.product);
#pragma unroll
            for (int j = 0; j < COLUMNS_EACH / 16; j++)
                multiply_again(total + j * SUMS_OF_16, from_b, first_column + 16 * j, from_a,
                               first_row);
        }
#endif
        if (first_column < n)
#pragma unroll
            for (int e = 0; e < SUMS_EACH; e += SUMS_WRITTEN)
                write_sums(to, ldc, total + e, first_row + e % (ROWS_EACH / 2) * 2,
                           first_column + e / (ROWS_EACH / 2) * 16, m, n, alpha, beta);
    }
}
