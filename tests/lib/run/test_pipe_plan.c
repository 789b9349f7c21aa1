/* SPDX-License-Identifier: Apache-2.0
 * Pipelines as they are planned: carried out on plain memory they are the product, whatever is
 * late; what they take is bounded; what they should take in time. Needs no device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/pipe_joint.h"
#include "run/pipe_plan.h"
#include "run/pipe_schedule.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/random.h"
#include "support/tuning.h"
#include "tuning/table_edit.h"

/* ---- Problems ---- */

struct form {
    int64_t m, n, k, batch;
    bool ta, tb, shares_a, has_beta;
    int64_t gap;
    bool scales; /* alpha is 0, and beta is not 1 */
};

static struct clg_problem problem_of(const struct form *f, clgemm_type type) {
    const int64_t rows[] = {f->ta ? f->k : f->m, f->tb ? f->n : f->k, f->m};
    const int64_t cols[] = {f->ta ? f->m : f->k, f->tb ? f->k : f->n, f->n};
    struct clg_call call = {.type = type,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = f->ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = f->tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = f->m,
                            .n = f->n,
                            .k = f->k,
                            .batch = f->batch,
                            .scalars = {f->scales ? 0 : 1, f->scales     ? 2
                                                           : f->has_beta ? 1
                                                                         : 0}};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int64_t ld = rows[i] + f->gap;
        const bool one = f->batch <= 1 || (i == CLG_A && f->shares_a);
        call.operand[i] = (struct clg_operand){.ld = ld,
                                               .stride = one ? 0 : ld * cols[i] + f->gap,
                                               .bytes = UINT64_MAX,
                                               .alignment = 4};
    }
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    return problem;
}

static int64_t span(const struct clg_problem *p, int i) {
    return (clg_problem_matrices(p, i) - 1) * p->matrix[i].stride +
           p->matrix[i].ld * p->matrix[i].cols;
}

/* ---- Carrying plans out, all as late as may be ---- */

/* The host's matrices and the device's buffers; elements are small integers, gaps are NaN. */
struct world {
    const struct clg_problem *problem;
    const struct clg_pipe_plan *plan;
    float *host[CLG_MATRICES], *device[CLG_MATRICES];
    int sent, ran, read;
    bool has_beta; /* 1 */
};

static float *host_at(const struct world *w, const struct clg_pipe_piece *piece, int64_t j,
                      int64_t i) {
    const int which = piece->matrix;
    const struct clg_matrix *matrix = &w->problem->matrix[which];
    const int64_t col = piece->col + j;
    return w->host[which] + col / matrix->cols * matrix->stride + col % matrix->cols * matrix->ld +
           piece->row + i;
}

static void move(const struct world *w, const struct clg_pipe_piece *piece, bool up) {
    for (int64_t j = 0; j < piece->cols; j++)
        for (int64_t i = 0; i < piece->rows; i++) {
            const int64_t at = piece->at + j * piece->ld + i;
            assert_in_range(at, 0, w->plan->elements[piece->matrix] - 1);
            float *there = w->device[piece->matrix] + at;
            float *here = host_at(w, piece, j, i);
            *(up ? there : here) = up ? *here : *there;
        }
}

static float element(const struct world *w, const struct clg_pipe_step *step, int which, int64_t z,
                     int64_t row, int64_t col) {
    const struct clg_matrix *m = &step->problem.matrix[which];
    const int64_t at =
        m->offset + z * m->stride + (m->transposed ? col + row * m->ld : row + col * m->ld);
    assert_in_range(at, 0, w->plan->elements[which] - 1);
    return w->device[which][at];
}

static void multiply(struct world *w, const struct clg_pipe_step *step) {
    const struct clg_problem *p = &step->problem;
    const struct clg_matrix *c = &p->matrix[CLG_C];
    for (int64_t z = 0; z < p->batch; z++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++) {
                const int64_t at = c->offset + z * c->stride + i + j * c->ld;
                float *to = &w->device[CLG_C][at];
                float sum = step->first && !w->has_beta ? 0 : *to;
                assert_in_range(at, 0, w->plan->elements[CLG_C] - 1);
                for (int64_t l = 0; p->work == CLG_WORK_MULTIPLY && l < p->k; l++)
                    sum += element(w, step, CLG_A, z, i, l) * element(w, step, CLG_B, z, l, j);
                *to = sum;
            }
}

