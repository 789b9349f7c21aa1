/* SPDX-License-Identifier: Apache-2.0
 * The programs of a plan, and small products that use them. */
#include "gemm/small.h"

#include <string.h>

#include "base/checked.h"

enum {
    ENOUGH = 64,      /* length of a dimension that has no tiles */
    CUT = 5,          /* elements past whole tiles and vectors */
    DEPTH = 256,      /* along k: several iterations of any kernel's loop */
    MOST = 1 << 23,   /* elements of a check's matrices */
    AT_LAST = 1 << 26 /* the same if no smaller product will do, but launches must be wide */
};

struct clg_hash clg_plan_programs(const struct clg_plan *plan, bool widths) {
    struct clg_hash all = {{0}};
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        struct {
            struct clg_hash before, step;
        } both = {all, clg_hash_of(step->source, strlen(step->source) + 1, step->options,
                                   strlen(step->options))};
        both.step.bytes[0] ^= widths && clg_step_is_wide(step);
        all = clg_hash_of(&both, sizeof both, NULL, 0);
    }
    return all;
}

/* ---- Kinds of large products ---- */

enum { MOST_ITERATIONS = (1 << 16) - 1, MOST_GROUPS = 1 << 16 };

const char *const clg_kind_names[CLG_KINDS] = {"", "long loops", "large matrices", "many groups"};

/* A work-item makes at most one for each step along k; on a CPU (VEC), one for each step and panel
 * of its tiles. */
static double iterations(const struct clg_plan *plan) {
    const struct clg_problem *problem = &plan->problem;
    const double lanes = plan->family ? 2.0 * plan->params.vec * plan->params.reg_n : 0;
    double groups = 1;
    for (int s = 0; s < plan->num_steps; s++)
        if (plan->steps[s].group_size == 1)
            groups = (double)plan->steps[s].groups;
    return lanes > 0 ? (double)problem->batch * clg_problem_flops(problem) / 2 / lanes / groups
                     : (double)problem->k;
}

static bool is_far(const struct clg_problem *problem, int i) {
    const struct clg_matrix *matrix = &problem->matrix[i];
    const double columns = (double)matrix->cols * (double)clg_problem_matrices(problem, i);
    return clg_work_needs(problem->work, i) &&
           (double)matrix->ld * (columns - 1) * (double)clg_type_size(problem->type) > INT32_MAX;
}

bool clg_plan_is(const struct clg_plan *plan, enum clg_kind kind) {
    bool is = kind == CLG_KIND_ANY || (kind == CLG_KIND_LONG && iterations(plan) > MOST_ITERATIONS);
    for (int i = 0; i < CLG_MATRICES; i++)
        is |= kind == CLG_KIND_LARGE && is_far(&plan->problem, i);
    for (int s = 0; s < plan->num_steps; s++)
        is |= kind == CLG_KIND_MANY && plan->steps[s].groups * plan->steps[s].batch > MOST_GROUPS;
    return is;
}

/* ---- Small products ---- */

static int64_t clip(int64_t length, int64_t most, int tile, bool cut) {
    const int64_t rest = cut ? CUT : tile ? length % tile : 0;
    const int64_t clipped = most + rest > 0 ? most + rest : tile ? tile : 1;
    return length < clipped ? length : clipped;
}

static int common_multiple(int x, int y) {
    int multiple = x;
    while (multiple % y)
        multiple += x;
    return multiple;
}

/* Whether only n is clipped to less than a tile. */
static bool is_thin_along_n(const struct clg_problem *problem) {
    return problem->n <= problem->m;
}

