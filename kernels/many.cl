/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C for many small products: a work-group computes PRODUCTS
 * neighbouring products of the batch.
 *
 *      product 0        product 1                  Each product has WG_M x WG_N work-items, which
 *         +----+           +----+                  cover a tile of TILE_M x TILE_N that is no
 *         | B0 |           | B1 |     ...          smaller than C; each keeps REG_M x REG_N
 *         +----+           +----+                  accumulators in registers.
 *  +----+ +----+    +----+ +----+
 *  | A0 | | C0 |    | A1 | | C1 |                  A and B are loaded to local memory in steps of
 *  +----+ +----+    +----+ +----+                  TILE_K, usually one, for all products at once.
 *
 * Little is computed for each element that is read, so memory is the bound. A group requests all
 * elements of a step before it uses any. Neighbouring work-items read neighbouring vectors, and
 * continue into the next product's matrix. Groups are small, so that several run on a compute unit
 * and some read while others compute. For the same reason nothing is prefetched: that would take
 * registers, and so leave room for fewer groups.
 *
 * A local tile keeps the direction of the stored matrix, so that it is written in the vectors in
 * which the matrix is read. X_ALONG_K: consecutive elements of the stored X run along k (A
 * transposed, B not). A product's part of the tile is then x[outer][p], else x[p][outer].
 * Work-items multiply STEPS steps of k at a time and read them in vectors from either layout.
 * Against bank conflicts, PAD_LOCAL elements separate rows along k, and twice as many products.
 *
 * VEC_X is the width in which X is read, VEC_C that for C, which divides m. Past the end of X along
 * m or n its last vector is read again, and nothing computed from it is stored. Past the end along
 * k, zeros are used (EDGE_K: k is not a multiple of TILE_K). If the last group has fewer products,
 * it repeats the last one and does not store the repetitions. EDGE_C: tiles reach past C.
 * LONG_INDEX: the products of a group span more elements than an int can count. */
#ifndef BATCH
#define BATCH /* the kernel is for batches only */
#endif
#include "real.h"

#ifndef TILE_M
#define TILE_M 16
#define TILE_N 16
#define TILE_K 16
#define WG_M 4
#define WG_N 4
#define PRODUCTS 8
#define VEC_A 4
#define VEC_B 4
#define PAD_LOCAL 4
#endif
#ifndef PAD_LOCAL
#define PAD_LOCAL 0
#endif
#ifndef A_ALONG_K
#define A_ALONG_K 0
#define B_ALONG_K 1
#define EDGE_C 1
#define EDGE_K 1
#define VEC_C 1
#endif

#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#pragma clang diagnostic ignored "-Wpass-failed" /* of unrolling, where functions stay calls */
#endif

/* Columns along k are read from rows that are far apart, so neighbours read neighbouring ones. */
#if B_ALONG_K
#define FRAG_N 1
#endif
#include "vectors.h"
#include "fragments.h"

#define STEPS 4
#define WG_PRODUCT (WG_M * WG_N)
#define GROUP_SIZE (WG_PRODUCT * PRODUCTS)
#define PITCH(along_k, tile) ((along_k) ? TILE_K + PAD_LOCAL : (tile))
#define PART(along_k, tile) /* of a local tile: a product's */ \
    (((along_k) ? (tile)*PITCH(1, tile) : TILE_K * (tile)) + 2 * PAD_LOCAL)
#define PART_A PART(A_ALONG_K, TILE_M)
#define PART_B PART(B_ALONG_K, TILE_N)
#define LOADS(tile, vec) (((tile)*TILE_K * PRODUCTS / (vec) + GROUP_SIZE - 1) / GROUP_SIZE)

/* Where the group's vector `v` starts: .x along outer, .y along k, .z its product. `tile` and
 * `outer` are along m (A) or n (B). */
static int4 place_of(const int v, const int along_k, const int vec, const int tile) {
    const int of_product = tile * TILE_K / vec, run = (along_k ? TILE_K : tile) / vec;
    const int in_product = v % of_product;
    const int along = in_product % run * vec, across = in_product / run;
    return along_k ? (int4)(across, along, v / of_product, 0)
                   : (int4)(along, across, v / of_product, 0);
}

/* Loads this work-item's share of the group's tiles at `x` from global memory into registers. Each
 * matrix has `outer` elements along m or n and `depth` along k from there; `last` is the group's
 * last product. */
static void load_share(real *share, const __global element *x, const index_t ld,
                       const index_t stride, const int last, const int outer, const int depth,
                       const int along_k, const int vec, const int tile) {
    const int end = along_k ? outer - 1 : (outer - 1) / vec * vec;
#pragma unroll
    for (int l = 0; l < LOADS(tile, vec); l++) {
        const int4 place =
            place_of((int)get_local_id(0) + l * GROUP_SIZE, along_k, vec, tile);
        const int o = min(place.x, end), p = place.y;
        const __global element *from =
            x + min(place.z, last) * stride + (along_k ? p + o * ld : o + p * ld);
        if (!EDGE_K || p + (along_k ? vec : 1) <= depth)
            read_global(share + l * vec, from, vec);
        else
            for (int e = 0; e < vec; e++)
                share[l * vec + e] = along_k && p + e < depth ? LOAD(from, e) : 0;
    }
}