static void run_until(struct world *w, int steps);

static void read_until(struct world *w, int pieces) {
    for (; w->read < pieces; w->read++) {
        run_until(w, w->plan->down[w->read].step + 1);
        move(w, &w->plan->down[w->read], false);
    }
}

static void run_until(struct world *w, int steps) {
    for (; w->ran < steps; w->ran++) {
        const struct clg_pipe_step *step = &w->plan->steps[w->ran];
        assert_true(step->needs <= w->sent);
        read_until(w, step->after);
        multiply(w, step);
    }
}

/* Sends everything as early, and does all else as late, as the plan allows. */
static void carry_out(struct world *w) {
    const struct clg_pipe_plan *plan = w->plan;
    for (; w->sent < plan->num_up; w->sent++) {
        const struct clg_pipe_piece *piece = &plan->up[w->sent];
        run_until(w, piece->step + 1);
        read_until(w, piece->after);
        move(w, piece, true);
    }
    run_until(w, plan->num_steps);
    read_until(w, plan->num_down);
}

static void fill(float *at, const struct clg_problem *p, int which) {
    const struct clg_matrix *m = &p->matrix[which];
    for (int64_t i = 0; i < span(p, which); i++)
        at[i] = NAN;
    for (int64_t z = 0; z < clg_problem_matrices(p, which); z++)
        for (int64_t j = 0; j < m->cols; j++)
            for (int64_t i = 0; i < m->rows; i++)
                at[z * m->stride + j * m->ld + i] =
                    (float)((z * 31 + j * 7 + i * 3 + which * 5) % 9 - 4);
}

static float wanted(const struct world *w, const float *old_c, int64_t z, int64_t i, int64_t j,
                    bool has_beta) {
    const struct clg_matrix *a = &w->problem->matrix[CLG_A], *b = &w->problem->matrix[CLG_B];
    const struct clg_matrix *c = &w->problem->matrix[CLG_C];
    float sum = has_beta ? old_c[z * c->stride + j * c->ld + i] : 0;
    for (int64_t l = 0; l < w->problem->k; l++)
        sum += w->host[CLG_A][z * a->stride + (a->transposed ? l + i * a->ld : i + l * a->ld)] *
               w->host[CLG_B][z * b->stride + (b->transposed ? j + l * b->ld : l + j * b->ld)];
    return sum;
}

/* Carries a plan out and compares; C's gaps must stay NaN. */
static void check(const struct clg_problem *problem, const struct clg_pipe_plan *plan,
                  bool has_beta) {
    struct world w = {.problem = problem, .plan = plan, .has_beta = has_beta};
    float *old = malloc((size_t)span(problem, CLG_C) * sizeof *old);
    for (int i = 0; i < CLG_MATRICES; i++) {
        w.host[i] = malloc((size_t)span(problem, i) * sizeof(float));
        w.device[i] = malloc((size_t)(plan->elements[i] + 1) * sizeof(float));
        for (int64_t e = 0; e < plan->elements[i]; e++)
            w.device[i][e] = NAN;
        fill(w.host[i], problem, i);
    }
    memcpy(old, w.host[CLG_C], (size_t)span(problem, CLG_C) * sizeof *old);
    carry_out(&w);
    const struct clg_matrix *c = &problem->matrix[CLG_C];
    for (int64_t z = 0; z < problem->batch; z++)
        for (int64_t j = 0; j < c->cols; j++)
            for (int64_t i = 0; i < c->ld; i++) {
                const float got = w.host[CLG_C][z * c->stride + j * c->ld + i];
                if (i >= c->rows)
                    assert_true(isnan(got));
                else
                    assert_true(got == wanted(&w, old, z, i, j, has_beta));
            }
    free(old);
    for (int i = 0; i < CLG_MATRICES; i++) {
        free(w.host[i]);
        free(w.device[i]);
    }
}

