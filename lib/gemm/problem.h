/* SPDX-License-Identifier: Apache-2.0
 * One multiplication as the rest of the library sees it: checked, and column-major.
 *
 * A row-major call is the column-major one of the transposed product, C^T = op(B)^T op(A)^T, so it
 * becomes one by swapping A with B and m with n. That is decided here, once; whoever brings the
 * matrices asks clg_problem_source() which of the caller's each one is. */
#ifndef CLG_GEMM_PROBLEM_H
#define CLG_GEMM_PROBLEM_H

#include <stdbool.h>

#include "base/status.h"
#include "gemm/params.h"
#include "gemm/type.h"

/* Index whatever there is one of for each matrix. */
enum clg_matrix_index { CLG_A, CLG_B, CLG_C, CLG_MATRICES };

/* What a call says of one matrix. */
struct clg_operand {
    const char *unusable; /* "is NULL", or why else it counts as absent; NULL: it can be used */
    int64_t ld;           /* leading dimension, elements */
    int64_t stride;       /* from one product of the batch to the next, elements; 0: the same */
    uint64_t offset;      /* of the first element, elements; 0 for host memory */
    uint64_t bytes;       /* of its buffer; UINT64_MAX for host memory, whose end nobody knows */
    unsigned alignment;   /* of its buffer, in bytes: a power of two */
};

/* The factors: every type's fit a double. They are arguments of kernels and no part of a problem or
 * its plan, but for the cases that make no product (enum clg_work). */
struct clg_scalars {
    double alpha, beta;
};

/* A call's arguments, in its own layout. */
struct clg_call {
    clgemm_type type;
    clgemm_math math;
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    int64_t m, n, k;
    int64_t batch; /* products; 0 counts as 1 */
    struct clg_scalars scalars;
    struct clg_operand operand[CLG_MATRICES];
};

/* A stored matrix: column-major, rows x cols, of which op() may take the transpose. */
struct clg_matrix {
    int64_t rows, cols, ld, offset;
    int64_t stride; /* from one product of the batch to the next, elements */
    bool transposed;
    unsigned
        vector; /* the widest of clg_type_vector(), ... 1 that every column's start is aligned to */
    bool bulk;  /* every column's start is on 16 bytes, as bulk copies need it */
    int64_t readable; /* elements of each column that may be read: `rows`, and what follows in the
                         gap up to `ld` where the buffer goes on */
};

enum clg_work {
    CLG_WORK_NOTHING, /* m, n = 0, or beta = 1 and no product: C stays as it is */
    CLG_WORK_SCALE,   /* C := beta * C; neither A nor B is read */
    CLG_WORK_MULTIPLY
};

struct clg_family;

/* An operand that is packed ahead of the calls that use it (clgemm_packed). Who makes a plan
 * without `family` asks for one that is quick when packing costs nothing; that plan's problem says
 * what came of it, which later problems are then given. A plan of another family, or in another
 * mode, reads the operand where it lies. */
struct clg_ahead {
    bool wanted; /* there is one */
    int which;   /* CLG_A or CLG_B, of the problem */
    clgemm_math math;
    const struct clg_family *family; /* whose packing; NULL: not chosen yet */
    struct clg_params form;          /* what of its parameters the layout depends on, others 0 */
};

struct clg_problem {
    clgemm_type type;
    clgemm_math math;       /* never CLGEMM_MATH_DEFAULT */
    int64_t m, n, k, batch; /* k is 0 where only C is scaled, whatever the caller's is */
    struct clg_matrix matrix[CLG_MATRICES];
    enum clg_work work;
    bool copied;  /* a matrix is a copy of the host's, made for this call */
    bool swapped; /* the call is row-major: A is the caller's B, and B his A */
    struct clg_ahead ahead;
};

/* Which of the caller's matrices the problem's matrix i is. */
static inline int clg_problem_source(const struct clg_problem *problem, int i) {
    return problem->swapped && i != CLG_C ? CLG_A + CLG_B - i : i;
}

/* The work that a call's scalars and sizes leave; negative sizes count as 0. */
enum clg_work clg_call_work(const struct clg_call *call);

/* Whether a call of that work reads or writes matrix i. */
static inline bool clg_work_needs(enum clg_work work, int i) {
    return i == CLG_C ? work != CLG_WORK_NOTHING : work == CLG_WORK_MULTIPLY;
}

/* 2 m n k of one product. */
static inline double clg_problem_flops(const struct clg_problem *problem) {
    return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
}

/* How many different matrices i there are: one, or one for each product of the batch. */
static inline int64_t clg_problem_matrices(const struct clg_problem *problem, int i) {
    return problem->matrix[i].stride ? problem->batch : 1;
}

/* Elements of all matrices i, gaps and all, where they lie one behind the other. */
static inline int64_t clg_problem_elements(const struct clg_problem *problem, int i) {
    return problem->matrix[i].ld * problem->matrix[i].cols * clg_problem_matrices(problem, i);
}

/* Whether both are the same to a plan: who swapped A and B does not matter to it. */
bool clg_problem_equal(const struct clg_problem *left, const struct clg_problem *right);

/* Checks the call, first bad argument first, in the order of clgemm_sgemm_cl's arguments; a matrix
 * may be absent where it is neither read nor written. Fills *out on success. Type, mode and batch
 * are taken as they are: whether anything can compute them is asked of the families. */
clgemm_status clg_problem_init(struct clg_problem *out, const struct clg_call *call);

#endif