static void store_share(__local real *tiles, const real *share, const int along_k, const int vec,
                        const int tile, const int part) {
#pragma unroll
    for (int l = 0; l < LOADS(tile, vec); l++) {
        const int v = (int)get_local_id(0) + l * GROUP_SIZE;
        const int4 place = place_of(v, along_k, vec, tile);
        const int row = along_k ? place.x : place.y, column = along_k ? place.y : place.x;
        if (tile * TILE_K * PRODUCTS / vec % GROUP_SIZE == 0 || place.z < PRODUCTS)
            write_local(tiles + place.z * part + row * PITCH(along_k, tile) + column,
                        share + l * vec, vec);
    }
}

/* Loads this work-item's elements of STEPS steps from `p` on into registers, step by step. */
static void load_steps(real *fragment, const __local real *part, const int p, const int along_k,
                       const int tile, const int reg, const int frag, const int place,
                       const int places) {
    if (along_k) {
#pragma unroll
        for (int i = 0; i < reg; i++) {
            const int o = (i / frag * places + place) * frag + i % frag;
            real run[STEPS];
            read_local(run, part + o * PITCH(1, tile) + p, STEPS);
#pragma unroll
            for (int e = 0; e < STEPS; e++)
                fragment[e * reg + i] = run[e];
        }
    } else {
#pragma unroll
        for (int e = 0; e < STEPS; e++)
            load_fragment(fragment + e * reg, part, p + e, tile, 0, reg, frag, place, places);
    }
}

#if NARROW
#define NO_PARTS , 0
#else
#define NO_PARTS
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void
clg_many(const int m, const int n, const int k, const long products, const real alpha,
         const real beta, const __global element *restrict a, const long a_offset,
         const long lda BATCH_STRIDE(a), const __global element *restrict b, const long b_offset,
         const long ldb BATCH_STRIDE(b), __global element *restrict c, const long c_offset,
         const long ldc BATCH_STRIDE(c)) {
    __local real tiles_a[PRODUCTS * PART_A] __attribute__((aligned(sizeof(real4))));
    __local real tiles_b[PRODUCTS * PART_B] __attribute__((aligned(sizeof(real4))));
    real share_a[LOADS(TILE_M, VEC_A) * VEC_A], share_b[LOADS(TILE_N, VEC_B) * VEC_B];
    real acc[REG_N][REG_M], fragment_a[STEPS * REG_M], fragment_b[STEPS * REG_N];

    const long first = (long)get_group_id(0) * PRODUCTS;
    const int last = (int)min(products - first, (long)PRODUCTS) - 1;
    const int product = (int)get_local_id(0) / WG_PRODUCT;
    const int item = (int)get_local_id(0) % WG_PRODUCT;
    const int at_m = item % WG_M, at_n = item / WG_M;
    const __local real *part_a = tiles_a + product * PART_A, *part_b = tiles_b + product * PART_B;
    const __global element *next_a = a + a_offset + first * a_stride;
    const __global element *next_b = b + b_offset + first * b_stride;

#pragma unroll
    for (int j = 0; j < REG_N; j++)
#pragma unroll
        for (int i = 0; i < REG_M; i++)
            acc[j][i] = 0;

    for (int done = 0; done < k; done += TILE_K) {
        load_share(share_a, next_a, (index_t)lda, (index_t)a_stride, last, m, k - done, A_ALONG_K,
                   VEC_A, TILE_M);
        load_share(share_b, next_b, (index_t)ldb, (index_t)b_stride, last, n, k - done, B_ALONG_K,
                   VEC_B, TILE_N);
        next_a += A_ALONG_K ? (long)TILE_K : TILE_K * lda;
        next_b += B_ALONG_K ? (long)TILE_K : TILE_K * ldb;
        store_share(tiles_a, share_a, A_ALONG_K, VEC_A, TILE_M, PART_A);
        store_share(tiles_b, share_b, B_ALONG_K, VEC_B, TILE_N, PART_B);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int p = 0; p < TILE_K; p += STEPS) {
            load_steps(fragment_a, part_a, p, A_ALONG_K, TILE_M, REG_M, FRAG_M, at_m, WG_M);
            load_steps(fragment_b, part_b, p, B_ALONG_K, TILE_N, REG_N, FRAG_N, at_n, WG_N);
#pragma unroll
            for (int e = 0; e < STEPS; e++)
                multiply_add(acc, fragment_a + e * REG_M, fragment_b + e * REG_N);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (product <= last)
        store_c(c + c_offset + (first + product) * c_stride, ldc, acc, alpha, beta, m, n,
                at_m * FRAG_M, at_n * FRAG_N NO_PARTS);
}