static struct form draw_form(struct clg_test_random *random) {
    return (struct form){.m = clg_test_range(random, 1, 150),
                         .n = clg_test_range(random, 1, 150),
                         .k = clg_test_range(random, 1, 60),
                         .batch = 1,
                         .ta = clg_test_range(random, 0, 1),
                         .tb = clg_test_range(random, 0, 1),
                         .has_beta = clg_test_range(random, 0, 1),
                         .gap = clg_test_range(random, 0, 3)};
}

static void any_way_is_the_product(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_pipe_plan plan = {0};
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        struct form form = draw_form(&random);
        if (turn % 4 == 0) {
            form.batch = clg_test_range(&random, 2, 7);
            form.shares_a = turn % 8 == 0;
            form.m = clg_test_range(&random, 1, 20);
        }
        const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
        const struct clg_pipe_task task = {&problem, form.has_beta, 0};
        struct clg_pipe_way way = {.tall = clg_test_range(&random, 0, 1),
                                   .panel = form.batch > 1 ? clg_test_range(&random, 1, 7)
                                                           : 64 * clg_test_range(&random, 1, 3)};
        if (form.batch > 1)
            way.tall = false;
        else
            way.panel = (way.panel + CLG_PIPE_SIDE - 1) / CLG_PIPE_SIDE * CLG_PIPE_SIDE;
        if (!way.tall && form.batch == 1 && form.k > 8) {
            way.slab = clg_test_range(&random, 1, 8);
            way.rest = clg_test_range(&random, 1, form.k / 2);
        }
        way.tail = form.batch == 1 ? CLG_PIPE_SIDE * clg_test_range(&random, 0, 1) : 0;
        const size_t slot = (size_t)clg_test_range(&random, 16, 6000);
        assert_true(clg_pipe_schedule_whole(&plan, &task, &way, slot));
        assert_true(plan.slot <= slot);
        check(&problem, &plan, form.has_beta);
    }
    clg_pipe_plan_free(&plan);
}

static void blocks_are_the_product(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_pipe_plan plan = {0};
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        const struct form form = draw_form(&random);
        const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
        const struct clg_pipe_task task = {&problem, form.has_beta, 0};
        const struct clg_pipe_blocks blocks = {64 * clg_test_range(&random, 1, 2),
                                               64 * clg_test_range(&random, 1, 2),
                                               clg_test_range(&random, 1, 70)};
        int64_t most[CLG_MATRICES];
        clg_pipe_blocks_elements(most, &task, &blocks);
        assert_true(clg_pipe_schedule_blocks(&plan, &task, &blocks, 3000));
        for (int i = 0; i < CLG_MATRICES; i++)
            assert_true(plan.elements[i] <= most[i]);
        check(&problem, &plan, form.has_beta);
    }
    clg_pipe_plan_free(&plan);
}

static void scaling_needs_c_only(void **state) {
    struct clg_pipe_plan plan = {0};
    const struct form form = {.m = 90, .n = 200, .k = 0, .has_beta = true, .gap = 2, .batch = 1};
    struct clg_problem problem = problem_of(&form, CLGEMM_F32);
    const struct clg_pipe_task task = {&problem, true, 0};
    const struct clg_pipe_way way = {.panel = 64};
    (void)state;
    problem.work = CLG_WORK_SCALE; /* of beta 1, for this test */
    assert_true(clg_pipe_schedule_whole(&plan, &task, &way, 4096));
    assert_true(plan.elements[CLG_A] == 0 && plan.elements[CLG_B] == 0 && plan.num_steps == 4);
    check(&problem, &plan, true);
    clg_pipe_plan_free(&plan);
}

/* ---- What is chosen ---- */

/* An H200 with 16 processors for us. */
static struct clg_facts h200(void) {
    struct clg_facts facts = clg_test_gpu;
    snprintf(facts.vendor, sizeof facts.vendor, "NVIDIA Corporation");
    facts.compute_units = 132;
    facts.clock_mhz = 1980;
    facts.global_memory = 140ULL << 30;
    return facts;
}

