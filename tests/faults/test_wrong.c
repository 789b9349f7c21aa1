/* SPDX-License-Identifier: Apache-2.0
 * A compiler that miscompiles a kernel, for each of them. Without checks the results are wrong.
 * With checks no result is, from the first call on, and the next process knows what was found. */
#define _GNU_SOURCE
#include "steer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/handle.h"
#include "gemm/family.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/gemm.h"
#include "support/rows.h"
#include "support/tuning.h"

/* Kernel text, the wrong text that replaces it, and a problem that uses it. */
struct mistake {
    const char *kernel, *right, *wrong;
    clgemm_type type;
    int64_t m, n, k, batch;
    clgemm_math math;
    const struct clg_family *by; /* NULL: whichever a plan has */
    int split_k, split_tail, pack;
    int64_t gap;  /* elements from a column's end to the next */
    bool chosen;  /* by the family's own choice, or by the last of its presets that the device runs,
                     with these changed */
    bool ones;    /* all elements are 1, so that every term of a sum counts */
    bool far;     /* A spans more than 2^31 bytes */
    bool patient; /* it is found only if everything is checked */
};

#define SHORT_SUM "direct", "p < k; p++", "p < k - 1; p++"
#define SHORT_PANEL                                           \
    "panel", "p < depth; p++, a += PANEL_M, b += row, ahead", \
        "p + 1 < depth; p++, a += PANEL_M, b += row, ahead"
