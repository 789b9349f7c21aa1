/* SPDX-License-Identifier: Apache-2.0
 * What the bench does with each element type: random values, the judge, reports, and devices
 * without the type. No device is needed. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/judged.h"
#include "bench/mode.h"
#include "bench/report/baseline.h"

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64};
enum { TYPES = sizeof types / sizeof *types };

static struct judged start(clgemm_type type, struct shape shape, double beta) {
    const struct options o = {.type = type,
                              .batch = 1,
                              .layout = CLGEMM_ROW_MAJOR,
                              .alpha = {element_round(type, 1.1), 0},
                              .beta = {element_round(type, beta), 0}};
    return judged_start(&o, shape, (struct transposes){CLGEMM_NO_TRANS, CLGEMM_TRANS});
}

/* ---- Values ---- */

/* In [-0.5, 0.5), and as fine as the type allows: some values need its last bit. */
static void values_fill_the_type(void **state) {
    static const double steps[TYPES] = {0x1p-24, 0x1p-54};
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], (struct shape){40, 1, 50}, 0);
        int odd = 0, of_half = 0;
        for (int64_t i = 0; i < 40 * 50; i++) {
            const double value = clg_element(types[t], j.problem.a, i), whole = value / steps[t];
            assert_true(value >= -0.5 && value < 0.5);
            assert_true(whole == floor(whole));
            odd += fmod(whole, 2) != 0;
            of_half += fabs(value) >= 0.25;
        }
        assert_in_range(odd, 800, 1200);
        assert_in_range(of_half, 800, 1200);
        judged_end(&j);
    }
}

static void problems_have_the_size_of_their_type(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], (struct shape){3, 5, 7}, 0);
        const struct clg_call call = problem_call(&j.problem, 7);
        const double bytes = (double)clg_type_size(types[t]);
        assert_true(problem_bytes(&j.problem) == bytes * (3 * 7 + 7 * 5 + 3 * 5));
        assert_int_equal(call.type, types[t]);
        assert_int_equal(call.operand[CLG_C].bytes, bytes * 3 * 5);
        assert_int_equal(problem_desc(&j.problem).type, types[t]);
        judged_end(&j);
    }
}

/* ---- The judge ---- */

static void right_results_are_accepted(void **state) {
    static const struct shape shapes[] = {{1, 1, 1}, {7, 5, 300}, {9, 4, 0}, {0, 3, 2}};
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int beta = 0; beta < 2; beta++) {
                struct judged j = start(types[t], shapes[s], -0.3 * beta);
                if (!judged_accepts(&j))
                    fail_msg("%s: %s", element_of(types[t])->name, j.why);
                judged_end(&j);
            }
}

/* With both parts of factors, and conjugates of either operand. */
static void complex_results_are_judged(void **state) {
    static const clgemm_transpose all[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    (void)state;
    for (int form = 0; form < 18; form++) {
        const clgemm_type type = form % 2 ? CLGEMM_CF64 : CLGEMM_CF32;
        const struct options o = {.type = type,
                                  .batch = 2,
                                  .layout = CLGEMM_ROW_MAJOR,
                                  .alpha = factor_round(type, (struct factor){0.7, -1.1}),
                                  .beta = factor_round(type, (struct factor){0, 0.3})};
        const struct transposes trans = {all[form / 2 % 3], all[form / 6]};
        struct judged j = judged_start(&o, (struct shape){7, 5, 60}, trans);
        if (!judged_accepts(&j))
            fail_msg("%s %s: %s", element_of(type)->name, trans_name(trans), j.why);
        for (int64_t at = 0; at < 2 * 2 * 7 * 5; at++) {
            const double right = clg_element(type, j.problem.c, at);
            assert_false(judged_accepts_there(&j, at, -right));
            assert_false(judged_accepts_there(&j, at, right + 5000 * clg_roundoff(type)));
        }
        judged_end(&j);
    }
}

/* Off by a little more than the bound, which uses the type's own unit roundoff; or never
 * written. */
static void wrong_elements_are_refused(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], (struct shape){7, 5, 30}, -0.3);
        const double u = clg_roundoff(types[t]);
        for (size_t e = 0; e < j.judge.count; e++) {
            const double bound = j.judge.bound[e], right = j.judge.expected[e].high;
            const int64_t at = j.judge.i[e] * 5 + j.judge.j[e];
            char said[64];
            assert_true(bound > 0 && bound < 100 * u);
            assert_true(judged_accepts_there(&j, at, right + 0.5 * bound));
            assert_false(judged_accepts_there(&j, at, right + 2 * bound));
            assert_false(judged_accepts_there(&j, at, right - 2 * bound));
            assert_false(judged_accepts_there(&j, at, NAN));
            assert_false(judged_accepts_there(&j, at, 0));
            snprintf(said, sizeof said, "C(%d, %d) = 0, not %.*g +- ", (int)j.judge.i[e],
                     (int)j.judge.j[e], element_of(types[t])->digits,
                     right + j.judge.expected[e].low);
            assert_memory_equal(j.why, said, strlen(said));
        }
        judged_end(&j);
    }
}

