/* SPDX-License-Identifier: Apache-2.0
 * Batches in the bench: sizes, the judge, reports, and peers that have no batches. No device is
 * needed. */
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/judged.h"
#include "bench/report/baseline.h"
#include "bench/report/report.h"

static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64};
static const clgemm_layout layouts[] = {CLGEMM_ROW_MAJOR, CLGEMM_COL_MAJOR};
static const struct transposes transposes[] = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS},
                                               {CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                               {CLGEMM_TRANS, CLGEMM_NO_TRANS},
                                               {CLGEMM_TRANS, CLGEMM_TRANS}};
enum { TYPES = 2, LAYOUTS = 2, TRANSPOSES = 4 };

/* Products so large that the judge only samples elements. */
enum { MANY = 40 };
static const struct shape large = {100, 90, 100};

static struct options options_of(clgemm_type type, clgemm_layout layout, int batch) {
    return (struct options){.type = type,
                            .batch = batch,
                            .layout = layout,
                            .alpha = {element_round(type, 1.1), 0},
                            .beta = {element_round(type, -0.3), 0}};
}

static struct judged start(clgemm_type type, int batch, struct shape shape) {
    const struct options o = options_of(type, CLGEMM_ROW_MAJOR, batch);
    return judged_start(&o, shape, transposes[1]);
}

/* ---- Problems ---- */

/* Without a batch the strides are the library's own choice. */
static void sizes_are_those_of_all_products(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int batch = 1; batch < 5; batch += 3) {
            struct judged j = start(types[t], batch, (struct shape){3, 5, 7});
            const clgemm_desc desc = problem_desc(&j.problem);
            const struct clg_call call = problem_call(&j.problem, 7);
            const double bytes = (double)clg_type_size(types[t]) * batch;
            struct clg_problem problem;
            assert_true(problem_bytes(&j.problem) == bytes * (3 * 7 + 7 * 5 + 3 * 5));
            assert_true(problem_flops(&j.problem) == 2.0 * 3 * 5 * 7 * batch);
            assert_int_equal(j.problem.c_count, batch * 3 * 5);
            assert_int_equal(desc.batch, batch);
            assert_int_equal(desc.stride_a, 3 * 7);
            assert_int_equal(desc.stride_b, 7 * 5);
            assert_int_equal(desc.stride_c, 3 * 5);
            assert_int_equal(clg_problem_init(&problem, &call), CLGEMM_SUCCESS);
            assert_int_equal(problem.batch, batch);
            assert_int_equal(call.operand[CLG_B].stride, batch > 1 ? 7 * 5 : 0);
            assert_int_equal(call.operand[CLG_C].bytes, bytes * 3 * 5);
            judged_end(&j);
        }
}

static void batches_without_end_are_refused(void **state) {
    const struct options o = options_of(CLGEMM_F32, CLGEMM_ROW_MAJOR, INT_MAX);
    struct problem problem;
    char why[256] = "";
    (void)state;
    assert_false(problem_describe(&problem, &o, (struct shape){1 << 20, 1 << 20, 1}, transposes[0],
                                  why, sizeof why));
    assert_string_equal(why, "a matrix has more bytes than this machine can address");
    assert_true(problem_describe(&problem, &o, (struct shape){1 << 20, 0, 1 << 10}, transposes[0],
                                 why, sizeof why));
    assert_int_equal(problem.c_count, 0);
}

/* ---- The judge ---- */

/* The judge computes the position of each element; OpenBLAS uses leading dimensions. */
static void right_results_are_accepted(void **state) {
    static const struct shape shapes[] = {{1, 1, 1}, {7, 5, 30}, {9, 4, 0}, {0, 3, 2}};
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (int l = 0; l < LAYOUTS; l++)
            for (int o = 0; o < TRANSPOSES; o++)
                for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                    const struct options options = options_of(types[t], layouts[l], 6);
                    struct judged j = judged_start(&options, shapes[s], transposes[o]);
                    if (!judged_accepts(&j))
                        fail_msg("%s: %s", element_of(types[t])->name, j.why);
                    judged_end(&j);
                }
}

/* Every element of every product, addressed one by one. */
static void wrong_products_are_refused(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], 4, (struct shape){7, 5, 30});
        assert_int_equal(j.judge.count, 4 * 7 * 5);
        for (int at = 0; at < 4 * 7 * 5; at++) {
            char said[64];
            assert_false(judged_accepts_there(&j, at, NAN));
            assert_false(judged_accepts_there(&j, at, 0));
            snprintf(said, sizeof said, "C(%d, %d) of product %d = 0, not ", at / 5 % 7, at % 5,
                     at / 35);
            assert_memory_equal(j.why, said, strlen(said));
        }
        assert_true(judged_accepts(&j));
        judged_end(&j);
    }
}

