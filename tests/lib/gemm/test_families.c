/* SPDX-License-Identifier: Apache-2.0
 * Every family with each of its presets, on shapes around the edges of the preset's own tiles: a
 * drawn half of those for devices of this kind, and a third of those for others. The long form does
 * all presets on more shapes. */
#include <stdlib.h>

#include "gemm/family.h"
#include "run/exec.h"
#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/rows.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* Runs the case with this family and preset. False if the family declines it. */
static bool run_with(const struct clg_family *family, const struct clg_params *row,
                     struct clg_test_case *test) {
    clgemm_math math = CLGEMM_MATH_STRICT;
    if (!family->strict) /* the modes that keep strict's bound on these data, alternating */
        math = test->problem.m % 2 ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE;
    if (!clg_test_family_run(engine, cl, family, row, math, test))
        return false;
    clg_test_assert_no_fault(clg_test_case_fault(test));
    return true;
}

/* Shapes as multiples of the preset's tile, and their distance from them. */
struct form {
    int tiles_m, tiles_n, tiles_k, off_m, off_n, off_k;
    clgemm_transpose ta, tb;
    int64_t gap;
};

static const struct form forms[] = {
    {1, 1, 1, 0, 0, 0, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 0},
    {2, 1, 2, 1, 1, 1, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 3},
    {1, 2, 2, -1, -1, -1, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1},
    /* The rest only in the long form: each compiles a program of its own. */
    {1, 1, 3, -1, 1, 0, CLGEMM_NO_TRANS, CLGEMM_TRANS, 0},
    {2, 3, 1, 0, -3, 2, CLGEMM_TRANS, CLGEMM_TRANS, 2},
    {2, 2, 2, 0, 0, 0, CLGEMM_TRANS, CLGEMM_NO_TRANS, 0},
    {2, 2, 2, 0, 0, 0, CLGEMM_NO_TRANS, CLGEMM_TRANS, 0},
    {1, 1, 2, 0, 0, 0, CLGEMM_TRANS, CLGEMM_TRANS, 0},
    {1, 9, 2, 0, 1, 0, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1},
    {9, 1, 2, 2, 0, -1, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2},
    {1, 1, 1, -2, 0, 0, CLGEMM_TRANS, CLGEMM_TRANS, 4},
    {0, 1, 0, 1, 0, 1, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 0},
};
enum { SHORT_FORMS = 3, ALL_FORMS = sizeof forms / sizeof *forms };

static int drawn;  /* of the short form, and of the thirds of other devices' presets */
static int halved; /* of the presets for devices of this kind */

static bool check_form(const struct clg_family *family, const struct clg_params *row,
                       const struct form *form, clgemm_type type, int64_t batch,
                       struct clg_test_random *random) {
    const int tile_k = row->tile_k ? row->tile_k : 8;
    const struct clg_test_problem problem = {.type = type,
                                             .batch = batch,
                                             .shares_b = form->gap % 2,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .ta = form->ta,
                                             .tb = form->tb,
                                             .m = form->tiles_m * row->tile_m + form->off_m,
                                             .n = form->tiles_n * row->tile_n + form->off_n,
                                             .k = form->tiles_k * tile_k + form->off_k,
                                             .alpha = -0.7f,
                                             .beta = form->gap % 2 ? 0.0f : 1.0f,
                                             .gap_a = form->gap,
                                             .gap_b = form->gap,
                                             .gap_c = form->gap,
                                             .offset_a = (size_t)form->gap,
                                             /* columns of C that are aligned and end within 16
                                                bytes, with off_m -1 and gap 1 */
                                             .offset_c = (size_t)form->gap * 8};
    struct clg_test_case test;
    clg_test_case_create(&test, &problem, random);
    bool ran = run_with(family, row, &test);
    clg_test_case_destroy(&test);
    return ran;
}

/* How many variants to run; the first is the one drawn. Presets for other kinds of devices, whose
 * large register tiles take a CPU's compiler half a minute, have some smaller ones in the short
 * form. */
static int forms_for(enum clg_device_kind kind, size_t index, const struct clg_params *row) {
    const enum clg_device_kind here = engine->device->facts.kind;
    const int items = row->wg_m * row->wg_n; /* 0: one in each group */
    const int accumulators = items ? row->tile_m * row->tile_n / items : 0;
    if (clg_test_is_long())
        return ALL_FORMS;
    if (kind == here)
        return (int)(index % 2) == halved;
    return accumulators <= 16 && (int)(index % SHORT_FORMS) == drawn;
}

/* The preset for one product or a batch, alternating, and with all steps around the main kernel:
 * operands packed, k split for all tiles or for the tail; and without unrolling. Neighbouring
 * presets begin with different variants. */
static int check_row(const struct clg_family *family, const struct clg_params *row, size_t index,
                     clgemm_type type, int num_forms, struct clg_test_random *random) {
    struct clg_params more = *row, tail = *row, looped = *row;
    int ran = 0;
    const int64_t batch = (index + (size_t)drawn) / 2 % 2 ? 3 : 1;
    const bool packs =
        family == &clg_family_tiled || (family == &clg_family_tensor && clg_type_is_narrow(type));
    more.pack_a = more.pack_b = packs;
    more.split_k = 2;
    tail.split_tail = tail.sharers = 3;
    looped.unroll_k = 1 + (int)(index % 4);
    if (family == &clg_family_tiled && num_forms > 0 && index % 3 == 0)
        ran += check_form(family, &looped, &forms[1], type, batch, random);
    for (int i = 0; i < num_forms; i++) {
        const int at = num_forms == ALL_FORMS ? i : (int)((index + (size_t)drawn) % SHORT_FORMS);
        ran += check_form(family, row, &forms[at], type, batch, random);
        if (!family->strict)
            ran += check_form(family, &tail, &forms[at], type, batch, random);
        if (!packs && family != &clg_family_multistage)
            continue;
        ran += check_form(family, at % 3 == 1 ? &tail : &more, &forms[at], type, batch, random);
    }
    return ran;
}

