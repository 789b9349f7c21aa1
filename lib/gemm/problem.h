/* SPDX-License-Identifier: Apache-2.0
 * One multiplication as the rest of the library sees it: checked, and column-major.
 *
 * A row-major product is the column-major product of the transposed matrices, C^T = op(B)^T
 * op(A)^T, so A and B, and m and n, are exchanged here, once. clg_problem_source() tells which of
 * the caller's matrices each one is. */
#ifndef CLG_GEMM_PROBLEM_H
#define CLG_GEMM_PROBLEM_H

#include <stdbool.h>

#include "base/status.h"
#include "gemm/candidate.h"
#include "gemm/type.h"

/* Indices of arrays with one entry for each matrix. */
enum clg_matrix_index { CLG_A, CLG_B, CLG_C, CLG_MATRICES };

/* A call's description of one matrix. */
struct clg_operand {
    const char *unusable; /* "is NULL", or another reason why it cannot be used; NULL: it can */
    int64_t ld;           /* leading dimension, elements */
    int64_t stride;       /* from one product of the batch to the next, elements; 0: the same */
    uint64_t offset;      /* of the first element, elements; 0 for host memory */
    uint64_t bytes;       /* of its buffer; UINT64_MAX for host memory, whose end is unknown */
    unsigned alignment;   /* of its buffer, in bytes: a power of two */
};

/* alpha and beta, as doubles, which hold every type's values. They are arguments of kernels and no
 * part of a problem or its plan, except where no product is computed (enum clg_work), and whether
 * alpha is real (clg_problem.turns). */
struct clg_scalars {
    double alpha, beta;
    double alpha_imag, beta_imag; /* 0 unless the type is complex */
};

/* Whether a call with them reads C, if it writes C. */
static inline bool clg_scalars_read_c(const struct clg_scalars *scalars) {
    return scalars->beta != 0 || scalars->beta_imag != 0;
}

/* What part of a C is computed: with the diagonal, the other part is neither read nor written. */
enum clg_triangle { CLG_ALL, CLG_LOWER, CLG_UPPER };

static inline bool clg_triangle_has(enum clg_triangle triangle, int64_t row, int64_t col) {
    return triangle == CLG_ALL || (triangle == CLG_LOWER ? row >= col : row <= col);
}

/* A square operand of which only a triangle, with the diagonal, is stored and read. In symm the
 * other part is its mirror image. In trmm there is none: an infinity meets no zeros there. C may
 * then be in place of the other operand. */
struct clg_stored {
    enum clg_triangle triangle; /* of op() of the operand; CLG_ALL: there is none */
    int which;                  /* CLG_A or CLG_B */
    bool unit;                  /* the diagonal counts as ones */
    bool mirrored;
};

/* A call's arguments, in its own layout. */
struct clg_call {
    clgemm_type type;
    clgemm_math math;
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    enum clg_triangle triangle; /* of C; m is n unless CLG_ALL */
    struct clg_stored stored;
    int64_t m, n, k;
    int64_t batch; /* products; 0 counts as 1 */
    struct clg_scalars scalars;
    struct clg_operand operand[CLG_MATRICES];
};

/* A stored matrix: column-major, rows x cols, of which op() may take the transpose. */
struct clg_matrix {
    int64_t rows, cols, ld;
    int64_t offset; /* of the first element, elements: an argument of a call, no part of its plan */
    int64_t stride; /* from one product of the batch to the next, elements */
    bool transposed, conjugated;
    bool expanded;    /* a complex A that the kernel itself expands (CLG_FORM_INSIDE) */
    unsigned vector;  /* the widest of clg_type_vector(), ... 1 that every column's start is aligned
                         to */
    bool bulk;        /* every column starts at a multiple of 16 bytes, which bulk copies require */
    int64_t readable; /* elements of each column that may be read: `rows`, and those of the gap up
                         to `ld` that lie within the buffer */
};

enum clg_work {
    CLG_WORK_NOTHING, /* m or n is 0, or beta is 1 and there is no product: C stays unchanged */
    CLG_WORK_SCALE,   /* C := beta * C; neither A nor B is read */
    CLG_WORK_MULTIPLY
};

/* How a complex product is posed as a real one (gemm/complex.h). */
enum clg_form { CLG_FORM_OPEN, CLG_FORM_A, CLG_FORM_B, CLG_FORM_PARTS, CLG_FORM_INSIDE };

struct clg_family;

/* An operand that was packed before the calls that use it (clgemm_packed). If `family` is NULL, the
 * plan is chosen as if packing took no time; that plan's problem then holds the family and the
 * layout, which later problems repeat. A plan of another family, or in another mode, reads the
 * operand in place. */
struct clg_ahead {
    bool wanted; /* there is one */
    int which;   /* CLG_A or CLG_B, of the problem */
    clgemm_math math;
    const struct clg_family *family; /* that packs it; NULL: not chosen yet */
    struct clg_params form;          /* the packed layout: parameters it depends on, others 0 */
};