/* If elements are only sampled, the rest is compared with OpenBLAS's, within 2 (k + 2) u times
 * vector lengths of about 6 and 6. */
static void wrong_tiles_of_large_results_are_refused(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], (struct shape){400, 300, 400}, 0);
        assert_int_equal(j.judge.count, VERIFY_ELEMENTS);
        assert_true(judged_accepts(&j));
        for (int64_t at = 150 * 300 + 100; at < 150 * 300 + 140; at++) {
            const double right = clg_element(types[t], j.problem.c, at);
            assert_false(judged_accepts_there(&j, at, right + 40000 * clg_roundoff(types[t])));
            assert_false(judged_accepts_there(&j, at, NAN));
        }
        judged_end(&j);
    }
}

static void singles_are_no_doubles(void **state) {
    struct judged j = start(CLGEMM_F64, (struct shape){7, 5, 30}, 0);
    (void)state;
    for (int64_t i = 0; i < (int64_t)j.problem.c_count; i++) {
        const double right = clg_element(CLGEMM_F64, j.problem.c, i);
        clg_element_set(CLGEMM_F64, j.problem.c, i, element_round(CLGEMM_F32, right));
    }
    assert_false(judged_accepts(&j));
    judged_end(&j);
}

/* Products and sums that a double cannot hold, or not accurately enough. */
static void the_judge_has_more_bits_than_doubles(void **state) {
    static const struct {
        double a[4], b[4], high_and_low;
    } cases[] = {
        {{0x1p60, 0.3, -0x1p60}, {1, 1, 1}, 0.3},
        {{1 + 0x1p-30, -1, 0}, {1 + 0x1p-30, 1 + 0x1p-29, 0}, 0x1p-60},
        {{0x1p60, 0x1p30, -0x1p60, 1}, {1, 1, 1, -0x1p30}, 0},
        {{1, 0x1p-60, 0x1p-60, -1}, {1, 1, 1, 1}, 0x1p-59},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct judged j = start(CLGEMM_F64, (struct shape){1, 1, 4}, 0);
        memcpy(j.problem.a, cases[c].a, sizeof cases[c].a);
        memcpy(j.problem.b, cases[c].b, sizeof cases[c].b);
        j.problem.alpha.re = -2;
        judge_release(&j.judge);
        assert_true(judge_create(&j.judge, &j.problem, j.why, sizeof j.why));
        assert_true(j.judge.expected[0].high + j.judge.expected[0].low ==
                    -2 * cases[c].high_and_low);
        judged_end(&j);
    }
}

/* ---- Reports ---- */

/* Alpha and beta are written with the digits of the run's type, and read back as that type. */
enum { REPORTS = TYPES + 1 };
static const struct {
    clgemm_type type;
    const char *csv, *json, *refusal;
} reports[REPORTS] = {
    {CLGEMM_F32, "40,24,16,NT,row,f32,1,0.100000001,-0.300000012,",
     "\"alpha\": 0.100000001, \"beta\": -0.300000012", "it measured f32, not f64"},
    {CLGEMM_F64, "40,24,16,NT,row,f64,1,0.10000000000000001,-0.29999999999999999,",
     "\"alpha\": 0.10000000000000001, \"beta\": -0.29999999999999999", "it measured f64, not cf32"},
    {CLGEMM_CF32, "40,24,16,NT,row,cf32,1,\"0.100000001,2\",\"-0.300000012\",",
     "\"alpha\": 0.100000001, \"beta\": -0.300000012, \"alpha_imag\": 2",
     "it measured cf32, not f32"},
};

static const struct result reported = {
    .shape = {40, 24, 16}, .trans = {CLGEMM_NO_TRANS, CLGEMM_TRANS}, .series[OURS_HOST].gflops = 2};

static struct options options_of(clgemm_type type) {
    return (struct options){.type = type,
                            .batch = 1,
                            .layout = CLGEMM_ROW_MAJOR,
                            .alpha = {element_round(type, 0.1), clg_type_is_complex(type) ? 2 : 0},
                            .beta = {element_round(type, -0.3), 0}};
}

