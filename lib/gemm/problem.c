/* SPDX-License-Identifier: Apache-2.0
 * One multiplication: checking and normalising. */
#include "gemm/problem.h"

#include <inttypes.h>

#include "base/checked.h"

enum { WIDEST_VECTOR = 4 };

enum clg_work clg_call_work(const struct clg_call *call) {
    if (call->m <= 0 || call->n <= 0)
        return CLG_WORK_NOTHING;
    if (call->alpha != 0 && call->k > 0)
        return CLG_WORK_MULTIPLY;
    return call->beta == 1 ? CLG_WORK_NOTHING : CLG_WORK_SCALE;
}

/* The statuses and names of one matrix, for messages in the caller's own terms. */
struct matrix_terms {
    char name; /* 'A' */
    clgemm_status invalid, invalid_ld;
};

static unsigned vector_width(const struct clg_operand *operand) {
    unsigned width = WIDEST_VECTOR;
    while (width > 1 && (operand->ld % width || operand->offset % width ||
                         operand->alignment % (width * sizeof(float))))
        width /= 2;
    return width;
}

/* Checks one matrix of rows x cols in the call's layout, and writes its column-major view. */
static clgemm_status check_matrix(struct clg_matrix *out, const struct clg_operand *operand,
                                  struct matrix_terms terms, bool row_major, bool needed,
                                  int64_t rows, int64_t cols) {
    if (needed && !operand->present)
        return clg_fail(terms.invalid, "%c is NULL", terms.name);
    const int64_t run = row_major ? cols : rows, runs = row_major ? rows : cols;
    const int64_t least = run > 1 ? run : 1;
    if (operand->ld < least)
        return clg_fail(terms.invalid_ld,
                        "ld%c = %" PRId64 " is less than %" PRId64 ", a %s of %c (%" PRId64
                        " x %" PRId64 ", %s-major)",
                        terms.name + ('a' - 'A'), operand->ld, least, row_major ? "row" : "column",
                        terms.name, rows, cols, row_major ? "row" : "column");
    *out = (struct clg_matrix){.rows = run,
                               .cols = runs,
                               .ld = operand->ld,
                               .offset = (int64_t)operand->offset,
                               .vector = vector_width(operand),
                               .readable = run};
    if (!needed)
        return CLGEMM_SUCCESS;
    int64_t span, end;
    if (!clg_span(run, runs, operand->ld, 0, &span) ||
        !clg_span(run, runs, operand->ld, operand->offset, &end))
        return clg_fail(CLGEMM_STATUS_SIZE_OVERFLOW,
                        "%c of %" PRId64 " x %" PRId64 " with ld%c = %" PRId64
                        " has more bytes than an int64_t counts",
                        terms.name, rows, cols, terms.name + ('a' - 'A'), operand->ld);
    const uint64_t room = operand->bytes / sizeof(float);
    if ((uint64_t)span > room)
        return clg_fail(terms.invalid, "%c spans %" PRId64 " elements, its buffer holds %" PRIu64,
                        terms.name, span, room);
    if ((uint64_t)end > room)
        return clg_fail(CLGEMM_STATUS_INVALID_OFFSET,
                        "%c spans %" PRId64 " elements from offset %" PRIu64
                        ", its buffer holds %" PRIu64,
                        terms.name, span, operand->offset, room);
    const uint64_t after = room - (uint64_t)end, gap = (uint64_t)(operand->ld - run);
    out->readable = run + (int64_t)(after < gap ? after : gap);
    return CLGEMM_SUCCESS;
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
    return CLGEMM_SUCCESS;
}

clgemm_status clg_problem_init(struct clg_problem *out, const struct clg_call *call) {
    static const struct matrix_terms terms_a = {'A', CLGEMM_STATUS_INVALID_A,
                                                CLGEMM_STATUS_INVALID_LDA},
                                     terms_b = {'B', CLGEMM_STATUS_INVALID_B,
                                                CLGEMM_STATUS_INVALID_LDB},
                                     terms_c = {'C', CLGEMM_STATUS_INVALID_C,
                                                CLGEMM_STATUS_INVALID_LDC};
    const bool row_major = call->layout == CLGEMM_ROW_MAJOR;
    const bool ta = call->ta != CLGEMM_NO_TRANS, tb = call->tb != CLGEMM_NO_TRANS;
    const int64_t m = call->m, n = call->n, k = call->k;
    const enum clg_work work = clg_call_work(call);
    const bool multiply = work == CLG_WORK_MULTIPLY;
    struct clg_matrix a, b, c;

    clgemm_status status = check_words_and_sizes(call);
    if (status ||
        (status =
             check_matrix(&a, &call->a, terms_a, row_major, multiply, ta ? k : m, ta ? m : k)) ||
        (status =
             check_matrix(&b, &call->b, terms_b, row_major, multiply, tb ? n : k, tb ? k : n)) ||
        (status = check_matrix(&c, &call->c, terms_c, row_major, work != CLG_WORK_NOTHING, m, n)))
        return status;
    a.transposed = ta;
    b.transposed = tb;
    c.transposed = false;
    *out = (struct clg_problem){.m = row_major ? n : m,
                                .n = row_major ? m : n,
                                .k = k,
                                .alpha = call->alpha,
                                .beta = call->beta,
                                .a = row_major ? b : a,
                                .b = row_major ? a : b,
                                .c = c,
                                .work = work};
    return CLGEMM_SUCCESS;
}

static bool matrix_equal(const struct clg_matrix *left, const struct clg_matrix *right) {
    return left->rows == right->rows && left->cols == right->cols && left->ld == right->ld &&
           left->offset == right->offset && left->transposed == right->transposed &&
           left->vector == right->vector && left->readable == right->readable;
}

bool clg_problem_equal(const struct clg_problem *left, const struct clg_problem *right) {
    return left->m == right->m && left->n == right->n && left->k == right->k &&
           left->alpha == right->alpha && left->beta == right->beta && left->work == right->work &&
           left->copied == right->copied && matrix_equal(&left->a, &right->a) &&
           matrix_equal(&left->b, &right->b) && matrix_equal(&left->c, &right->c);
}
