/* SPDX-License-Identifier: Apache-2.0
 * One multiplication: checking and normalising. */
#include "gemm/problem.h"

#include <inttypes.h>

#include "base/checked.h"

enum clg_work clg_call_work(const struct clg_call *call) {
    if (call->m <= 0 || call->n <= 0)
        return CLG_WORK_NOTHING;
    if ((call->scalars.alpha != 0 || call->scalars.alpha_imag != 0) && call->k > 0)
        return CLG_WORK_MULTIPLY;
    return call->scalars.beta == 1 && call->scalars.beta_imag == 0 ? CLG_WORK_NOTHING
                                                                   : CLG_WORK_SCALE;
}

/* The statuses and names of the matrices, for messages in the caller's terms. */
static const struct matrix_terms {
    char name, lower;
    clgemm_status invalid, invalid_ld;
} terms_of[CLG_MATRICES] = {
    [CLG_A] = {'A', 'a', CLGEMM_STATUS_INVALID_A, CLGEMM_STATUS_INVALID_LDA},
    [CLG_B] = {'B', 'b', CLGEMM_STATUS_INVALID_B, CLGEMM_STATUS_INVALID_LDB},
    [CLG_C] = {'C', 'c', CLGEMM_STATUS_INVALID_C, CLGEMM_STATUS_INVALID_LDC},
};

/* Whether every column starts at a multiple of that many numbers. */
static bool is_aligned(const struct clg_operand *operand, clgemm_type type, unsigned numbers) {
    const unsigned parts = (unsigned)clg_type_parts(type);
    const unsigned elements = numbers > parts ? numbers / parts : 1;
    return operand->ld % elements == 0 && operand->offset % elements == 0 &&
           operand->stride % elements == 0 &&
           operand->alignment % (numbers * clg_type_size(type) / parts) == 0;
}

static unsigned vector_width(const struct clg_operand *operand, clgemm_type type) {
    unsigned width = clg_type_vector(type);
    while (width > 1 && !is_aligned(operand, type, width))
        width /= 2;
    return width;
}

/* Elements that all matrices of the batch span, plus `offset`; fails as clg_span() does. */
static bool span_of(const struct clg_operand *operand, int64_t batch, uint64_t offset, size_t size,
                    int64_t run, int64_t runs, int64_t *out) {
    int64_t others;
    return !__builtin_mul_overflow(batch - 1, operand->stride, &others) &&
           !__builtin_add_overflow(offset, (uint64_t)others, &offset) &&
           clg_span(run, runs, operand->ld, offset, size, out);
}

/* Checks that the operand's memory holds `run` x `runs` elements, `batch` times, and sets how many
 * elements of a column may be read: no more than a vector needs, so that products of parts of one
 * buffer are one problem. */
static clgemm_status check_extent(const struct clg_operand *operand,
                                  const struct matrix_terms *terms, int64_t batch, size_t size,
                                  int64_t run, int64_t runs, int64_t *readable) {
    int64_t span, end;
    if (!span_of(operand, batch, 0, size, run, runs, &span) ||
        !span_of(operand, batch, operand->offset, size, run, runs, &end))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW,
                        "%c with ld%c = %" PRId64 " has more bytes than an int64_t holds",
                        terms->name, terms->lower, operand->ld);
    const uint64_t room = operand->bytes / size;
    if ((uint64_t)span > room)
        return clg_fail(terms->invalid,
                        "%c spans %" PRId64 " elements, but its buffer holds %" PRIu64, terms->name,
                        span, room);
    if ((uint64_t)end > room)
        return clg_fail(CLGEMM_STATUS_INVALID_OFFSET,
                        "%c spans %" PRId64 " elements from offset %" PRIu64
                        ", but its buffer holds %" PRIu64,
                        terms->name, span, operand->offset, room);
    const uint64_t after = room - (uint64_t)end, gap = (uint64_t)(operand->ld - run);
    const uint64_t most = gap < CLG_WIDEST_VECTOR ? gap : CLG_WIDEST_VECTOR;
    *readable = run + (int64_t)(after < most ? after : most);
    return CLGEMM_SUCCESS;
}

/* The least x >= 0 with low <= a x mod m <= high, for 0 <= low <= high < m; -1 if there is none, or
 * if a x overflows an int64_t. If no multiple of `a` is in the range, a x - m y is, for the least y
 * with -high <= m y mod a <= -low: Euclid's algorithm. */
