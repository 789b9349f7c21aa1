/* SPDX-License-Identifier: Apache-2.0
 * Operands packed before the call by each family on the device under test, right for any size of
 * the other side: run in two parts, and whole, as a plan's check is. A short run draws types and
 * presets. */
#include <string.h>

#include "device/buffer.h"
#include "gemm/family.h"
#include "run/exec.h"
#include "support/check.h"
#include "support/device.h"
#include "support/rows.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;
static int drawn;

enum { PARTS = 12 };

/* A packed operand, and how it was packed. */
struct weights {
    int which;
    struct clg_test_problem problem; /* the other side of which varies */
    struct clg_test_matrix matrix;
    cl_mem source, buffer;
    struct clg_ahead ahead;
};

static struct clg_test_matrix *operand_of(struct clg_test_case *test, int which) {
    return which == CLG_A ? &test->a : &test->b;
}

/* A case of that size with the weights as its operand. */
static void make_case(struct clg_test_case *out, const struct weights *weights, int64_t free_size,
                      struct clg_test_random *random) {
    struct clg_test_problem problem = weights->problem;
    *(weights->which == CLG_A ? &problem.n : &problem.m) = free_size;
    clg_test_case_create(out, &problem, random);
    clg_test_matrix_destroy(operand_of(out, weights->which));
    *operand_of(out, weights->which) = weights->matrix;
}

static void end_case(struct clg_test_case *test, const struct weights *weights) {
    memset(operand_of(test, weights->which), 0, sizeof(struct clg_test_matrix));
    clg_test_case_destroy(test);
}

/* The family's plan for a case; false if the family declines. */
static bool plan_case(struct clg_prepared *out, const struct clg_test_case *test,
                      const struct clg_ahead *ahead, const struct clg_family *family,
                      const struct clg_params *params) {
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_call call = clg_test_case_call(test);
    struct clg_problem problem;
    call.math = ahead->math;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    problem.ahead = *ahead;
    if (clg_family_unsupported_reason(family, &problem, facts, params))
        return false;
    clg_plan_with(&out->plan, family, params, &problem, facts);
    return true;
}

/* Packs the weights by the first case's plan; false if it uses them in place. */
static bool pack(struct weights *w, const struct clg_family *family,
                 const struct clg_params *params, clgemm_math math,
                 struct clg_test_random *random) {
    const struct clg_ahead wanted = {.wanted = true, .which = w->which, .math = math};
    const struct clg_enqueue where = {cl->queue, 0, NULL};
    struct clg_prepared prepared = {.plan.packed = -1};
    struct clg_arguments arguments = {.scalars = {.alpha = 1}};
    struct clg_test_case test;
    clg_test_case_create(&test, &w->problem, random);
    w->matrix = *operand_of(&test, w->which);
    const bool packs =
        plan_case(&prepared, &test, &wanted, family, params) && prepared.plan.packed >= 0;
    end_case(&test, w);
    if (!packs)
        return false;
    w->ahead = prepared.plan.problem.ahead;
    w->source = clg_test_buffer(cl, &w->matrix);
    clg_test_assert_success(clg_buffer_create(
        engine->device, prepared.plan.workspaces[prepared.plan.packed], &w->buffer));
    arguments.memory[w->which] = (struct clg_memory){
        .buffer = w->source, .offset = prepared.plan.problem.matrix[w->which].offset};
    arguments.packed = w->buffer;
    clg_test_assert_success(clg_exec_prepare(engine->device, engine->programs, &prepared));
    clg_test_assert_success(clg_exec_packing(engine->device, &prepared, &arguments, &where, NULL));
    return true;
}

static void release(struct weights *w) {
    clg_buffer_release(w->buffer);
    clg_buffer_release(w->source);
    clg_test_matrix_destroy(&w->matrix);
}

