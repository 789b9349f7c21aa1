/* SPDX-License-Identifier: Apache-2.0
 * The steps for triangles, as plans of one step, or in panels.c of two. */
#include <stdio.h>
#include <stdlib.h>

#include "base/checked.h"
#include "gemm/family.h"
#include "routine/routine.h"

/* What the kernels have built in. */
enum { SQUARE = 32, SQUARE_GROUP = 256 };

/* The form of a triangular block's kernel: rows of the triangle, columns of C that a work-group has
 * at a time, its work-items, and the rows that one of them has at a time. */
struct block_form {
    int side, lanes, width, group, strip;
};

/* Rows that a work-item computes at a time, in registers. */
enum { STRIP = 8, REGISTER_BYTES = 4, ADDRESS_REGISTERS = 16 };

enum { LARGEST_SIDE = 64, LEAST_SIDE = 16, MOST_LANES = 32, LEAST_LANES = 16 };

/* Work-groups for each compute unit. */
enum { CPU_ROUNDS = 4, GPU_ROUNDS = 16 };

static int width_of(clgemm_type type, const struct clg_facts *facts) {
    if (facts->kind != CLG_DEVICE_CPU)
        return 1;
    int width = 16; /* the widest vectors of OpenCL */
    while (width > 2 && (size_t)width * clg_type_real_size(type) >
                            facts->float_vector * clg_type_real_size(CLGEMM_F32))
        width /= 2;
    return width;
}

/* Local memory, with a column that keeps the banks apart. */
static bool fits(const struct block_form *form, clgemm_type type, const struct clg_facts *facts) {
    const int columns = (form->lanes + 1) * form->width;
    return (uint64_t)form->side * (uint64_t)(form->side + columns) * clg_type_size(type) <=
           facts->local_memory;
}

/* Half of a strip if its rows, those of a column of the triangle, and some addresses do not fit
 * into a GPU's registers. */
static int strip_of(clgemm_type type, const struct clg_facts *facts) {
    const size_t registers =
        (2 * STRIP + 1) * clg_type_size(type) / REGISTER_BYTES + ADDRESS_REGISTERS;
    return facts->kind != CLG_DEVICE_CPU && registers > facts->arch.registers ? STRIP / 2 : STRIP;
}

/* The largest triangle that fits, because each is a step that all later ones wait for; with as many
 * columns as fit beside it. */
static struct block_form form_of(clgemm_type type, const struct clg_facts *facts) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    struct block_form form = {.side = LARGEST_SIDE,
                              .lanes = cpu ? 1 : MOST_LANES,
                              .width = width_of(type, facts),
                              .group = cpu ? 1 : SQUARE_GROUP,
                              .strip = strip_of(type, facts)};
    while (!fits(&form, type, facts) && form.side > LEAST_SIDE) {
        if (form.lanes > LEAST_LANES) {
            form.lanes /= 2;
        } else {
            form.lanes = cpu ? 1 : MOST_LANES;
            form.side /= 2;
        }
    }
    return form;
}

/* The kernel that solves many rows has a work-item for each row, in rows of ACROSS. */
enum {
    ACROSS = 8,
    MOST_OWN = 4,       /* columns of a work-item */
    SOLVE_BYTES = 1024, /* of a column of C */
};

/* Registers of a work-item with so many columns, roughly: those, the triangle of a strip (a part of
 * it at a time, if its numbers are complex), what is on its way from T, and some for addresses. */
static uint32_t solve_registers(clgemm_type type, int own) {
    const size_t triangle = clg_type_is_complex(type) ? STRIP : STRIP * (STRIP + 1) / 2;
    const size_t numbers = triangle + STRIP * (size_t)(own + 1);
    return (uint32_t)(numbers * clg_type_size(type) / REGISTER_BYTES + ADDRESS_REGISTERS);
}

static int most_own(clgemm_type type, const struct clg_facts *facts) {
    int own = clg_type_is_complex(type) ? MOST_OWN / 2 : MOST_OWN;
    while (own > 1 && solve_registers(type, own) > facts->arch.registers)
        own /= 2;
    return own;
}

/* Columns of a work-item: as few as give each compute unit at most one group, if MOST_OWN do,
 * because a group with fewer columns is quicker. */
static int solve_own(const struct clg_op *op, clgemm_type type, const struct clg_facts *facts) {
    const int most = most_own(type, facts);
    int own = 1;
    while (own < most &&
           op->batch * clg_ceil_div(op->n, (int64_t)ACROSS * own) > facts->compute_units)
        own *= 2;
    return own;
}

