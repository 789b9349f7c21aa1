/* SPDX-License-Identifier: Apache-2.0
 * Drawn problems of all types, modes, transposes, alignments and batches. */
#include "personas/problems.h"

#include "support/check.h"

/* About as often in each power of two; some around the edges of tiles. */
static int64_t draw_size(struct clg_test_random *random) {
    const int64_t power = INT64_C(1) << clg_test_range(random, 0, 16);
    return clg_test_range(random, 0, 3) ? clg_test_range(random, power, 2 * power - 1)
                                        : power + clg_test_range(random, 0, 1);
}

static struct clg_operand draw_operand(struct clg_test_random *random, int64_t rows, int64_t cols,
                                       int64_t batch) {
    static const unsigned alignments[] = {4096, 128, 64, 16, 8, 4, 2};
    const int64_t ld = rows + (clg_test_range(random, 0, 1) ? 0 : clg_test_range(random, 1, 64));
    return (struct clg_operand){
        .ld = ld,
        .stride = batch > 1 ? ld * cols : 0,
        .offset = clg_test_range(random, 0, 1) ? 0 : (uint64_t)clg_test_range(random, 1, 9),
        .bytes = UINT64_MAX,
        .alignment = alignments[clg_test_range(random, 0, 6)]};
}

struct clg_problem persona_draw_problem(struct clg_test_random *random, bool complex) {
    struct clg_call call = {
        .type = complex ? (clgemm_type)clg_test_range(random, CLGEMM_CF32, CLGEMM_CF64)
                        : (clgemm_type)clg_test_range(random, 0, CLG_REAL_TYPES - 1),
        .math = (clgemm_math)clg_test_range(random, CLGEMM_MATH_STRICT, CLGEMM_MATH_F16),
        .layout = CLGEMM_COL_MAJOR,
        .m = draw_size(random),
        .n = draw_size(random),
        .k = draw_size(random),
        .scalars = {.alpha = 1, .beta = 1}};
    const bool ta = clg_test_range(random, 0, 1), tb = clg_test_range(random, 0, 1);
    call.ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    call.tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    call.batch = clg_test_range(random, 0, 2) ? 1 : clg_test_range(random, 2, 300);
    call.operand[CLG_A] =
        draw_operand(random, ta ? call.k : call.m, ta ? call.m : call.k, call.batch);
    call.operand[CLG_B] =
        draw_operand(random, tb ? call.n : call.k, tb ? call.k : call.n, call.batch);
    call.operand[CLG_C] = draw_operand(random, call.m, call.n, call.batch);
    for (int i = 0; i < CLG_MATRICES; i++)
        if (call.operand[i].alignment < clg_type_size(call.type))
            call.operand[i].alignment = (unsigned)clg_type_size(call.type);
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    problem.copied = clg_test_range(random, 0, 1);
    return problem;
}
