/* SPDX-License-Identifier: Apache-2.0
 * The ladder's table: launches, sizes that are accepted and refused, settings. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/common/ladder_steps.h"
#include "support/check.h"

static const struct clg_facts generous = {
    .max_work_group = 1024, .max_work_items = {1024, 1024, 64}, .local_memory = 48 << 10};

static const struct ladder_step *step_of(int number) {
    int i = 0;
    while (ladder_steps[i].number != number)
        i++;
    return &ladder_steps[i];
}

/* The tutorial's launches: work-items of a group, and the tile that it computes. */
static void launches(void **state) {
    static const int expected[LADDER_STEPS][5] = {
        {32, 32, 32, 32, 1},    {32, 32, 32, 32, 32},   {32, 4, 32, 32, 32},
        {8, 32, 32, 32, 32},    {32, 4, 32, 32, 16},    {16, 16, 128, 128, 16},
        {16, 16, 128, 128, 16}, {16, 16, 128, 128, 16}, {16, 16, 128, 128, 16},
        {16, 16, 128, 128, 16}, {8, 8, 64, 32, 4}};
    (void)state;
    for (int number = 1; number <= LADDER_STEPS; number++) {
        const int *e = expected[number - 1];
        struct ladder_launch l;
        assert_null(ladder_unsupported_reason(step_of(number), &generous, &l));
        assert_int_equal(l.group_m, e[0]);
        assert_int_equal(l.group_n, e[1]);
        assert_int_equal(l.tile_m, e[2]);
        assert_int_equal(l.tile_n, e[3]);
        assert_int_equal(l.tile_k, e[4]);
    }
}

static void every_step_has_its_kernel(void **state) {
    (void)state;
    for (int i = 0; i < ladder_step_count; i++) {
        const struct clg_source *source = ladder_source_find(ladder_steps[i].source);
        char kernel[64];
        assert_non_null(source);
        snprintf(kernel, sizeof kernel, "clg_%s", source->name);
        assert_non_null(strstr(source->text, kernel));
        assert_null(strstr(source->text, "#include")); /* replaced when it was embedded */
    }
    assert_null(ladder_source_find("12_none"));
}

/* A refusal names a size that the step accepts. */
static void refused_sizes_name_one_that_works(void **state) {
    static const struct shape shapes[] = {
        {1000, 1000, 1000},      {1, 1, 1}, {33, 64, 64}, {64, 65, 64}, {130, 100, 20}, {0, 5, 5},
        {500000, 500000, 500000}};
    (void)state;
    for (int i = 0; i < ladder_step_count; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            char why[256] = "";
            struct shape named;
            if (ladder_takes(&ladder_steps[i], shapes[s], why, sizeof why)) {
                assert_string_equal(why, "");
                continue;
            }
            const char *text = strstr(why, "can do is ");
            assert_non_null(text);
            assert_int_equal(sscanf(text, "can do is %" SCNd64 "x%" SCNd64 "x%" SCNd64, &named.m,
                                    &named.n, &named.k),
                             3);
            assert_true(ladder_takes(&ladder_steps[i], named, why, sizeof why));
        }
}

