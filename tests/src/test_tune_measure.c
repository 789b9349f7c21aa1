/* SPDX-License-Identifier: Apache-2.0
 * Candidates on the device: good ones get a time, slow ones are stopped early, and those that
 * cannot run are refused. */
#include <math.h>
#include <string.h>

#include "base/env.h"
#include "src/tuner/measure.h"
#include "src/tuner/space.h"
#include "support/check.h"
#include "support/device.h"

static struct clg_measure *measure;

/* The second is in double precision if the device has doubles. */
static clgemm_type types[2] = {CLGEMM_F32, CLGEMM_F64};

static int open_device(void **state) {
    (void)state;
    clg_test_assert_success(clg_measure_open(&measure, clg_env("CLGEMM_DEVICE")));
    if (clg_type_unsupported_reason(types[1], clg_measure_facts(measure)))
        types[1] = CLGEMM_F32;
    return 0;
}

static int close_device(void **state) {
    (void)state;
    clg_measure_close(measure);
    return 0;
}

static struct clg_candidate load_and_choose(const struct clg_tuning_shape *shape) {
    struct clg_problem problem;
    struct clg_space space;
    struct clg_candidate candidate;
    clg_test_assert_success(clg_measure_load(measure, shape));
    clg_test_assert_success(clg_measure_problem(&problem, shape));
    clg_space_init(&space, &problem, clg_measure_facts(measure));
    assert_true(clg_space_model_choice(&space, &candidate));
    return candidate;
}

static void good_candidates_get_times(void **state) {
    (void)state;
    /* Both types, alternating: each has every placement of A and of B, and both alignments; and
     * batches. */
    for (int form = 0; form < 8; form++) {
        const clgemm_type type = (form ^ form >> 1 ^ form >> 2) & 1 ? types[1] : types[0];
        const struct clg_tuning_shape shape = {65,       47,   33, form & 1, form & 2,
                                               form & 4, type, 0,  0};
        const struct clg_candidate candidate = load_and_choose(&shape);
        struct clg_trial trial;
        clg_measure_try(measure, &candidate, INFINITY, &trial);
        assert_string_equal(trial.why, "");
        assert_int_equal(trial.verdict, CLG_TRIAL_GOOD);
        assert_true(trial.runs >= 5 && trial.runs <= CLG_TRIAL_RUNS);
        assert_true(trial.median > 0);
        assert_true(trial.spread >= 0);
    }
}

static void seeds_of_all_families_are_right(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        const struct clg_tuning_shape shape = {100, 77, 51, false, false, false, types[t], 0, 0};
        struct clg_problem problem;
        struct clg_space space;
        struct clg_candidate seeds[6];
        struct clg_trial trial;
        clg_test_assert_success(clg_measure_load(measure, &shape));
        clg_test_assert_success(clg_measure_problem(&problem, &shape));
        clg_space_init(&space, &problem, clg_measure_facts(measure));
        const int count = clg_space_seeds(&space, seeds, t ? 3 : 6);
        for (int i = 0; i < count; i++) {
            clg_measure_try(measure, &seeds[i], INFINITY, &trial);
            assert_string_equal(trial.why, "");
        }
    }
}

/* No run is as fast as that: the candidate is behind after three. */
static void slow_candidates_are_cut_short(void **state) {
    const struct clg_tuning_shape shape = {65, 47, 33, false, false, true, CLGEMM_F32, 0, 0};
    const struct clg_candidate candidate = load_and_choose(&shape);
    struct clg_trial trial;
    (void)state;
    clg_measure_try(measure, &candidate, 1e-12, &trial);
    assert_int_equal(trial.verdict, CLG_TRIAL_SLOW);
    assert_true(trial.runs <= 3);
    assert_true(trial.median > 0);
    assert_string_not_equal(trial.why, "");
}

static void refused_candidates_fail(void **state) {
    const struct clg_tuning_shape shape = {65, 47, 33, false, false, true, CLGEMM_F32, 0, 0};
    struct clg_trial trial;
    (void)state;
    load_and_choose(&shape);
    const struct clg_candidate candidate = {.family = &clg_family_tiled, .params = {.tile_m = 64}};
    clg_measure_try(measure, &candidate, INFINITY, &trial);
    assert_int_equal(trial.verdict, CLG_TRIAL_FAILED);
    assert_string_equal(trial.why, "a size is missing");
    assert_int_equal(trial.runs, 0);
}

static void nothing_can_be_loaded_of_an_empty_problem(void **state) {
    const struct clg_tuning_shape shape = {0, 47, 33, false, false, true, CLGEMM_F32, 0, 0};
    (void)state;
    assert_true(clg_measure_load(measure, &shape) != CLGEMM_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_candidates_get_times),
        cmocka_unit_test(seeds_of_all_families_are_right),
        cmocka_unit_test(slow_candidates_are_cut_short),
        cmocka_unit_test(refused_candidates_fail),
        cmocka_unit_test(nothing_can_be_loaded_of_an_empty_problem),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, open_device, close_device);
}
