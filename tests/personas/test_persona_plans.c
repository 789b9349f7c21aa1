/* SPDX-License-Identifier: Apache-2.0
 * Plans for personas: whatever the problem, nothing in a plan exceeds a limit of the device, and if
 * there is no plan, the library says why. No device is needed. With a FILE, fewer problems are
 * drawn, and what support/arguments.h prints of their plans is written to it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gemm/family.h"
#include "gemm/small.h"
#include "host/plan.h"
#include "personas/no_opencl.h"
#include "personas/problems.h"
#include "run/choose.h"
#include "support/arguments.h"
#include "support/check.h"
#include "support/random.h"

enum { DRAWN = 500, DRAWN_LONG = 3000, DRAWN_WRITTEN = 100 };

static FILE *written; /* or NULL */

/* The present case, for messages. */
static char at_hand[512];

#define assert_here(condition)                           \
    do {                                                 \
        if (!(condition))                                \
            fail_msg("%s, for %s", #condition, at_hand); \
    } while (0)

/* ---- Problems ----------------------------------------------------------------------------- */

static void note(const struct persona *persona, const struct clg_problem *p) {
    snprintf(at_hand, sizeof at_hand,
             "%s: %s %s %lld x %lld x %lld, ld %lld %lld %lld, vectors %u %u, trans %d %d, batch "
             "%lld, copied %d, seed %llu",
             persona->name, clg_types[p->type].name, clg_math_word(p->math), (long long)p->m,
             (long long)p->n, (long long)p->k, (long long)p->matrix[CLG_A].ld,
             (long long)p->matrix[CLG_B].ld, (long long)p->matrix[CLG_C].ld,
             p->matrix[CLG_A].vector, p->matrix[CLG_B].vector, p->matrix[CLG_A].transposed,
             p->matrix[CLG_B].transposed, (long long)p->batch, p->copied,
             (unsigned long long)clg_test_seed());
}

/* ---- What must hold ----------------------------------------------------------------------- */

/* Local memory that kernels/tiled.cl declares, computed again from its parameters. */
static uint64_t local_of_tiled(const struct clg_plan *plan) {
    const struct clg_params *p = &plan->params;
    const uint64_t a = p->private_a ? 0 : (uint64_t)(p->tile_m + p->pad_local);
    const uint64_t b = p->private_b ? 0 : (uint64_t)(p->tile_n + p->pad_local);
    const size_t size = clg_type_real_size(plan->problem.type);
    return (a + b) * (uint64_t)p->tile_k * (uint64_t)p->stages * size;
}

static void check_steps(const struct persona *persona, const struct clg_plan *plan) {
    assert_here(plan->num_steps > 0);
    if (written)
        clg_test_print_arguments(written, plan);
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_step *step = &plan->steps[s];
        assert_here(step->group_size > 0 && step->groups > 0);
        assert_here(step->group_size <= persona->work_group);
        assert_here(step->group_size <= persona->work_items[0]);
        assert_here((double)step->groups * (double)step->batch * (double)step->group_size < 0x1p63);
        assert_here(strlen(step->options) + 1 < sizeof step->options);
    }
}

static void check_memory(const struct persona *persona, const struct clg_facts *facts,
                         const struct clg_plan *plan) {
    uint64_t all = 0;
    for (int w = 0; w < plan->num_workspaces; w++) {
        assert_here(plan->workspaces[w] <= persona->buffer);
        all += plan->workspaces[w];
    }
    assert_here((double)all <= clg_workspace_room(&plan->problem, facts));
    assert_here(all <= persona->global / 4);
    if (plan->family == &clg_family_tiled)
        assert_here(local_of_tiled(plan) <= persona->local);
    if (plan->family == &clg_family_dot)
        assert_here(2 * (uint64_t)(plan->params.tile_m + plan->params.tile_n) *
                        (uint64_t)plan->params.tile_k <=
                    persona->local);
}

static void check_plan(const struct persona *persona, const struct clg_facts *facts,
                       const struct clg_plan *plan) {
    struct clg_plan twin;
    check_steps(persona, plan);
    check_memory(persona, facts, plan);
    for (int s = 0; s < plan->num_steps; s++)
        assert_here(!strstr(plan->steps[s].options, CLG_SUB_GROUP_OPTION "16)") ==
                    (strcmp(facts->arch.name, "xe-hpc") != 0));
    assert_here(!clg_family_unsupported_reason(plan->family, &plan->problem, facts, &plan->params));
    assert_here(plan->problem.type != CLGEMM_CF64 || persona->fp64);
    for (int s = 0; s < plan->num_steps; s++) /* no kernel has doubles that the device lacks */
        assert_here(!strstr(plan->steps[s].options, "-DREAL=double") || persona->fp64 ||
                    strstr(plan->steps[s].options, "-DSOFT_DOUBLE"));
    /* The small product by which its programs are checked. */
    if (clg_plan_twin(&twin, plan, facts, false)) {
        check_steps(persona, &twin);
        check_memory(persona, facts, &twin);
    }
}