/* Of every product at least the corners are among the elements that are judged one by one. */
static void elements_are_taken_from_all_products(void **state) {
    struct judged j = start(CLGEMM_F32, MANY, large);
    int count[MANY] = {0};
    (void)state;
    assert_int_equal(j.judge.count, VERIFY_ELEMENTS);
    for (size_t e = 0; e < j.judge.count; e++) {
        assert_in_range(j.judge.z[e], 0, MANY - 1);
        assert_true(e >= 8 || j.judge.z[e] == (e < 4 ? 0 : MANY - 1));
        count[j.judge.z[e]]++;
    }
    for (int z = 0; z < MANY; z++)
        assert_true(count[z] > 0);
    judged_end(&j);
}

/* If elements are only sampled, the rest is compared with OpenBLAS's. */
static void wrong_tiles_of_any_product_are_refused(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        struct judged j = start(types[t], MANY, large);
        assert_true(judged_accepts(&j));
        for (int64_t z = 0; z < MANY; z++) {
            const int64_t at = z * j.problem.c_z + 37 * large.n + 41;
            const double right = clg_element(types[t], j.problem.c, at);
            assert_false(judged_accepts_there(&j, at, NAN));
            assert_false(judged_accepts_there(&j, at, right + 1e4 * clg_roundoff(types[t])));
        }
        judged_end(&j);
    }
}

/* ---- Reports ---- */

static void problems_have_their_batch(void **state) {
    const struct options o = options_of(CLGEMM_F32, CLGEMM_ROW_MAJOR, 1000);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    csv_problem(out, &o, (struct shape){40, 24, 16}, transposes[1]);
    fclose(out);
    assert_string_equal(text, "40,24,16,NT,row,f32,1000,1.10000002,-0.300000012,");
    free(text);
}

static void baselines_are_of_one_batch(void **state) {
    static const struct {
        const char *context;
        int batch;
        const char *refusal; /* NULL: no error */
    } cases[] = {
        {"\"batch\": \"1000\"", 1000, NULL},
        {"\"batch\": \"1000\"", 1, "it measured batches of 1000, not of 1"},
        {"\"batch\": \"1000\"", 100, "it measured batches of 1000, not of 100"},
        {"\"type\": \"f32\"", 1, NULL},
        {"\"type\": \"f32\"", 7, "it measured batches of 1, not of 7"},
        {"\"type\": \"f64\"", 7, "it measured f64, not f32"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct options o = options_of(CLGEMM_F32, CLGEMM_ROW_MAJOR, cases[i].batch);
        struct baseline b;
        char path[] = "/tmp/clgemm-test-batches-XXXXXX", why[512];
        FILE *file = fdopen(mkstemp(path), "w");
        assert_non_null(file);
        fprintf(file,
                "{\"schema\": \"clgemm-bench/1\", \"context\": {%s}, \"results\": "
                "[{\"shape\": \"1x1x1\", \"trans\": \"NN\", \"layout\": \"row\", \"alpha\": 1, "
                "\"beta\": 0, \"series\": {}}]}",
                cases[i].context);
        fclose(file);
        assert_true(baseline_read(&b, path, why, sizeof why));
        unlink(path);
        assert_int_equal(baseline_is_alike(&b, &o, why, sizeof why), !cases[i].refusal);
        if (cases[i].refusal)
            assert_string_equal(why, cases[i].refusal);
        baseline_release(&b);
    }
}

/* ---- Peers ---- */

static void viennacl_is_skipped(void **state) {
    struct clg_device open = {.facts.has_compiler = true};
    struct device device = {.open = &open};
    (void)state;
    for (int batch = 1; batch <= 2; batch++) {
        const struct problem problem = {.shape = {3, 5, 7}, .batch = batch};
        struct contender c = {.device = &device, .problem = &problem};
        assert_int_equal(viennacl_ops.start(&c), batch == 1 ? OUTCOME_OK : OUTCOME_SKIPPED);
        assert_string_equal(c.why, batch == 1 ? "" : "ViennaCL has no batches");
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_all_products),
        cmocka_unit_test(batches_without_end_are_refused),
        cmocka_unit_test(right_results_are_accepted),
        cmocka_unit_test(wrong_products_are_refused),
        cmocka_unit_test(elements_are_taken_from_all_products),
        cmocka_unit_test(wrong_tiles_of_any_product_are_refused),
        cmocka_unit_test(problems_have_their_batch),
        cmocka_unit_test(baselines_are_of_one_batch),
        cmocka_unit_test(viennacl_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