#define SMALL .m = 32, .n = 30, .k = 31
#define MIDDLE .m = 71, .n = 70, .k = 70
#define LARGE .m = 700, .n = 700, .k = 600
#define WIDE .m = 200, .n = 136, .k = 304
#define THIN .m = 200, .n = 40, .k = 304
#define DIRECT .by = &clg_family_direct
#define TILED MIDDLE, .by = &clg_family_tiled
#define PANEL .by = &clg_family_panel, .chosen = true
#define MULTISTAGE MIDDLE, .by = &clg_family_multistage
#define TENSOR WIDE, .by = &clg_family_tensor
#define MMA WIDE, .by = &clg_family_mma
#define SKINNY THIN, .by = &clg_family_skinny
#define OLD_C "write_sums", "alpha * own[i] + beta *", "alpha * own[i] - beta *"
#define LOW_OF_A_TWICE "parts, two", "add(1, 0, continues)", "add(0, 1, continues)"
#define LOW_OF_B_TWICE "parts, two", "add(0, 1, 1)", "add(1, 0, 1)"
#define LOW_OF_THREE "parts, three", "add(1, 0, 1)", "add(0, 1, 1)"
#define NORMWISE .math = CLGEMM_MATH_NORMWISE
#define ACCURATE .math = CLGEMM_MATH_ACCURATE
static const struct mistake mistakes[] = {
    {"direct", "alpha, acc[j][i])", "alpha, acc[j][0])", CLGEMM_F32, SMALL, DIRECT},
    {"direct", "r < m && s < n &&", "r < (s < n - 1 ? m + 3 : m) && s < n &&", CLGEMM_F32, .m = 29,
     .n = 30, .k = 31, DIRECT, .gap = 3},
    {SHORT_SUM, CLGEMM_F64, SMALL, DIRECT},
    {SHORT_SUM, CLGEMM_F16, SMALL, DIRECT},
    {SHORT_SUM, CLGEMM_BF16, SMALL, DIRECT},
    {SHORT_PANEL, CLGEMM_F32, LARGE, PANEL},
    {SHORT_PANEL, CLGEMM_F64, LARGE, PANEL},
    {"panel_pack", "min(CHUNK, kn - p0)", "min(CHUNK, kn - p0 - 1)", CLGEMM_F16, SMALL, PANEL},
    {"reduce", "int s = lane;", "int s = lane + 1;", CLGEMM_F32, TILED, .split_k = 3},
    {"tiled", "piece < 0 ? alpha : 1,", "1,", CLGEMM_F32, TILED},
    {"pack", "x[at] : 0", "x[at] + x[at] : 0", CLGEMM_F32, TILED, .pack = 1},
    {"join", "int s = 0; s < slices", "int s = 1; s < slices", CLGEMM_F32, TILED, .split_tail = 2},
    {"scale", "scaled(beta, LOAD", "(beta + LOAD", CLGEMM_F32, .m = 32, .n = 30},
    {"complex_pack", "-value.y", "value.y", CLGEMM_CF32, LARGE, PANEL},
    {"complex_join", "re.x - a_sign", "re.x + a_sign", CLGEMM_CF32, .m = 700, .n = 30, .k = 600,
     PANEL},
    /* Only of large products */
    {"direct", "p < k; p++", "p < min(k, 65535L); p++", CLGEMM_F32, .m = 9, .n = 7, .k = 70000,
     DIRECT, .ones = true},
    {"direct", "a_start[i] + p * a_col", "(a_start[i] + p * a_col) % (1 << 29)", CLGEMM_F32, .m = 9,
     .n = 5, .k = 7, DIRECT, .ones = true, .far = true},
    {"direct", "group = GROUP_ID", "group = GROUP_ID % (1 << 16)", CLGEMM_F32, .m = 4200000, .n = 1,
     .k = 1, DIRECT, .patient = true},
    /* On GPUs */
    {"many", "acc, fragment_a + e * REG_M,", "acc, fragment_a,", CLGEMM_F32, SMALL, .batch = 4000,
     .by = &clg_family_many},
    {"thin", "wide[e + x][i] * vector[x]", "wide[e + x][i] * vector[0]", CLGEMM_F32, .m = 200,
     .n = 1, .k = 304, .by = &clg_family_thin},
    /* On NVIDIA's from compute capability 8.0 on; on those of 9.0 */
    {"multistage", "_add(acc, fragment_a[(p) % 2],", "_add(acc, fragment_a[0],", CLGEMM_F32,
     MULTISTAGE},
    {"multistage", "acc[j][i], a[i], b[j]", "acc[j][i], a[i], b[0]", CLGEMM_F64, MULTISTAGE},
    {LOW_OF_A_TWICE, CLGEMM_F32, MMA, NORMWISE},
    {LOW_OF_THREE, CLGEMM_F32, MMA, ACCURATE},
    {OLD_C, CLGEMM_F16, MMA, .math = CLGEMM_MATH_F16},
    {LOW_OF_A_TWICE, CLGEMM_F32, TENSOR, NORMWISE},
    {LOW_OF_B_TWICE, CLGEMM_F32, TENSOR, NORMWISE},
    {LOW_OF_THREE, CLGEMM_F32, TENSOR, ACCURATE},
    {OLD_C, CLGEMM_F32, TENSOR, .math = CLGEMM_MATH_TF32},
    {OLD_C, CLGEMM_F32, TENSOR, .math = CLGEMM_MATH_BF16},
    {OLD_C, CLGEMM_F32, TENSOR, .math = CLGEMM_MATH_F16},
    {OLD_C, CLGEMM_F16, TENSOR, .math = CLGEMM_MATH_F16},
    {OLD_C, CLGEMM_BF16, TENSOR, .math = CLGEMM_MATH_BF16},
    {LOW_OF_A_TWICE, CLGEMM_F32, SKINNY, NORMWISE},
    {LOW_OF_THREE, CLGEMM_F32, SKINNY, ACCURATE},
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
                                     .beta = mistake->gap ? 0 : 0.5F, /* else NaN stay there */
                                     .gap_c = mistake->gap,
                                     .type = mistake->type,
                                     .batch = mistake->batch};
}

/* ---- The family that is to compute the product ---- */

/* Sets the parameters with which its family runs a problem of the row's class; false: it cannot. */
static bool find_parameters(const struct mistake *mistake, const struct clg_facts *facts,
                            struct clg_tuning_row *row) {
    struct clg_problem problem;
    size_t count;
    const struct clg_params *rows = clg_test_rows(mistake->by, facts->kind, &count);
    if (mistake->chosen)
        return !clg_tuning_problem(&problem, &row->shape) &&
               clg_test_parameters(mistake->by, &problem, facts, &row->params);
    while (count-- > 0) {
        row->params = rows[count];
        row->params.split_k = mistake->split_k;
        row->params.split_tail = mistake->split_tail;
        row->params.pack_a |= mistake->pack; /* used if it reads a matrix in vectors */
        row->params.pack_b |= mistake->pack;
        if (!clg_tuning_unsupported_reason(row, facts))
            return true;
    }
    return false;
}