/* Whether the triangle of a strip and its reciprocals also have registers, as many as two columns
 * more. */
static bool solves_ahead(clgemm_type type, int own, const struct clg_facts *facts) {
    return !clg_type_is_complex(type) && solve_registers(type, own + 2) <= facts->arch.registers;
}

/* Bytes of local memory: three places for T's columns, where C is copied, too, the reciprocals of
 * two strips' diagonals, and three strips of C. */
static uint64_t solve_memory(int64_t rows, clgemm_type type, const struct clg_facts *facts) {
    const int64_t strip = STRIP, own = most_own(type, facts);
    return (uint64_t)(3 * strip * (rows + 4) + 2 * strip + 3 * strip * ACROSS * own) *
           clg_type_size(type);
}

/* The rows that a work-group of a GPU solves with many work-items; 0 if blocks are as large, or
 * work-items have too few registers. */
static int64_t solve_rows(clgemm_type type, const struct clg_facts *facts) {
    int64_t rows = SOLVE_BYTES / (int64_t)clg_type_size(type);
    while (rows > 0 && (clg_group_unsupported_reason(facts, rows) ||
                        solve_memory(rows, type, facts) > facts->local_memory))
        rows /= 2;
    const bool keeps = solve_registers(type, 1) <= facts->arch.registers;
    return facts->kind != CLG_DEVICE_CPU && keeps && rows > form_of(type, facts).side ? rows : 0;
}

int64_t clg_block_side(clgemm_type type, bool solves, const struct clg_facts *facts) {
    const int64_t rows = solves ? solve_rows(type, facts) : 0;
    return clg_group_unsupported_reason(facts, SQUARE_GROUP) ? 0
           : rows                                            ? rows
                                                             : form_of(type, facts).side;
}

static struct clg_step *begin(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                              const char *source, const char *options) {
    *out = (struct clg_plan){
        .problem = {.type = type, .batch = op->batch}, .counters = -1, .packed = -1, .why = "step"};
    struct clg_problem *problem = &out->problem;
    for (int i = 0; i < CLG_MATRICES; i++)
        problem->matrix[i] = (struct clg_matrix){.ld = op->view[i].col,
                                                 .stride = op->view[i].stride,
                                                 .conjugated = op->view[i].conjugated};
    return clg_plan_step(out, source, NULL, options);
}

static void add_view(struct clg_step *step, const struct clg_plan *plan, const struct clg_op *op,
                     enum clg_matrix_index which, const char *const names[]) {
    clg_step_matrix(step, names[0], which);
    clg_step_offset(step, names[1], which);
    clg_step_long(step, names[2], op->view[which].row);
    clg_step_long(step, names[3], op->view[which].col);
    clg_step_stride(step, names[4], &plan->problem, op->view[which].stride);
}

static void add_factor(struct clg_step *step, const char *name, enum clg_arg_kind kind) {
    step->args[step->num_args++] = (struct clg_arg){.name = name, .kind = kind};
}

static uint64_t squares(int64_t rows, int64_t cols) {
    return (uint64_t)clg_ceil_div(rows, SQUARE) * (uint64_t)clg_ceil_div(cols, SQUARE);
}

static void plan_fill(struct clg_plan *out, const struct clg_op *op, clgemm_type type) {
    static const char *const names[] = {"x", "x_offset", "x_row", "x_col", "x_stride"};
    char options[96];
    snprintf(options, sizeof options, "-DUPPER=%d -DHERMITIAN=%d -DALONG_ROWS=%d", op->upper,
             op->hermitian, op->view[CLG_A].row == 1);
    struct clg_step *step = begin(out, op, type, "triangle_fill", options);
    step->group_size = SQUARE_GROUP;
    step->groups = squares(op->m, op->n);
    clg_step_int(step, "rows", op->m);
    clg_step_int(step, "cols", op->n);
    clg_step_int(step, "first", op->k);
    add_view(step, out, op, CLG_A, names);
    clg_step_matrix(step, "w", CLG_C);
    clg_step_offset(step, "w_offset", CLG_C);
    clg_step_int(step, "w_ld", op->view[CLG_C].col);
    clg_step_stride(step, "w_stride", &out->problem, op->view[CLG_C].stride);
    clg_step_groups(step, &out->problem);
}

