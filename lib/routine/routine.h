/* SPDX-License-Identifier: Apache-2.0
 * The rest of level 3: symm, hemm, syrk, herk, syr2k, her2k, trmm and trsm. Each is made of
 * products, which the engine chooses kernels for, and of steps for triangles:
 *
 *     fill    writes columns of a symmetric matrix, of which a triangle is stored, to workspace
 *     merge   adds a square in workspace to the triangle of a block on C's diagonal
 *     block   solves or multiplies by a triangular block on A's diagonal; may keep what it changes
 *
 * A routine is a list of these operations, made without calling OpenCL, which run.c carries out in
 * order. */
#ifndef CLG_ROUTINE_ROUTINE_H
#define CLG_ROUTINE_ROUTINE_H

#include "run/engine.h"

/* A call of a routine, in its own layout. */
struct clg_routine {
    clgemm_routine routine;
    struct clg_call call; /* `ta` is `trans`; `tb` is not used */
    bool left, upper, unit;
    bool in_blocks; /* neither products of stored triangles nor panels, as if on a GPU */
};

/* ---- Views ---- */

/* A matrix as a routine sees it: element (i, j) is `offset` + i * row + j * col elements from the
 * start of its place, conjugated if `conjugated`. So transposes, row-major matrices and parts of
 * matrices are views. */
struct clg_view {
    int place; /* enum clg_matrix_index, or CLG_MATRICES: the workspace */
    int64_t offset, row, col;
    int64_t stride; /* from one product of the batch to the next */
    bool conjugated;
};

static inline struct clg_view clg_view_from(struct clg_view view, int64_t i, int64_t j) {
    view.offset += i * view.row + j * view.col;
    return view;
}

static inline struct clg_view clg_view_turned(struct clg_view view) {
    const int64_t row = view.row;
    view.row = view.col;
    view.col = row;
    return view;
}

/* The conjugate if `conjugates`. */
static inline struct clg_view clg_view_conjugated(struct clg_view view, bool conjugates) {
    view.conjugated ^= conjugates;
    return view;
}

/* ---- Operations ---- */

enum clg_op_kind { CLG_OP_PRODUCT, CLG_OP_FILL, CLG_OP_MERGE, CLG_OP_BLOCK, CLG_OP_KINDS };

struct clg_op {
    enum clg_op_kind kind;
    int64_t m, n, k; /* of a product; a fill writes m x n from column k on; a merge has n x n; a
                        block has m x m, and n columns of C */
    int64_t batch;
    struct clg_scalars scalars;
    struct clg_view view[CLG_MATRICES]; /* A and B are read, C is written; C's rows are contiguous,
                                           except a block's, whose B is where it keeps C */
    bool upper;                         /* the triangle of A or C, as the view has it */
    bool hermitian;                     /* the matrix that the triangle stands for */
    bool solves, unit, keeps;
    bool in_panels; /* a block: its views are not turned to make A lower triangular (panels.c) */
    int terms;      /* of a merge: W, or W and its transpose, or none */
    bool diagonal;  /* of a merge: of the triangle only that is written */
    enum clg_triangle triangle; /* of C, which a product computes */
    struct clg_stored stored;   /* of a product's operands */
};

struct clg_ops {
    struct clg_op *list;
    size_t count, room;
    uint64_t workspace; /* elements */
    bool short_of_memory;
    struct clg_op unused; /* then added in place of others */
    const struct clg_routine *routine;
    const struct clg_facts *facts;
};

/* ---- Making the list: routine.c ---- */

/* What a call has to do. */
enum clg_work clg_routine_work(const struct clg_routine *routine);

/* Checks the call's arguments; the first bad one is reported. `work` is what it has to do. */
clgemm_status clg_routine_check(const struct clg_routine *routine, enum clg_work *work);

/* Makes the list of a checked call that has work to do. Free it in any case. */
clgemm_status clg_routine_plan(struct clg_ops *out, const struct clg_routine *routine,
                               const struct clg_facts *facts);
void clg_ops_free(struct clg_ops *ops);

/* Whether the call reads or writes matrix i. */
bool clg_routine_needs(const struct clg_routine *routine, enum clg_work work, int i);

