/* SPDX-License-Identifier: Apache-2.0
 * trsm's blocks on a CPU, as a plan of two steps: T is packed, and then the columns of C, a group's
 * at a time, are packed and solved (kernels/panel_solve.cl). */
#include "base/checked.h"
#include "gemm/panel/panel.h"
#include "routine/routine.h"

/* Rows of the largest block, so that panels of C stay in a core's L2 cache. */
enum { MOST_ROWS = 1024 };

/* Panels of C that a group has at a time: as many as fit half of that cache, and leave each unit
 * TASKS_PER_UNIT turns, up to MOST_PANELS. T's panels are read once for all of them. */
enum { MOST_PANELS = 8, TASKS_PER_UNIT = 3 };

struct work {
    int vec, reg_n;
    int64_t width;         /* columns of C that a group has at a time */
    int64_t tasks, groups; /* of all products */
    int64_t block;         /* numbers that a group packs */
};

static struct work divide(int64_t rows, int64_t cols, int64_t batch, clgemm_type type,
                          const struct clg_facts *facts) {
    const struct clg_panel_registers registers = clg_panel_registers_of(type, facts);
    const int64_t units = facts->compute_units, panel = 2 * (int64_t)registers.elements;
    const int64_t size = (int64_t)clg_type_size(type);
    struct work work = {.vec = registers.elements, .reg_n = registers.columns};
    int64_t panels = (int64_t)facts->core_cache / 2 / (panel * rows * size);
    panels = clg_least(panels, batch * clg_ceil_div(cols, panel) / (units * TASKS_PER_UNIT));
    panels = clg_least(panels < 1 ? 1 : panels, MOST_PANELS);
    work.width = panels * panel;
    work.tasks = batch * clg_ceil_div(cols, work.width);
    work.groups = clg_least(work.tasks, units * CLG_PANEL_GROUPS);
    work.block = work.width * rows;
    return work;
}

/* Whether the workspace of a block fits the memory that a call may take. Later blocks have fewer
 * rows, but up to twice the panels. */
static bool fits(const struct work *work, int64_t rows, const struct clg_call *call,
                 const struct clg_facts *facts) {
    const int64_t triangles = call->operand[CLG_A].stride && call->batch > 1 ? call->batch : 1;
    const double blocks = 2 * (double)work->block * (double)work->groups,
                 packed = (double)triangles * (double)(rows + work->reg_n) * (double)rows,
                 bytes = (blocks + packed) * (double)clg_type_size(call->type);
    return bytes <= (double)facts->workspace_max && bytes <= (double)facts->max_allocation;
}

int64_t clg_panels_rows(const struct clg_ops *ops) {
    const struct clg_routine *r = ops->routine;
    const struct clg_facts *facts = ops->facts;
    const struct clg_call *call = &r->call;
    const int64_t all = r->left ? call->m : call->n, cols = r->left ? call->n : call->m;
    const int64_t rows = clg_least(all, MOST_ROWS), most = 1 << 30; /* counters are ints */
    if (!clg_ops_take_triangles(ops) || !facts->compute_units || cols > most ||
        rows <= clg_block_side(call->type, true, facts)) /* which takes one launch */
        return 0;
    const struct work work =
        divide(rows, cols, call->batch > 1 ? call->batch : 1, call->type, facts);
    const bool is_busy = work.tasks >= facts->compute_units && work.tasks <= most;
    return is_busy && fits(&work, rows, call, facts) ? rows : 0;
}

void clg_panels_plan(struct clg_plan *out, const struct clg_op *op, clgemm_type type,
                     const struct clg_facts *facts) {
    const struct clg_view *t = &op->view[CLG_A], *x = &op->view[CLG_C];
    const struct work work = divide(op->m, op->n, op->batch, type, facts);
    const bool along_k = x->row == 1;
    *out = (struct clg_plan){.problem = {.type = type, .m = op->m, .k = op->m, .batch = op->batch},
                             .counters = -1,
                             .packed = -1,
                             .why = "step"};
    struct clg_problem *problem = &out->problem;
    problem->matrix[CLG_A] = (struct clg_matrix){
        .ld = t->row == 1 ? t->col : t->row, .stride = t->stride, .transposed = t->row != 1};
    problem->matrix[CLG_C].stride = x->stride;
    problem->stored = (struct clg_stored){
        .triangle = op->upper ? CLG_UPPER : CLG_LOWER, .which = CLG_A, .unit = op->unit};
    const struct clg_params packing = {.vec = work.vec, .tile_k = (int)op->m};
    const int packed = clg_panel_pack(out, problem, &packing, CLG_A, work.reg_n);
    const int blocks = clg_plan_workspace(out, work.block * work.groups);
    const int counters = clg_plan_counters(out);
    const struct clg_params options = {.vec = work.vec, .reg_n = work.reg_n};
    struct clg_step *step =
        clg_plan_step(out, "panel_solve", &options, along_k ? "-DALONG_K=1" : "-DALONG_K=0");
    step->group_size = 1;
    step->groups = (uint64_t)work.groups;
    step->batch = 1; /* the groups share the columns of all products */
    clg_step_int(step, "rows", op->m);
    clg_step_int(step, "cols", op->n);
    clg_step_int(step, "width", work.width);
    clg_step_int(step, "upper", op->upper);
    clg_step_int(step, "unit", op->unit);
    step->args[step->num_args++] = (struct clg_arg){.name = "alpha", .kind = CLG_ARG_ALPHA};
    clg_step_workspace(step, "t", packed);
    clg_step_stride(step, "t_stride", problem,
                    t->stride ? clg_round_up(op->m, work.reg_n) * op->m : 0);
    clg_step_matrix(step, "x", CLG_C);
    clg_step_offset(step, "x_offset", CLG_C);
    clg_step_long(step, "x_row", x->row);
    clg_step_long(step, "x_col", x->col);
    clg_step_stride(step, "x_stride", problem, x->stride);
    clg_step_workspace(step, "blocks", blocks);
    clg_step_long(step, "block_size", work.block);
    clg_step_workspace(step, "next", counters);
    if (op->batch > 1)
        clg_step_int(step, "products", op->batch);
}
