/* SPDX-License-Identifier: Apache-2.0
 * Prints the programs that plans for personas need, for personas whose compiler is to be had
 * without a device, in columns that tabs separate: architecture, source, options, work-items of a
 * group, and what groups.py compares: groups that the costs expect on a unit, or 0 if they do not
 * say, and registers and bytes of local memory for all groups there. Each line is printed once. The
 * plans are those of PROBLEMS drawn problems of each type that the device has; of complex ones,
 * whose real products mostly have the programs of real ones, only what computes with pairs or
 * expands A; and those of the steps for triangles in CALLS drawn calls of level 3's other routines
 * in each type that they have. With --squares they are those of products of 4096 cubed, and more
 * columns precede: persona, type, device, vendor, multiply-adds of a unit in a clock, and bytes
 * from its local memory. Writes the embedded sources, which include nothing, to FOLDER. No device
 * is needed.
 *
 * Usage: compiler_programs FOLDER [--squares] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/family.h"
#include "gemm/tiled/tiled.h"
#include "personas/no_opencl.h"
#include "personas/problems.h"
#include "program/source.h"
#include "routine/routine.h"
#include "run/choose.h"
#include "tuning/costs.h"

enum { PROBLEMS = 60, CALLS = 24, OLDEST_NVIDIA = 75, MOST = 1 << 16 };

static char *lines[MOST];
static int count;

/* What compilers call the device's architecture, or "" if none of them knows it. */
static void name_of(const struct clg_facts *facts, char *out, size_t size) {
    static const char *const intel[][2] = {
        {"gen9", "skl"}, {"xe-lp", "tgllp"}, {"xe-hpg", "dg2"}, {"xe-hpc", "pvc"}};
    *out = '\0';
    if (facts->capability >= OLDEST_NVIDIA)
        snprintf(out, size, "sm_%u", facts->capability);
    else if (strncmp(facts->name, "gfx", 3) == 0)
        snprintf(out, size, "%.*s", (int)strcspn(facts->name, ":"), facts->name);
    for (size_t i = 0; i < sizeof intel / sizeof *intel; i++)
        if (strcmp(facts->arch.name, intel[i][0]) == 0)
            snprintf(out, size, "%s", intel[i][1]);
}

/* Groups that the costs expect on a compute unit, or on those that share local memory; 0 if they do
 * not say. */
static int planned_groups(const struct clg_plan *plan, const struct clg_facts *facts) {
    static struct clg_costs room;
    const struct clg_params *p = &plan->params;
    const struct clg_cost_rows all = clg_costs_of(clg_costs_for(facts, &room), plan->family);
    const bool counted =
        plan->family == &clg_family_tiled || plan->family == &clg_family_multistage;
    for (size_t i = 0; counted && i < all.count; i++) {
        const struct clg_params *row = &all.rows[i].params;
        if (row->tile_m == p->tile_m && row->tile_n == p->tile_n && row->tile_k == p->tile_k &&
            row->wg_m == p->wg_m && row->wg_n == p->wg_n && row->wg_k == p->wg_k &&
            row->unroll_k == p->unroll_k && row->stages == p->stages)
            return all.rows[i].resident;
    }
    return 0;
}

static void print_step(char *line, size_t size, const char *architecture,
                       const struct clg_plan *plan, const struct clg_step *step,
                       const struct clg_facts *facts) {
    const struct clg_architecture *arch = &facts->arch;
    const bool main_step = plan->family && strcmp(step->source, plan->family->name) == 0;
    snprintf(line, size, "%s\t%s\t%s\t%llu\t%d\t%llu\t%llu", architecture, step->source,
             step->options, (unsigned long long)step->group_size,
             main_step ? planned_groups(plan, facts) : 0,
             (unsigned long long)arch->unit_registers * arch->local_units,
             (unsigned long long)arch->unit_local);
}

static void add_step(const char *architecture, const struct clg_plan *plan,
                     const struct clg_step *step, const struct clg_facts *facts) {
    char line[CLG_MAX_OPTIONS + 128];
    if (count == MOST)
        return;
    print_step(line, sizeof line, architecture, plan, step, facts);
    lines[count++] = strdup(line);
}

static void add_steps(const char *architecture, const struct clg_plan *plan,
                      const struct clg_facts *facts) {
    const bool complex = clg_type_is_complex(plan->problem.type);
    for (int s = 0; s < plan->num_steps; s++)
        if (!complex || strstr(plan->steps[s].options, "-DCOMPLEX") ||
            strstr(plan->steps[s].options, "-DEXPAND_A"))
            add_step(architecture, plan, &plan->steps[s], facts);
}

static void add_plans(const char *architecture, const struct clg_facts *facts) {
    struct clg_test_random random = {20111};
    int wanted[CLG_REAL_TYPES], left = 0;
    for (int t = 0; t < CLG_REAL_TYPES; t++)
        left += wanted[t] = PROBLEMS;
    while (left > 0) {
        const struct clg_problem problem = persona_draw_problem(&random, false);
        struct clg_plan plan;
        if (wanted[problem.type] == 0)
            continue;
        wanted[problem.type]--;
        left--;
        if (!clg_choose_plan(&plan, &problem, facts, NULL))
            add_steps(architecture, &plan, facts);
    }
    for (int i = 0; i < 2 * PROBLEMS; i++) {
        const struct clg_problem problem = persona_draw_problem(&random, true);
        struct clg_plan plan;
        if ((facts->has_fp64 || problem.type == CLGEMM_CF32) &&
            !clg_choose_plan(&plan, &problem, facts, NULL))
            add_steps(architecture, &plan, facts);
    }
}