struct clg_problem {
    clgemm_type type;
    clgemm_math math;       /* never CLGEMM_MATH_DEFAULT */
    int64_t m, n, k, batch; /* k is 0 if C is only scaled, whatever the caller's k is */
    struct clg_matrix matrix[CLG_MATRICES];
    enum clg_work work;
    enum clg_triangle triangle; /* of the column-major C; also see clg_rows_each() */
    struct clg_stored stored;
    bool copied;  /* a matrix is a copy of host memory, made for this call */
    bool turns;   /* alpha is complex, with an imaginary part: an operand that is packed takes it */
    bool swapped; /* the call is row-major: A is the caller's B, and B is the caller's A */
    struct clg_ahead ahead;
    struct clg_variant common; /* preferred, because a call's products share it (run/agree.h) */
    enum clg_form form; /* of a plan's problem; while it is open, sizes decide. Of a real problem:
                           that a complex one is posed in */
};

/* Which of the caller's matrices the problem's matrix i is. */
static inline int clg_problem_source(const struct clg_problem *problem, int i) {
    return problem->swapped && i != CLG_C ? CLG_A + CLG_B - i : i;
}

/* The work that a call's scalars and sizes require; negative sizes count as 0. */
enum clg_work clg_call_work(const struct clg_call *call);

/* Whether a call of that work reads or writes matrix i. */
static inline bool clg_work_needs(enum clg_work work, int i) {
    return i == CLG_C ? work != CLG_WORK_NOTHING : work == CLG_WORK_MULTIPLY;
}

/* Whether consecutive elements of op() of A or B run along k. */
static inline bool clg_is_along_k(const struct clg_problem *problem, enum clg_matrix_index which) {
    return problem->matrix[which].transposed == (which == CLG_A);
}

/* Rows of C for each column, if a triangle is computed: 1, or 2 if they are parts of complex
 * numbers (gemm/complex.h). */
static inline int64_t clg_rows_each(const struct clg_problem *problem) {
    return problem->m / problem->n;
}

/* Diagonals beside the triangle that are computed, too: one if rows and columns are parts. */
static inline int clg_extra_diagonals(const struct clg_problem *problem) {
    return !clg_type_is_complex(problem->type) && problem->form == CLG_FORM_PARTS;
}

/* Whether element (i, j) of C is computed. */
static inline bool clg_is_computed(const struct clg_problem *problem, int64_t i, int64_t j) {
    return problem->triangle == CLG_ALL ||
           clg_triangle_has(problem->triangle, i / clg_rows_each(problem), j);
}

/* Whether element (row, col) of op(A) or op(B) is stored. */
static inline bool clg_is_stored(const struct clg_problem *problem, int which, int64_t row,
                                 int64_t col) {
    return which != problem->stored.which || clg_triangle_has(problem->stored.triangle, row, col);
}

/* Whether an operand is multiplied by a triangle alone, or has a mirrored one. */
static inline bool clg_is_trmm(const struct clg_problem *problem) {
    return problem->stored.triangle != CLG_ALL && !problem->stored.mirrored;
}
static inline bool clg_is_mirrored(const struct clg_problem *problem, int which) {
    return problem->stored.mirrored && problem->stored.which == which;
}

/* Whether C may be in place of the operand, which is packed before C is written. */
static inline bool clg_may_be_c(const struct clg_problem *problem, int which) {
    return clg_is_trmm(problem) && problem->stored.which != which;
}

/* The elements of one product's C that are computed. */
static inline double clg_problem_results(const struct clg_problem *problem) {
    const double m = (double)problem->m, n = (double)problem->n;
    return problem->triangle == CLG_ALL ? m * n : m * (n + 1) / 2;
}

/* How many tiles of tile_m x tile_n have any of them. */
int64_t clg_problem_tiles(const struct clg_problem *problem, int64_t tile_m, int64_t tile_n);

/* Multiply-adds for one element of C, on average. */
static inline double clg_problem_depth(const struct clg_problem *problem) {
    const double k = (double)problem->k;
    return clg_is_trmm(problem) ? (k + 1) / 2 : k;
}

/* 2 operations for each multiply-add, or 8 if numbers are complex. */
static inline double clg_problem_flops(const struct clg_problem *problem) {
    return clg_type_operations(problem->type) * clg_problem_results(problem) *
           clg_problem_depth(problem);
}

/* How many different matrices i there are: one, or one for each product of the batch. */
static inline int64_t clg_problem_matrices(const struct clg_problem *problem, int i) {
    return problem->matrix[i].stride ? problem->batch : 1;
}

/* Elements of all matrices i stored one after the other, gaps included. */
static inline int64_t clg_problem_elements(const struct clg_problem *problem, int i) {
    return problem->matrix[i].ld * problem->matrix[i].cols * clg_problem_matrices(problem, i);
}

/* Whether both have the same plans: offsets and `swapped` do not matter. */
bool clg_problem_equal(const struct clg_problem *left, const struct clg_problem *right);

/* The same for equal problems, and rarely for others. */
uint64_t clg_problem_hash(const struct clg_problem *problem);

/* Checks the caller's matrix i of rows x cols in the call's layout, `needed` if it is read or
 * written, and writes its column-major view. */
clgemm_status clg_matrix_check(struct clg_matrix *out, const struct clg_call *call, int i,
                               int64_t rows, int64_t cols, bool needed);

/* Checks the call's arguments in the order of clgemm_sgemm_cl; the first bad one is reported. A
 * matrix that is neither read nor written may be absent. Fills *out on success. Type, mode and
 * batch are not checked: the families tell whether they can compute them. */
clgemm_status clg_problem_init(struct clg_problem *out, const struct clg_call *call);

#endif
