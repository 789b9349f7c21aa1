/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C on Hopper's tensor cores, if C is so narrow that packing
 * the larger operand would take longer than multiplying it. That operand, the wide one (A if C is
 * tall, else B), is read once, in place, and split in registers; clg_tensor_pack has packed the
 * other, the narrow one (tensor_parts.h).
 *
 * One work-group of three teams of 128 stays on each compute unit and computes one tile of C after
 * the other: TILE_M (128) rows of the wide operand by TILE_N of the narrow one. The last team, the
 * producer, copies blocks of k of both operands into a ring in local memory. The other two teams
 * have 64 of the wide rows each. A work-item reads its elements, scales them so that the largest of
 * each row's block has a fixed exponent, and splits them. The tensor cores add up the products; the
 * sums are scaled back and added to totals in FP32. While one team splits, the other's products are
 * in flight.
 *
 * What the parts cannot represent is multiplied in FP32, as in clg_tensor. */
#include "real.h"
#include "tensor_parts.h"

#ifndef TILE_M
#define TILE_M 128
#define TILE_N 128
#define STAGES 3
#define BAND_M 1
#endif
#ifndef STREAMED
#define STREAMED 1 /* 0: one group computes each tile */
#endif
#ifndef ALONG_K
#define ALONG_K 0 /* 1: consecutive elements of the wide operand run along k */
#define VEC 4     /* elements of it in a copy; columns begin at multiples of this */
#endif

#define PRODUCT_N TILE_N
#include "ptx.h"
#include "tensor_warp.h"
#include "tensor_ptx.h"
#include "tensor_split.h"
#include "tile_order.h"

#define TEAM 128
#define TEAMS 2
#define SUMS_EACH (TILE_N / 2) /* sums of a work-item, of 64 x TILE_N */
#define SUMS_OF_16 SUMS_EACH   /* those with 16 wide rows: all */

/* Whether the teams that multiply need more than a third of the unit's registers each. */
#define DIVIDES_REGISTERS (TILE_N > 64)

/* A block in local memory: the narrow operand's as packed, its scales, and the wide one's in lines
 * whose distance spreads a warp's reads over the banks. */
#define NARROW_BYTES (BLOCK * STAGE_BYTES(TILE_N))
#define LINE (ALONG_K ? BLOCK_K + 8 : TILE_M + 4) /* floats */
#define LINES (ALONG_K ? TILE_M : BLOCK_K)
#define WIDE_BYTES (LINE * LINES * 4)
#define SCALES_BYTES (TILE_N * 4)

#include "tensor_schedule.h"
#include "tensor_promote.h"

/* Shared addresses of the parts of local memory. */
struct layout {
    uint narrow, wide, scales, full, empty;
};

/* ---- The producer ---- */

/* Copies the blocks of a unit of work. The whole team copies the wide operand in vectors; it has
 * `rows` x `depth` elements from `wide` on, and zeros are copied past them. The narrow operand's
 * blocks are copied as packed. */
static void produce(const struct layout at, struct ring *ring, const struct work work, const int depth,
                    const __global float *wide, const long ld, const int rows,
                    const __global uchar *narrow, const __global float *scales,
                    const long scales_rows) {
    enum { CHUNKS = (ALONG_K ? BLOCK_K : TILE_M) / VEC, LINES_AT_ONCE = TEAM / CHUNKS };
    const int item = (int)get_local_id(0) % TEAM, first = item / CHUNKS, along = item % CHUNKS * VEC;
    for (int block = work.first; block < work.end; block++) {
        const uint full = at.full + 8 * ring->place;
        const int k0 = block * BLOCK_K, deep = min(depth - k0, BLOCK_K);
        const int lines = (ALONG_K ? rows : deep) - first;
        const int bytes = max(min((ALONG_K ? deep : rows) - along, VEC), 0) * 4;
        const __global float *from = wide + along + (ALONG_K ? k0 + first * ld : (k0 + first) * ld);
        uint to = at.wide + ring->place * WIDE_BYTES + (first * LINE + along) * 4;
        barrier_wait(at.empty + 8 * ring->place, ring->parity ^ 1);
        if (item == 0) {
            barrier_expect(full, NARROW_BYTES + SCALES_BYTES);
            copy_bulk(at.narrow + ring->place * NARROW_BYTES, narrow + (long)block * NARROW_BYTES,
                      NARROW_BYTES, full);
            copy_bulk(at.scales + ring->place * SCALES_BYTES,
                      (const __global uchar *)(scales + block * scales_rows), SCALES_BYTES, full);
        }
#pragma unroll 4
        for (int line = 0; line < LINES; line += LINES_AT_ONCE) {
            copy_or_clear(VEC, to, from, line < lines ? bytes : 0);
            from += LINES_AT_ONCE * ld;
            to += LINES_AT_ONCE * LINE * 4;
        }
        copies_arrive(full);
        advance(ring);
    }
}