/* A row for each of the classes, aligned and not, that its family runs. */
static size_t find_rows(const struct mistake *mistake, const struct clg_facts *facts,
                        struct clg_tuning_row rows[2]) {
    size_t count = 0;
    for (int aligned = 0; aligned < 2; aligned++) {
        struct clg_tuning_row row = {.shape = {.type = mistake->type,
                                               .math = mistake->math,
                                               .m = mistake->m,
                                               .n = mistake->n,
                                               .k = mistake->k,
                                               .batch = mistake->batch,
                                               .aligned = aligned},
                                     .family = mistake->by,
                                     .ms = 1};
        if (!find_parameters(mistake, facts, &row))
            continue;
        clg_tuning_stamp(row.date, row.version);
        rows[count++] = row;
    }
    return count;
}

static void prefer(clgemm_handle *handle, const struct mistake *mistake) {
    struct clg_tuning_row rows[2];
    char path[] = "/tmp/clg-wrong-XXXXXX.json";
    const struct clg_facts *facts = &handle->engine.device->facts;
    const size_t count = find_rows(mistake, facts, rows);
    close(mkstemps(path, 5));
    clg_test_tuning_file(path, facts, rows, count);
    clg_test_assert_success(clgemm_tuning_import(handle, path));
    unlink(path);
}

/* Whether this device uses the wrong text at all. */
static bool applies(const struct mistake *mistake) {
    struct clg_tuning_row rows[2];
    clgemm_handle *handle = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    const struct clg_facts *facts = &handle->engine.device->facts;
    const bool has_type = mistake->type != CLGEMM_F64 || clg_test_num_types() == CLG_TYPE_COUNT;
    /* A check has buffers, which can be smaller than what a pointer reaches. */
    const bool can_check = !mistake->far || facts->max_allocation >= (uint64_t)3 << 30;
    /* In place; copies leave out what is between columns. */
    const bool can_harm = !mistake->gap || clg_host_access_of(&handle->host) == CLG_HOST_POINTER;
    const bool yes =
        has_type && can_check && can_harm && (!mistake->by || find_rows(mistake, facts, rows) > 0);
    clgemm_destroy(handle);
    return yes;
}

/* ---- Calls ---- */

/* Rounds a matrix to whole numbers, which no mode rounds. */
static void make_whole(struct clg_test_matrix *matrix) {
    void *data = clg_test_matrix_data(matrix);
    for (int64_t v = 0; v < matrix->vectors; v++)
        for (int64_t i = 0; i < matrix->length; i++) {
            const int64_t at = v * matrix->ld + i;
            clg_element_set(matrix->type, data, at, rint(8 * clg_element(matrix->type, data, at)));
        }
    clg_test_matrix_snapshot(matrix);
}

static void create_case(struct clg_test_case *test, const struct mistake *mistake,
                        struct clg_test_random *random) {
    const struct clg_test_problem problem = problem_of(mistake);
    const bool rounds = mistake->math > CLGEMM_MATH_NORMWISE;
    clg_test_case_create(test, &problem, random);
    if (rounds) {
        make_whole(&test->a);
        make_whole(&test->b);
    }
}

/* Runs a product of ones in place. A may have few columns far apart. */
static const char *fault_of_ones(const struct mistake *mistake, clgemm_handle *handle) {
    const int64_t m = mistake->m, n = mistake->n, k = mistake->k;
    const int64_t lda = mistake->far ? (1 << 29) / (k - 1) + 64 : m;
    const size_t bytes = (size_t)(k * lda) * sizeof(float);
    float *b = clg_test_alloc((size_t)(k * n) * sizeof *b);
    float *c = clg_test_alloc((size_t)(m * n) * sizeof *c);
    float *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const char *fault = NULL;
    assert_true(a != MAP_FAILED);
    for (int64_t p = 0; p < k; p++)
        for (int64_t i = 0; i < m; i++)
            a[p * lda + i] = 1;
    for (int64_t i = 0; i < k * n; i++)
        b[i] = 1;
    clg_test_assert_success(clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS,
                                                CLGEMM_NO_TRANS, m, n, k, 1, a, lda, b, k, 0, c,
                                                m));
    for (int64_t i = 0; i < m * n; i++)
        if (c[i] != (float)k)
            fault = "an element is wrong";
    munmap(a, bytes);
    free(b);
    free(c);
    return fault;
}

/* What is wrong with a call's result, or NULL. Only its one kernel scales C: if that is wrong, the
 * call fails. */