static void plan_merge(struct clg_plan *out, const struct clg_op *op, clgemm_type type) {
    static const char *const names[] = {"w", "w_offset", "w_row", "w_col", "w_stride"};
    char options[96];
    snprintf(options, sizeof options, "-DTERMS=%d -DUPPER=%d -DHERMITIAN=%d -DDIAGONAL=%d",
             op->terms, op->upper, op->hermitian, op->diagonal);
    struct clg_step *step = begin(out, op, type, "triangle_merge", options);
    step->group_size = SQUARE_GROUP;
    step->groups = squares(op->n, op->diagonal ? 1 : op->n);
    clg_step_int(step, "n", op->n);
    add_factor(step, "beta", CLG_ARG_BETA);
    if (op->terms)
        add_view(step, out, op, CLG_A, names);
    clg_step_columns(step, &out->problem, CLG_C, CLG_C);
    clg_step_groups(step, &out->problem);
}

/* The triangle and C. */
static void add_triangle(struct clg_step *step, const struct clg_plan *plan,
                         const struct clg_op *op) {
    static const char *const a[] = {"a", "a_offset", "a_row", "a_col", "a_stride"};
    static const char *const x[] = {"x", "x_offset", "x_row", "x_col", "x_stride"};
    add_factor(step, "alpha", CLG_ARG_ALPHA);
    add_view(step, plan, op, CLG_A, a);
    clg_step_sign(step, "a_sign", &plan->problem, CLG_A);
    add_view(step, plan, op, CLG_C, x);
}

static void plan_solve(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                       int64_t rows, const struct clg_facts *facts) {
    char options[128];
    const int own = solve_own(op, type, facts);
    snprintf(options, sizeof options,
             "-DROWS=%d -DOWN=%d -DUNIT_DIAGONAL=%d -DALONG_ROWS=%d -DT_ALONG_ROWS=%d -DAHEAD=%d",
             (int)rows, own, op->unit, llabs(op->view[CLG_C].row) == 1,
             llabs(op->view[CLG_A].row) == 1, solves_ahead(type, own, facts));
    struct clg_step *step = begin(out, op, type, "triangle_solve", options);
    step->group_size = (uint64_t)rows;
    step->groups = (uint64_t)clg_ceil_div(op->n, (int64_t)ACROSS * own);
    clg_step_int(step, "rows", op->m);
    clg_step_int(step, "cols", op->n);
    add_triangle(step, out, op);
    clg_step_groups(step, &out->problem);
}

static void plan_block(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                       const struct clg_facts *facts) {
    static const char *const copy[] = {"copy", "copy_offset", "copy_row", "copy_col",
                                       "copy_stride"};
    const struct block_form form = form_of(type, facts);
    const int64_t columns = clg_ceil_div(op->n, (int64_t)form.lanes * form.width);
    /* Not more groups than keep all compute units busy, because each reads the triangle. */
    const int64_t rounds = facts->kind == CLG_DEVICE_CPU ? CPU_ROUNDS : GPU_ROUNDS;
    const int64_t most = clg_ceil_div((int64_t)facts->compute_units * rounds, op->batch);
    const int64_t turns = clg_ceil_div(columns, most);
    char options[160];
    snprintf(options, sizeof options,
             "-DSIDE=%d -DGROUP=%d -DLANES=%d -DWIDTH=%d -DSTRIP=%d -DSOLVES=%d -DKEEPS=%d "
             "-DUNIT_DIAGONAL=%d "
             "-DALONG_ROWS=%d",
             form.side, form.group, form.lanes, form.width, form.strip, op->solves, op->keeps,
             op->unit, llabs(op->view[CLG_C].row) == 1);
    struct clg_step *step = begin(out, op, type, "triangle_block", options);
    step->group_size = (uint64_t)form.group;
    step->groups = (uint64_t)clg_ceil_div(columns, turns);
    clg_step_int(step, "rows", op->m);
    clg_step_int(step, "cols", op->n);
    clg_step_int(step, "turns", turns);
    add_triangle(step, out, op);
    if (op->keeps)
        add_view(step, out, op, CLG_B, copy);
    clg_step_groups(step, &out->problem);
}

void clg_op_plan(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                 const struct clg_facts *facts) {
    const int64_t rows = op->solves ? solve_rows(type, facts) : 0;
    if (op->kind == CLG_OP_FILL)
        plan_fill(out, op, type);
    else if (op->kind == CLG_OP_MERGE)
        plan_merge(out, op, type);
    else if (op->in_panels)
        clg_panels_plan(out, op, type, facts);
    else if (rows)
        plan_solve(out, op, type, rows, facts);
    else
        plan_block(out, op, type, facts);
    clg_plan_set_sub_groups(out, facts);
}
