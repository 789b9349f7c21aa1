/* SPDX-License-Identifier: Apache-2.0
 * The order in which kernels visit the tiles that meet C's triangle (triangle.h). The build puts this
 * text in place of the #include.
 *
 *     0               Strips of tiles become longer and longer: rows of tiles if the triangle is the
 *     1 | 2           lower one (here), columns if it is the upper one. As in tile_order.h, `band`
 *     --+-----        strips are visited together, so that groups that run at the same time share
 *     3   5  7        operands in the cache: first what all of them have, then the rest of each.
 *     4   6  8 | 9    Here a band has two strips.
 *
 * Lengths along n are counted in rows: a column is as long as the diagonal is high in it. */

/* Tiles of the first strips, all of them whole: the sum over x < strips of ((x + 1) strip + EXTRA)
 * / tile, rounded up, where a strip is `strip` thick and its tiles are `tile` long. Euclid's algorithm
 * counts the points below that line; it ends at once if one length divides the other. */
static int tiles_before(const int strips, const int strip, const int tile) {
    int sum = 0, count = strips, a = strip, b = strip + EXTRA + tile - 1, m = tile;
    for (;;) {
        sum += (int)((uint)count * (uint)(count - 1) / 2) * (a / m) + count * (b / m);
        const int last = a % m * count + b % m, next = a % m;
        if (last < m)
            return sum;
        count = last / m;
        b = last % m;
        a = m;
        m = next;
    }
}

/* Tile `index`, of tile_m x tile_n elements: .x along m, .y along n, in tiles. */
static int2 triangle_tile(const int index, const int tiles_m, const int tiles_n, const int tile_m,
                          const int tile_n, const int band) {
    const int lower = TRIANGLE == 1;
    const int height_n = DIAGONAL(tile_n);
    const int strip = lower ? tile_m : height_n, tile = lower ? height_n : tile_m;
    const int strips = lower ? tiles_m : tiles_n, longest = lower ? tiles_n : tiles_m;
    /* There are strip / tile x^2 / 2 tiles or more before strip x; 1 exceeds what is rounded. */
    const int bound = (int)sqrt((real)2 * tile / strip * index) + 1;
    int first = min(bound, strips - 1) / band * band;
    int before = tiles_before(first, strip, tile);
    while (before > index) {
        first -= band;
        before = tiles_before(first, strip, tile);
    }
#define LENGTH(x) min((((x) + 1) * strip + EXTRA + tile - 1) / tile, longest)
    const int height = min(strips - first, band), common = LENGTH(first);
    int x = first, y = index - before;
    if (y < height * common) {
        x += y % height;
        y /= height;
    } else {
        for (y -= (height - 1) * common; y >= LENGTH(x); x++)
            y -= LENGTH(x) - common;
    }
    return lower ? (int2)(x, y) : (int2)(y, x);
}