static const char *fault_of_call(const struct mistake *mistake, clgemm_handle *handle,
                                 struct clg_test_random *random) {
    struct clg_test_case test;
    const char *fault = NULL;
    if (mistake->ones)
        return fault_of_ones(mistake, handle);
    create_case(&test, mistake, random);
    const clgemm_status status = clg_test_case_run(&test, handle);
    if (status != CLGEMM_STATUS_UNSUPPORTED || mistake->k > 0) {
        clg_test_assert_success(status);
        fault = clg_test_case_fault(&test);
    }
    clg_test_case_destroy(&test);
    return fault;
}

/* The same of the first calls on a new handle. */
static const char *fault_of(const struct mistake *mistake, clgemm_verify verify,
                            clgemm_build build) {
    struct clg_test_random random = clg_test_random_start(1);
    clgemm_handle *handle = NULL;
    const char *fault = NULL;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    if (mistake->batch || mistake->pack ||
        mistake->patient) /* a pipeline would compute it in parts, or aligned */
        handle->host.access = CLG_HOST_BUFFER;
    if (mistake->by && !mistake->chosen)
        prefer(handle, mistake);
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_MATH, mistake->math));
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, verify));
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_BUILD, build));
    for (int call = 0; call < 3 && !fault; call++)
        fault = fault_of_call(mistake, handle, &random);
    clgemm_destroy(handle);
    return fault;
}

/* ---- In processes of their own, which share no programs ---- */

static int report(const char *fault) {
    if (fault)
        print_error("%s\n", fault);
    return fault ? 1 : 0;
}

/* The mistake does harm, except in a family that is never used unchecked. With checks it does none,
 * however programs are built and whenever they are checked. */
static int make_mistake(const struct mistake *mistake) {
    if (!applies(mistake))
        return CLG_TEST_SKIP;
    steer.replace(mistake->right, mistake->wrong);
    const bool is_always_checked = mistake->by && mistake->by->premise;
    if (!fault_of(mistake, CLGEMM_VERIFY_OFF, CLGEMM_BUILD_WAIT) && !is_always_checked)
        return report("the mistake does no harm");
    const char *fault =
        mistake->patient ? NULL : fault_of(mistake, CLGEMM_VERIFY_FIRST, CLGEMM_BUILD_BACKGROUND);
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

/* Whether a process says that programs of the mistake's family are wrong. */
static bool is_found_out(const struct mistake *mistake, char *output) {
    char family[64];
    snprintf(family, sizeof family, "family %s [", mistake->by ? mistake->by->name : "");
    for (char *line = strtok(output, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, " gives wrong ") && (!mistake->by || strstr(line, family)))
            return true;
    return false;
}

static void results_are_right_all_the_same(void **state) {
    const struct scene *scene = *state;
    const char *const calls[] = {"CLGEMM_VERBOSE=1", NULL};
    const char *const plans[] = {"CLGEMM_VERBOSE=2", NULL};
    char role[] = "make A", output[1 << 14];
    *strchr(role, 'A') += (char)(scene->mistake - mistakes);
    const int code = clg_test_run_self(role, calls, output, sizeof output);
    if (code == CLG_TEST_SKIP)
        skip();
    if (code)
        fail_msg("%s", output);
    assert_true(is_found_out(scene->mistake, output));
    memcpy(role, "kept", 4);
    if (clg_test_run_self(role, plans, output, sizeof output))
        fail_msg("%s", output);
    assert_null(strstr(output, " checked in ")); /* that is known */
    assert_null(strstr(output, " gives wrong "));
}

int main(int argc, char **argv) {
    static struct CMUnitTest tests[MISTAKES];
    static char names[MISTAKES][64];
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
    /* Every other mistake, drawn by the seed. */
    const int step = clg_test_is_long() ? 1 : 2;
    size_t count = 0;
    for (int i = step > 1 ? clg_test_draw(step) : 0; i < MISTAKES; i += step) {
        const struct mistake *mistake = &mistakes[i];
        snprintf(names[i], sizeof names[i], "%s, %s, %s, %s", mistake->by ? mistake->by->name : "-",
                 mistake->kernel, clg_types[mistake->type].name, clg_math_word(mistake->math));
        tests[count++] = (struct CMUnitTest){.name = names[i],
                                             .test_func = results_are_right_all_the_same,
                                             .setup_func = set_up,
                                             .teardown_func = tear_down,
                                             .initial_state = (void *)&mistakes[i]};
    }
    return _cmocka_run_group_tests("wrong", tests, count, NULL, NULL);
}