static const struct clg_pipe_limits roomy = {30ULL << 30, 30ULL << 30, 2 << 20};

static struct clg_pipe_plan plan_for(const struct form *form, clgemm_type type, int processors,
                                     uint64_t bytes) {
    const struct clg_facts facts = h200();
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_guess(&facts, type, processors);
    const struct clg_problem problem = problem_of(form, type);
    struct clg_pipe_limits limits = roomy;
    struct clg_pipe_plan plan = {0};
    limits.bytes = limits.largest = bytes;
    assert_true(clg_pipe_plan_make(&plan, &problem, form->has_beta, 0, &speeds, &limits));
    double all = 0;
    for (int i = 0; i < CLG_MATRICES; i++)
        all += (double)plan.elements[i] * (double)clg_type_size(type);
    assert_true(all <= (double)bytes);
    assert_true(plan.slot <= limits.slot);
    return plan;
}

static struct form cube(int64_t n) {
    return (struct form){.m = n, .n = n, .k = n, .batch = 1};
}

static void large_products_begin_before_all_is_there(void **state) {
    const struct form form = cube(8192);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    const struct clg_pipe_step *first = &plan.steps[0];
    assert_true(first->needs < plan.num_up / 8);
    assert_true(plan.down[0].step < plan.num_steps - 2);
    assert_int_equal(plan.threads, 8);
    const double device = 2.0 * 8192 * 8192 * 8192 / 50.2e12;
    assert_true(plan.seconds > device && plan.seconds < 1.2 * device);
    clg_pipe_plan_free(&plan);
}

static void small_products_are_one_step(void **state) {
    struct form form = cube(128);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_int_equal(plan.num_steps, 1);
    assert_int_equal(plan.threads, 1);
    clg_pipe_plan_free(&plan);
    form.batch = 4;
    plan = plan_for(&form, CLGEMM_F64, 16, roomy.bytes);
    assert_true(plan.num_steps <= 4);
    clg_pipe_plan_free(&plan);
}

/* Matrices side by side, C first, none over another; without beta C does not go up. */
static void joint_ones_lie_side_by_side(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    const struct clg_facts facts = h200();
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_guess(&facts, CLGEMM_F32, 16);
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        struct form form = draw_form(&random);
        form.batch = turn % 3 ? 1 : clg_test_range(&random, 2, 9);
        form.shares_a = turn % 6 == 0;
        const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
        struct clg_pipe_joint joint;
        const bool fits = clg_pipe_joint_make(&joint, &problem, form.has_beta, &speeds, &roomy);
        int64_t end = 0;
        for (int which = 0; which < CLG_MATRICES; which++) {
            const struct clg_pipe_piece *piece = &joint.piece[which];
            const struct clg_matrix *held = &joint.problem.matrix[which];
            assert_true(piece->at >= end && piece->at < end + 64 && piece->at % 64 == 0);
            end = piece->at + piece->ld * piece->cols;
            assert_int_equal(piece->cols,
                             problem.matrix[which].cols * clg_problem_matrices(&problem, which));
            assert_true(held->offset == piece->at && held->ld == piece->ld);
            assert_true(held->stride == (problem.matrix[which].stride ? held->ld * held->cols : 0));
        }
        assert_int_equal(joint.elements, end);
        assert_int_equal(fits, (size_t)end * sizeof(float) <= roomy.slot);
        assert_true(form.has_beta ? joint.up == joint.elements : joint.up <= joint.piece[CLG_C].at);
    }
}

static void only_small_ones_are_joint(void **state) {
    const struct clg_facts facts = h200();
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_guess(&facts, CLGEMM_F32, 16);
    (void)state;
    for (int64_t size = 16; size <= 1024; size *= 2) {
        const struct form form = cube(size);
        const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
        struct clg_pipe_joint joint;
        struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
        const bool is_joint = clg_pipe_joint_make(&joint, &problem, false, &speeds, &roomy) &&
                              joint.seconds < plan.seconds;
        if (size <= 128 || size >= 512)
            assert_int_equal(is_joint, size <= 128);
        clg_pipe_plan_free(&plan);
    }
}

