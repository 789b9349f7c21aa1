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

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_in_registers_is_solved_there),
        cmocka_unit_test(compilers_are_told_the_size_of_sub_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
