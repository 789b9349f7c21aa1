/* SPDX-License-Identifier: Apache-2.0
 * Copies of 16-bit elements from a matrix whose lines no tensor map can describe: to local memory,
 * in the layout that boxes of tensor_map.h have there, with zeros past the matrix's ends. The build
 * puts this text in place of the #include.
 *
 * A team copies one box of each stage, 64 lines of 64 consecutive elements: 64 rows of the tile,
 * along k; or 64 steps of k, of 64 rows each. Each of the team's four warps has every fourth line,
 * so all of these begin in the same half of an aligned word. A work-item reads a word of each, and
 * the word with the last element of one, which is needed if they begin in upper halves. What else
 * is in such a word is on the same page, so it can be read, and is left out.
 *
 * All words of a block are read before any is stored, so that the team waits for memory once. */
enum {
    LINE = BOX_ROWS, /* elements of a line, and lines of a box */
    TEAM_WARPS = TEAM / 32,
    LINES_EACH = LINE / TEAM_WARPS
};

/* What a work-item has read of a box. */
struct lines {
    uint words[LINES_EACH], last;
};

/* A box: its first element, elements from one line to the next, and how many elements and lines are
 * within the matrix; 0 or less: none. */
struct box {
    const __global element *first;
    long ld;
    int elements, lines;
};

static inline struct box box_of(const struct operand *operand, const bool along_k, const int row,
                                const int k) {
    const int rows = operand->outers - row, depth = operand->depth - k;
    const struct box box = {operand->x + row * operand->along_outer + k * operand->along_k,
                            along_k ? operand->along_outer : operand->along_k,
                            along_k ? depth : rows, along_k ? rows : depth};
    return box;
}

/* Whether an element is in the upper half of a word, and that word. */
static inline bool is_upper(const __global element *x) {
    return (size_t)x & 2;
}
static inline const __global uint *word_of(const __global element *x) {
    return (const __global uint *)((size_t)x & ~(size_t)3);
}

/* The word, if `line` < `lines`, else 0; not in a branch, which would wait for it at its end. */
static inline uint word_if(const __global uint *word, const int line, const int lines) {
    uint x = 0;
    PTX("{ .reg .pred within; setp.lt.s32 within, %2, %3; mov.u32 %0, 0; @within ld.global.u32 %0, [%1]; "
        "}"
        : "=r"(x)
        : "l"(word), "r"(line), "r"(lines));
    return x;
}

static inline void put_element(const uint at, const uint bits) {
    PTX("st.shared.b16 [%0], %1;" ::"r"(at), "h"((ushort)bits) : "memory");
}

/* Reads the team's box, from `row` and `k` on. */
static inline void read_lines(struct lines *got, const struct operand *operand, const bool along_k,
                              const int row, const int k) {
    const int lane = here((int)get_local_id(0)) % 32, warp = (int)get_local_id(0) % TEAM / 32;
    const struct box box = box_of(operand, along_k, row, k);
    const __global element *first = box.first + warp * box.ld;
    const __global uint *word = word_of(first) + lane;
    const int lines = 2 * lane - is_upper(first) < box.elements ? box.lines - warp : 0;
#pragma unroll
    for (int i = 0; i < LINES_EACH; i++) {
        got->words[i] = word_if(word, i * TEAM_WARPS, lines);
        word += box.ld * (TEAM_WARPS / 2);
    }
    const int line = lane * TEAM_WARPS + warp;
    got->last = word_if(word_of(box.first + line * box.ld + LINE - 1), line,
                        lane < LINES_EACH && LINE <= box.elements ? box.lines : 0);
}

/* Where element e of a line is. */
static inline uint place_of(const int line, const int e) {
    return line * ROW_BYTES + SWIZZLED(e / 8, line) * 16 + e % 8 * 2;
}

static inline void put_lines(const uint to, const struct lines *got, const struct operand *operand,
                             const bool along_k, const int row, const int k) {
    const int lane = here((int)get_local_id(0)) % 32, warp = (int)get_local_id(0) % TEAM / 32;
    const struct box box = box_of(operand, along_k, row, k);
    const bool upper = is_upper(box.first + warp * box.ld);
    const int high = 2 * lane + 1 - upper, low = (high - 1) & (LINE - 1);
    const uint kept = high < box.elements ? 0xffffffff : 0xffff;
#pragma unroll
    for (int i = 0; i < LINES_EACH; i++) {
        const int line = i * TEAM_WARPS + warp;
        const uint word = got->words[i] & kept;
        put_element(to + place_of(line, low), word);
        put_element(to + place_of(line, high), word >> 16);
    }
    /* With upper halves, the first work-item's lower one is no element; it stands where the last
     * element belongs. */
    warp_together();
    if (upper && lane < LINES_EACH)
        put_element(to + place_of(lane * TEAM_WARPS + warp, LINE - 1), got->last);
}

/* Copies a team's boxes of one unit of work, those from `row` on, to the stages at `to`. The first
 * work-item of the first such team also starts the copies of what is not copied singly. */
static inline __attribute__((always_inline)) void
produce_lines(const struct layout at, struct ring *ring, const struct work work, const int stages,
              const uint to, const int stage_bytes, const struct operand *operand, const bool along_k,
              const int row, const struct source a, const struct source b) {
    const uint bytes = (SINGLY(A_COMES) ? 0 : STAGE_A) + (SINGLY(B_COMES) ? 0 : STAGE_B);
    const int first = work.first * BLOCK, end = first + stages;
    for (int next = first; next < end; next += BLOCK) {
        struct lines got[BLOCK];
#pragma unroll
        for (int s = 0; s < BLOCK; s++)
            read_lines(&got[s], operand, along_k, row, (next + s) * STAGE_K);
#pragma unroll
        for (int s = 0; s < BLOCK; s++) {
            const uint full = at.full + 8 * ring->place;
            const int stage = next + s;
            if (stage == end)
                break;
            barrier_wait(at.empty + 8 * ring->place, ring->parity ^ 1);
            put_lines(to + ring->place * stage_bytes, &got[s], operand, along_k, row, stage * STAGE_K);
            stores_ready();
            if (bytes && get_local_id(0) == TEAMS * TEAM) {
                barrier_expect(full, bytes);
                copy_stage(stage_of_a(at, ring->place), A_COMES, TILE_M, &a, stage, full);
                copy_stage(stage_of_b(at, ring->place), B_COMES, TILE_N, &b, stage, full);
            } else {
                barrier_arrive(full);
            }
            advance(ring);
        }
    }
}