/* One product with the weights, packed before, or together with the rest. */
static void check_product(struct weights *w, const struct clg_family *family,
                          const struct clg_params *params, int64_t free_size, bool whole,
                          struct clg_test_random *random) {
    const struct clg_enqueue where = {cl->queue, 0, NULL};
    struct clg_test_case test;
    struct clg_test_buffers made;
    struct clg_prepared prepared;
    cl_event done = NULL;
    make_case(&test, w, free_size, random);
    assert_true(plan_case(&prepared, &test, &w->ahead, family, params));
    assert_true(prepared.plan.packed >= 0);
    clg_test_assert_success(clg_exec_prepare(engine->device, engine->programs, &prepared));
    clg_test_buffers_create(cl, &test, &made);
    struct clg_arguments arguments = {
        .memory = {{.buffer = made.a, .offset = prepared.plan.problem.matrix[CLG_A].offset},
                   {.buffer = made.b, .offset = prepared.plan.problem.matrix[CLG_B].offset},
                   {.buffer = made.c, .offset = prepared.plan.problem.matrix[CLG_C].offset}},
        .scalars = {.alpha = (double)test.problem.alpha, .beta = (double)test.problem.beta},
        .packed = whole ? NULL : w->buffer};
    clg_test_assert_success(clg_exec(engine->device, &prepared, &arguments, &where, NULL, &done));
    clg_test_buffers_check(cl, &test, &made, done);
    clReleaseEvent(done);
    clg_test_buffers_release(&made);
    end_case(&test, w);
}

/* The weights in one packed layout, multiplied at several sizes with other tiles for the other
 * side. */
static bool check_weights(const struct clg_family *family, const struct clg_params *params,
                          clgemm_type type, clgemm_math math, int which, int form,
                          struct clg_test_random *random) {
    static const int64_t sizes[] = {1, 7, 40, 97};
    const bool odd = form & 4;
    struct weights w = {.which = which,
                        .problem = {.type = type,
                                    .layout = CLGEMM_COL_MAJOR,
                                    .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                    .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                    .m = 67,
                                    .n = 45,
                                    .k = 85,
                                    .alpha = -0.7F,
                                    .beta = odd ? 0.5F : 0,
                                    .gap_a = odd,
                                    .gap_b = 3,
                                    .gap_c = odd,
                                    .offset_a = (size_t)odd,
                                    .offset_b = 5}};
    if (!pack(&w, family, params, math, random)) {
        clg_test_matrix_destroy(&w.matrix);
        return false;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct clg_params other = *params;
        if (family == &clg_family_panel && s % 2)
            *(which == CLG_A ? &other.tile_n : &other.tile_m) *= 2;
        check_product(&w, family, &other, sizes[s], (int)s == form % 4, random);
    }
    release(&w);
    return true;
}

/* A preset with alternating types, variants and operands; the long form does all of them. */
static void check_row(const struct clg_family *family, const struct clg_params *row, int first) {
    struct clg_test_random random = clg_test_random_start(17 + (uint64_t)first);
    int ran = 0;
    for (int i = 0; i < (clg_test_is_long() ? 16 : 1); i++) {
        const int at = first + i, type = at / 2;
        clgemm_math math = CLGEMM_MATH_STRICT;
        if (!family->strict)
            math = at / 2 % 2 ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE;
        /* Operands of complex products are not packed ahead. */
        ran += check_weights(family, row, clg_type_real(clg_test_type(type)), math,
                             at % 2 ? CLG_A : CLG_B, 4 + at % 4, &random);
    }
    assert_true(ran > 0 || !family->strict); /* presets of tensor are for some modes */
}

/* A short run compiles the programs of one preset of one family. */
static bool is_drawn(int family) {
    return clg_test_is_long() || drawn % 3 == family;
}

static void by_panel(void **state) {
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_panel, CLG_DEVICE_CPU, &count);
    (void)state;
    for (size_t r = 0; r < count; r++)
        if (clg_test_is_long() || (r == (size_t)drawn % count && !is_drawn(2)))
            check_row(&clg_family_panel, &rows[r], drawn + (int)r);
}

/* Misaligned columns, which the family cannot read in vectors. */
static void by_tiled(void **state) {
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_tiled, CLG_DEVICE_CPU, &count);
    (void)state;
    if (is_drawn(2))
        check_row(&clg_family_tiled, &rows[0], drawn);
}

static void by_tensor(void **state) {
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_tensor, CLG_DEVICE_GPU, &count);
    (void)state;
    if (!engine->device->facts.tensor_cores)
        skip();
    for (size_t r = 0; r < count; r++)
        for (int i = 0; i < 8; i++)
            check_row(&clg_family_tensor, &rows[r], i);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_panel),
        cmocka_unit_test(by_tiled),
        cmocka_unit_test(by_tensor),
    };
    clg_test_require_device();
    if (!clg_test_is_long())
        drawn = clg_test_draw(PARTS);
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
