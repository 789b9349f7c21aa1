/* SPDX-License-Identifier: Apache-2.0
 * The steps for triangles, without a device: what an architecture's registers and sub-groups make
 * of them. */
#include <string.h>

#include "routine/routine.h"
#include "support/check.h"
#include "support/facts.h"

/* A step of trsm with many columns. */
static struct clg_step solving(clgemm_type type, const struct clg_facts *facts) {
    const struct clg_view view = {.row = 1, .col = 4096};
    const struct clg_op op = {.kind = CLG_OP_BLOCK,
                              .m = clg_block_side(type, true, facts),
                              .n = 4096,
                              .batch = 1,
                              .view = {view, view, view},
                              .solves = true};
    struct clg_plan plan;
    clg_op_plan(&plan, &op, type, facts);
    assert_int_equal(plan.num_steps, 1);
    return plan.steps[0];
}

/* Where registers are few, blocks in local memory are solved instead. */
static void what_fits_in_registers_is_solved_there(void **state) {
    static const struct {
        uint32_t registers;
        clgemm_type type;
        const char *source, *option;
        int64_t side;
    } cases[] = {
        {255, CLGEMM_F32, "triangle_solve", "-DOWN=4 ", 256},
        {255, CLGEMM_F64, "triangle_solve", "-DOWN=4 ", 128},
        {128, CLGEMM_F64, "triangle_solve", "-DOWN=1 ", 128},
        {255, CLGEMM_CF64, "triangle_solve", "-DOWN=2 ", 64},
        {68, CLGEMM_F32, "triangle_solve", "-DOWN=1 ", 256},
        {68, CLGEMM_CF32, "triangle_solve", "-DOWN=1 ", 128},
        {68, CLGEMM_F64, "triangle_block", "-DSTRIP=8 ", 64},
        {68, CLGEMM_CF64, "triangle_block", "-DSTRIP=4 ", 32},
        {63, CLGEMM_F32, "triangle_block", "-DSIDE=64 ", 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_facts facts = clg_test_hopper;
        facts.arch.registers = cases[i].registers;
        const struct clg_step step = solving(cases[i].type, &facts);
        assert_string_equal(step.source, cases[i].source);
        if (!strstr(step.options, cases[i].option))
            fail_msg("case %zu: %s", i, step.options);
        assert_int_equal(clg_block_side(cases[i].type, true, &facts), cases[i].side);
    }
}

static void compilers_are_told_the_size_of_sub_groups(void **state) {
    const struct clg_view view = {.row = 1, .col = 4096};
    (void)state;
    for (int kind = CLG_OP_FILL; kind < CLG_OP_KINDS; kind++)
        for (uint32_t size = 0; size <= 16; size += 16) {
            struct clg_facts facts = clg_test_gpu;
            const struct clg_op op = {.kind = (enum clg_op_kind)kind,
                                      .m = 32,
                                      .n = 32,
                                      .batch = 1,
                                      .view = {view, view, view}};
            struct clg_plan plan;
            facts.sub_group = size;
            clg_op_plan(&plan, &op, CLGEMM_F32, &facts);
            assert_true((strstr(plan.steps[0].options, CLG_SUB_GROUP_OPTION "16)") != NULL) ==
                        (size == 16));
        }
}

/* A CPU solves in panels where columns keep its units busy and workspace fits: eight units, and
 * panels of 32 columns here. */
static void many_columns_are_solved_in_panels(void **state) {
    static const struct {
        int64_t m, n, rows;
        uint64_t workspace;
        clgemm_type type;
        bool in_blocks, fast_fma;
    } cases[] = {
        {1000, 8 * 32, 1000, 2U << 30, CLGEMM_F32, false, true},
        {65, 8 * 32, 65, 2U << 30, CLGEMM_F32, false, true},
        {5000, 8 * 32, 1024, 2U << 30, CLGEMM_F32, false, true},
        {5000, 8 * 16, 1024, 2U << 30, CLGEMM_F64, false, true},
        {64, 8 * 32, 0, 2U << 30, CLGEMM_F32, false, true}, /* one block */
        {1000, 7 * 32, 0, 2U << 30, CLGEMM_F32, false, true},
        {1000, 8 * 32, 0, 2U << 20, CLGEMM_F32, false, true},
        {1000, 8 * 32, 0, 2U << 30, CLGEMM_CF32, false, true},
        {1000, 8 * 32, 0, 2U << 30, CLGEMM_F32, true, true},
        {1000, 8 * 32, 0, 2U << 30, CLGEMM_F32, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_facts facts = clg_test_cpu;
        const struct clg_operand operand = {.ld = 5000, .bytes = UINT64_MAX, .alignment = 64};
        const struct clg_routine routine = {.routine = CLGEMM_TRSM,
                                            .call = {.type = cases[i].type,
                                                     .layout = CLGEMM_COL_MAJOR,
                                                     .ta = CLGEMM_NO_TRANS,
                                                     .m = cases[i].m,
                                                     .n = cases[i].n,
                                                     .scalars = {.alpha = 1},
                                                     .operand = {operand, operand, operand}},
                                            .left = true,
                                            .in_blocks = cases[i].in_blocks};
        struct clg_ops ops = {.routine = &routine, .facts = &facts};
        facts.workspace_max = cases[i].workspace;
        facts.fast_fma = cases[i].fast_fma;
        assert_int_equal(clg_panels_rows(&ops), cases[i].rows);
        clg_test_assert_success(clg_routine_plan(&ops, &routine, &facts));
        assert_true(ops.list[0].in_panels == (cases[i].rows > 0));
        if (cases[i].rows) {
            struct clg_plan plan;
            clg_op_plan(&plan, &ops.list[0], cases[i].type, &facts);
            assert_int_equal(plan.num_steps, 2);
            assert_string_equal(plan.steps[0].source, "panel_pack");
            assert_string_equal(plan.steps[1].source, "panel_solve");
        }
        clg_ops_free(&ops);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_in_registers_is_solved_there),
        cmocka_unit_test(compilers_are_told_the_size_of_sub_groups),
        cmocka_unit_test(many_columns_are_solved_in_panels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