static void reports_have_the_digits_of_the_type(void **state) {
    (void)state;
    for (int t = 0; t < REPORTS; t++) {
        const struct options o = options_of(reports[t].type);
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        csv_problem(out, &o, reported.shape, reported.trans);
        struct clg_json json = {.out = out, .flat = true};
        clg_json_open(&json, NULL, '{');
        json_problem(&json, &o, reported.shape, reported.trans);
        clg_json_close(&json, '}');
        fclose(out);
        assert_memory_equal(text, reports[t].csv, strlen(reports[t].csv));
        assert_non_null(strstr(text, reports[t].json));
        free(text);
    }
}

static void baselines_are_of_one_type(void **state) {
    (void)state;
    for (int t = 0; t < REPORTS; t++) {
        struct options o = options_of(reports[t].type);
        struct baseline b;
        char path[] = "/tmp/clgemm-test-types-XXXXXX", why[512];
        FILE *file = fdopen(mkstemp(path), "w");
        assert_non_null(file);
        fprintf(file,
                "{\"schema\": \"clgemm-bench/1\", \"context\": {\"type\": \"%s\"}, \"results\": "
                "[{\"shape\": \"40x24x16\", \"trans\": \"NT\", \"layout\": \"row\", %s, "
                "\"series\": {\"clgemm_host\": {\"gflops\": 1}}}]}",
                element_of(o.type)->name, reports[t].json);
        fclose(file);
        assert_true(baseline_read(&b, path, why, sizeof why));
        unlink(path);
        assert_true(baseline_is_alike(&b, &o, why, sizeof why));
        o.type = reports[(t + 1) % REPORTS].type;
        assert_false(baseline_is_alike(&b, &o, why, sizeof why));
        o.type = reports[t].type;
        assert_string_equal(why, reports[t].refusal);
        assert_true(baseline_ratio(&b, &o, &reported, OURS_HOST) == 2);
        o.alpha.re = nextafter(o.alpha.re, 1); /* another problem */
        assert_true(baseline_ratio(&b, &o, &reported, OURS_HOST) == 0);
        o = options_of(o.type);
        o.alpha.im += 1;
        assert_true(baseline_ratio(&b, &o, &reported, OURS_HOST) == 0);
        baseline_release(&b);
    }
}

/* ---- Devices without the type ---- */

static void devices_without_doubles_are_skipped(void **state) {
    static const struct contender_ops *const peers[] = {&clblast_ops, &viennacl_ops};
    struct clg_device open = {0};
    struct device device = {.open = &open};
    const struct shape shape = {3, 5, 7};
    (void)state;
    open.facts.has_compiler = true;
    for (int t = 0; t < TYPES; t++)
        for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
            const struct problem problem = {.shape = shape, .type = types[t], .batch = 1};
            struct contender c = {.device = &device, .problem = &problem};
            const bool lacks = types[t] == CLGEMM_F64;
            assert_int_equal(contender_type(&c), lacks ? OUTCOME_SKIPPED : OUTCOME_OK);
            assert_string_equal(c.why, lacks ? "the device has no arithmetic for F64" : "");
            if (lacks)
                assert_int_equal(peers[i]->start(&c), OUTCOME_SKIPPED);
            assert_int_equal(contender_status(&c, CLGEMM_STATUS_UNSUPPORTED), OUTCOME_SKIPPED);
        }
    const struct options o = {
        .type = CLGEMM_CF64, .batch = 1, .layout = CLGEMM_ROW_MAJOR, .alpha = {1, 0}};
    struct mode_result result = {.shape = shape};
    struct problem problem = {0};
    assert_false(mode_load(&result, &problem, &device, &o, false));
    assert_int_equal(result.outcome, OUTCOME_SKIPPED);
    assert_string_equal(result.why, "the device has no arithmetic for CF64");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_fill_the_type),
        cmocka_unit_test(problems_have_the_size_of_their_type),
        cmocka_unit_test(right_results_are_accepted),
        cmocka_unit_test(complex_results_are_judged),
        cmocka_unit_test(wrong_elements_are_refused),
        cmocka_unit_test(wrong_tiles_of_large_results_are_refused),
        cmocka_unit_test(singles_are_no_doubles),
        cmocka_unit_test(the_judge_has_more_bits_than_doubles),
        cmocka_unit_test(reports_have_the_digits_of_the_type),
        cmocka_unit_test(baselines_are_of_one_type),
        cmocka_unit_test(devices_without_doubles_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
