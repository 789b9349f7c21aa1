/* SPDX-License-Identifier: Apache-2.0
 * Products of a call that share programs. No device is needed. */
#include "run/agree.h"

#include "run/choose.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"
#include "support/tuning.h"

enum { MOST = 4 };

struct set {
    struct clg_problem problem[MOST];
    struct clg_agree products[MOST]; /* of these problems */
    int count;
};

/* The products of floats that a call of 4096 cubed takes for host matrices on an H200. */
static void make(struct set *set) {
    static const struct {
        int64_t n, k;
        int times;
    } sizes[] = {{4096, 1024, 2}, {512, 2048, 7}, {256, 2048, 2}};
    set->count = 3;
    for (int i = 0; i < set->count; i++) {
        set->problem[i] =
            clg_test_aligned_problem(CLGEMM_F32, false, false, 4096, sizes[i].n, sizes[i].k);
        set->products[i] = (struct clg_agree){&set->problem[i], sizes[i].times};
    }
}

/* Microseconds of all products by the model. *variants: how many different ones they have. */
static double us_of(const struct set *set, const struct clg_tuning *tuning, int *variants) {
    struct clg_variant seen[MOST];
    double us = 0;
    *variants = 0;
    for (int i = 0; i < set->count; i++) {
        struct clg_list list;
        clg_choose_list(&list, &set->problem[i], &clg_test_hopper, tuning, 0);
        const struct clg_variant variant = clg_candidate_variant(&list.at[0]);
        int known = 0;
        while (known < *variants && !clg_variant_equal(&seen[known], &variant))
            known++;
        if (known == *variants)
            seen[(*variants)++] = variant;
        us += set->products[i].times * list.at[0].us;
    }
    return us;
}

/* Has the products agree; the model's seconds are those of the call. */
static struct clg_variant agree(struct set *set, const struct clg_tuning *tuning) {
    int variants;
    const double us = us_of(set, tuning, &variants);
    const struct clg_variant common =
        clg_agree(set->products, set->count, 1e-6 * us, &clg_test_hopper, tuning);
    for (int i = 0; i < set->count; i++)
        set->problem[i].common = common;
    return common;
}

static void products_of_a_call_share_a_variant(void **state) {
    struct set set;
    int own, shared;
    (void)state;
    make(&set);
    const double us = us_of(&set, NULL, &own);
    assert_true(own > 1);
    agree(&set, NULL);
    assert_true(us_of(&set, NULL, &shared) < 1.02 * us);
    assert_int_equal(shared, 1);
    for (int i = 0; i < set.count; i++) {
        const struct clg_plan plan = clg_test_plan(&set.problem[i], &clg_test_hopper);
        assert_ptr_equal(plan.family, set.problem[i].common.family);
    }
}

/* The plan of a product alone is another one, and one product has nobody to agree with. */
static void such_a_product_is_a_problem_of_its_own(void **state) {
    struct set set;
    (void)state;
    make(&set);
    const struct clg_problem alone = set.problem[1];
    assert_non_null(agree(&set, NULL).family);
    assert_false(clg_problem_equal(&alone, &set.problem[1]));
    set.count = 1;
    assert_null(agree(&set, NULL).family);
}

/* A small product beside a large one must not make it slow: there is no common variant then. */
static void none_pays_for_another(void **state) {
    struct set set;
    int own, shared;
    (void)state;
    set.count = 2;
    set.problem[0] = clg_test_aligned_problem(CLGEMM_F32, false, false, 4096, 4096, 4096);
    set.problem[1] = clg_test_aligned_problem(CLGEMM_F32, false, false, 4096, 8, 64);
    for (int i = 0; i < set.count; i++)
        set.products[i] = (struct clg_agree){&set.problem[i], i ? 200 : 1};
    const double us = us_of(&set, NULL, &own);
    assert_null(agree(&set, NULL).family);
    assert_true(us_of(&set, NULL, &shared) == us);
    assert_true(own == 2 && shared == 2);
}

/* A row that somebody measured is not outvoted: in its mode it stands first, in modes beyond it
 * before the strict candidates. */
static void measured_rows_stay_in_force(void **state) {
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct set set;
        struct clg_list list;
        make(&set);
        clg_choose_list(&list, &set.problem[1], &clg_test_hopper, NULL, 0);
        const struct clg_tuning_row row = {.shape = clg_tuning_shape_of(&set.problem[1]),
                                           .family = list.at[1].family,
                                           .params = list.at[1].params,
                                           .ms = 1,
                                           .date = "2026-01-01",
                                           .version = "0.1.0"};
        struct clg_tuning *tuning = clg_test_tuning_with(NULL, &row, 1);
        for (int i = 0; i < set.count; i++)
            set.problem[i].math = mode ? CLGEMM_MATH_TF32 : CLGEMM_MATH_STRICT;
        assert_non_null(agree(&set, NULL).family);
        for (int i = 0; i < set.count; i++)
            set.problem[i].common.family = NULL;
        assert_null(agree(&set, tuning).family);
        clg_tuning_release(tuning);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_a_call_share_a_variant),
        cmocka_unit_test(such_a_product_is_a_problem_of_its_own),
        cmocka_unit_test(none_pays_for_another),
        cmocka_unit_test(measured_rows_stay_in_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
