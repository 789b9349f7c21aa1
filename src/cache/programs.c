/* SPDX-License-Identifier: Apache-2.0
 * Finds the programs that the model can choose on a device, by a walk over problems. */
#include "src/cache/programs.h"

#include "base/thread.h"
#include "host/buffers.h"
#include "host/plan.h"

enum { ALIGNMENT = 64 }; /* alignment of an operand's first element, as runtimes align buffers */

/* What a walk adds to, and what it plans with. */
struct walk {
    struct build_set *out;
    clgemm_type type;
    const struct transpose_list *transposes;
    const struct clg_facts *facts;
    const struct clg_tuning *tuning;
};

/* ---- Problems ---- */

/* Calls cannot do what no family can do, so it is skipped. */
static void add_problem(struct walk *walk, const struct clg_problem *problem) {
    struct clg_plan plan;
    if (!worker_stop && !clg_choose_plan(&plan, problem, walk->facts, walk->tuning))
        build_set_add(walk->out, &plan, true);
}

/* Columns have no gaps, or with `padded` are a multiple of the vector width apart, with readable
 * padding. Returns false for a shape whose size cannot be addressed. */
static bool describe(struct clg_problem *out, clgemm_type type, struct shape s, struct transposes t,
                     bool padded) {
    const int64_t rows[CLG_MATRICES] = {t.ta == CLGEMM_NO_TRANS ? s.m : s.k,
                                        t.tb == CLGEMM_NO_TRANS ? s.k : s.n, s.m};
    struct clg_call call = {.type = type,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = t.ta,
                            .tb = t.tb,
                            .m = s.m,
                            .n = s.n,
                            .k = s.k,
                            .scalars = {.alpha = 1}};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int64_t ld = rows[i] > 1 ? rows[i] : 1;
        if (ld > INT64_MAX - clg_type_bulk(type) - CLG_WIDEST_VECTOR)
            return false;
        call.operand[i] = (struct clg_operand){.ld = padded ? clg_host_dense_ld(type, ld) : ld,
                                               .bytes = UINT64_MAX,
                                               .alignment = ALIGNMENT};
    }
    return !clg_problem_init(out, &call);
}

/* Adds what multiplies copies of whole host matrices, if these fit. */
static void add_copies(struct walk *walk, const struct clg_problem *problem) {
    static const struct clg_host_matrices nowhere;
    struct clg_host_layout layout;
    if (!clg_host_layout_make(&layout, problem, &nowhere, false, walk->facts->max_allocation) &&
        clg_host_layout_fits(&layout, walk->facts))
        add_problem(walk, &layout.problem);
}

/* Adds what a call on host matrices needs: a copy if the device has memory of its own, else the
 * matrices in place. */
static void add_host(struct walk *walk, const struct clg_problem *problem) {
    if (walk->facts->shares_host_memory)
        add_problem(walk, problem);
    else
        add_copies(walk, problem);
}

enum columns { ALIGNED, DENSE };

static void add_shape(struct walk *walk, struct shape shape, enum columns columns) {
    struct clg_problem problem;
    for (size_t t = 0; t < walk->transposes->count; t++) {
        if (!describe(&problem, walk->type, shape, walk->transposes->items[t], columns == ALIGNED))
            continue;
        if (columns == ALIGNED)
            add_host(walk, &problem);
        else
            add_problem(walk, &problem);
    }
}

/* The first call on host matrices may scale a few elements to find out whether the device accepts
 * the host's pointers (host/host.h). */
static void add_probe(struct walk *walk) {
    if (walk->facts->shares_host_memory && walk->facts->takes_pointers)
        add_shape(walk, (struct shape){1, 1, 0}, DENSE);
}

/* Adds what calls of a named shape on host matrices need: what a pipeline multiplies, with and
 * without beta. The walk over all sizes skips that, because panels have sizes that it covers
 * anyway. */
static void add_host_call(struct walk *walk, const struct clg_problem *problem) {
    static const struct clg_host_matrices nowhere;
    struct clg_host_layout dense;
    if (walk->facts->shares_host_memory) {
        add_problem(walk, problem);
        return;
    }
    if (clg_host_layout_make(&dense, problem, &nowhere, false, walk->facts->max_allocation))
        return;
    const struct clg_pipe_speeds speeds =
        clg_pipe_speeds_of(walk->tuning, walk->facts, problem, clg_thread_processors());
    for (int has_beta = 0; has_beta < 2; has_beta++) {
        const struct clg_pipe_task task = {problem, has_beta, 0};
        struct clg_pipe_plan plan = {0};
        clg_pipe_make(&plan, &task, walk->facts, &speeds);
        for (int s = 0; s < plan.num_steps; s++)
            add_problem(walk, &plan.steps[s].problem);
        clg_pipe_plan_free(&plan);
    }
}

