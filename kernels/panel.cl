/* SPDX-License-Identifier: Apache-2.0
 * C := alpha * op(A) * op(B) + beta * C on a CPU. clg_panel_pack may have packed op(B) or op(A)
 * into panels before.
 *
 *                     n
 *            +-----+------+-----+      packed B: panels of REG_N columns, cut every kc steps,
 *            |     |RN|   |     |
 *         kc |     | B|   |     |        b[k0 * pad_n + (j / REG_N * kn + p) * REG_N + j % REG_N]
 *            +-----+------+-----+
 *      kc                              for column j and step k0 + p of a block of kn <= kc steps;
 *   +-----+  +-----+------+-----+      pad_n: n rounded up to whole panels (zeros there).
 *   |     |  |     |  nc  |     |
 * m |==A==|  |     |## mc |     |      A block of A: panels of PANEL_M = 2 * VEC rows
 *   |     |  |     |      |     |
 *   +-----+  +-----+------+-----+        block[(i / PANEL_M * kn + p) * PANEL_M + i % PANEL_M]
 *
 * A work-group is one work-item. It takes tiles of mc x nc elements of C (by slice_k steps along k)
 * from the counter next[0] until none is left, so that the threads share the work evenly however
 * the runtime distributes groups. next[0] and next[1] are 0 before and after a launch.
 *
 * With BATCH the tasks are those of all products; the matrices of one product and the next are
 * a_stride, b_stride (of packed panels, if B is packed) and c_stride elements apart.
 *
 * In a tile the work-item walks over blocks of kc steps. For each block it packs mc rows of A into
 * its own part of `blocks` (block_size elements for each work-group), which stays in the L2 cache,
 * and multiplies it with each panel of B. While one panel of B is used, the next is prefetched. The
 * accumulators, REG_N columns of two vectors, stay in registers: they are named variables, not an
 * array. beta is applied in the first block only.
 *
 * With slice_k < k the product of each slice of k is written to a matrix of its own, slice_c
 * elements after the one before (else slice_c is 0), and clg_reduce adds them up; then alpha is 1,
 * beta is 0, and ldc is a multiple of 4. mc is a multiple of PANEL_M, nc is one of REG_N, and
 * slice_k is one of kc or at least k.
 *
 * VEC: elements of a vector register. REG_N: columns of a panel, 1 to 14; two accumulators for each
 * column, two vectors of A and one of B must fit the registers (12 columns in 32 registers, 6 in
 * 16). A_ALONG_K: consecutive elements of the stored A run along k. PACK_B: B is in panels; else it
 * is read in place, op(B)(p, j) = b[b_offset + p * b_row + j * b_col], which saves packing elements
 * that are read only a few times; NARROW elements are always packed. PACK_A: all of A is in panels
 * of PANEL_M rows, as B would be, and is not packed block by block. TRIANGLE: only a triangle of C
 * is computed (triangle.h), in `tiles` tiles. SUMS, for NARROW elements: C is
 * a matrix of reals, because k takes several blocks or slices, and a sum is rounded to an element
 * only once. TRMM: op(A) (1) or op(B) (2) is a triangle, whose other half is not used (`before`:
 * panel_triangle.h), and with `unit` its diagonal is ones. A panel is multiplied along its part of k
 * alone, and in the square on the diagonal by steps that leave rows or columns out: zeros in their
 * place would make NaNs of infinities. The other matrix is packed, as C may be in its place. */
#include "real.h"

#ifndef A_ALONG_K
#define A_ALONG_K 0
#endif
#if (PACK_A || A_ALONG_K || TRIANGLE || TRMM) && defined(__clang__) /* packing's arguments are unused then */
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#ifndef PACK_A
#define PACK_A 0
#endif
#ifndef PACK_B
#if NARROW
#define PACK_B 1
#else
#define PACK_B 0
#endif
#endif
#ifndef SUMS
#define SUMS 0
#endif
#include "panel_strip.h"
#include "triangle.h"
#include "panel_triangle.h"

/* Groups take the tasks of a batch at_a_time at once: small products take less time than an atomic
 * operation among threads. */
#ifdef BATCH
#define BATCH_PRODUCTS , const int products, const int at_a_time
#define ALL_PRODUCTS products
#define AT_A_TIME at_a_time
#define OF_PRODUCT(x) (task / (slices * tiles) * x##_stride)
#else
#define BATCH_PRODUCTS
#define ALL_PRODUCTS 1
#define AT_A_TIME 1
#define OF_PRODUCT(x) 0
#endif