static void kinds_are_different_problems(void **state) {
    const struct form form = cube(8192);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    int kinds = 0;
    (void)state;
    for (int s = 0; s < plan.num_steps; s++) {
        int like = 0;
        while (!clg_problem_equal(&plan.steps[like].problem, &plan.steps[s].problem))
            like++;
        assert_int_equal(plan.steps[s].kind, like < s ? plan.steps[like].kind : kinds++);
    }
    assert_int_equal(plan.num_kinds, kinds);
    assert_true(kinds > 1);
    clg_pipe_plan_free(&plan);
}

/* A plan is made with what was measured, and expects so. */
static void measured_speeds_count(void **state) {
    const struct clg_facts facts = h200();
    const struct clg_host_speeds slow = {12000, 6000, 10000, 4000, 7000, 2, "2026-01-02", ""};
    struct clg_tuning_row rows[3] = {clg_test_row(4096, 5, 5.4), clg_test_row(1024, 5, 0.001),
                                     clg_test_row(4096, 5, 1)};
    const struct form form = cube(4096);
    const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
    struct clg_pipe_plan plan = {0};
    (void)state;
    rows[2].shape.type = CLGEMM_F64;
    struct clg_tuning *table = clg_tuning_with(NULL, rows, 3);
    assert_non_null(table);
    clg_tuning_add_host_speeds(table, &slow, CLG_TUNING_USER, true, false);
    const struct clg_pipe_speeds guess = clg_pipe_speeds_guess(&facts, CLGEMM_F32, 16);
    const struct clg_pipe_speeds none =
        clg_pipe_speeds_of(NULL, &facts, CLGEMM_F32, CLGEMM_MATH_STRICT, 16);
    const struct clg_pipe_speeds speeds =
        clg_pipe_speeds_of(table, &facts, CLGEMM_F32, CLGEMM_MATH_STRICT, 16);
    const struct clg_pipe_speeds other =
        clg_pipe_speeds_of(table, &facts, CLGEMM_F32, CLGEMM_MATH_TF32, 16);
    assert_true(none.up == guess.up && none.down == guess.down && none.copy == guess.copy);
    assert_true(none.transfer == guess.transfer && none.copy_all == guess.copy_all);
    assert_true(none.operations == guess.operations && other.operations == guess.operations);
    assert_true(speeds.up == 12e9 && speeds.down == 6e9 && speeds.copy == 4e9);
    assert_true(speeds.copy_all == 7e9 && fabs(speeds.transfer - 10e-6) < 1e-9);
    const double operations =
        2.0 * (double)rows[0].shape.m * (double)rows[0].shape.n * (double)rows[0].shape.k;
    assert_true(fabs(speeds.operations - operations / 5.4e-3) < 1e6);
    assert_true(clg_pipe_plan_make(&plan, &problem, false, 0, &speeds, &roomy));
    const double bytes = 4.0 * 4096 * 4096;
    assert_true(plan.seconds > 3 * bytes / 7e9 && plan.seconds < 1.5 * (3 * bytes / 7e9));
    clg_pipe_plan_free(&plan);
    clg_tuning_release(table);
}

static void threads_are_those_there_are(void **state) {
    const struct form form = cube(4096);
    (void)state;
    for (int processors = 1; processors <= 16; processors++) {
        struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, processors, roomy.bytes);
        assert_int_equal(plan.threads, processors < 8 ? processors : 8);
        clg_pipe_plan_free(&plan);
    }
}

static void tall_ones_have_panels_of_rows(void **state) {
    const struct form form = {.m = 60000, .n = 512, .k = 512, .batch = 1};
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_true(plan.num_steps > 2);
    assert_true(plan.steps[0].problem.m < form.m && plan.steps[0].problem.n == form.n);
    clg_pipe_plan_free(&plan);
}

/* 7.2 GB of matrices through 1.5: C once, A and B no more than twice each, and in the time of
 * the device. */