void cache_programs_add_shapes(struct build_set *out, clgemm_type type,
                               const struct shape_list *shapes,
                               const struct transpose_list *transposes,
                               const struct clg_facts *facts, const struct clg_tuning *tuning) {
    struct walk walk = {out, type, transposes, facts, tuning};
    struct clg_problem problem;
    add_probe(&walk);
    for (size_t i = 0; i < shapes->count; i++)
        for (size_t t = 0; t < transposes->count; t++)
            if (describe(&problem, type, shapes->items[i], transposes->items[t], false)) {
                add_host_call(&walk, &problem);
                add_problem(&walk, &problem);
            }
}

/* ---- All of them ---- */

enum { OCTAVES = 15, SIZES = 2 * OCTAVES - 1 };

/* 1, 2, 3, 4, 6, 8, 12 ... 24576: powers of two from 2 on are at odd indices. */
static int64_t size_at(int i) {
    return i == 0 ? 1 : (i % 2 ? INT64_C(2) : INT64_C(3)) << (i - 1) / 2;
}

static void add_tuned(struct walk *walk) {
    for (size_t i = 0; walk->tuning && i < clg_tuning_count(walk->tuning); i++) {
        enum clg_tuning_origin origin;
        bool own_driver;
        const struct clg_tuning_row *row = clg_tuning_at(walk->tuning, i, &origin, &own_driver);
        struct clg_problem problem;
        if (row->shape.type == walk->type && !clg_tuning_problem(&problem, &row->shape))
            add_problem(walk, &problem);
    }
}

/* Sizes that are whole tiles, and sizes whose tiles reach beyond C. */
static void add_aligned_squares(struct walk *walk) {
    for (int i = 0; i < SIZES; i++)
        for (int more = 0; more < 2; more++) {
            const int64_t size = size_at(i) + (int64_t)more * CLG_WIDEST_VECTOR;
            add_shape(walk, (struct shape){size, size, size}, ALIGNED);
        }
}

static void add_aligned(struct walk *walk) {
    for (int m = 0; m < SIZES; m++)
        for (int n = 0; n < SIZES; n++)
            for (int k = 0; k < SIZES; k++)
                for (int more = 0; more < 2; more++)
                    add_shape(walk, (struct shape){size_at(m) + more, size_at(n), size_at(k)},
                              ALIGNED);
}

/* Covers everything that decides the vector width. Sizes with equal remainders come before
 * others. */
static void add_dense_squares(struct walk *walk) {
    enum { V = CLG_WIDEST_VECTOR, CASES = V * V * V, SAME_REST = 1 + V + V * V };
    for (int c = 0; c < CASES; c++) {
        const int rests = c * SAME_REST % CASES;
        for (int i = 0; i < SIZES; i++) {
            const int64_t size = size_at(i);
            add_shape(walk,
                      (struct shape){size + rests % V, size + rests / V % V, size + rests / V / V},
                      DENSE);
        }
    }
}

static void add_dense(struct walk *walk) {
    for (int m = 1; m < SIZES; m += 2)
        for (int n = 1; n < SIZES; n += 2)
            for (int k = 1; k < SIZES; k += 2)
                for (int more = 0; more < 8; more++)
                    add_shape(walk,
                              (struct shape){size_at(m) + (more & 1), size_at(n) + (more >> 1 & 1),
                                             size_at(k) + (more >> 2)},
                              DENSE);
}

void cache_programs_add_all(struct build_set *out, clgemm_type type,
                            const struct transpose_list *transposes, const struct clg_facts *facts,
                            const struct clg_tuning *tuning) {
    struct walk walk = {out, type, transposes, facts, tuning};
    add_tuned(&walk);
    add_shape(&walk, (struct shape){1, 1, 0}, DENSE);
    add_aligned_squares(&walk);
    add_aligned(&walk);
    add_dense_squares(&walk);
    add_dense(&walk);
}