static void clip_matrix(struct clg_matrix *matrix, int64_t bulk, int64_t rows, int64_t cols) {
    const int64_t slack = matrix->readable - matrix->rows;
    const int64_t behind = slack < CLG_WIDEST_VECTOR ? slack : CLG_WIDEST_VECTOR;
    matrix->rows = matrix->transposed ? cols : rows;
    matrix->cols = matrix->transposed ? rows : cols;
    matrix->readable = matrix->rows + behind;
    matrix->ld = clg_round_up(matrix->readable, matrix->bulk ? bulk : matrix->vector);
    if (matrix->vector == 1) /* neighbouring columns are aligned differently */
        matrix->ld |= 1;
    matrix->offset = 0;
    if (matrix->stride)
        matrix->stride = matrix->ld * matrix->cols;
}

/* As far as `ld`, or as a matrix needs to span 2^31 bytes. */
static void move_apart(struct clg_problem *few, int i, int64_t ld) {
    enum { ALIGNMENT = 64 }; /* elements */
    struct clg_matrix *matrix = &few->matrix[i];
    const int64_t gaps = matrix->cols * clg_problem_matrices(few, i) - 1;
    const int64_t size = (int64_t)clg_type_size(few->type);
    const int64_t least = gaps ? clg_round_up(INT32_MAX / size / gaps + 1, ALIGNMENT) : 0;
    matrix->ld = least > ld ? least : ld;
    if (matrix->stride)
        matrix->stride = matrix->ld * matrix->cols;
}

/* The problem of a plan's first slab. */
static struct clg_problem slab_of(const struct clg_plan *plan) {
    struct clg_problem slab = plan->problem;
    slab.n = plan->slab;
    return slab;
}

void clg_plan_small(struct clg_plan *out, const struct clg_plan *plan,
                    const struct clg_facts *facts, const struct clg_small *small) {
    const struct clg_family *family = plan->family;
    const struct clg_tile tile = family ? clg_family_tile(family, &plan->problem, &plan->params)
                                        : (struct clg_tile){0, 0, 0};
    struct clg_problem few = slab_of(plan);
    const int64_t bulk = clg_type_bulk(few.type);
    const bool thin_n = small->thin && is_thin_along_n(&few), thin_m = small->thin && !thin_n;
    const int64_t tiles_m = thin_m ? 0 : small->tiles, tiles_n = thin_n ? 0 : small->tiles;
    if (few.triangle != CLG_ALL) {
        const int side = tile.m ? common_multiple(tile.m, tile.n) : 0;
        few.m = few.n =
            clip(few.n, (int64_t)(side ? side : ENOUGH) * small->tiles, side, small->cut);
    } else {
        few.m = clip(few.m, (tile.m ? tile.m : ENOUGH) * tiles_m, tile.m, small->cut);
        few.n = clip(few.n, (tile.n ? tile.n : ENOUGH) * tiles_n, tile.n, small->cut);
    }
    few.k = clip(few.k, clg_round_up(small->depth, tile.k ? tile.k : 1), tile.k, small->cut);
    if (few.stored.triangle != CLG_ALL) { /* is square */
        int64_t *const side = few.stored.which == CLG_A ? &few.m : &few.n;
        few.k = *side = few.k > *side ? few.k : *side;
    }
    /* If groups have several products each, the last group gets fewer. */
    const int64_t of_group = family ? plan->params.products : 0;
    const int64_t whole = 2 * (int64_t)small->tiles * (of_group ? of_group : 1);
    const int64_t most = of_group > 1 ? whole - 1 : whole;
    if (few.batch > most)
        few.batch = most;
    clip_matrix(&few.matrix[CLG_A], bulk, few.m, few.k);
    clip_matrix(&few.matrix[CLG_B], bulk, few.k, few.n);
    clip_matrix(&few.matrix[CLG_C], bulk, few.m, few.n);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (small->far && is_far(&plan->problem, i))
            move_apart(&few, i, plan->problem.matrix[i].ld);
    if (family)
        clg_plan_with(out, family, &plan->params, &few, facts);
    else
        clg_plan_scale(out, &few, facts);
}

/* ---- The product for a check ---- */

