/* SPDX-License-Identifier: Apache-2.0
 * The products of the stages in clg_tensor's ring, which a team has the tensor cores compute. The
 * build puts this text in place of the #include. */

/* The descriptor of an instruction's operand, `i` times 32 bytes further along k. */
static ulong matrix_of(const bool lines, const uint at, const int i) {
    return lines ? matrix_of_lines_at(at + i * (32 / PART_BYTES) * 128) : matrix_at(at + i * 32);
}

/* Adds the products of part `p` of 64 columns and part `q` of the rows for a stage of k. */
static void multiply_parts(float *sum, const uint columns, const uint rows, const int p,
                           const int q, const uint continues) {
#pragma unroll
    for (int i = 0; i < ROW_BYTES / 32; i++)
        multiply(sum, matrix_of(LEFT_LINES, columns + p * TILE_N * ROW_BYTES, i),
                 matrix_of(RIGHT_LINES, rows + q * TILE_M * ROW_BYTES, i), i > 0 ? 1 : continues);
}

static void multiply_stage(float *sum, const uint columns, const uint rows, const uint continues) {
#define ADD(p, q, continues) multiply_parts(sum, columns, rows, p, q, continues)
    products_begin();
    ADD_PRODUCTS(ADD, continues);
    products_commit();
#undef ADD
}

/* Multiplies stages from the ring. Waits for each, and frees it once the products of the next one
 * are in flight, the last stage when all products are done. */
static void multiply_stages(float *sum, const struct layout at, struct ring *ring, const int team,
                            const int stages, const bool frees) {
    uint before = 0; /* the stage to free next */
#if PROMOTED
#pragma unroll
#endif
    for (int s = 0; s < stages; s++) {
        barrier_wait(at.full + 8 * ring->place, ring->parity);
        multiply_stage(sum, stage_of_b(at, ring->place) + team * 64 * ROW_BYTES,
                       stage_of_a(at, ring->place), s > 0);
        products_wait_but_last();
        if (frees && before)
            barrier_arrive(before);
        before = at.empty + 8 * ring->place;
        advance(ring);
    }
    if (PROMOTED)
        turn_give(2 - team);
    products_wait(sum);
    if (frees)
        barrier_arrive(before);
}
