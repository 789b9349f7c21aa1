/* SPDX-License-Identifier: Apache-2.0
 * Tiles that do not reach past C: the last one along m or n ends where C does, so it begins before
 * the end of the previous one, which stores less. The build puts this text in place of the
 * #include. */

/* Where the tile at `corner` begins, moved back to a multiple of `grain` so that it stays within
 * `outer` rows or columns (if these are at least one tile); and where its stored part ends. */
static inline int begin_inside(const int corner, const int outer, const int tile_outer, const int grain) {
    const int last = outer - tile_outer;
    return last > 0 ? min(corner, (last + grain - 1) / grain * grain) : corner;
}

static inline int end_inside(const int corner, const int outer, const int tile_outer, const int grain) {
    const int next = corner + tile_outer;
    return next < outer ? begin_inside(next, outer, tile_outer, grain) : outer;
}

#if TRIANGLE
/* The corner of a tile that begins there. If only a triangle is computed, each tile stores what is
 * behind its corner, so that the tiles that meet the triangle are those that store anything. */
static inline int corner_of(const int begin, const int tile_outer) {
    return (begin + tile_outer - 1) / tile_outer * tile_outer;
}
#endif