static int64_t first_within(int64_t a, int64_t m, int64_t low, int64_t high) {
    int64_t at;
    a %= m;
    if (low == 0)
        return 0;
    if (a == 0)
        return -1;
    if ((high / a) * a >= low)
        return (low - 1) / a + 1;
    const int64_t y = first_within(m, a, (a - high % a) % a, (a - low % a) % a);
    return y < 0 || __builtin_mul_overflow(m, y, &at) || __builtin_add_overflow(at, low, &at)
               ? -1
               : (at - 1) / a + 1;
}

/* Whether two matrices C of a batch share an element: whether the distance between two, modulo ld,
 * is less than a column's length, in either direction. Batches may be long, so distances are not
 * tried one by one. */
static bool overlap(const struct clg_operand *c, int64_t batch, int64_t run, int64_t runs) {
    int64_t span;
    if (run <= 0 || runs <= 0 || c->stride == 0)
        return run > 0 && runs > 0;
    if (!clg_span(run, runs, c->ld, 0, 1, &span) || c->stride >= span)
        return false;
    if (run - 1 >= c->ld - run) /* every distance is */
        return true;
    const int64_t reach = (span - 1) / c->stride, most = reach < batch - 1 ? reach : batch - 1;
    const int64_t step = c->stride % c->ld, down = c->ld - (run - 1);
    const int64_t start = step >= down ? step - down : step + (run - 1);
    const int64_t low = start ? c->ld - start : 0;
    if (low > c->ld - 1 - 2 * (run - 1)) /* the first is */
        return most >= 1;
    const int64_t next = first_within(step, c->ld, low, low + 2 * (run - 1));
    return next >= 0 && next < most;
}

/* Checks the stride of a batch's matrix. */
static clgemm_status check_stride(const struct clg_operand *operand,
                                  const struct matrix_terms *terms, int64_t batch, int64_t run,
                                  int64_t runs, bool is_c) {
    if (operand->stride < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "stride_%c = %" PRId64 " is negative",
                        terms->lower, operand->stride);
    if (is_c && overlap(operand, batch, run, runs))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC,
                        "with stride_c = %" PRId64 " the batch's matrices C overlap (%" PRId64
                        " x %" PRId64 ", ldc = %" PRId64 ")",
                        operand->stride, run, runs, operand->ld);
    return CLGEMM_SUCCESS;
}

clgemm_status clg_matrix_check(struct clg_matrix *out, const struct clg_call *call, int i,
                               int64_t rows, int64_t cols, bool needed) {
    const struct matrix_terms *terms = &terms_of[i];
    const struct clg_operand *operand = &call->operand[i];
    const bool row_major = call->layout == CLGEMM_ROW_MAJOR;
    const size_t size = clg_type_size(call->type);
    const unsigned parts = (unsigned)clg_type_parts(call->type);
    const int64_t run = row_major ? cols : rows, runs = row_major ? rows : cols;
    const int64_t least = run > 1 ? run : 1, batch = call->batch ? call->batch : 1;
    if (needed && operand->unusable)
        return clg_fail(terms->invalid, "%c %s", terms->name, operand->unusable);
    if (operand->ld < least)
        return clg_fail(terms->invalid_ld,
                        "ld%c = %" PRId64 " is less than %" PRId64 ", a %s of %c (%" PRId64
                        " x %" PRId64 ", %s-major)",
                        terms->lower, operand->ld, least, row_major ? "row" : "column", terms->name,
                        rows, cols, row_major ? "row" : "column");
    const clgemm_status status =
        batch > 1 ? check_stride(operand, terms, batch, run, runs, i == CLG_C) : CLGEMM_SUCCESS;
    if (status)
        return status;
    *out = (struct clg_matrix){
        .rows = run,
        .cols = runs,
        .ld = operand->ld,
        .offset = (int64_t)operand->offset,
        .stride = operand->stride,
        .vector = vector_width(operand, call->type),
        .bulk = is_aligned(operand, call->type, clg_type_bulk(call->type) * parts),
        .readable = run};
    return needed ? check_extent(operand, terms, batch, size, run, runs, &out->readable)
                  : CLGEMM_SUCCESS;
}

static bool is_transpose(clgemm_transpose t) {
    return t == CLGEMM_NO_TRANS || t == CLGEMM_TRANS || t == CLGEMM_CONJ_TRANS;
}