/* The first of the family's types from this turn on; another one if it has none of the test's. */
static clgemm_type type_of(const struct clg_family *family, int turn) {
    for (int t = 0; t < clg_test_num_types(); t++)
        if (clg_family_computes(family, clg_test_type(turn + t)))
            return clg_test_type(turn + t);
    return clg_test_type(turn);
}

static void check_rows_for(enum clg_device_kind kind) {
    struct clg_test_random random = clg_test_random_start(1 + (uint64_t)kind);
    for (int f = 0; clg_families[f]; f++) {
        size_t count;
        int ran = 0, asked = 0;
        const struct clg_params *rows = clg_test_rows(clg_families[f], kind, &count);
        struct clg_facts facts = engine->device->facts;
        if (clg_families[f] == &clg_family_many || clg_families[f] == &clg_family_thin ||
            clg_families[f] == &clg_family_dot)
            continue; /* test_many_products, test_thin_products and test_residues have their shapes
                       */
        if (clg_families[f]->premise && !*clg_family_premise(clg_families[f], &facts))
            continue; /* test_tensor_pack tests what runs elsewhere of these */
        for (size_t r = 0; r < count; r++) {
            print_message("%s, %s, row %zu\n", clg_families[f]->name, clg_device_kind_name(kind),
                          r);
            const int num_forms = forms_for(kind, r, &rows[r]);
            asked += num_forms;
            /* Neighbouring presets begin with different types; the long form does all of them. */
            for (int t = 0; t < (clg_test_is_long() ? clg_test_num_types() : 1); t++)
                ran += check_row(clg_families[f], &rows[r], r,
                                 clg_test_is_long() ? clg_test_type(t)
                                                    : type_of(clg_families[f], (int)r + drawn),
                                 num_forms, &random);
        }
        assert_true(ran > 0 || asked == 0);
    }
}

static void rows_for_cpus(void **state) {
    (void)state;
    check_rows_for(CLG_DEVICE_CPU);
}

static void rows_for_gpus(void **state) {
    (void)state;
    check_rows_for(CLG_DEVICE_GPU);
}

/* Two steps of such a plan write C. The first waits for the caller's events, and until all steps
 * are enqueued. */
static void a_tail_keeps_the_order_of_any_queue(void **state) {
    static const cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                                        CL_QUEUE_PROFILING_ENABLE};
    const struct clg_facts *facts = &engine->device->facts;
    struct clg_test_random random = clg_test_random_start(9);
    size_t count;
    struct clg_params params = clg_test_rows(&clg_family_tiled, CLG_DEVICE_CPU, &count)[0];
    const int64_t tiles = 2 * (int64_t)facts->compute_units + 1;
    const struct clg_test_problem shape = {.layout = CLGEMM_COL_MAJOR,
                                           .ta = CLGEMM_NO_TRANS,
                                           .tb = CLGEMM_NO_TRANS,
                                           .m = params.tile_m - 1,
                                           .n = tiles * params.tile_n - 3,
                                           .k = 4 * params.tile_k,
                                           .alpha = 2,
                                           .beta = 0.5F};
    (void)state;
    params.split_tail = 3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct clg_test_case test;
        struct clg_test_buffers made;
        struct clg_problem problem;
        struct clg_prepared prepared;
        clg_test_case_create(&test, &shape, &random);
        const struct clg_call call = clg_test_case_call(&test);
        clg_test_assert_success(clg_problem_init(&problem, &call));
        assert_null(clg_family_tiled.unsupported_reason(&problem, facts, &params));
        clg_plan_with(&prepared.plan, &clg_family_tiled, &params, &problem, facts);
        assert_int_equal(prepared.plan.num_steps, 2);
        assert_true(clg_step_writes_c(&prepared.plan.steps[0]));
        clg_test_buffers_create(cl, &test, &made);
        cl_command_queue queue = clCreateCommandQueue(cl->context, cl->device, kinds[i], NULL);
        cl_event begin = clCreateUserEvent(cl->context, NULL);
        const struct clg_enqueue where = {queue, 1, &begin};
        cl_event done = NULL;
        clg_test_plan_enqueue(engine, &prepared, &test, &made, &where, &done);
        cl_int execution;
        clFlush(queue);
        clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
        assert_true(execution > CL_COMPLETE);
        clSetUserEventStatus(begin, CL_COMPLETE);
        clg_test_buffers_check(cl, &test, &made, done);
        clReleaseEvent(done);
        clReleaseEvent(begin);
        clReleaseCommandQueue(queue);
        clg_test_buffers_release(&made);
        clg_test_case_destroy(&test);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_for_cpus),
        cmocka_unit_test(rows_for_gpus),
        cmocka_unit_test(a_tail_keeps_the_order_of_any_queue),
    };
    clg_test_require_device();
    if (!clg_test_is_long()) {
        drawn = clg_test_draw(SHORT_FORMS);
        halved = clg_test_draw(2);
    }
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
