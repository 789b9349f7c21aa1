/* SPDX-License-Identifier: Apache-2.0
 * The programs that the model can choose, found by planning alone: each once, the same ones every
 * time, and all that calls need. */
#include <string.h>

#include "base/thread.h"
#include "host/buffers.h"
#include "host/plan.h"
#include "src/cache/programs.h"
#include "support/check.h"
#include "support/facts.h"

static const struct transpose_list transposes = {{{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS},
                                                  {CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                                  {CLGEMM_TRANS, CLGEMM_NO_TRANS},
                                                  {CLGEMM_TRANS, CLGEMM_TRANS}},
                                                 4};

/* Each device with one type: what depends on the type does not depend on the device. */
enum { GPU, CPU, DEVICES };
static const struct clg_facts *const devices[DEVICES] = {&clg_test_gpu, &clg_test_cpu};
static const clgemm_type types[DEVICES] = {CLGEMM_F32, CLGEMM_F64};
static struct build_set all[DEVICES]; /* found once, as it takes seconds */

static struct build_set find_all(int device, size_t most) {
    struct build_set programs = {.most = most};
    cache_programs_add_all(&programs, types[device], &transposes, devices[device], NULL);
    assert_false(programs.no_memory);
    return programs;
}

static bool same(const struct build_program *program, const char *source, const char *options) {
    return !strcmp(program->source, source) && !strcmp(program->options, options);
}

static bool contains(const struct build_set *programs, const struct clg_step *step) {
    for (size_t i = 0; i < programs->count; i++)
        if (same(&programs->items[i], step->source, step->options))
            return true;
    return false;
}

static void each_once_and_of_its_problem(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        const struct build_set programs = all[d];
        assert_true(programs.count > 5);
        assert_int_equal(programs.left, 0);
        for (size_t i = 0; i < programs.count; i++) {
            const struct build_program *item = &programs.items[i];
            struct clg_plan plan;
            assert_int_equal(clg_choose_plan(&plan, &item->problem, devices[d], NULL), 0);
            assert_int_equal(item->problem.type, types[d]);
            assert_int_equal(!strstr(item->options, "-DREAL=double"), types[d] == CLGEMM_F32);
            assert_true(item->step < plan.num_steps);
            assert_true(same(item, plan.steps[item->step].source, plan.steps[item->step].options));
            for (size_t j = 0; j < i; j++)
                assert_false(same(&programs.items[j], item->source, item->options));
        }
    }
}

/* And those that a limit keeps are the first. */
static void the_same_every_time(void **state) {
    enum { MOST = 7 };
    struct build_set again = find_all(CPU, 0), first = find_all(CPU, MOST);
    (void)state;
    assert_int_equal(again.count, all[CPU].count);
    for (size_t i = 0; i < again.count; i++)
        assert_true(same(&all[CPU].items[i], again.items[i].source, again.items[i].options));
    assert_int_equal(first.count, MOST);
    assert_int_equal(first.left, all[CPU].count - MOST);
    for (size_t i = 0; i < MOST; i++)
        assert_true(same(&all[CPU].items[i], first.items[i].source, first.items[i].options));
    build_set_release(&again);
    build_set_release(&first);
}

static void families_are_the_devices(void **state) {
    static const char *const foreign[] = {"panel", "tiled"};
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        for (size_t i = 0; i < all[d].count; i++)
            assert_null(strstr(all[d].items[i].source, foreign[d]));
    }
}

/* A call's problem, with leading dimensions this much longer than the rows. */
static void describe(struct clg_problem *out, clgemm_type type, struct shape s, struct transposes t,
                     int64_t gap) {
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
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = (struct clg_operand){
            .ld = (rows[i] ? rows[i] : 1) + gap, .bytes = UINT64_MAX, .alignment = 64};
    assert_int_equal(clg_problem_init(out, &call), 0);
}

static void assert_contains(const struct build_set *programs, const struct clg_problem *problem,
                            const struct clg_facts *facts) {
    struct clg_plan plan;
    assert_int_equal(clg_choose_plan(&plan, problem, facts, NULL), 0);
    for (int s = 0; s < plan.num_steps; s++)
        if (!contains(programs, &plan.steps[s]))
            fail_msg("%ldx%ldx%ld lacks %s [%s]", (long)problem->m, (long)problem->n,
                     (long)problem->k, plan.steps[s].source, plan.steps[s].options);
}

/* Shapes that the walk does not name: on host matrices with any leading dimension, and in buffers
 * without gaps. */
static const struct shape calls[] = {{1, 1, 1},          {7, 5, 3},          {100, 100, 100},
                                     {517, 517, 517},    {1000, 1000, 1000}, {4096, 16, 4096},
                                     {35, 8457, 2560},   {5124, 700, 2048},  {3072, 1500, 1024},
                                     {64, 1, 1216},      {2560, 32, 2560},   {20000, 20000, 20000},
                                     {1760, 7000, 1760}, {128, 128, 100000}};

