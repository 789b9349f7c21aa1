/* SPDX-License-Identifier: Apache-2.0
 * Chooses the variant that a call's products have in common. */
#include "run/agree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run/choose.h"

/* That a call may take longer: a second of compiling is worth thousands of its calls. */
static const double MOST = 1.0 / 64;

enum { PROGRAMS = 64 }; /* that are told apart */

struct agreement {
    const struct clg_agree *products;
    int count;
    const struct clg_facts *facts;
    double own_us;        /* of the products' own choices */
    struct clg_list sums; /* a candidate: what all products take with it */
    struct clg_list list; /* of one product */
    struct clg_plan plan;
    struct clg_hash programs[PROGRAMS];
    int num_programs;
};

/* Adds a product's candidates to the sums. Those that it lacks are removed. */
static void add_list(struct agreement *a, int product) {
    const double times = a->products[product].times;
    struct clg_list *sums = &a->sums;
    int kept = 0;
    a->own_us += times * a->list.at[0].us;
    if (product == 0)
        *sums = a->list;
    for (int i = 0; i < sums->count; i++) {
        struct clg_candidate sum = sums->at[i];
        const struct clg_variant variant = clg_candidate_variant(&sum);
        const int found = clg_list_find(&a->list, &variant);
        if (found == a->list.count)
            continue;
        sum.us = (product == 0 ? 0 : sum.us) + times * a->list.at[found].us;
        sums->at[kept++] = sum;
    }
    sums->count = kept;
}

static void count_programs(struct agreement *a) {
    for (int s = 0; s < a->plan.num_steps; s++) {
        const struct clg_step *step = &a->plan.steps[s];
        const struct clg_hash program =
            clg_hash_of(step->source, strlen(step->source), step->options, strlen(step->options));
        int i = 0;
        while (i < a->num_programs && memcmp(&a->programs[i], &program, sizeof program) != 0)
            i++;
        if (i == a->num_programs && i < PROGRAMS)
            a->programs[a->num_programs++] = program;
    }
}

/* How many programs all products need if they have this in common. */
static int programs_with(struct agreement *a, const struct clg_variant *variant,
                         const struct clg_tuning *tuning) {
    a->num_programs = 0;
    for (int i = 0; i < a->count; i++) {
        a->products[i].problem->common = *variant;
        if (clg_choose_without(&a->plan, &a->list, 0, a->products[i].problem, a->facts, tuning))
            return PROGRAMS;
        count_programs(a);
    }
    return a->num_programs;
}

/* Whether all products have candidates, none of them measured. */
static bool add_all(struct agreement *a, const struct clg_tuning *tuning) {
    for (int i = 0; i < a->count; i++) {
        clg_choose_list(&a->list, a->products[i].problem, a->facts, tuning, 0);
        if (a->list.count == 0 || clg_candidate_is_measured(&a->list.at[0]))
            return false;
        add_list(a, i);
    }
    return true;
}

static struct clg_variant choose(struct agreement *a, double most_us,
                                 const struct clg_tuning *tuning) {
    struct clg_variant best = {.family = NULL};
    int fewest = programs_with(a, &best, tuning);
    double us = most_us;
    for (int i = 0; i < a->sums.count && fewest > 1; i++) {
        const struct clg_candidate *sum = &a->sums.at[i];
        const struct clg_variant variant = clg_candidate_variant(sum);
        const int programs = sum->us > most_us ? PROGRAMS : programs_with(a, &variant, tuning);
        if (programs < fewest || (best.family && programs == fewest && sum->us < us)) {
            best = variant;
            fewest = programs;
            us = sum->us;
        }
    }
    return best;
}

void clg_agree(const struct clg_agree *products, int count, double seconds,
               const struct clg_facts *facts, const struct clg_tuning *tuning) {
    struct agreement *a = count > 1 ? malloc(sizeof *a) : NULL;
    struct clg_variant common = {.family = NULL};
    if (!a)
        return;
    *a = (struct agreement){.products = products, .count = count, .facts = facts};
    if (add_all(a, tuning))
        common = choose(a, a->own_us + 1e6 * seconds * MOST, tuning);
    for (int i = 0; i < count; i++)
        products[i].problem->common = common;
    free(a);
}
