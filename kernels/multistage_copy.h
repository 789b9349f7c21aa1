/* SPDX-License-Identifier: Apache-2.0
 * The copies of kernels/multistage.cl: from global to local memory, past the registers, while the
 * group computes (PTX's cp.async). The macros are explained at its head. The build puts this text in
 * place of the #include. */

/* Copies `bytes` of a vector of `vec` elements from x[by * times] to `to`, and zeros for the rest of
 * it; by way of the first cache, where groups on one unit find what they share. Address and copy are
 * one text, lest the compiler keep the addresses of a tile's copies in registers that sums need. */
#if !HAS_PTX /* at once, so that the rest can be tested on any device */
#define COPY_VECTOR(size, to, x, by, times, bytes) \
    for (int e = 0; e < vec; e++)                  \
    to[e] = e * (int)sizeof(real) < bytes ? ((x) + (long)(by) * (times))[e] : 0
#elif defined(LONG_INDEX)
#define COPY_VECTOR(size, to, x, by, times, bytes)                           \
    PTX("cp.async.ca.shared.global [%0], [%1], " size ", %2;" ::"r"(LOCAL(to)), \
        "l"((x) + (by) * (times)), "r"(bytes))
#else
#define COPY_VECTOR(size, to, x, by, times, bytes)                                        \
    PTX("{ .reg .s64 from; mad.wide.s32 from, %1, %2, %3;"                                \
        " cp.async.ca.shared.global [%0], [from], " size ", %4; }" ::"r"(LOCAL(to)), "r"(by), \
        "r"((times) * (int)sizeof(real)), "l"(x), "r"(bytes))
#endif
#define LOCAL(pointer) ((uint)(size_t)(pointer))

/* What was copied since the last call is a tile; and waits until all tiles but that many are there,
 * this work-item's part of them. */
static void end_tile(void) {
    PTX("cp.async.commit_group;" ::: "memory");
}
#define WAIT_FOR_ALL_BUT(tiles) PTX("cp.async.wait_group %0;" ::"n"(tiles) : "memory")

/* Where vector `v` of a tile starts in it: .x along m or n, .y along k. Floats that run along k are
 * transposed on their way: neighbouring work-items then read runs of 8, and write to different banks
 * since the rows of the tile are 4 elements longer than a multiple of the banks. In groups of
 * few rows at once the runs of a row come one right after the other: where columns are not aligned two
 * of them share a sector of memory. */
static int2 copy_place(const int v, const int along_k, const int vec, const int tile_outer) {
    const int run = KEEPS_K(along_k) ? TILE_K / vec : 8, runs = TILE_K / vec / run;
    const int at_once = GROUP_SIZE <= 64 ? min(GROUP_SIZE / run, tile_outer) : tile_outer;
    const int block = v / run / at_once;
    if (along_k)
        return (int2)(v / run % at_once + block / runs * at_once, (block % runs * run + v % run) * vec);
    return (int2)(v % (tile_outer / vec) * vec, v / (tile_outer / vec));
}

/* What is copied in place of vector `at` along m or n where that is past the matrix, of which nothing
 * is stored: the one a tile before it, or, in the first tile, one from the start on, since many copies
 * of one element take longer than others. `first`: of the tile. */
static int inside(const int at, const int first, const int outer, const int vec,
                  const int tile_outer) {
    const int vectors = (outer + vec - 1) / vec;
    return at < outer            ? at
           : first >= tile_outer ? at - tile_outer
                                 : at % (vectors * vec);
}

/* Copies vectors `begin` to `end` of this work-item's share of a tile, whose first one goes from x
 * to `to`; `bytes` of each. `room`: from that one to the last row or column of the matrix that a tile
 * may reach, in elements; that one stands for those past it, of which nothing is stored. */
static void copy_part(__local real *to, const __global element *x, const index_t ld,
                      const index_t room, const int bytes, const int along_k, const int vec,
                      const int tile_outer, const int begin, const int end) {
#pragma unroll
    for (int l = begin; l < end; l++) {
        const int2 step = copy_place(l * GROUP_SIZE, along_k, vec, tile_outer);
        __local real *at = to + INDEX(along_k, tile_outer, step.x, step.y);
        const __global element *from = along_k ? x + step.y : x;
        const index_t by = along_k ? min((index_t)step.x * ld, room) : ld;
        const int times = along_k ? 1 : step.y;
        if (vec * sizeof(real) == 16)
            COPY_VECTOR("16", at, from, by, times, bytes);
        else if (vec * sizeof(real) == 8)
            COPY_VECTOR("8", at, from, by, times, bytes);
        else
            COPY_VECTOR("4", at, from, by, times, bytes);
    }
}

/* All of the share, of a tile of which only `depth` along k is in the matrix. */
static void copy_shallow(__local real *to, const __global element *x, const index_t ld,
                         const index_t room, const int depth, const int along_k, const int vec,
                         const int tile_outer, const int share) {
    const int place = copy_place((int)get_local_id(0), along_k, vec, tile_outer).y;
#pragma unroll
    for (int l = 0; l < share; l++) {
        const int left = depth - place - copy_place(l * GROUP_SIZE, along_k, vec, tile_outer).y;
        const int elements = along_k ? clamp(left, 0, vec) : left > 0 ? vec : 0;
        copy_part(to, x, ld, room, elements * (int)sizeof(real), along_k, vec, tile_outer, l,
                  l + 1);
    }
}