/* ---- The teams that multiply ---- */

/* A work-item's elements of a block: two neighbours of every 8 along k, in rows own and own + 8. */
#define EIGHTS (BLOCK_K / 8)

static void read_block(float2 x[2][EIGHTS], const __local float *wide, const int own, const int lane) {
#pragma unroll
    for (int i = 0; i < EIGHTS; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const int row = own + 8 * h, k = 8 * i + lane % 4 * 2;
#if ALONG_K
            x[h][i] = *(const __local float2 *)(wide + row * LINE + k);
#else
            x[h][i] = (float2)(wide[k * LINE + row], wide[(k + 1) * LINE + row]);
#endif
        }
}

static struct range exchange_range(const struct range range, const int bits) {
    struct range other;
    other.most = exchange(range.most, bits);
#ifdef LEAST
    other.least = as_uint(exchange(as_float(range.least), bits));
#endif
    return range_of_both(range, other);
}

/* The root of a row's scale; four work-items have the row's elements. They are set to 0 if they are
 * not to be multiplied. */
static float root_of_row(float2 x[EIGHTS]) {
    struct range range = no_range();
#pragma unroll
    for (int i = 0; i < EIGHTS; i++)
        range = range_with(range_with(range, x[i].x), x[i].y);
    const float root = root_of(exchange_range(exchange_range(range, 1), 2));
    if (!warp_agrees(root > 0))
#pragma unroll
        for (int i = 0; i < EIGHTS; i++)
            x[i] = root > 0 ? x[i] : 0;
    return root;
}

/* Splits a block into parts in the instruction's order: [part][16 of k][operand]. */
static void split_block(uint parts[SPLIT][EIGHTS / 2][4], const float2 x[2][EIGHTS],
                        const float2 roots) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float inverse = inverse_of(h ? roots.y : roots.x);
#pragma unroll
        for (int i = 0; i < EIGHTS; i++) {
            float2 rest = x[h][i] * inverse;
#pragma unroll
            for (int p = 0; p < SPLIT; p++)
                parts[p][i / 2][i % 2 * 2 + h] = take_parts(&rest);
        }
    }
}

/* Adds the products of part `p` of the wide rows and part `q` of the narrow ones, for a block. */
static void multiply_parts(float *sum, const uint parts[SPLIT][EIGHTS / 2][4], const uint narrow,
                           const int p, const int q, const uint continues) {
#pragma unroll
    for (int i = 0; i < EIGHTS / 2; i++)
        multiply_held(sum, parts[p][i],
                      matrix_at(narrow + i / 2 * STAGE_BYTES(TILE_N) +
                                q * (TILE_N * ROW_BYTES) + i % 2 * 32),
                      i > 0 ? 1 : continues);
}

static void multiply_block(float *sum, const uint parts[SPLIT][EIGHTS / 2][4], const uint narrow) {
#define ADD(p, q, continues) multiply_parts(sum, parts, narrow, p, q, continues)
    products_begin();
    ADD_PRODUCTS(ADD, 0);
    products_commit();
    products_wait(sum);
#undef ADD
}

/* C, with the distances between elements along the rows of the wide and of the narrow operand. */
struct result {
    __global float *c;
    long along_wide, along_narrow;
};

/* With beta 16 elements of C are read before they are written: no compiler moves a read past a
 * write, so each would wait for memory. */
static void write_sums(const struct result to, const float *sums, const int row, const int column,
                       const int rows, const int columns, const float alpha, const float beta) {
    enum { HELD = 16 };
#pragma unroll
    for (int first = 0; first < SUMS_EACH; first += HELD) {
        float old[HELD];
#pragma unroll
        for (int e = 0; e < HELD; e++) {
            const int i = row + e / 2 % 2 * 8, j = column + (first + e) / 4 * 8 + e % 2;
            const bool is = beta != 0 && i < rows && j < columns;
            old[e] = is ? to.c[i * to.along_wide + j * to.along_narrow] : 0;
        }
#pragma unroll
        for (int e = 0; e < HELD; e++) {
            const int i = row + e / 2 % 2 * 8, j = column + (first + e) / 4 * 8 + e % 2;
            if (i < rows && j < columns)
                to.c[i * to.along_wide + j * to.along_narrow] =
                    beta != 0 ? alpha * sums[first + e] + beta * old[e] : alpha * sums[first + e];
        }
    }
}

/* Computes `products` products, whose matrices are strides apart (the packed operand's in bytes):
 * of `rows` of the wide operand and `columns` of the narrow one. Both operands are passed in place,
 * the narrow one also packed. */