/* All that the library considers. */
static void check_all_candidates(const struct persona *persona, const struct clg_facts *facts,
                                 const struct clg_problem *problem) {
    struct clg_list list;
    struct clg_plan plan;
    clg_choose_list(&list, problem, facts, NULL, 0);
    for (int i = 0; i < list.count; i++) {
        assert_here(list.at[i].us > 0 && list.at[i].us < HUGE_VAL);
        clg_plan_with(&plan, list.at[i].family, &list.at[i].params, problem, facts);
        check_plan(persona, facts, &plan);
    }
}

/* Pipelines of host matrices: none of their buffers is larger than one may be. */
static void check_pipeline(const struct persona *persona, const struct clg_facts *facts,
                           const struct clg_problem *problem) {
    const struct clg_pipe_task task = {problem, true, 0};
    struct clg_pipe_plan plan = {0};
    const struct clg_pipe_speeds speeds = clg_pipe_speeds_of(NULL, facts, problem, 1);
    assert_here(clg_pipe_make(&plan, &task, facts, &speeds) > 0);
    for (int i = 0; i < CLG_MATRICES; i++)
        assert_here((double)plan.elements[i] * (double)clg_type_size(problem->type) <=
                    (double)persona->buffer);
    clg_pipe_plan_free(&plan);
}

static void check_problem(const struct persona *persona, const struct clg_facts *facts,
                          const struct clg_problem *problem) {
    struct clg_plan plan;
    note(persona, problem);
    if (problem->type == CLGEMM_CF64 && !persona->fp64) {
        assert_here(clg_choose_plan(&plan, problem, facts, NULL) == CLGEMM_STATUS_UNSUPPORTED);
        clg_test_assert_error_says("F64");
        return;
    }
    assert_here(clg_choose_plan(&plan, problem, facts, NULL) == CLGEMM_SUCCESS);
    check_plan(persona, facts, &plan);
    check_all_candidates(persona, facts, problem);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void no_plan_passes_a_limit(void **state) {
    (void)state;
    const int drawn = written ? DRAWN_WRITTEN : clg_test_is_long() ? DRAWN_LONG : DRAWN;
    for (int i = 0; i < num_personas; i++) {
        struct clg_test_random random = clg_test_random_start((uint64_t)i);
        struct clg_facts facts;
        if (persona_facts(&personas[i], &facts))
            continue;
        for (int p = 0; p < drawn; p++) {
            const struct clg_problem problem = persona_draw_problem(&random, p % 4 == 3);
            check_problem(&personas[i], &facts, &problem);
            if (p % 8 == 0) /* takes longer than the rest */
                check_pipeline(&personas[i], &facts, &problem);
        }
    }
}

/* Interim plans, and plans that scale C. */
static void every_device_has_general_plans(void **state) {
    (void)state;
    for (int i = 0; i < num_personas; i++) {
        struct clg_facts facts;
        struct clg_plan plan;
        if (persona_facts(&personas[i], &facts))
            continue;
        for (int form = 0; form < 8 * CLG_TYPE_COUNT; form++) {
            const clgemm_type type = (clgemm_type)(form / 8);
            const enum clg_work work = form & 1 ? CLG_WORK_SCALE : CLG_WORK_MULTIPLY;
            snprintf(at_hand, sizeof at_hand, "%s, form %d", personas[i].name, form);
            if (type == CLGEMM_CF64 && !personas[i].fp64)
                continue;
            assert_here(!clg_choose_general(&plan, type, form & 2, work, form & 4, &facts));
            check_steps(&personas[i], &plan);
        }
    }
}

/* Rows are consistent, and only devices of OpenCL 1.2 and later are used. */
static void rows_hold_together(void **state) {
    (void)state;
    for (int i = 0; i < num_personas; i++) {
        const struct persona *p = &personas[i];
        struct clg_facts facts;
        int major = 0, minor = 0;
        snprintf(at_hand, sizeof at_hand, "%s", p->name);
        assert_here(persona_find(p->name) == p);
        assert_here(p->source && *p->source && p->remark && *p->remark);
        assert_here(sscanf(p->version, "OpenCL %d.%d", &major, &minor) == 2);
        assert_here(p->opencl == 100 * major + 10 * minor);
        assert_here(p->buffer <= p->global && p->compute_units && p->alignment % 8 == 0);
        assert_here(!persona_facts(p, &facts) == (p->opencl >= 120));
    }
}

/* Tensor cores are used where they are known to be faster. */
static void tensor_cores_are_used_where_they_are_known_to_pay(void **state) {
    (void)state;
    for (int i = 0; i < num_personas; i++) {
        struct clg_facts facts;
        snprintf(at_hand, sizeof at_hand, "%s", personas[i].name);
        if (!persona_facts(&personas[i], &facts)) {
            assert_here(facts.tensor_cores == (personas[i].capability == 90));
            assert_here(facts.mma == (personas[i].capability >= 80));
            assert_here(facts.mma_pays ==
                        (personas[i].capability == 80 || personas[i].capability == 90));
        }
    }
}

/* Doubles that are slow or missing are multiplied by dot products of bytes, thirteen for one, where
 * the mode permits it; others are not. Of what tensor cores could do, the kernel reaches a half. */
static void slow_doubles_become_bytes(void **state) {
    enum { MODULI = 13, SIZE = 3000 };
    int slow = 0;
    (void)state;
    for (int i = 0; i < num_personas; i++) {
        struct clg_facts facts;
        struct clg_plan plan;
        snprintf(at_hand, sizeof at_hand, "%s", personas[i].name);
        if (persona_facts(&personas[i], &facts))
            continue;
        struct clg_problem problem = {.type = CLGEMM_F64,
                                      .math = CLGEMM_MATH_NORMWISE,
                                      .m = SIZE,
                                      .n = SIZE,
                                      .k = SIZE,
                                      .batch = 1,
                                      .work = CLG_WORK_MULTIPLY};
        for (int m = 0; m < CLG_MATRICES; m++)
            problem.matrix[m] = (struct clg_matrix){.rows = SIZE,
                                                    .cols = SIZE,
                                                    .ld = SIZE,
                                                    .readable = SIZE,
                                                    .vector = CLG_WIDEST_VECTOR};
        const double gain = personas[i].fp64 ? facts.dots / MODULI / facts.arch.doubles : HUGE_VAL;
        clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, NULL));
        if (gain > (facts.mma ? 6 : 3) && facts.workspace_max > (uint64_t)1 << 30 &&
            facts.arch.registers >= 64)
            assert_here(plan.family == &clg_family_dot);
        if (gain < 1)
            assert_here(plan.family != &clg_family_dot);
        slow += plan.family == &clg_family_dot;
        if (plan.family == &clg_family_dot) { /* also if the residues of all columns do not fit */
            problem.n = problem.matrix[CLG_B].cols = problem.matrix[CLG_C].cols =
                (int64_t)(facts.workspace_max / (MODULI * SIZE));
            clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, NULL));
            assert_here(plan.family == &clg_family_dot && plan.slab < problem.n);
        }
        problem.math = CLGEMM_MATH_STRICT;
        clg_test_assert_success(clg_choose_plan(&plan, &problem, &facts, NULL));
        assert_here(plan.family != &clg_family_dot);
    }
    assert_true(slow > 0);
}

