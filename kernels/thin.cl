/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C where C has few rows or few columns: a matrix times some
 * vectors. The time is that of reading the large operand from memory, so it goes straight to
 * registers, where each element is used for all of the few.
 *
 *                few                     If TILE_M is the larger tile, the wide operand is A,
 *               +---+                    `outer` is m, and `few` is n; else it is B, and m and n
 *            k  |   |  thin: in local    are exchanged.
 *               +---+  memory, TILE_K
 *         k                              A work-group computes OUTER x FEW elements of C with
 *     +-------+ +---+                    ITEMS x WG_K work-items: ITEMS along the outer side, WG_K
 *     | wide  | | C | OUTER              along k. Each has REG x FEW sums and takes UNROLL_K steps
 *     +-------+ +---+                    at a time: it requests all elements of the wide operand
 *       slice                            for these steps before it uses any.
 *
 * If consecutive elements of the wide operand run along k (WIDE_ALONG_K), so do neighbouring
 * work-items and vectors, else along the outer side. The group adds up its sums in local memory.
 *
 * If C has too few tiles, k is cut into slices of `k_slice` steps for different groups. JOINS: a
 * tile's last group to finish adds up the slices in `parts` in their order, so that the result is
 * the same each time. PARTS: each slice is left in `parts` for kernels/reduce.cl. Neither: there is
 * one slice.
 *
 * VEC_A is the width in which the wide operand is read. Past the outer side the last vector is read
 * again, and nothing computed from it is stored. EDGE_K: a slice may end within the steps that a
 * work-item takes at a time; zeros are used for the others. The thin operand may have fewer rows or
 * columns than FEW; THIN_ALONG_K: its consecutive elements run along k. */
#include "real.h"
#include "ptx.h"

#ifndef TILE_M
#define TILE_M 128
#define TILE_N 1
#define TILE_K 512
#define WG_M 32
#define WG_N 1
#define WG_K 8
#define VEC_A 4
#define UNROLL_K 8
#endif
#ifndef WIDE_ALONG_K
#define WIDE_ALONG_K 0
#define THIN_ALONG_K 1
#define EDGE_K 1
#define JOINS 1
#endif
#ifndef JOINS
#define JOINS 0
#endif
#ifndef PARTS
#define PARTS 0
#endif

#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wunused-parameter"
#pragma clang diagnostic ignored "-Wpass-failed" /* of unrolling, where functions stay calls */
#endif

#if TILE_M > TILE_N
#define OUTER TILE_M
#define FEW TILE_N
#define ITEMS WG_M
#else
#define OUTER TILE_N
#define FEW TILE_M
#define ITEMS WG_N
#endif
#define REG (OUTER / ITEMS)
#define SUMS (REG * FEW)
#define GROUP_SIZE (ITEMS * WG_K)
#define STEPS (WG_K * UNROLL_K) /* of the group at a time */
#define SHARE ((FEW * TILE_K + GROUP_SIZE - 1) / GROUP_SIZE) /* of the thin operand's tile */

/* A work-item has runs of consecutive elements along each side; those of its neighbours follow. */
#define VEC VEC_A
#define RUN (WIDE_ALONG_K ? 1 : VEC)
#define RUN_K (WIDE_ALONG_K ? VEC : UNROLL_K)
#define PLACE(i, run, items, item) (((i) / (run) * (items) + (item)) * (run) + (i) % (run))
#define ROW(i) PLACE(i, RUN, ITEMS, item)
#define STEP(e) PLACE(e, RUN_K, WG_K, slot)

/* The thin operand's vectors in local memory, and space there for the sums of some of the few. */
#define VEC_THIN (RUN_K % 4 == 0 ? 4 : RUN_K % 2 == 0 ? 2 : 1)
#define PITCH (TILE_K + 4)
#define TOGETHER (FEW % 4 == 0 && sizeof(real) == 4 ? 4 : FEW % 2 == 0 ? 2 : 1)
#define ROOM (TOGETHER * REG * ITEMS * (WG_K + 1))
#define SPACE (FEW * PITCH > ROOM ? FEW * PITCH : ROOM)

/* The elements of the next steps are requested before the present ones are used. Measured to be
 * faster for floats along k, and slower for doubles and along the outer side, where the registers
 * leave room for fewer groups (docs/log). */
#define AHEAD (WIDE_ALONG_K && !GLUE(IS_DOUBLE_, REAL))

#if JOINS
#define JOIN_ARGS , __global int *counters
#else
#define JOIN_ARGS
#endif

#include "vectors.h"
#include "arrival.h"

