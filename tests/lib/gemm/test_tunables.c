/* SPDX-License-Identifier: Apache-2.0
 * Tunables: each family reads those that it has, and no others. Without a device. */
#include <stdio.h>
#include <string.h>

#include "gemm/family.h"
#include "program/source.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/rows.h"

/* What a family makes of parameters: a plan, or the reason why it makes none. */
struct outcome {
    const char *why;
    struct clg_plan plan;
};

static void ask(struct outcome *out, const struct clg_family *family, const struct clg_facts *facts,
                const struct clg_problem *problem, const struct clg_params *params) {
    out->why = clg_family_unsupported_reason(family, problem, facts, params);
    if (!out->why)
        clg_plan_with(&out->plan, family, params, problem, facts);
}

/* The options without that of the tunable, unless the kernel knows it. */
static void remove_unknown(char options[CLG_MAX_OPTIONS], const char *source, const char *tunable) {
    char option[64];
    snprintf(option, sizeof option, "-D%s=", tunable);
    char *at = strstr(options, option);
    if (!at || strstr(clg_source_find(source)->text, tunable))
        return;
    const char *end = at + strcspn(at, " ");
    if (!*end && at > options)
        at--;
    memmove(at, end + (*end == ' '), strlen(end + (*end == ' ')) + 1);
}

static bool is_same_step(struct clg_step *one, struct clg_step *other, const char *tunable) {
    remove_unknown(one->options, one->source, tunable);
    remove_unknown(other->options, other->source, tunable);
    if (strcmp(one->source, other->source) != 0 || strcmp(one->options, other->options) != 0 ||
        one->groups != other->groups || one->group_size != other->group_size)
        return false;
    for (int i = 0; i < one->num_args; i++)
        if (one->args[i].kind != other->args[i].kind ||
            (one->args[i].kind == CLG_ARG_LONG ? one->args[i].l != other->args[i].l
                                               : one->args[i].i != other->args[i].i))
            return false;
    return one->num_args == other->num_args;
}

static bool is_same(struct outcome *one, struct outcome *other, const char *tunable) {
    if (one->why || other->why)
        return one->why == other->why;
    for (int s = 0; s < one->plan.num_steps; s++)
        if (!is_same_step(&one->plan.steps[s], &other->plan.steps[s], tunable))
            return false;
    return one->plan.num_steps == other->plan.num_steps;
}

/* Notes in `read` what changes the outcome for these parameters. */
static void change_each(const struct clg_family *family, const struct clg_facts *facts,
                        const struct clg_problem *problem, const struct clg_params *params,
                        bool read[]) {
    static const int values[] = {0, 1, 2, 3, 4, 8, 16, 64, 128, 1024};
    static struct outcome before, after;
    for (int t = 0; t < CLG_TUNABLE_COUNT; t++)
        for (size_t v = 0; v < sizeof values / sizeof *values && !read[t]; v++) {
            struct clg_params other = *params;
            clg_params_set(&other, &clg_tunables[t], values[v]);
            ask(&before, family, facts, problem, params);
            ask(&after, family, facts, problem, &other);
            read[t] = !is_same(&before, &after, clg_tunables[t].name);
        }
}

static void families_read_the_tunables_that_they_have(void **state) {
    static const struct clg_facts *const devices[] = {&clg_test_cpu, &clg_test_gpu,
                                                      &clg_test_hopper};
    static const struct {
        clgemm_type type;
        struct clg_test_form form;
    } problems[] = {
        {CLGEMM_F32, {.m = 1000, .n = 900, .k = 800}},
        {CLGEMM_F32, {.m = 1001, .n = 1000, .k = 8192, .ta = true, .math = CLGEMM_MATH_NORMWISE}},
        {CLGEMM_F32, {.m = 4096, .n = 100, .k = 4096, .math = CLGEMM_MATH_ACCURATE}},
        {CLGEMM_F16, {.m = 512, .n = 512, .k = 512, .math = CLGEMM_MATH_F16, .alignment = 64}},
        {CLGEMM_F64, {.m = 900, .n = 800, .k = 700, .math = CLGEMM_MATH_NORMWISE}},
        {CLGEMM_F64, {.m = 2000, .n = 3, .k = 3000, .alignment = 64}},
        {CLGEMM_F32, {.m = 16, .n = 15, .k = 17, .batch = 1000}},
    };
    (void)state;
    for (int f = 0; clg_families[f]; f++) {
        bool read[CLG_TUNABLE_COUNT] = {false};
        for (size_t i = 0; i < 3 * sizeof problems / sizeof *problems; i++) {
            const struct clg_facts *facts = devices[i % 3];
            const struct clg_problem problem =
                clg_test_form_problem(&problems[i / 3].form, problems[i / 3].type);
            size_t count;
            const struct clg_params *rows = clg_test_rows(clg_families[f], facts->kind, &count);
            for (size_t r = 0; r < count; r++)
                change_each(clg_families[f], facts, &problem, &rows[r], read);
        }
        for (int t = 0; t < CLG_TUNABLE_COUNT; t++)
            if (read[t] != clg_family_has(clg_families[f], &clg_tunables[t]))
                fail_msg("%s %s %s", clg_families[f]->name, read[t] ? "reads" : "does not read",
                         clg_tunables[t].name);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_read_the_tunables_that_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
