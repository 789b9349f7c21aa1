/* SPDX-License-Identifier: Apache-2.0
 * The copies of kernels/multistage.cl: from global to local memory, past the registers, while the
 * group computes (PTX's cp.async). The head of that file explains the macros. The build puts this
 * text in place of the #include. */

/* Copies `bytes` of a vector of `vec` elements from x[ld * times + offset] to `to`, and zeros for
 * the rest of it. The copy goes through the L1 cache, where groups on one unit find elements that
 * they share. The address is computed in the assembly, because the compiler would keep the
 * addresses of all of a tile's copies in registers that sums need. NVIDIA's assembler shares
 * ld * times among several copies, and puts `offset` into the instructions. */
#if !HAS_PTX /* plain copies, so that the rest can be tested on any device */
#define COPY_VECTOR(size, to, x, ld, times, offset, bytes) \
    for (int e = 0; e < vec; e++)                          \
    to[e] = e * (int)sizeof(real) < bytes ? ((x) + (long)(ld) * (times) + (offset))[e] : 0
#else
#ifdef LONG_INDEX
#define FROM "cvt.s64.s32 from, %2; mad.lo.s64 from, %1, from, %3;"
#define LD "l"
#else
#define FROM "mad.wide.s32 from, %1, %2, %3;"
#define LD "r"
#endif
#define COPY_VECTOR(size, to, x, ld, times, offset, bytes)                                     \
    PTX("{ .reg .s64 from, next; " FROM " cvt.s64.s32 next, %4; add.s64 from, from, next;"     \
        " cp.async.ca.shared.global [%0], [from], " size ", %5; }" ::"r"(LOCAL(to)), LD(ld),   \
        "r"((times) * (int)sizeof(real)), "l"(x), "r"((offset) * (int)sizeof(real)), "r"(bytes))
#endif
#define LOCAL(pointer) ((uint)(size_t)(pointer))

/* end_tile(): the copies since the last call are a tile. WAIT_FOR_ALL_BUT: waits until this
 * work-item's part of all but the last `tiles` tiles has arrived. */
static void end_tile(void) {
    PTX("cp.async.commit_group;" ::: "memory");
}
#define WAIT_FOR_ALL_BUT(tiles) PTX("cp.async.wait_group %0;" ::"n"(tiles) : "memory")

/* `run` neighbouring work-items copy neighbouring vectors, of a row of the tile or along k. Floats
 * that run along k are transposed by the copies; these write to different banks, because the rows
 * of the tile are 4 elements longer than a multiple of the banks. */

/* The number of rows or columns in which the group copies runs along k at the same time. */
#define AT_ONCE(run, tile_outer) min(GROUP_SIZE / (run), tile_outer)

/* Where the first one of work-item `id`'s vectors starts in a tile: .x along m or n, .y along k. */
static int2 first_place(const int id, const int along_k, const int vec, const int tile_outer,
                        const int run) {
    const int before = id / run, at_once = AT_ONCE(run, tile_outer);
    if (along_k)
        return (int2)(before % at_once, (before / at_once * run + id % run) * vec);
    return (int2)(id % run * vec, before);
}

/* The offset of its vector `l` from that one. The runs of a row are copied one right after the
 * other, because two of them share a memory sector if columns are not aligned. */
static int2 next_place(const int l, const int along_k, const int vec, const int tile_outer,
                       const int run) {
    const int runs = tile_outer / vec / run, at_once = AT_ONCE(run, tile_outer);
    const int step = GROUP_SIZE / at_once * vec, steps = TILE_K / step; /* of runs at once */
    if (along_k)
        return (int2)(l / steps * at_once, l % steps * step);
    return (int2)(l % runs * (run * vec), l / runs * (GROUP_SIZE / run));
}

/* Where an element is copied to. `pairs`: the elements are parts of complex numbers. If these run
 * along k and k is to be the slow index, parts of a number become neighbours along the other. */
#define COPIED_TO(pairs, along_k, tile_outer, outer, k)               \
    ((pairs) && (along_k) && !DOUBLES                                 \
         ? (k) / 2 * (2 * (tile_outer) + PAD) + 2 * (outer) + (k) % 2 \
         : INDEX(along_k, tile_outer, outer, k))

/* Copies vectors `begin` to `end` - 1 of this work-item's share of a tile, whose first vector goes
 * from x to `to`: `bytes` of each, and zeros for vectors that begin `left` or more rows or columns
 * after the first. */
static void copy_part(__local real *to, const __global element *x, const index_t ld, const int left,
                      const int bytes, const int pairs, const int along_k, const int vec,
                      const int tile_outer, const int run, const int begin, const int end) {
#pragma unroll
    for (int l = begin; l < end; l++) {
        const int2 place = next_place(l, along_k, vec, tile_outer, run);
        __local real *at = to + COPIED_TO(pairs, along_k, tile_outer, place.x, place.y);
        const int times = along_k ? place.x : place.y, offset = along_k ? place.y : place.x;
        const int inside = place.x < left ? bytes : 0;
        if (vec * sizeof(real) == 16)
            COPY_VECTOR("16", at, x, ld, times, offset, inside);
        else if (vec * sizeof(real) == 8)
            COPY_VECTOR("8", at, x, ld, times, offset, inside);
        else
            COPY_VECTOR("4", at, x, ld, times, offset, inside);
    }
}

/* Copies all of the share of a tile that has only `depth` steps along k in the matrix. */
static void copy_shallow(__local real *to, const __global element *x, const index_t ld,
                         const int left, const int depth, const int pairs, const int along_k,
                         const int vec, const int tile_outer, const int run, const int share) {
    const int first = first_place((int)get_local_id(0), along_k, vec, tile_outer, run).y;
#pragma unroll
    for (int l = 0; l < share; l++) {
        const int deep = depth - first - next_place(l, along_k, vec, tile_outer, run).y;
        const int elements = along_k ? clamp(deep, 0, vec) : deep > 0 ? vec : 0;
        copy_part(to, x, ld, left, elements * (int)sizeof(real), pairs, along_k, vec, tile_outer,
                  run, l, l + 1);
    }
}
