/* SPDX-License-Identifier: Apache-2.0
 * Schedules of pipelines, carried out on plain memory with everything as late as allowed, compute
 * the product. No device is needed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan.h"
#include "support/check.h"
#include "support/form.h"

static int64_t span(const struct clg_problem *p, int i) {
    return (clg_problem_matrices(p, i) - 1) * p->matrix[i].stride +
           p->matrix[i].ld * p->matrix[i].cols;
}

/* ---- Carrying out plans, as late as allowed ---- */

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

/* Carries out a plan and compares. C's gaps must stay NaN. */
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

static void any_way_is_the_product(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_pipe_plan plan = {0};
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        struct clg_test_form form = clg_test_form_draw(&random);
        if (turn % 4 == 0) {
            form.batch = clg_test_range(&random, 2, 7);
            form.shares_a = turn % 8 == 0;
            form.m = clg_test_range(&random, 1, 20);
        }
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
        const struct clg_pipe_task task = {&problem, form.has_beta, 0};
        struct clg_pipe_way way = {.cols = form.batch > 1 ? clg_test_range(&random, 1, 7)
                                                          : 64 * clg_test_range(&random, 1, 3)};
        if (form.batch == 1 && clg_test_range(&random, 0, 1))
            way.rows = 64 * clg_test_range(&random, 1, 3);
        if (form.batch == 1 && form.k > 8) {
            way.slab = clg_test_range(&random, 0, 8);
            way.rest = clg_test_range(&random, 1, form.k / 2);
        }
        way.tail = form.batch == 1 ? CLG_PIPE_SIDE * clg_test_range(&random, 0, 1) : 0;
        const size_t slot = (size_t)clg_test_range(&random, 16, 6000);
        assert_true(clg_pipe_schedule_whole(&plan, &task, &way, slot));
        assert_true(plan.slot <= slot);
        for (int s = 0; s < plan.num_steps && way.rows && way.cols >= form.n; s++)
            assert_int_equal(plan.steps[s].problem.n, form.n);
        check(&problem, &plan, form.has_beta);
    }
    clg_pipe_plan_free(&plan);
}

static void blocks_are_the_product(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    struct clg_pipe_plan plan = {0};
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        const struct clg_test_form form = clg_test_form_draw(&random);
        const struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
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
    const struct clg_test_form form = {
        .m = 90, .n = 200, .k = 0, .has_beta = true, .gap = 2, .batch = 1};
    struct clg_problem problem = clg_test_form_problem(&form, CLGEMM_F32);
    const struct clg_pipe_task task = {&problem, true, 0};
    const struct clg_pipe_way way = {.cols = 64};
    (void)state;
    problem.work = CLG_WORK_SCALE; /* with beta 1, for this test */
    assert_true(clg_pipe_schedule_whole(&plan, &task, &way, 4096));
    assert_true(plan.elements[CLG_A] == 0 && plan.elements[CLG_B] == 0 && plan.num_steps == 4);
    check(&problem, &plan, true);
    const struct clg_pipe_way by_rows = {.rows = 64, .cols = form.n};
    assert_true(clg_pipe_schedule_whole(&plan, &task, &by_rows, 4096));
    assert_true(plan.elements[CLG_A] == 0 && plan.elements[CLG_B] == 0 && plan.num_steps == 2);
    check(&problem, &plan, true);
    clg_pipe_plan_free(&plan);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_is_the_product),
        cmocka_unit_test(blocks_are_the_product),
        cmocka_unit_test(scaling_needs_c_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