static clgemm_status check_words_and_sizes(const struct clg_call *call) {
    if (call->layout != CLGEMM_ROW_MAJOR && call->layout != CLGEMM_COL_MAJOR)
        return clg_fail(CLGEMM_STATUS_INVALID_LAYOUT, "layout = %d is neither 101 nor 102",
                        (int)call->layout);
    if (!is_transpose(call->ta))
        return clg_fail(CLGEMM_STATUS_INVALID_TRANS_A, "ta = %d is none of 111, 112, 113",
                        (int)call->ta);
    if (!is_transpose(call->tb))
        return clg_fail(CLGEMM_STATUS_INVALID_TRANS_B, "tb = %d is none of 111, 112, 113",
                        (int)call->tb);
    if (call->m < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_M, "m = %" PRId64 " is negative", call->m);
    if (call->n < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_N, "n = %" PRId64 " is negative", call->n);
    if (call->k < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_K, "k = %" PRId64 " is negative", call->k);
    if (call->triangle != CLG_ALL && call->m != call->n)
        return clg_fail(CLGEMM_STATUS_INVALID_M,
                        "a triangle of C is not square: %" PRId64 " x %" PRId64, call->m, call->n);
    if (call->stored.triangle != CLG_ALL &&
        call->k != (call->stored.which == CLG_A ? call->m : call->n))
        return clg_fail(CLGEMM_STATUS_INVALID_K,
                        "the operand of which a triangle is stored is not square: k = %" PRId64,
                        call->k);
    return CLGEMM_SUCCESS;
}

static enum clg_triangle transposed_triangle(enum clg_triangle triangle) {
    return triangle == CLG_ALL ? CLG_ALL : triangle == CLG_LOWER ? CLG_UPPER : CLG_LOWER;
}

clgemm_status clg_problem_init(struct clg_problem *out, const struct clg_call *call) {
    const bool ta = call->ta != CLGEMM_NO_TRANS, tb = call->tb != CLGEMM_NO_TRANS;
    const int64_t m = call->m, n = call->n, k = call->k;
    const int64_t rows[] = {[CLG_A] = ta ? k : m, [CLG_B] = tb ? n : k, [CLG_C] = m};
    const int64_t cols[] = {[CLG_A] = ta ? m : k, [CLG_B] = tb ? k : n, [CLG_C] = n};
    const enum clg_work work = clg_call_work(call);
    struct clg_matrix matrix[CLG_MATRICES];

    clgemm_status status = check_words_and_sizes(call);
    for (int i = 0; i < CLG_MATRICES && !status; i++)
        status = clg_matrix_check(&matrix[i], call, i, rows[i], cols[i], clg_work_needs(work, i));
    if (status)
        return status;
    matrix[CLG_A].transposed = ta;
    matrix[CLG_B].transposed = tb;
    matrix[CLG_C].transposed = false;
    matrix[CLG_A].conjugated = call->ta == CLGEMM_CONJ_TRANS && clg_type_is_complex(call->type);
    matrix[CLG_B].conjugated = call->tb == CLGEMM_CONJ_TRANS && clg_type_is_complex(call->type);

    const bool swapped = call->layout == CLGEMM_ROW_MAJOR;
    *out = (struct clg_problem){.type = call->type,
                                .math = call->math ? call->math : CLGEMM_MATH_STRICT,
                                .m = swapped ? n : m,
                                .n = swapped ? m : n,
                                .k = work == CLG_WORK_MULTIPLY ? k : 0,
                                .batch = call->batch ? call->batch : 1,
                                .work = work,
                                .triangle =
                                    swapped ? transposed_triangle(call->triangle) : call->triangle,
                                .turns = work == CLG_WORK_MULTIPLY && call->scalars.alpha_imag != 0,
                                .swapped = swapped};
    for (int i = 0; i < CLG_MATRICES; i++)
        out->matrix[i] = matrix[clg_problem_source(out, i)];
    if (call->stored.triangle == CLG_ALL)
        return CLGEMM_SUCCESS;
    out->stored = call->stored;
    if (swapped) {
        out->stored.which = clg_problem_source(out, call->stored.which);
        out->stored.triangle = transposed_triangle(call->stored.triangle);
    }
    return CLGEMM_SUCCESS;
}