/* Where element `l` of a work-item's share of the thin operand's tile is: .x along k, .y of few. */
static int2 thin_place(const int l) {
    const int at = l * GROUP_SIZE + (int)get_local_id(0);
    return THIN_ALONG_K ? (int2)(at % TILE_K, at / TILE_K) : (int2)(at / FEW, at % FEW);
}

/* Loads this work-item's share of the thin operand's next `depth` steps, followed by zeros. */
static void load_share(real share[SHARE], const __global element *thin, const long ld_k,
                       const long ld_few, const int few, const int depth) {
#pragma unroll
    for (int l = 0; l < SHARE; l++) {
        const int2 at = thin_place(l);
        share[l] = at.x < depth && at.y < few ? LOAD(thin, at.x * ld_k + at.y * ld_few) : 0;
    }
}

static void store_share(__local real *to, const real share[SHARE]) {
#pragma unroll
    for (int l = 0; l < SHARE; l++) {
        const int2 at = thin_place(l);
        if (FEW * TILE_K % GROUP_SIZE == 0 || (at.x < TILE_K && at.y < FEW))
            to[at.y * PITCH + at.x] = share[l];
    }
}

/* Reads the first `count` elements of a vector that reaches past the slice; the others are 0. */
static void read_cut(real *to, const __global element *from, const int count) {
#pragma unroll
    for (int x = 0; x < VEC; x++)
        to[x] = x < count ? LOAD(from, x) : 0;
}

/* Loads this work-item's elements of the wide operand for UNROLL_K steps; only `depth` steps are
 * left. `outer` holds where each run of rows begins. */
static void load_wide(real wide[UNROLL_K][REG], const __global element *from, const long *outer,
                      const long ld, const int slot, const int depth) {
    const bool whole = !EDGE_K || STEP(UNROLL_K - 1) < depth;
#pragma unroll
    for (int e = 0; e < UNROLL_K; e += WIDE_ALONG_K ? VEC : 1)
#pragma unroll
        for (int i = 0; i < REG; i += RUN) {
            real vector[VEC];
            const int step = STEP(e);
            const __global element *at = from + outer[i / RUN] + (WIDE_ALONG_K ? step : step * ld);
            if (whole || step + (WIDE_ALONG_K ? VEC : 1) <= depth)
                read_global(vector, at, VEC);
            else
                read_cut(vector, at, WIDE_ALONG_K ? depth - step : 0);
#pragma unroll
            for (int x = 0; x < VEC; x++)
                wide[e + (WIDE_ALONG_K ? x : 0)][i + (WIDE_ALONG_K ? 0 : x)] = vector[x];
        }
}

/* sums += wide * thin, for all of the few. */
static void multiply_add(real sums[FEW][REG], real wide[UNROLL_K][REG], const __local real *thin,
                         const int slot) {
#pragma unroll
    for (int j = 0; j < FEW; j++)
#pragma unroll
        for (int e = 0; e < UNROLL_K; e += VEC_THIN) {
            real vector[VEC_THIN];
            read_local(vector, thin + j * PITCH + STEP(e), VEC_THIN);
#pragma unroll
            for (int x = 0; x < VEC_THIN; x++)
#pragma unroll
                for (int i = 0; i < REG; i++)
                    sums[j][i] += wide[e + x][i] * vector[x];
        }
}