/* A call of any routine, one that the type may lack; often of trsm, whose steps need the most
 * registers. No batch, which differs only in where steps read. */
static struct clg_routine draw_routine(struct clg_test_random *random, clgemm_type type) {
    enum { OFTEN = 4, LEAST_LOG = 5, MOST_LOG = 14, LD = 1 << MOST_LOG };
    const struct clg_operand operand = {.ld = LD, .bytes = UINT64_MAX, .alignment = 128};
    const int64_t drawn = clg_test_range(random, CLGEMM_SYMM, CLGEMM_TRSM + OFTEN);
    const int64_t form = clg_test_range(random, 0, 15);
    const int64_t m = clg_test_range(random, 1, 1 << clg_test_range(random, LEAST_LOG, MOST_LOG));
    const int64_t n = clg_test_range(random, 1, 1 << clg_test_range(random, LEAST_LOG, MOST_LOG));
    return (struct clg_routine){
        .routine = drawn < CLGEMM_TRSM ? (clgemm_routine)drawn : CLGEMM_TRSM,
        .call = {.type = type,
                 .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                 .ta = (clgemm_transpose)clg_test_range(random, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS),
                 .m = m,
                 .n = n,
                 .k = m,
                 .batch = 1,
                 .scalars = {.alpha = clg_test_range(random, 0, 7) > 0, .beta = 1},
                 .operand = {operand, operand, operand}},
        .left = form & 2,
        .upper = form & 4,
        .unit = form & 8};
}

static void add_routines(const char *architecture, const struct clg_facts *facts) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    struct clg_test_random random = {20111};
    for (int i = 0; i < CALLS * (facts->has_fp64 ? 4 : 2); i++) {
        const struct clg_routine routine = draw_routine(&random, types[i / CALLS]);
        struct clg_ops ops = {0};
        struct clg_plan plan;
        enum clg_work work;
        if (!clg_routine_check(&routine, &work) && work != CLG_WORK_NOTHING &&
            !clg_routine_plan(&ops, &routine, facts))
            for (size_t o = 0; o < ops.count; o++)
                if (ops.list[o].kind != CLG_OP_PRODUCT) {
                    clg_op_plan(&plan, &ops.list[o], routine.call.type, facts);
                    add_step(architecture, &plan, &plan.steps[0], facts);
                }
        clg_ops_free(&ops);
    }
}

/* Column-major matrices that are aligned for any vector. */
static struct clg_problem square(clgemm_type type) {
    enum { SIDE = 4096 };
    const struct clg_operand operand = {.ld = SIDE, .bytes = UINT64_MAX, .alignment = 128};
    const struct clg_call call = {.type = type,
                                  .layout = CLGEMM_COL_MAJOR,
                                  .ta = CLGEMM_NO_TRANS,
                                  .tb = CLGEMM_NO_TRANS,
                                  .m = SIDE,
                                  .n = SIDE,
                                  .k = SIDE,
                                  .scalars = {.alpha = 1},
                                  .operand = {operand, operand, operand}};
    struct clg_problem problem;
    clg_problem_init(&problem, &call);
    return problem;
}

static void print_square(const struct persona *persona, const char *architecture,
                         const struct clg_facts *facts, clgemm_type type) {
    const struct clg_architecture *arch = &facts->arch;
    const struct clg_problem problem = square(type);
    struct clg_plan plan;
    if (clg_choose_plan(&plan, &problem, facts, NULL))
        return;
    for (int s = 0; s < plan.num_steps; s++) {
        char line[CLG_MAX_OPTIONS + 128];
        if (strcmp(plan.steps[s].source, plan.family->name) != 0)
            continue;
        print_step(line, sizeof line, architecture, &plan, &plan.steps[s], facts);
        printf("%s\t%s\t%s\t%s\t%g\t%u\t%s\n", persona->name, clg_types[type].name, persona->device,
               persona->vendor, arch->lanes * (type == CLGEMM_F64 ? arch->doubles : 1),
               arch->local_rate, line);
        return;
    }
}

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int write_sources(const char *folder) {
    for (size_t i = 0; i < clg_source_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.cl", folder, clg_sources[i].name);
        FILE *file = fopen(path, "w");
        if (!file)
            return 1;
        fwrite(clg_sources[i].text, 1, clg_sources[i].length, file);
        if (fclose(file))
            return 1;
    }
    return 0;
}

static void print_lines(void) {
    qsort(lines, (size_t)count, sizeof *lines, compare);
    for (int i = 0; i < count; i++)
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
            puts(lines[i]);
}

int main(int argc, char **argv) {
    const bool squares = argc == 3 && strcmp(argv[2], "--squares") == 0;
    if (argc != 2 + squares || write_sources(argv[1])) {
        fprintf(stderr, "usage: compiler_programs FOLDER [--squares]\n");
        return 2;
    }
    for (int i = 0; i < num_personas; i++) {
        char name[32] = "";
        struct clg_facts facts;
        if (!persona_facts(&personas[i], &facts))
            name_of(&facts, name, sizeof name);
        if (!*name)
            continue;
        if (!squares) {
            add_plans(name, &facts);
            add_routines(name, &facts);
        }
        for (int t = CLGEMM_F32; squares && t <= CLGEMM_F64; t++)
            if (t == CLGEMM_F32 || facts.has_fp64)
                print_square(&personas[i], name, &facts, (clgemm_type)t);
    }
    print_lines();
    return count == MOST;
}