/* Tiles of a triangle: those with most work first, so that no thread has a large one left at last. */
#if TRIANGLE
#include "tile_triangle.h"
#define TILES_ARG , const int tiles
#define BELOW_ARG , const int below
#define BELOW(value) , value
#else
#define TILES_ARG
#define BELOW_ARG
#define BELOW(value)
#endif

#if PACK_A
#define a_element real
#define A_PANEL const __global real
#else
#define a_element element
#define A_PANEL __global real
#endif

/* Columns of A become panels while the first panel of B is multiplied with them. That saves a pass,
 * which matters if few columns use A. Columns that are whole pages apart conflict in the L1 cache's
 * sets and are packed faster in strips. If a tile has one panel of B, A's panels are not stored. */
#define PACKS_IN_PASSING (!PACK_A && !A_ALONG_K && !TRIANGLE && !TRMM)
enum { NOT_PACKING, PACKING, PASSING };
#define FEW_COLUMNS 256
#define PAGE 4096

/* The element type of C. B's elements are always read as reals, because NARROW ones are packed. */
#if SUMS
#define c_element real
#define LOAD_C(i, x) load(i, x)
#define STORE_C(value, i, x) store(value, i, x)
#define LOAD_C_AT(x, i) x[i]
#define STORE_C_AT(x, i, value) x[i] = value
#else
#define c_element element
#define LOAD_C(i, x) LOAD_VECTOR(VEC, i, x)
#define STORE_C(value, i, x) STORE_VECTOR(VEC, value, i, x)
#define LOAD_C_AT LOAD
#define STORE_C_AT STORE
#endif

/* DO(0) DO(1) ... DO(REG_N - 1) */
#define UPTO_1(DO) DO(0)
#define UPTO_2(DO) UPTO_1(DO) DO(1)
#define UPTO_3(DO) UPTO_2(DO) DO(2)
#define UPTO_4(DO) UPTO_3(DO) DO(3)
#define UPTO_5(DO) UPTO_4(DO) DO(4)
#define UPTO_6(DO) UPTO_5(DO) DO(5)
#define UPTO_7(DO) UPTO_6(DO) DO(6)
#define UPTO_8(DO) UPTO_7(DO) DO(7)
#define UPTO_9(DO) UPTO_8(DO) DO(8)
#define UPTO_10(DO) UPTO_9(DO) DO(9)
#define UPTO_11(DO) UPTO_10(DO) DO(10)
#define UPTO_12(DO) UPTO_11(DO) DO(11)
#define UPTO_13(DO) UPTO_12(DO) DO(12)
#define UPTO_14(DO) UPTO_13(DO) DO(13)
#define EACH_COLUMN(DO) GLUE(UPTO_, REG_N)(DO)

/* A packed B is prefetched into the L2 cache. Else it is prefetched into the L1 cache, some steps
 * ahead: if each step of B is on another page, that loads the page's translation in time. */
#define STEPS_AHEAD 12
#if PACK_B
#define PREFETCH_B PREFETCH_FAR
#else
#define PREFETCH_B PREFETCH
#endif

#define CLEAR(j) vec u##j = 0, v##j = 0;
#define MULTIPLY_ADD(j)                    \
    {                                      \
        const vec b_j = (vec)(b[j * col]); \
        u##j = fma(a_u, b_j, u##j);        \
        v##j = fma(a_v, b_j, v##j);        \
    }