/* Element `at` of C, which is not read if beta is 0. */
static void store(__global element *c, const long at, const real product, const real beta) {
    STORE(c, at, product + (beta == 0 ? 0 : beta * LOAD(c, at)));
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_thin(const int outer, const int few, const int k, const real alpha, const real beta,
         const __global element *restrict wide, const long wide_offset,
         const long wide_ld BATCH_STRIDE(wide), const __global element *restrict thin,
         const long thin_offset, const long thin_k, const long thin_few BATCH_STRIDE(thin),
         __global element *c, const long c_offset, const long c_outer,
         const long c_few BATCH_STRIDE(c), const int slices, const int k_slice,
         __global real *parts, const long part_outer, const long part_few,
         const long part_stride BATCH_STRIDE(parts) JOIN_ARGS BATCH_ARGS) {
    __local real space[SPACE] __attribute__((aligned(sizeof(real4))));
    const int tiles = (outer + OUTER - 1) / OUTER;
    const int slice = (int)GROUP_ID / tiles, tile = (int)GROUP_ID % tiles;
    const int id = (int)get_local_id(0);
    const int item = WIDE_ALONG_K ? id / WG_K : id % ITEMS;
    const int slot = WIDE_ALONG_K ? id % WG_K : id / ITEMS;
    const int row0 = tile * OUTER, k_begin = slice * k_slice, depth = min(k - k_begin, k_slice);
    const int last = (outer - 1) / RUN * RUN;
    const __global element *next_wide = wide + wide_offset + PRODUCT_OF(wide) +
                                        k_begin * (WIDE_ALONG_K ? 1 : wide_ld);
    const __global element *next_thin = thin + thin_offset + PRODUCT_OF(thin) + k_begin * thin_k;

    long rows[REG / RUN];
    real sums[FEW][REG];
#pragma unroll
    for (int i = 0; i < REG; i += RUN)
        rows[i / RUN] = min(row0 + ROW(i), last) * (WIDE_ALONG_K ? wide_ld : 1);
#pragma unroll
    for (int s = 0; s < SUMS; s++)
        sums[s / REG][s % REG] = 0;

    real share[SHARE], elements[UNROLL_K][REG];
    load_share(share, next_thin, thin_k, thin_few, few, depth);
    if (STEP(0) < depth)
        load_wide(elements, next_wide, rows, wide_ld, slot, depth);
    for (int begin = 0; begin < depth; begin += TILE_K) {
        const int here = min(depth - begin, TILE_K);
        if (begin > 0)
            barrier(CLK_LOCAL_MEM_FENCE);
        store_share(space, share);
        barrier(CLK_LOCAL_MEM_FENCE);
        next_thin += TILE_K * thin_k;
        if (begin + TILE_K < depth)
            load_share(share, next_thin, thin_k, thin_few, few, depth - begin - TILE_K);
        for (int p = 0; p + STEP(0) < here; p += STEPS) {
            const int left = depth - begin - p - STEPS;
            next_wide += STEPS * (WIDE_ALONG_K ? 1 : wide_ld);
#if AHEAD
            real next[UNROLL_K][REG];
            if (STEP(0) < left)
                load_wide(next, next_wide, rows, wide_ld, slot, left);
            multiply_add(sums, elements, space + p, slot);
#pragma unroll
            for (int e = 0; e < UNROLL_K; e++)
#pragma unroll
                for (int i = 0; i < REG; i++)
                    elements[e][i] = next[e][i];
#else
            multiply_add(sums, elements, space + p, slot);
            if (STEP(0) < left)
                load_wide(elements, next_wide, rows, wide_ld, slot, left);
#endif
        }
    }

    /* Row and column of element `at` of the tile's SUMS x ITEMS. */
#define AT_ROW(at) (row0 + PLACE((at) / ITEMS % REG, RUN, ITEMS, (at) % ITEMS))
#define AT_FEW(at) ((at) / ITEMS / REG)
#define STORE_C(at, sum) \
    store(c + c_offset + PRODUCT_OF(c), AT_ROW(at) * c_outer + AT_FEW(at) * c_few, alpha *(sum), beta)
    __global real *left = parts + (JOINS ? (long)get_group_id(0) * (SUMS * ITEMS)
                                         : PRODUCT_OF(parts) + slice * part_stride);
#pragma unroll
    for (int s = 0; s < SUMS; s += TOGETHER * REG) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int x = 0; x < TOGETHER * REG; x++)
            space[(x * ITEMS + item) * (WG_K + 1) + slot] = sums[(s + x) / REG][x % REG];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int o = id; o < TOGETHER * REG * ITEMS; o += GROUP_SIZE) {
            const int at = s * ITEMS + o;
            const bool is_inside = AT_ROW(at) < outer && AT_FEW(at) < few;
            real sum = 0;
#pragma unroll
            for (int x = 0; x < WG_K; x++)
                sum += space[o * (WG_K + 1) + x];
            if (JOINS && slices > 1)
                left[at] = sum;
            else if (PARTS && is_inside)
                left[AT_ROW(at) * part_outer + AT_FEW(at) * part_few] = sum;
            else if (is_inside)
                STORE_C(at, sum);
        }
    }

#if JOINS
    __local int arrived[1];
    const long product = get_group_id(0) - GROUP_ID; /* its first group */
    if (slices == 1 || !comes_last(counters + product / slices + tile, slices, arrived))
        return;
    const __global real *first = parts + (product + tile) * (SUMS * ITEMS);
    for (int at = id; at < SUMS * ITEMS; at += GROUP_SIZE) {
        real sum = 0;
#pragma unroll 8
        for (int s = 0; s < slices; s++)
            sum += first[(long)s * tiles * (SUMS * ITEMS) + at];
        if (AT_ROW(at) < outer && AT_FEW(at) < few)
            STORE_C(at, sum);
    }
#endif
}