/* Whether the table of architectures knows the persona. */
static void architectures_are_known_except_for_these(void **state) {
    static const char *const unknown[] = {"made-up-16k", "made-up-narrow", "vivante-gc7000l",
                                          "broadcom-vc4"};
    size_t found = 0;
    (void)state;
    for (int i = 0; i < num_personas; i++) {
        struct clg_facts facts;
        bool listed = false;
        snprintf(at_hand, sizeof at_hand, "%s", personas[i].name);
        if (clg_facts_query((cl_device_id)&personas[i], &facts))
            continue;
        for (size_t u = 0; u < sizeof unknown / sizeof *unknown; u++)
            listed |= strcmp(unknown[u], personas[i].name) == 0;
        assert_here((strcmp(facts.arch.name, "unknown") == 0) == listed);
        assert_here(facts.arch.registers >= 48 && facts.arch.simd && facts.arch.lanes);
        assert_here(facts.arch.unit_registers && facts.arch.local_rate && facts.arch.local_units);
        assert_here(facts.arch.halves > 0 && facts.arch.memory_rate > 0);
        assert_here((facts.arch.doubles > 0) == personas[i].fp64);
        assert_here(facts.arch.unit_local >= personas[i].local);
        found += listed;
    }
    assert_int_equal(found, sizeof unknown / sizeof *unknown);
}

/* By the version that the driver reports, where the name does not tell. */
static void drivers_report_versions(void **state) {
    struct persona nameless = *persona_find("intel-max1100");
    struct clg_facts facts;
    (void)state;
    nameless.device = "Intel(R) Graphics";
    assert_null(persona_facts(&nameless, &facts));
    assert_string_equal(facts.arch.name, "xe-hpc");
}

/* Which registers its compiler may give, Arm's driver tells. */
static void arm_tells_registers(void **state) {
    struct persona mali = *persona_find("arm-mali-g71");
    struct clg_facts facts;
    (void)state;
    assert_null(persona_facts(&mali, &facts));
    assert_int_equal(facts.arch.registers, 64);
    mali.allocations[0] = 128;
    mali.allocations[1] = 32;
    assert_null(persona_facts(&mali, &facts));
    assert_int_equal(facts.arch.registers, 128);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_together),
        cmocka_unit_test(no_plan_passes_a_limit),
        cmocka_unit_test(every_device_has_general_plans),
        cmocka_unit_test(tensor_cores_are_used_where_they_are_known_to_pay),
        cmocka_unit_test(slow_doubles_become_bytes),
        cmocka_unit_test(architectures_are_known_except_for_these),
        cmocka_unit_test(drivers_report_versions),
        cmocka_unit_test(arm_tells_registers),
    };
    if (argc > 1 && !(written = fopen(argv[1], "w")))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || (written && fclose(written)) ? 1 : 0;
}
