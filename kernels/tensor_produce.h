/* SPDX-License-Identifier: Apache-2.0
 * The producer of clg_tensor, which copies stages of both operands into the ring. The build puts
 * this text in place of the #include. */

/* An operand of a tile: its packed stages and scales, or its matrix's map and the place there. */
struct source {
    const __global uchar *from;
    const __global float *scales;
    long rows; /* scales from one block to the next */
    int row, product;
};

static struct source source_of(const int comes, const int tile, const __global uchar *packed,
                               const long packed_stride, const __global uchar *map, const long stride,
                               const int row, const int product, const int tiles, const long stages) {
    const __global uchar *first = packed + product * packed_stride;
    const struct source source = {
        comes == PACKED ? first + row / tile * stages * STAGE_BYTES(tile) : map,
        SCALES(first, tile, tiles, stages) + row, (long)tiles * tile, row, stride ? product : 0};
    return source;
}

static void copy_stage(const uint to, const int comes, const int tile, const struct source *source,
                       const int stage, const uint full) {
    if (comes == PACKED)
        copy_bulk(to, source->from + (long)stage * STAGE_BYTES(tile), STAGE_BYTES(tile), full);
#if MAPPED
    else if (IN_BOXES(comes))
        copy_boxes(to, source->from, comes == ALONG_K, tile, source->row, stage * STAGE_K,
                   source->product, full);
#endif
}

#if !COPIERS
/* Copies the stages of one unit of work. */
static void produce(const struct layout at, struct ring *ring, uint *block_count,
                    const struct work work, const int stages, const struct source a,
                    const struct source b) {
    const int first = work.first * BLOCK;
    for (int stage = first; stage < first + stages; stage++) {
        const uint full = at.full + 8 * ring->place;
        const bool scaled = SCALES_KEPT && stage % BLOCK == BLOCK - 1;
        barrier_wait(at.empty + 8 * ring->place, ring->parity ^ 1);
        barrier_expect(full, STAGE_A + STAGE_B + (scaled ? SCALES_BYTES : 0));
        copy_stage(stage_of_a(at, ring->place), A_COMES, TILE_M, &a, stage, full);
        copy_stage(stage_of_b(at, ring->place), B_COMES, TILE_N, &b, stage, full);
        if (scaled) {
            const uint to = at.scales + (*block_count)++ % 4 * SCALES_BYTES;
            const int block = stage / BLOCK;
            copy_bulk(to, (const __global uchar *)(a.scales + block * a.rows), TILE_M * 4, full);
            copy_bulk(to + TILE_M * 4, (const __global uchar *)(b.scales + block * b.rows), TILE_N * 4,
                      full);
        }
        advance(ring);
    }
}
#endif
