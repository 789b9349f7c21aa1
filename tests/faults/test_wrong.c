/* SPDX-License-Identifier: Apache-2.0
 * A compiler that gets a kernel wrong, for each of them: without checks its results are wrong, with
 * them no call's is, from the first on; what was found out is kept for the next process. */
#define _GNU_SOURCE
#include "steer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "gemm/family.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/tuning.h"

/* A kernel's text that is wrong with another one in its place, and a problem that uses it. */
struct mistake {
    const char *kernel, *right, *wrong;
    clgemm_type type;
    int64_t m, n, k;
    const struct clg_family *by; /* with its last row's parameters, of which some are changed;
                                    NULL: as chosen */
    int split_tail, pack_a;
};

#define SHORT_SUM "direct", "p < k; p++", "p < k - 1; p++"
#define SHORT_PANEL                                           \
    "panel", "p < depth; p++, a += PANEL_M, b += row, ahead", \
        "p + 1 < depth; p++, a += PANEL_M, b += row, ahead"
#define SMALL 32, 30, 31
#define MIDDLE 71, 70, 70
#define LARGE 700, 700, 600
#define DIRECT &clg_family_direct, 0, 0
#define TILED &clg_family_tiled
#define CHOSEN NULL, 0, 0
static const struct mistake mistakes[] = {
    {"direct", "alpha * acc[j][i] +", "alpha * acc[j][0] +", CLGEMM_F32, SMALL, DIRECT},
    {SHORT_SUM, CLGEMM_F64, SMALL, DIRECT},
    {SHORT_SUM, CLGEMM_F16, SMALL, DIRECT},
    {SHORT_SUM, CLGEMM_BF16, SMALL, DIRECT},
    {SHORT_PANEL, CLGEMM_F32, LARGE, CHOSEN},
    {SHORT_PANEL, CLGEMM_F64, LARGE, CHOSEN},
    {"panel_pack", "min(CHUNK, kn - p0)", "min(CHUNK, kn - p0 - 1)", CLGEMM_F16, SMALL, CHOSEN},
    {"reduce", "int s = lane;", "int s = lane + 1;", CLGEMM_F32, 33, 31, 4200, CHOSEN},
    {"tiled", "piece < 0 ? alpha : 1,", "1,", CLGEMM_F32, MIDDLE, TILED, 0, 0},
    {"pack", "x[at] : 0", "x[at] + x[at] : 0", CLGEMM_F32, MIDDLE, TILED, 0, 1},
    {"join", "int s = 0; s < slices", "int s = 1; s < slices", CLGEMM_F32, MIDDLE, TILED, 2, 0},
    {"scale", "beta * LOAD", "beta + LOAD", CLGEMM_F32, 32, 30, 0, CHOSEN},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static struct clg_test_problem problem_of(const struct mistake *mistake) {
    return (struct clg_test_problem){.layout = CLGEMM_COL_MAJOR,
                                     .ta = CLGEMM_NO_TRANS,
                                     .tb = CLGEMM_NO_TRANS,
                                     .m = mistake->m,
                                     .n = mistake->n,
                                     .k = mistake->k,
                                     .alpha = 1.5F,
                                     .beta = 0.5F,
                                     .type = mistake->type};
}

static void prefer(clgemm_handle *handle, const struct mistake *mistake) {
    struct clg_tuning_row row = {
        .shape = {.type = mistake->type, .m = mistake->m, .n = mistake->n, .k = mistake->k},
        .family = mistake->by,
        .ms = 1};
    char path[] = "/tmp/clg-wrong-XXXXXX.json";
    size_t count;
    const struct clg_params *rows = mistake->by->rows(CLG_DEVICE_CPU, &count);
    row.params = rows[count - 1];
    row.params.split_tail = mistake->split_tail;
    row.params.pack_a = mistake->pack_a;
    clg_tuning_stamp(&row);
    close(mkstemps(path, 5));
    clg_test_tuning_file(path, &handle->engine.device->facts, &row, 1);
    clg_test_assert_success(clgemm_tuning_import(handle, path));
    unlink(path);
}

/* What is wrong with a call's result on a new handle, or NULL. Nothing but its one kernel scales C:
 * where that is wrong, the call fails. */
static const char *fault_of(const struct mistake *mistake, clgemm_verify verify,
                            clgemm_build build) {
    const struct clg_test_problem problem = problem_of(mistake);
    struct clg_test_random random = clg_test_random_start(1);
    clgemm_handle *handle = NULL;
    const char *fault = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    if (mistake->by)
        prefer(handle, mistake);
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, verify));
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_BUILD, build));
    for (int call = 0; call < 3 && !fault; call++) {
        struct clg_test_case test;
        clg_test_case_create(&test, &problem, &random);
        const clgemm_status status = clg_test_case_run(&test, handle);
        if (status != CLGEMM_STATUS_UNSUPPORTED || problem.k > 0) {
            clg_test_assert_success(status);
            fault = clg_test_case_fault(&test);
        }
        clg_test_case_destroy(&test);
    }
    clgemm_destroy(handle);
    return fault;
}