static void sizes(void **state) {
    static const struct {
        int step;
        struct shape shape;
        const char *nearest; /* NULL: accepted */
    } cases[] = {
        {1, {32, 64, 7}, NULL},
        {1, {31, 64, 7}, "32x64x7"},
        {2, {64, 32, 96}, NULL},
        {2, {64, 32, 90}, "64x32x96"},
        {6, {1024, 1024, 1024}, NULL},
        {6, {1000, 1000, 1000}, "1024x1024x1024"},
        {6, {900, 900, 900}, "896x896x896"},
        {6, {1, 1, 1}, "128x128x128"},
        {6, {130, 100, 20}, "128x128x16"},
        {10, {1, 1, 1}, NULL},
        {10, {1000, 999, 998}, NULL},
        {10, {0, 1, 1}, "128x128x16"},
        {10, {50000, 50000, 1}, "40960x40960x40960"},
        {11, {64, 32, 4}, NULL},
        {11, {64, 32, 5}, "64x32x4"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[256] = "";
        const bool taken = ladder_takes(step_of(cases[i].step), cases[i].shape, why, sizeof why);
        assert_int_equal(taken, cases[i].nearest == NULL);
        if (cases[i].nearest)
            assert_non_null(strstr(why, cases[i].nearest));
    }
}

static void set_refuses(void **state) {
    static const char *const wrong[] = {"",
                                        "TS",
                                        "=4",
                                        "TS=",
                                        "TS=x",
                                        "TS=4x",
                                        "TS=0",
                                        "TS=-1",
                                        "TS=4097",
                                        "ts=4",
                                        "NONE=1",
                                        "PAD=-1",
                                        "T=4",
                                        "TS=99999999999999999999",
                                        "A_NAME_LONGER_THAN_ANY_PARAMETER=1"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ladder_settings settings = {0};
        char why[160] = "";
        assert_false(ladder_set(&settings, wrong[i], why, sizeof why));
        assert_int_equal(settings.count, 0);
        assert_string_not_equal(why, "");
    }
}

static void set_applies_to_steps_that_have_it(void **state) {
    struct ladder_settings settings = {0};
    struct ladder_step third = *step_of(3), sixth = *step_of(6);
    char why[160], options[LADDER_OPTIONS];
    (void)state;
    assert_true(ladder_set(&settings, "WPT=8", why, sizeof why));
    assert_true(ladder_set(&settings, "WPT=4", why, sizeof why)); /* the last one counts */
    assert_true(ladder_set(&settings, "PAD=0", why, sizeof why));
    assert_int_equal(settings.count, 2);
    assert_true(ladder_apply(&third, &settings));
    assert_string_equal(ladder_options(&third, "-D", options), "-DTS=32 -DWPT=4");
    assert_true(ladder_apply(&sixth, &settings));
    assert_string_equal(ladder_options(&sixth, "", options),
                        "TSM=128 TSN=128 TSK=16 WPTM=8 WPTN=8 PAD=0");
    struct ladder_step eighth = *step_of(8);
    assert_true(ladder_set(&settings, "SUBGROUP_SHUFFLE=1", why, sizeof why));
    assert_true(ladder_apply(&eighth, &settings));
    assert_non_null(strstr(ladder_options(&eighth, "-D", options), "-cl-std=CL3.0"));
    assert_int_equal(ladder_value(&third, "WPT", -1), 4);
    assert_int_equal(ladder_value(&third, "PAD", -1), -1);
}

/* Settings that are incompatible, or not possible on this device. */
static void unsupported_reason(void **state) {
    static const struct {
        int step;
        const char *set[3];
        const char *reason;
    } cases[] = {
        {3, {"WPT=5", NULL}, "WPT does not divide TS"},
        {4, {"WIDTH=3", NULL}, "WIDTH is not one of"},
        {4, {"TS=4", "WIDTH=8"}, "WIDTH does not divide TS"},
        {5, {"TSDK=3", NULL}, "not an integer"},
        {6, {"WPTM=7", NULL}, "WPTM does not divide TSM"},
        {6, {"WPTN=256", NULL}, "WPTN does not divide TSN"},
        {6, {"TSK=1", NULL}, "not integers"},
        {7, {"WIDTH=16", NULL}, "WIDTH is not one of"},
        {8, {"PTX_LOAD=1", "WIDTH=8"}, "PTX_LOAD reads"},
        {8, {"PTX_SHUFFLE=1", "SUBGROUP_SHUFFLE=1"}, "exclude each other"},
        {8, {"PTX_SHUFFLE=2", NULL}, "0 or 1"},
        {8, {"WPTM=64", "PTX_SHUFFLE=1"}, "WPTN <="},
        {8, {"TSM=96", "TSK=48", "PTX_SHUFFLE=1"}, "divide 32"},
        {9, {"TSK=32", NULL}, "local memory"},
        {1, {"TS=64", NULL}, "work-groups are smaller"},
        {11, {"RX=2", NULL}, "RX and RY"},
        {11, {"THREADSX=1024", "THREADSY=1"}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ladder_step step = *step_of(cases[i].step);
        struct ladder_settings settings = {0};
        struct ladder_launch launch;
        char why[160];
        for (int s = 0; s < 3 && cases[i].set[s]; s++)
            assert_true(ladder_set(&settings, cases[i].set[s], why, sizeof why));
        ladder_apply(&step, &settings);
        const char *reason = ladder_unsupported_reason(&step, &generous, &launch);
        assert_int_equal(reason == NULL, cases[i].reason == NULL);
        if (reason)
            assert_non_null(strstr(reason, cases[i].reason));
    }
}

static void lists_of_steps(void **state) {
    static const char *const wrong[] = {"",   "0",  "12",    "1-",  "-1", "3-1",
                                        "1,", ",1", "1-2-3", "1 2", "x",  "99999999999999999999",
                                        "+1"};
    unsigned steps;
    char why[160];
    (void)state;
    assert_true(ladder_parse_steps(&steps, "1-11", why, sizeof why));
    assert_int_equal(steps, 0xffe);
    assert_true(ladder_parse_steps(&steps, "1,3,5-7", why, sizeof why));
    assert_int_equal(steps, 1 << 1 | 1 << 3 | 7 << 5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(ladder_parse_steps(&steps, wrong[i], why, sizeof why));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches),
        cmocka_unit_test(every_step_has_its_kernel),
        cmocka_unit_test(refused_sizes_name_one_that_works),
        cmocka_unit_test(sizes),
        cmocka_unit_test(set_refuses),
        cmocka_unit_test(set_applies_to_steps_that_have_it),
        cmocka_unit_test(unsupported_reason),
        cmocka_unit_test(lists_of_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
