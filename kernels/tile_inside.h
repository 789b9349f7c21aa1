/* SPDX-License-Identifier: Apache-2.0
 * Tiles that do not reach past C: the last one along m or n ends where C does, and so begins sooner
 * than where the one before it would end, which stores the less. The build puts this text in place of
 * the #include. */

/* Where the tile at `corner` begins that stays within `outer` rows or columns, if that many are at
 * least one tile, at a multiple of `grain`; and where what it stores ends. */
static int begin_inside(const int corner, const int outer, const int tile_outer, const int grain) {
    const int last = outer - tile_outer;
    return last > 0 ? min(corner, (last + grain - 1) / grain * grain) : corner;
}

static int end_inside(const int corner, const int outer, const int tile_outer, const int grain) {
    const int next = corner + tile_outer;
    return next < outer ? begin_inside(next, outer, tile_outer, grain) : outer;
}