static void calls_find_what_they_need(void **state) {
    (void)state;
    struct build_set gpu = all[GPU];
    const struct build_set cpu = all[CPU];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t t = 0; t < transposes.count; t++) {
            const struct clg_host_matrices nowhere = {{NULL, NULL, NULL}};
            struct clg_host_layout layout;
            struct clg_problem problem;
            describe(&problem, types[CPU], calls[i], transposes.items[t], 3);
            assert_contains(&cpu, &problem, &clg_test_cpu);
            describe(&problem, types[GPU], calls[i], transposes.items[t], 3);
            assert_int_equal(clg_host_layout_make(&layout, &problem, &nowhere, false, UINT64_MAX),
                             0);
            assert_contains(&gpu, &layout.problem, &clg_test_gpu);
            describe(&problem, types[CPU], calls[i], transposes.items[t], 0);
            assert_contains(&cpu, &problem, &clg_test_cpu);
        }
    gpu.count = 512; /* of these, the squares have all of the likely ones, too */
    for (size_t t = 0; t < transposes.count; t++) {
        struct clg_problem problem;
        describe(&problem, types[GPU], (struct shape){1000, 1000, 1000}, transposes.items[t], 0);
        assert_contains(&gpu, &problem, &clg_test_gpu);
        describe(&problem, types[GPU], (struct shape){513, 513, 513}, transposes.items[t], 0);
        assert_contains(&gpu, &problem, &clg_test_gpu);
    }
}

static void named_shapes_alone(void **state) {
    struct shape shapes[] = {{1000, 1000, 1000}, {5, 5, 0}, {0, 4, 4}};
    const struct shape_list list = {shapes, 3, 3};
    const struct transpose_list first = {{{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS}}, 1};
    struct build_set programs = {.items = NULL};
    (void)state;
    for (int type = CLGEMM_F32; type <= CLGEMM_F64; type++) {
        struct clg_problem problem;
        cache_programs_add_shapes(&programs, (clgemm_type)type, &list, &first, &clg_test_gpu, NULL);
        assert_true(programs.count >= 2 && programs.count <= 8);
        for (int i = 0; i < 2; i++) {
            describe(&problem, (clgemm_type)type, shapes[i], first.items[0], 0);
            assert_contains(&programs, &problem, &clg_test_gpu);
        }
        build_set_release(&programs);
    }

    /* Copies that exceed the device's memory are made in blocks, which may need other programs. */
    struct clg_facts small = clg_test_gpu;
    small.workspace_max = 4 << 20;
    struct shape large = {3000, 3000, 3001};
    cache_programs_add_shapes(&programs, CLGEMM_F64, &(struct shape_list){&large, 1, 1}, &first,
                              &small, NULL);
    const struct clg_problem *blocks = &programs.items[0].problem;
    assert_true(blocks->copied && blocks->m < large.m);
    build_set_release(&programs);

    /* What exceeds the address space is left out. */
    struct shape huge = {INT64_MAX, INT64_MAX, INT64_MAX};
    cache_programs_add_shapes(&programs, CLGEMM_F64, &(struct shape_list){&huge, 1, 1}, &transposes,
                              &small, NULL);
    assert_int_equal(programs.count, 0);
    build_set_release(&programs);
}

/* On a device with its own memory, host matrices use a pipeline, whose products differ from the
 * call's. */
static void pipelines_find_what_they_need(void **state) {
    struct shape shapes[] = {{1000, 999, 513}, {8192, 512, 4096}, {40, 50, 60}};
    const struct transpose_list both = {{{CLGEMM_NO_TRANS, CLGEMM_TRANS}}, 1};
    int others = 0;
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct build_set programs = {.items = NULL};
        cache_programs_add_shapes(&programs, CLGEMM_F32, &(struct shape_list){&shapes[i], 1, 1},
                                  &both, &clg_test_hopper, NULL);
        for (int has_beta = 0; has_beta < 2; has_beta++) {
            struct clg_problem problem;
            const struct clg_pipe_task task = {&problem, has_beta, 0};
            struct clg_pipe_plan plan = {0};
            describe(&problem, CLGEMM_F32, shapes[i], both.items[0], 0);
            const struct clg_pipe_speeds speeds =
                clg_pipe_speeds_of(NULL, &clg_test_hopper, &problem, clg_thread_processors());
            assert_int_equal(clg_pipe_make(&plan, &task, &clg_test_hopper, &speeds), 1);
            for (int s = 0; s < plan.num_steps; s++) {
                const struct clg_problem *product = &plan.steps[s].problem;
                assert_contains(&programs, product, &clg_test_hopper);
                others += product->m < shapes[i].m || product->k < shapes[i].k;
            }
            clg_pipe_plan_free(&plan);
        }
        build_set_release(&programs);
    }
    assert_true(others > 0);
}

static int find(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        all[d] = find_all(d, 0);
    return 0;
}

static int forget(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        build_set_release(&all[d]);
    return 0;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once_and_of_its_problem),
        cmocka_unit_test(the_same_every_time),
        cmocka_unit_test(families_are_the_devices),
        cmocka_unit_test(calls_find_what_they_need),
        cmocka_unit_test(named_shapes_alone),
        cmocka_unit_test(pipelines_find_what_they_need),
    };
    return cmocka_run_group_tests(tests, find, forget);
}