#define SET(j)                          \
    STORE_C(alpha *u##j, 0, c + j * ldc); \
    STORE_C(alpha *v##j, 1, c + j * ldc);
#define UPDATE(j)                                                     \
    STORE_C(alpha *u##j + beta * LOAD_C(0, c + j * ldc), 0, c + j * ldc); \
    STORE_C(alpha *v##j + beta * LOAD_C(1, c + j * ldc), 1, c + j * ldc);
#define PREFETCH_COLUMN(j) \
    PREFETCH(c + j * ldc); \
    PREFETCH(c + j * ldc + PANEL_M - 1);

/* At the edge, columns past the last one repeat it. HALF: only the first vector of rows. */
#define CLEAR_HALF(j) vec u##j = 0;
#define PLACE(j) const long at_##j = min(j, columns - 1) * col;
#define MULTIPLY_ADD_AT(j)                \
    {                                     \
        const vec b_j = (vec)(b[at_##j]); \
        u##j = fma(a_u, b_j, u##j);       \
        v##j = fma(a_v, b_j, v##j);       \
    }
#define MULTIPLY_ADD_HALF(j) u##j = fma(a_u, (vec)(b[at_##j]), u##j);
/* A whole vector of rows goes to C, a partial one to `edge`. */
#define STORE_U(j)                                                                              \
    if (j < columns)                                                                            \
        STORE_C(beta == 0 ? alpha *u##j : alpha *u##j + beta *LOAD_C(0, c + j * ldc), 0, c + j * ldc);
#define STORE_V(j)                                                                              \
    if (j < columns)                                                                            \
        STORE_C(beta == 0 ? alpha *v##j : alpha *v##j + beta *LOAD_C(1, c + j * ldc), 1, c + j * ldc);
#define SPILL_U(j) store(alpha *u##j, 0, edge + j * VEC);
#define SPILL_V(j) store(alpha *v##j, 0, edge + j * VEC);

/* Multiplies a panel of A with one of B if all PANEL_M x REG_N elements are in C. b(p, j) is at
 * p * row + j * col, and row and col are constants if B is packed. Each step prefetches `ahead` and
 * advances it by `stride`. Unless NOT_PACKING, A is read from columns that start at `from`, lda
 * elements apart; if PACKING, it is also stored as a panel. */
static inline void multiply_whole(const int depth, const real alpha, A_PANEL *a,
                                  const __global real *b, const real beta, __global c_element *c,
                                  const long ldc, const long row, const long col,
                                  const __global real *ahead, const long stride, const int packing,
                                  const __global a_element *from, const long lda) {
    EACH_COLUMN(CLEAR)
    EACH_COLUMN(PREFETCH_COLUMN)
#if PACKS_IN_PASSING
    if (packing != NOT_PACKING)
        for (int p = 0; p < depth; p++, a += PANEL_M, from += lda, b += row, ahead += stride) {
            PREFETCH_B(ahead + (PACK_B ? 0 : p % 4 * col));
            PREFETCH(from + STEPS_AHEAD * lda); /* two lines, or three */
            PREFETCH(from + STEPS_AHEAD * lda + PANEL_M / 2);
            PREFETCH(from + STEPS_AHEAD * lda + PANEL_M - 1);
            const vec a_u = LOAD_VECTOR(VEC, 0, from), a_v = LOAD_VECTOR(VEC, 1, from);
            if (packing == PACKING) {
                *(__global vec *)a = a_u;
                *(__global vec *)(a + VEC) = a_v;
            }
            EACH_COLUMN(MULTIPLY_ADD)
        }
    else
#endif
        for (int p = 0; p < depth; p++, a += PANEL_M, b += row, ahead += stride) {
            PREFETCH_B(ahead + (PACK_B ? 0 : p % 4 * col));
            const vec a_u = *(const __global vec *)a, a_v = *(const __global vec *)(a + VEC);
            EACH_COLUMN(MULTIPLY_ADD)
        }
    if (beta == 0) {
        EACH_COLUMN(SET)
    } else {
        EACH_COLUMN(UPDATE)
    }
}

/* Writes rows x columns elements of `edge` to C. */
static void store_edge(__global c_element *c, const long ldc, const real beta, const int rows,
                       const int columns, const __local real *edge BELOW_ARG) {
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            if (!IS_COMPUTED(below + i - DIAGONAL(j)))
                continue;
            __global c_element *to = c + i + j * ldc;
            const real product = edge[i + j * VEC];
            STORE_C_AT(to, 0, beta == 0 ? product : product + beta * LOAD_C_AT(to, 0));
        }
}

/* The same if only rows x columns elements are in C, or the diagonal of a triangle passes: C's, or
 * in a square of T, whose step `place` is step 0 here. It is negative elsewhere. */
static void multiply_edge(const int depth, const real alpha, const __global real *a,
                          const __global real *b, const real beta, __global c_element *c, const long ldc,
                          const long row, const long col, const int rows, const int columns,
                          __local real *edge BELOW_ARG SQUARE_ARGS) {
    EACH_COLUMN(PLACE)
    if (rows > VEC || IN_SQUARE) {
        EACH_COLUMN(CLEAR)
#if TRMM
        if (IN_SQUARE)
            for (int p = place; p < place + depth; p++, a += PANEL_M, b += row) {
                const vec a_u = OF_A(*(const __global vec *)a, 0);
                const vec a_v = OF_A(*(const __global vec *)(a + VEC), 1);
                EACH_COLUMN(MULTIPLY_ADD_SQUARE)
            }
        else
#endif
            for (int p = 0; p < depth; p++, a += PANEL_M, b += row) {
                const vec a_u = *(const __global vec *)a, a_v = *(const __global vec *)(a + VEC);
                EACH_COLUMN(MULTIPLY_ADD_AT)
            }
#if TRMM
        if (rows < VEC) {
            EACH_COLUMN(SPILL_U)
            store_edge(c, ldc, beta, rows, columns, edge BELOW(below));
            return;
        }
#endif
#if TRIANGLE
        if (!ARE_ALL_COMPUTED(below, rows, columns)) {
            EACH_COLUMN(SPILL_U)
            store_edge(c, ldc, beta, VEC, columns, edge, below);
            EACH_COLUMN(SPILL_V)
            store_edge(c + VEC, ldc, beta, rows - VEC, columns, edge, below + VEC);
            return;
        }
#endif
        EACH_COLUMN(STORE_U)
        if (rows == VEC)
            return;
        if (rows == PANEL_M) {
            EACH_COLUMN(STORE_V)
            return;
        }
        EACH_COLUMN(SPILL_V)
    } else {
        EACH_COLUMN(CLEAR_HALF)
        for (int p = 0; p < depth; p++, a += PANEL_M, b += row) {
            const vec a_u = *(const __global vec *)a;
            EACH_COLUMN(MULTIPLY_ADD_HALF)
        }
        if (rows == VEC && ARE_ALL_COMPUTED(below, rows, columns)) {
            EACH_COLUMN(STORE_U)
            return;
        }
        EACH_COLUMN(SPILL_U)
    }
    const int done = rows > VEC ? VEC : 0;
    store_edge(c + done, ldc, beta, rows - done, columns, edge BELOW(below + done));
}

/* The next of the tasks that the group has taken, or takes now; returns 0 if none is left. */
static inline int take_task(int *task, int *end, const int tasks, const int at_a_time,
                            volatile __global int *next) {
    if (++*task < *end)
        return 1;
    *task = atomic_add(next, at_a_time);
    *end = min(*task + at_a_time, tasks);
    return *task < tasks;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
clg_panel(const int m, const int n, const int k, const int kc, const int mc, const int nc,
          const int slice_k, const real alpha, const real beta, const __global a_element *a,
          const long a_offset, const long lda BATCH_STRIDE(a), const __global real *b,
          const long b_offset, const long b_row, const long b_col BATCH_STRIDE(b),
          __global c_element *c, const long c_offset, const long ldc, const long slice_c BATCH_STRIDE(c),
          __global real *blocks, const long block_size,
          volatile __global int *next TILES_ARG TRMM_ARGS BATCH_PRODUCTS) {
    __local real edge[VEC * REG_N];
    /* Elements of the next packed panel of B that each step prefetches, so that all panels of A
     * together prefetch the whole panel. */
    const int share = (REG_N * PANEL_M + mc - 1) / mc;
    const long row = PACK_B ? REG_N : b_row, col = PACK_B ? 1 : b_col;
    const int pad = slice_c ? 3 : 0; /* clg_reduce reads a slice's columns in vectors of four */
    const long pad_n = (long)(n + REG_N - 1) / REG_N * REG_N;
    const int tiles_m = (m + mc - 1) / mc, tiles_n = (n + nc - 1) / nc;
#if !TRIANGLE
    const int tiles = tiles_m * tiles_n;
#endif
    const int slices = (k + slice_k - 1) / slice_k, tasks = slices * tiles * ALL_PRODUCTS;

    int task = -1, end = 0;
    while (take_task(&task, &end, tasks, AT_A_TIME, next)) {
        const int number = task % tiles, slice = task / tiles % slices;
        const int k1 = min((slice + 1) * slice_k, k);
#if TRIANGLE
        const int2 tile = triangle_tile(TRIANGLE == 1 ? tiles - 1 - number : number, tiles_m,
                                        tiles_n, mc, nc, 1);
#elif TRMM == 1
        const int strip = number / tiles_n;
        const int2 tile = (int2)(before ? tiles_m - 1 - strip : strip, number % tiles_n);
#elif TRMM == 2
        const int strip = number / tiles_m;
        const int2 tile = (int2)(number % tiles_m, before ? tiles_n - 1 - strip : strip);
#else
        const int2 tile = (int2)(number % tiles_m, number / tiles_m);
#endif
        const int i0 = tile.x * mc, rows = min(mc, m - i0);
        const int j0 = tile.y * nc, j1 = min(j0 + nc, n);
        const __global a_element *a_tile = a + (PACK_A ? 0 : a_offset) + OF_PRODUCT(a);
        const __global real *b_tile = b + (PACK_B ? 0 : b_offset) + OF_PRODUCT(b);
        __global c_element *c_slice = c + c_offset + slice * slice_c + OF_PRODUCT(c);
        for (int k0 = slice * slice_k; k0 < k1; k0 += kc) {
            const int depth = min(kc, k1 - k0);
#if TRMM == 1 /* steps that the tile uses, of which A's block has all */
            const int first = max(k0, before ? 0 : i0);
            const int steps = min(k0 + depth, before ? i0 + rows : k1) - first;
            if (steps <= 0)
                continue;
#else
            const int first = k0, steps = depth;
#endif
#if PACK_A
            const long pad_m = (long)(m + PANEL_M - 1) / PANEL_M * PANEL_M;
            A_PANEL *block = a_tile + k0 * pad_m + (long)i0 * steps;
            const __global a_element *a_block = block;
            const int in_passing = 0, how = NOT_PACKING;
#else
            A_PANEL *block = blocks + get_group_id(0) * block_size;
            const __global a_element *a_block =
                a_tile + (A_ALONG_K ? first + i0 * lda : i0 + first * lda);
            const int how = j1 - j0 <= REG_N ? PASSING : PACKING;
            const int passes = PACKS_IN_PASSING && n <= FEW_COLUMNS && n - j0 >= REG_N &&
                               (how == PASSING || lda * (long)sizeof(element) % PAGE != 0);
            const int in_passing = passes ? rows / PANEL_M * PANEL_M : 0; /* rows */
#if TRMM == 1
            pack_stored(block, (long)PANEL_M * steps, a_tile, lda, m, i0,
                        i0 + (rows + PANEL_M - 1) / PANEL_M * PANEL_M, first, first + steps, !before,
                        A_ALONG_K, 0, PANEL_M);
#else
            const int left = rows - in_passing;
            if (left > 0)
                pack_strip(block + (long)in_passing * steps, (long)PANEL_M * steps,
                           a_block + in_passing, lda, left, 0,
                           (left + PANEL_M - 1) / PANEL_M * PANEL_M, steps, A_ALONG_K, PANEL_M);
#endif
#endif
            for (int j = j0; j < j1; j += REG_N)
                for (int i = 0; i < rows; i += PANEL_M) {
                    if (!IS_ANY_COMPUTED(i0 + i - DIAGONAL(j), PANEL_M, REG_N))
                        continue;
                    for (int part = 0; part < PARTS; part++) {
                        int from = first, to = first + steps, begin = slice * slice_k, place = -1;
#if TRMM
                        const int square = TRMM == 1 ? i0 + i : j;
                        const int2 range = steps_of(part, square, k, before);
                        begin = before ? 0 : square;
                        from = max(from, range.x);
                        to = min(to, range.y);
                        if (from >= to)
                            continue;
                        place = IS_SQUARE(part) ? from - square : -1;
#endif
                        const real beta_k = from == begin ? beta : 1;
                        A_PANEL *a_ik = block + (long)i * steps + (long)(from - first) * PANEL_M;
                        const __global real *b_jk =
                            b_tile + (PACK_B ? k0 * pad_n + (long)j * depth + (from - k0) * REG_N
                                             : from * b_row + j * b_col);
                        __global c_element *c_ij = c_slice + i0 + i + j * ldc;
                        const __global real *ahead =
                            b_jk + (PACK_B
                                        ? ((long)REG_N + i / PANEL_M * share) * depth
                                        : (REG_N + i / PANEL_M * 4) * b_col + STEPS_AHEAD * b_row);
                        const long stride = PACK_B ? share : b_row;
                        if (place < 0 && rows - i >= PANEL_M && n - j >= REG_N &&
                            ARE_ALL_COMPUTED(i0 + i - DIAGONAL(j), PANEL_M, REG_N))
                            multiply_whole(to - from, alpha, a_ik, b_jk, beta_k, c_ij, ldc, row,
                                           col, ahead, stride,
                                           j == j0 && i < in_passing ? how : NOT_PACKING,
                                           a_block + i, lda);
                        else
                            multiply_edge(to - from, alpha, a_ik, b_jk, beta_k, c_ij, ldc, row, col,
                                          min((rows - i + pad) & ~pad, PANEL_M), min(n - j, REG_N),
                                          edge BELOW(i0 + i - DIAGONAL(j)) SQUARE_VALUES);
                    }
                }
        }
    }
    /* The last work-group to finish resets the counters. */
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(next + 1) == (int)get_num_groups(0) - 1) {
        atomic_xchg(next, 0);
        atomic_xchg(next + 1, 0);
    }
}