/* ---- In processes of their own, whose programs nobody else has ---- */

static int report(const char *fault) {
    if (fault)
        print_error("%s\n", fault);
    return fault ? 1 : 0;
}

/* The mistake does harm; then it does none, whoever builds and whenever it is checked. */
static int make_mistake(const struct mistake *mistake) {
    if (mistake->type == CLGEMM_F64 && clg_test_num_types() < CLG_TYPE_COUNT)
        return CLG_TEST_SKIP;
    steer.replace(mistake->right, mistake->wrong);
    if (!fault_of(mistake, CLGEMM_VERIFY_OFF, CLGEMM_BUILD_WAIT))
        return report("the mistake does no harm");
    const char *fault = fault_of(mistake, CLGEMM_VERIFY_FIRST, CLGEMM_BUILD_BACKGROUND);
    return report(fault ? fault : fault_of(mistake, CLGEMM_VERIFY_ALWAYS, CLGEMM_BUILD_WAIT));
}

/* With the programs and findings of such a process. */
static int use_what_was_kept(const struct mistake *mistake) {
    return report(fault_of(mistake, CLGEMM_VERIFY_FIRST, CLGEMM_BUILD_WAIT));
}

/* ---- The tests ---- */

/* What a test works on. */
struct scene {
    const struct mistake *mistake;
    struct clg_test_cache *cache;
};

static int set_up(void **state) {
    const struct mistake *mistake = *state;
    *state = clg_test_alloc(sizeof(struct scene));
    struct scene *scene = *state;
    void *cache = NULL;
    clg_test_cache_setup(&cache);
    *scene = (struct scene){mistake, cache};
    return 0;
}

static int tear_down(void **state) {
    struct scene *scene = *state;
    void *cache = scene->cache;
    free(scene);
    return clg_test_cache_teardown(&cache);
}

static void results_are_right_all_the_same(void **state) {
    const struct scene *scene = *state;
    const char *const verbose[] = {"CLGEMM_VERBOSE=2", NULL};
    char role[] = "make A", output[1 << 14];
    *strchr(role, 'A') += (char)(scene->mistake - mistakes);
    const int code = clg_test_run_self(role, NULL, output, sizeof output);
    if (code == CLG_TEST_SKIP)
        skip();
    if (code)
        fail_msg("%s", output);
    memcpy(role, "kept", 4);
    if (clg_test_run_self(role, verbose, output, sizeof output))
        fail_msg("%s", output);
    assert_null(strstr(output, " checked in ")); /* that is known */
    assert_null(strstr(output, " gives wrong "));
}

int main(int argc, char **argv) {
    static struct CMUnitTest tests[MISTAKES];
    static char names[MISTAKES][32];
    steer_setup(argv);
    if (argc == 2 && !strcmp(argv[1], "device")) {
        clg_test_require_device();
        clg_test_end_child(0);
    }
    if (argc == 2) {
        const struct mistake *mistake = &mistakes[argv[1][5] - 'A'];
        clg_test_end_child(argv[1][0] == 'm' ? make_mistake(mistake) : use_what_was_kept(mistake));
    }
    if (clg_test_run_self("device", NULL, NULL, 0) == CLG_TEST_SKIP)
        return CLG_TEST_SKIP;
    for (int i = 0; i < MISTAKES; i++) {
        snprintf(names[i], sizeof names[i], "%s, %s", mistakes[i].kernel,
                 clg_types[mistakes[i].type].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = results_are_right_all_the_same,
                                       .setup_func = set_up,
                                       .teardown_func = tear_down,
                                       .initial_state = (void *)&mistakes[i]};
    }
    return _cmocka_run_group_tests("wrong", tests, MISTAKES, NULL, NULL);
}