__kernel __attribute__((reqd_work_group_size(3 * TEAM, 1, 1))) void
clg_tensor_skinny(const int rows, const int columns, const int depth, const float alpha,
                  const float beta, const __global uchar *restrict packed, const long packed_stride,
                  const __global float *restrict wide, const long wide_offset,
                  const long wide_along_rows, const long wide_along_k, const long wide_stride,
                  const __global float *restrict narrow, const long narrow_offset,
                  const long narrow_along_columns, const long narrow_along_k,
                  const long narrow_stride, __global float *c, const long c_offset,
                  const long c_along_rows, const long c_along_columns, const long c_stride,
                  const int products SHARED_ARGS) {
    __local uchar memory[STAGES * (NARROW_BYTES + WIDE_BYTES + SCALES_BYTES + 16)]
        __attribute__((aligned(1024)));
    __local int given[1];
    const int id = (int)get_local_id(0), team = id / TEAM, warp = id % TEAM / 32, lane = id % 32;
    struct layout at;
    at.narrow = (uint)(size_t)memory;
    at.wide = at.narrow + STAGES * NARROW_BYTES;
    at.scales = at.wide + STAGES * WIDE_BYTES;
    at.full = at.scales + STAGES * SCALES_BYTES;
    at.empty = at.full + 8 * STAGES;
    if (id == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(at.full + 8 * s, TEAM + 1);
            barrier_init(at.empty + 8 * s, 2 * TEAM / 32);
        }
        barriers_ready();
        #if STREAMED
        given[0] = group_number(counters);
#else
        given[0] = (int)get_group_id(0);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int number = given[0];
    struct schedule schedule = schedule_of(number, rows, columns, depth, products);
    struct work work;
    struct ring ring = {0, 0};

    if (team == 2) {
#if DIVIDES_REGISTERS
        REGISTERS_FEWER(40);
#endif
        while (next_work(&schedule, &work)) {
            const long stages = (long)schedule.blocks * BLOCK;
            const __global uchar *tiles = packed + work.product * packed_stride;
            produce(at, &ring, work, depth,
                    wide + wide_offset + work.product * wide_stride +
                        work.corner.x * wide_along_rows,
                    ALONG_K ? wide_along_rows : wide_along_k, min(rows - work.corner.x, TILE_M),
                    tiles + work.corner.y / TILE_N * stages * STAGE_BYTES(TILE_N),
                    SCALES(tiles, TILE_N, schedule.tiles_n, stages) + work.corner.y,
                    (long)schedule.tiles_n * TILE_N);
        }
        return;
    }

#if DIVIDES_REGISTERS
    REGISTERS_MORE(232);
#endif
    const int own = team * 64 + warp * 16 + lane / 4;
    float sum[SUMS_EACH], total[SUMS_EACH];
#pragma unroll
    for (int e = 0; e < SUMS_EACH; e++)
        sum[e] = 0;
    while (next_work(&schedule, &work)) {
#pragma unroll
        for (int e = 0; e < SUMS_EACH; e++)
            total[e] = 0;
        for (int block = work.first; block < work.end; block++) {
            const __local uchar *wide_at =
                memory + STAGES * NARROW_BYTES + ring.place * WIDE_BYTES;
            const __local uchar *scales_at =
                memory + STAGES * (NARROW_BYTES + WIDE_BYTES) + ring.place * SCALES_BYTES;
            float2 x[2][EIGHTS];
            uint parts[SPLIT][EIGHTS / 2][4];
            barrier_wait(at.full + 8 * ring.place, ring.parity);
            read_block(x, (const __local float *)wide_at, own, lane);
            const float2 left = (float2)(root_of_row(x[0]), root_of_row(x[1]));
            split_block(parts, x, left);
            multiply_block(sum, parts, at.narrow + ring.place * NARROW_BYTES);
            if (promote(total, sum, left, (const __local float *)scales_at)) {
                const int first = here(block * BLOCK_K), product = here(work.product);
                const struct operand from_wide = {
                    (const __global element *)wide + wide_offset + product * wide_stride,
                    wide_along_rows, wide_along_k, rows, depth};
                const struct operand from_narrow = {
                    (const __global element *)narrow + narrow_offset + product * narrow_stride,
                    narrow_along_columns, narrow_along_k, columns, depth};
                add_exceptional(total, sum, left, (const __local float *)scales_at, from_wide,
                                work.corner.x + own - lane / 4, from_narrow, work.corner.y, first);
            }
            warp_together();
            if (lane == 0)
                barrier_arrive(at.empty + 8 * ring.place);
            advance(&ring);
        }
#if STREAMED
        if (!completes(counters, sums, &schedule, &work, number, team, total))
            continue;
#endif
        const struct result to = {c + c_offset + work.product * c_stride, c_along_rows,
                                  c_along_columns};
        write_sums(to, total, here(work.corner.x) + own, here(work.corner.y) + lane % 4 * 2, rows,
                   columns, alpha, beta);
    }
}
