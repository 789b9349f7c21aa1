/* SPDX-License-Identifier: Apache-2.0
 * Chooses the variant that a call's products have in common. */
#include "run/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run/choose.h"

/* The share by which a call may take longer: 4096 cubed on an H200, whose first call is a second or
 * two quicker, has lost that after 15,000 calls or more. */
static const double MOST = 1.0 / 64;

enum { PROGRAMS = 64 }; /* that are told apart */

struct agreement {
    const struct clg_agree *products;
    int count;
    const struct clg_facts *facts;
    struct clg_plan plan;
    struct clg_hash programs[PROGRAMS];
    int num_programs;
    struct clg_list lists[]; /* of the products */
};

/* The candidate that a product has if all have this variant; its own choice for NULL; NULL if there
 * is none. */
static const struct clg_candidate *candidate_of(const struct agreement *a, int product,
                                                const struct clg_variant *variant) {
    const struct clg_list *list = &a->lists[product];
    const int at = variant ? clg_list_find(list, variant) : 0;
    return at < list->count ? &list->at[at] : NULL;
}

/* Microseconds of all products; NAN if one of them cannot have it. */
static double us_with(const struct agreement *a, const struct clg_variant *variant) {
    double us = 0;
    for (int i = 0; i < a->count; i++) {
        const struct clg_candidate *candidate = candidate_of(a, i, variant);
        if (!candidate)
            return NAN;
        us += a->products[i].times * candidate->us;
    }
    return us;
}

static void count_program(struct agreement *a, const struct clg_step *step) {
    const struct clg_hash program =
        clg_hash_of(step->source, strlen(step->source), step->options, strlen(step->options));
    int i = 0;
    while (i < a->num_programs && memcmp(&a->programs[i], &program, sizeof program) != 0)
        i++;
    if (i == a->num_programs && i < PROGRAMS)
        a->programs[a->num_programs++] = program;
}

/* How many programs all products need; each has a candidate. */
static int programs_with(struct agreement *a, const struct clg_variant *variant) {
    a->num_programs = 0;
    for (int i = 0; i < a->count; i++) {
        const struct clg_candidate *candidate = candidate_of(a, i, variant);
        clg_plan_with(&a->plan, candidate->family, &candidate->params, a->products[i].problem,
                      a->facts);
        for (int s = 0; s < a->plan.num_steps; s++)
            count_program(a, &a->plan.steps[s]);
    }
    return a->num_programs;
}

/* Whether all products have candidates, none of them measured: such times may be of other sizes. */
static bool list_all(struct agreement *a, const struct clg_tuning *tuning) {
    bool all = true;
    for (int i = 0; i < a->count && all; i++) {
        clg_choose_list(&a->lists[i], a->products[i].problem, a->facts, tuning, 0);
        all = a->lists[i].count > 0;
        for (int at = 0; at < a->lists[i].count && all; at++)
            all = !clg_candidate_is_measured(&a->lists[i].at[at]);
    }
    return all;
}

static struct clg_variant choose(struct agreement *a, double seconds) {
    struct clg_variant best = {.family = NULL};
    const double most_us = us_with(a, NULL) + MOST * 1e6 * seconds;
    double best_us = HUGE_VAL;
    int fewest = programs_with(a, NULL);
    for (int i = 0; i < a->lists[0].count && fewest > 1; i++) {
        const struct clg_variant variant = clg_candidate_variant(&a->lists[0].at[i]);
        if (clg_list_find(&a->lists[0], &variant) < i) /* tried before */
            continue;
        const double us = us_with(a, &variant);
        if (!(us <= most_us))
            continue;
        const int programs = programs_with(a, &variant);
        if (programs < fewest || (programs == fewest && us < best_us && best.family)) {
            best = variant;
            best_us = us;
            fewest = programs;
        }
    }
    return best;
}

struct clg_variant clg_agree(const struct clg_agree *products, int count, double seconds,
                             const struct clg_facts *facts, const struct clg_tuning *tuning) {
    struct agreement *a = count > 1 ? malloc(sizeof *a + (size_t)count * sizeof a->lists[0]) : NULL;
    struct clg_variant common = {.family = NULL};
    if (!a)
        return common;
    *a = (struct agreement){.products = products, .count = count, .facts = facts};
    if (list_all(a, tuning))
        common = choose(a, seconds);
    free(a);
    return common;
}