/* Rows and columns of the caller's matrix i, and whether only a triangle of it is used. */
void clg_routine_shape(const struct clg_routine *routine, int i, int64_t *rows, int64_t *cols,
                       bool *triangle);

/* trmm and trsm, whose C is read also without beta. */
static inline bool clg_routine_is_triangular(clgemm_routine routine) {
    return routine == CLGEMM_TRMM || routine == CLGEMM_TRSM;
}

/* Whether its symmetric matrix is Hermitian: that of hemm, herk and her2k if the type is complex.
 */
bool clg_routine_is_hermitian(const struct clg_routine *routine);

/* "symm" ... */
const char *clg_routine_name(clgemm_routine routine);

/* ---- For routines: symmetric.c, rank.c, triangular.c ---- */

struct clg_factor {
    double re, im;
};

/* C := alpha A B + beta C, of m x n x k. The caller may set the batch. */
struct clg_op *clg_ops_product(struct clg_ops *ops, int64_t m, int64_t n, int64_t k,
                               struct clg_factor alpha, struct clg_view a, struct clg_view b,
                               struct clg_factor beta, struct clg_view c);

/* Whether a product takes an operand of which a triangle is stored: on CPUs, of reals. */
bool clg_ops_take_triangles(const struct clg_ops *ops);

/* Makes a triangle of the product's A that operand, whose C is `c`. */
struct clg_stored *clg_op_take_triangle(struct clg_op *op, bool upper, const struct clg_view *c);

/* Adds an operation, of which the caller sets more. */
struct clg_op *clg_ops_add(struct clg_ops *ops, enum clg_op_kind kind);

/* A column-major view of the workspace, for matrices of rows x cols, one for each product of the
 * batch. The next view is of the same memory. */
struct clg_view clg_ops_workspace(struct clg_ops *ops, int64_t rows, int64_t cols);

/* The part of an n x n matrix below its blocks on the diagonal, as batches of equal blocks, largest
 * first. A batch has `count` blocks of `rows` x `cols`; the first is at row i and column j, and
 * each next one is `apart` further down the diagonal. */
struct clg_below {
    int64_t count, apart, i, j, rows, cols;
    int64_t n, block, size; /* of the matrix, a block on the diagonal, and the blocks to come */
    bool rest;              /* next is the one block of this size that the matrix cuts off */
};

struct clg_below clg_below_start(int64_t n, int64_t block);
/* False at the end. */
bool clg_below_next(struct clg_below *below);

/* The caller's matrix; for A with `trans` applied. */
struct clg_view clg_routine_view(const struct clg_routine *routine, enum clg_matrix_index which);

void clg_routine_symmetric(struct clg_ops *ops);
void clg_routine_rank(struct clg_ops *ops, enum clg_work work);
void clg_routine_triangular(struct clg_ops *ops);

/* ---- Steps for triangles: steps.c ---- */

/* The largest block of a triangular matrix that a step solves, or multiplies by; 0 if the device
 * cannot run it. */
int64_t clg_block_side(clgemm_type type, bool solves, const struct clg_facts *facts);

/* On CPUs: the most rows that a block of trsm, of reals, has in panels; 0 if another block takes
 * the whole triangle, or there are too few columns or too little memory. And its plan. */
int64_t clg_panels_rows(const struct clg_ops *ops);
void clg_panels_plan(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                     const struct clg_facts *facts);

/* The plan of an operation that is no product: with A and C as the matrices. */
void clg_op_plan(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                 const struct clg_facts *facts);

/* Checks the programs of a prepared operation that is no product, once for each device and driver,
 * or as CLGEMM_OPTION_VERIFY says: check.c. Fails with CLGEMM_STATUS_UNSUPPORTED if one is wrong.
 */
clgemm_status clg_op_check(struct clg_engine *engine, const struct clg_op *op,
                           const struct clg_prepared *prepared);

/* ---- Running it: run.c ---- */

/* Enqueues a checked call that has work to do. Programs are built before anything is enqueued.
 * `where`, `first` and `last` are as in clg_exec. If the driver refuses a command after others were
 * enqueued, C is unspecified. */
clgemm_status clg_routine_run(struct clg_engine *engine, const struct clg_routine *routine,
                              const struct clg_memory memory[CLG_MATRICES],
                              const struct clg_enqueue *where, cl_event *last);

#endif