/* The sum over x = 0 .. count - 1 of (a x + b) / m, rounded down: Euclid's algorithm. */
static int64_t floor_sum(int64_t count, int64_t m, int64_t a, int64_t b) {
    int64_t sum = 0;
    for (;;) {
        sum += count * (count - 1) / 2 * (a / m) + count * (b / m);
        const int64_t last = a % m * count + b % m;
        if (last < m)
            return sum;
        count = last / m;
        b = last % m;
        const int64_t next = a % m;
        a = m;
        m = next;
    }
}

/* Strips along the triangle's longer and longer rows or columns, as in kernels/tile_triangle.h. All
 * but the last are whole. Lengths along n are counted in rows. */
int64_t clg_problem_tiles(const struct clg_problem *problem, int64_t tile_m, int64_t tile_n) {
    const int64_t tiles_m = clg_ceil_div(problem->m, tile_m),
                  tiles_n = clg_ceil_div(problem->n, tile_n);
    const int64_t height_n = problem->triangle == CLG_ALL ? 0 : tile_n * clg_rows_each(problem);
    const int64_t extra = clg_extra_diagonals(problem);
    switch (problem->triangle) {
    case CLG_LOWER:
        return floor_sum(tiles_m - 1, height_n, tile_m, tile_m + extra + height_n - 1) + tiles_n;
    case CLG_UPPER:
        return floor_sum(tiles_n - 1, tile_m, height_n, tile_m + extra + height_n - 1) + tiles_m;
    default:
        return tiles_m * tiles_n;
    }
}

static bool matrix_equal(const struct clg_matrix *left, const struct clg_matrix *right) {
    return left->rows == right->rows && left->cols == right->cols && left->ld == right->ld &&
           left->stride == right->stride && left->transposed == right->transposed &&
           left->conjugated == right->conjugated && left->expanded == right->expanded &&
           left->vector == right->vector && left->bulk == right->bulk &&
           left->readable == right->readable;
}

static bool ahead_equal(const struct clg_ahead *left, const struct clg_ahead *right) {
    return left->wanted == right->wanted &&
           (!left->wanted ||
            (left->which == right->which && left->math == right->math &&
             left->family == right->family && clg_params_equal(&left->form, &right->form)));
}

bool clg_problem_equal(const struct clg_problem *left, const struct clg_problem *right) {
    bool equal = left->type == right->type && left->math == right->math && left->m == right->m &&
                 left->n == right->n && left->k == right->k && left->batch == right->batch &&
                 left->work == right->work && left->triangle == right->triangle &&
                 left->stored.triangle == right->stored.triangle &&
                 left->stored.which == right->stored.which &&
                 left->stored.unit == right->stored.unit &&
                 left->stored.mirrored == right->stored.mirrored && left->copied == right->copied &&
                 left->turns == right->turns && ahead_equal(&left->ahead, &right->ahead) &&
                 clg_variant_equal(&left->common, &right->common);
    for (int i = 0; i < CLG_MATRICES && equal; i++)
        equal = matrix_equal(&left->matrix[i], &right->matrix[i]);
    return equal;
}

/* Multiplies by 2^64 over the golden ratio, which spreads numbers (Knuth, The Art of Computer
 * Programming 3, 6.4). The upper half depends on all bits, so it changes the lower half. */
static uint64_t mix(uint64_t hash, int64_t value) {
    hash = (hash ^ (uint64_t)value) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 32;
}

uint64_t clg_problem_hash(const struct clg_problem *problem) {
    const int kind = problem->turns << 28 | problem->stored.mirrored << 27 |
                     problem->stored.which << 26 | problem->stored.unit << 25 |
                     (int)problem->stored.triangle << 23 | (int)problem->type << 16 |
                     (int)problem->math << 8 | (int)problem->triangle << 4 |
                     (int)problem->work << 2 | problem->copied << 1 | problem->ahead.wanted;
    uint64_t hash =
        mix(mix(mix(mix(mix(0, kind), problem->m), problem->n), problem->k), problem->batch);
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *matrix = &problem->matrix[i];
        hash = mix(mix(mix(hash, matrix->ld), matrix->stride), matrix->readable);
        hash = mix(hash, (int)matrix->vector << 3 | matrix->conjugated << 2 | matrix->bulk << 1 |
                             matrix->transposed);
    }
    return hash;
}
