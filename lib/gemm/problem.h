/* SPDX-License-Identifier: Apache-2.0
 * One multiplication as the rest of the library sees it: checked, and column-major.
 *
 * A row-major call is the column-major one of the transposed product, C^T = op(B)^T op(A)^T, so it
 * becomes one by swapping A with B and m with n; nothing below this file knows of row-major. */
#ifndef CLG_GEMM_PROBLEM_H
#define CLG_GEMM_PROBLEM_H

#include <stdbool.h>

#include "base/status.h"

/* What a call says of one matrix. */
struct clg_operand {
    bool present;       /* not NULL */
    int64_t ld;         /* leading dimension, elements */
    uint64_t offset;    /* of the first element, elements; 0 for host memory */
    uint64_t bytes;     /* of its buffer; UINT64_MAX for host memory, whose end nobody knows */
    unsigned alignment; /* of its buffer, in bytes: a power of two */
};

/* A call's arguments, in its own layout. */
struct clg_call {
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    int64_t m, n, k;
    float alpha, beta;
    struct clg_operand a, b, c;
};

/* A stored matrix: column-major, rows x cols, of which op() may take the transpose. */
struct clg_matrix {
    int64_t rows, cols, ld, offset;
    bool transposed;
    unsigned vector;  /* the widest of 4, 2, 1 floats that every column's start is aligned to */
    int64_t readable; /* elements of each column that may be read: `rows`, and what follows in the
                         gap up to `ld` where the buffer goes on */
};

enum clg_work {
    CLG_WORK_NOTHING, /* m, n = 0, or beta = 1 and no product: C stays as it is */
    CLG_WORK_SCALE,   /* C := beta * C; neither A nor B is read */
    CLG_WORK_MULTIPLY
};

struct clg_problem {
    int64_t m, n, k;
    float alpha, beta;
    struct clg_matrix a, b, c;
    enum clg_work work;
    bool copied; /* a matrix is a copy of the host's, made for this call */
};

/* The work that a call's scalars and sizes leave; negative sizes count as 0. */
enum clg_work clg_call_work(const struct clg_call *call);

/* Whether every field is the same: then so is the plan. */
bool clg_problem_equal(const struct clg_problem *left, const struct clg_problem *right);

/* Checks the call, first bad argument first, in the order of clgemm_sgemm_cl's arguments; a matrix
 * may be absent where it is neither read nor written. Fills *out on success. */
clgemm_status clg_problem_init(struct clg_problem *out, const struct clg_call *call);

#endif