bool clg_plan_is_alike(const struct clg_plan *small, const struct clg_plan *plan, bool widths) {
    bool alike = small->num_steps == plan->num_steps;
    for (int s = 0; s < plan->num_steps && alike; s++) {
        const struct clg_step *one = &small->steps[s], *other = &plan->steps[s];
        alike = !strcmp(one->source, other->source) && !strcmp(one->options, other->options) &&
                (!widths || clg_step_is_wide(one) == clg_step_is_wide(other));
    }
    return alike;
}

static bool is_supported(const struct clg_plan *plan, const struct clg_facts *facts) {
    return !plan->family ||
           !clg_family_unsupported_reason(plan->family, &plan->problem, facts, &plan->params);
}

static double elements(const struct clg_problem *problem) {
    double sum = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        sum += (double)problem->matrix[i].readable * (double)problem->matrix[i].cols *
               (double)clg_problem_matrices(problem, i);
    return sum;
}

/* What a small product must be. */
struct search {
    bool widths;
    enum clg_kind kind;
    int most; /* elements */
};

/* How a plan divides its tiles depends on the number of tiles for each compute unit. So the small
 * plan is also tried as if there were one unit, or three, for which a few tiles are many or leave
 * a tail. */
static bool find_of_size(struct clg_plan *out, const struct clg_plan *plan,
                         const struct clg_facts *facts, const struct search *search, int tiles,
                         int64_t depth) {
    const unsigned units[] = {facts->compute_units, 1, 3};
    for (size_t option = 0; option < 2 * sizeof units / sizeof units[0]; option++) {
        const struct clg_small size = {.tiles = tiles,
                                       .thin = search->kind == CLG_KIND_MANY,
                                       .far = search->kind == CLG_KIND_LARGE,
                                       .depth = depth,
                                       .cut = option % 2 == 0};
        struct clg_facts few = *facts;
        few.compute_units = units[option / 2];
        clg_plan_small(out, plan, &few, &size);
        if (elements(&out->problem) <= search->most &&
            clg_plan_is_alike(out, plan, search->widths) && clg_plan_is(out, search->kind) &&
            is_supported(out, &few))
            return true;
    }
    return false;
}

/* Whether more tiles make the product larger. */
static bool may_grow(const struct clg_problem *small, const struct clg_problem *whole, bool thin) {
    const bool thin_n = is_thin_along_n(whole);
    return (small->m < whole->m && (!thin || thin_n)) ||
           (small->n < whole->n && (!thin || !thin_n)) || small->batch < whole->batch;
}

static bool find_twin(struct clg_plan *out, const struct clg_plan *plan,
                      const struct clg_facts *facts, const struct search *search) {
    const struct clg_problem slab = slab_of(plan);
    const bool thin = search->kind == CLG_KIND_MANY;
    int64_t depth = thin ? 1 : DEPTH;
    do {
        int tiles = 1;
        do {
            if (find_of_size(out, plan, facts, search, tiles, depth))
                return true;
            tiles *= 2;
        } while (elements(&out->problem) <= search->most && may_grow(&out->problem, &slab, thin));
        depth *= 4;
    } while (out->problem.k < plan->problem.k);
    return false;
}

/* A batch that is split along k and added up in wide launches has no small equivalent: it must be
 * as wide and nearly as deep. */
bool clg_plan_twin(struct clg_plan *out, const struct clg_plan *plan, const struct clg_facts *facts,
                   bool widths) {
    return clg_plan_twin_of_kind(out, plan, facts, widths, CLG_KIND_ANY, false);
}

bool clg_plan_twin_of_kind(struct clg_plan *out, const struct clg_plan *plan,
                           const struct clg_facts *facts, bool widths, enum clg_kind kind,
                           bool patient) {
    struct search search = {widths, kind, MOST};
    if (find_twin(out, plan, facts, &search))
        return true;
    search.most = AT_LAST;
    return (patient || (widths && kind == CLG_KIND_ANY)) && find_twin(out, plan, facts, &search);
}