static void what_does_not_fit_passes_by(void **state) {
    const struct form form = cube(24576);
    const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
    struct clg_pipe_plan plan = plan_for(&form, CLGEMM_F32, 16, 1536ULL << 20);
    struct clg_pipe_plan whole = plan_for(&form, CLGEMM_F32, 16, roomy.bytes);
    (void)state;
    assert_true(clg_pipe_crossings(&plan, &problem, CLG_C) == 1);
    assert_true(clg_pipe_crossings(&plan, &problem, CLG_A) +
                    clg_pipe_crossings(&plan, &problem, CLG_B) <=
                4);
    assert_true(plan.seconds < 1.1 * whole.seconds);
    assert_true(clg_pipe_crossings(&whole, &problem, CLG_A) == 1);
    clg_pipe_plan_free(&plan);
    clg_pipe_plan_free(&whole);
}

static void little_memory_is_enough(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int turn = 0; turn < 60; turn++) {
        struct form form = draw_form(&random);
        form.m *= clg_test_range(&random, 1, 40);
        form.n *= clg_test_range(&random, 1, 40);
        form.k *= clg_test_range(&random, 1, 40);
        struct clg_pipe_plan plan = plan_for(&form, turn % 2 ? CLGEMM_F64 : CLGEMM_F32, 4,
                                             (uint64_t)clg_test_range(&random, 1, 64) << 20);
        const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
        assert_true(clg_pipe_crossings(&plan, &problem, CLG_C) == (form.has_beta ? 2 : 1));
        clg_pipe_plan_free(&plan);
    }
}

/* Where alpha is 0, k may be anything, as nothing is read along it. */
static void scaling_does_not_go_along_k(void **state) {
    static const int64_t depths[] = {0, 100000, INT64_C(1) << 40, INT64_MAX};
    struct form form = {.m = 3000, .n = 2000, .batch = 1, .tb = true, .has_beta = true};
    struct clg_pipe_plan plans[2];
    (void)state;
    form.scales = true;
    for (int little = 0; little < 2; little++) /* of memory: C passes in blocks */
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            form.k = depths[d];
            plans[d > 0] = plan_for(&form, CLGEMM_F32, 16, little ? 4 << 20 : roomy.bytes);
            assert_int_equal(plans[d > 0].num_steps, plans[0].num_steps);
            assert_true(plans[d > 0].num_steps < 1000);
            if (d > 0)
                clg_pipe_plan_free(&plans[1]);
            if (d + 1 == sizeof depths / sizeof *depths)
                clg_pipe_plan_free(&plans[0]);
        }
}

static void some_cannot_be_planned(void **state) {
    const struct clg_facts facts = h200();
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_guess(&facts, CLGEMM_F32, 2);
    const struct form form = cube(1000);
    const struct clg_problem problem = problem_of(&form, CLGEMM_F32);
    const struct clg_pipe_limits none = {10000, 10000, 2 << 20};
    struct clg_pipe_plan plan = {0};
    (void)state;
    assert_false(clg_pipe_plan_make(&plan, &problem, false, 0, &speeds, &none));
    clg_pipe_plan_free(&plan);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_is_the_product),
        cmocka_unit_test(blocks_are_the_product),
        cmocka_unit_test(scaling_needs_c_only),
        cmocka_unit_test(large_products_begin_before_all_is_there),
        cmocka_unit_test(small_products_are_one_step),
        cmocka_unit_test(joint_ones_lie_side_by_side),
        cmocka_unit_test(only_small_ones_are_joint),
        cmocka_unit_test(kinds_are_different_problems),
        cmocka_unit_test(measured_speeds_count),
        cmocka_unit_test(threads_are_those_there_are),
        cmocka_unit_test(tall_ones_have_panels_of_rows),
        cmocka_unit_test(what_does_not_fit_passes_by),
        cmocka_unit_test(little_memory_is_enough),
        cmocka_unit_test(scaling_does_not_go_along_k),
        cmocka_unit_test(some_cannot_be_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
