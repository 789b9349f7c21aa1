/* SPDX-License-Identifier: Apache-2.0
 * A device that fails: every OpenCL call of a program's products fails, once or from then on, at
 * once or after it was accepted. Every product must be right all the same. The layer's sticky
 * faults of waiting calls occur after C was written, so that only a copy of C can save the
 * product. */
#define _GNU_SOURCE
#include "faults/steer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batches.h"
#include "level3.h"
#include "support/child.h"
#include "support/device.h"

enum { SIZE = 40, LONGEST = 1000, NO_FAULT_LEFT = 2 };

/* The layer works on what the program compiles, so no helper does. */
static const char layer[] = "OPENCL_LAYERS=" LAYER_PATH, pays[] = "CLGEMM_MIN_FLOPS=0",
                  background[] = "CLGEMM_BUILD=background";
static const char *const with_layer[] = {pays, layer, background, NULL};

/* Where a test counts calls, no background builder may add some. Where a test takes a process for
 * each call, kernels are not checked: test_faults covers the calls of checks. */
static const char *const unchecked[] = {pays, layer, "CLGEMM_VERIFY=off", background, NULL};
static const char *const unchecked_waiting[] = {pays, layer, "CLGEMM_VERIFY=off",
                                                "CLGEMM_BUILD=wait", NULL};

/* ---- An open device that fails ------------------------------------------------------------- */

/* One call in the middle of many fails. Between two failures a call succeeds, so that the device is
 * never given up. Returns the number of faults. */
static int walk(fault_arm_fn *arm, int sticky, float beta) {
    int faults = 0;
    for (long n = 1; n < LONGEST; n++) {
        arm(n, sticky);
        drop_in_multiply(SIZE, beta);
        const bool injected = steer.injected() > 0;
        steer.disarm();
        if (!injected)
            return faults;
        faults++;
        drop_in_multiply(SIZE, 0);
    }
    return 0; /* no end: a fault of the test */
}

static int walks(void) {
    steer_setup(NULL);
    drop_in_multiply(SIZE, 0);
    for (int way = 0; way < 8; way++) {
        const int faults = walk(way & 4 ? steer.arm_late : steer.arm, way & 2, way & 1 ? 0.5F : 0);
        fprintf(stderr, "walked over %d faults\n", faults);
        if (faults == 0)
            return 1;
    }
    return 0;
}

static void products_are_right_whatever_fails(void **state) {
    (void)state;
    drop_in_succeed("walks", with_layer);
    drop_in_assert_lines("walked over", 8);
    assert_true(drop_in_lines("?gemm on=cpu why=failed") >= 4);
    drop_in_assert_lines("?gemm on=cpu why=given-up", 0);
    /* Logged once, not for every call. */
    drop_in_assert_lines("clgemm: the device failed (", 1);
}

/* A routine that reads C and writes a triangle of it, and one that works in place. */
static int level3(void) {
    static const clgemm_routine routines[] = {CLGEMM_SYRK, CLGEMM_TRSM};
    steer_setup(NULL);
    for (int r = 0; r < 2; r++) {
        struct clg_test_random random = clg_test_random_start(570);
        bool injected = true;
        long n = 1;
        level3_check(routines[r], BY_CBLAS, 0, SIZE, &random);
        for (; injected && n < LONGEST; n++) {
            steer.arm(n, 1);
            random = clg_test_random_start(571);
            level3_check(routines[r], BY_CBLAS, (int)n, SIZE, &random);
            injected = steer.injected() > 0;
            steer.disarm();
            level3_check(routines[r], BY_CBLAS, (int)n, SIZE, &random);
        }
        if (n < 3 || n == LONGEST)
            return 1;
    }
    return 0;
}

static void level3_is_right_whatever_fails(void **state) {
    (void)state;
    drop_in_succeed("level 3", with_layer);
    assert_true(drop_in_lines("?syrk on=cpu why=failed") > 0);
    assert_true(drop_in_lines("?trsm on=cpu why=failed") > 0);
    drop_in_assert_lines("on=cpu why=given-up", 0);
}

/* Whole and in parts, by strides and by arrays: C of every product is restored. */
static int batches(void) {
    const struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                             .ta = CLGEMM_NO_TRANS,
                                             .tb = CLGEMM_TRANS,
                                             .m = 20,
                                             .n = 30,
                                             .k = 10,
                                             .alpha = 2,
                                             .beta = -0.5F,
                                             .gap_c = 1,
                                             .batch = 4,
                                             .between = 3};
    steer_setup(NULL);
    for (int form = BY_STRIDES; form <= BY_SCATTERED_ARRAYS; form++) {
        bool injected = true;
        long n = 1;
        batches_check(&problem, (enum form)form, BY_CBLAS);
        for (; injected && n < LONGEST; n++) {
            steer.arm(n, 1);
            batches_check(&problem, (enum form)form, BY_CBLAS);
            injected = steer.injected() > 0;
            steer.disarm();
            batches_check(&problem, (enum form)form, BY_CBLAS);
        }
        if (n < 3 || n == LONGEST)
            return 1;
    }
    return 0;
}

static void batches_are_right_whatever_fails(void **state) {
    (void)state;
    if (!drop_in_type_is_drawn())
        skip();
    drop_in_succeed("batches", with_layer);
    assert_true(drop_in_lines("?gemm_batch on=cpu why=failed") > 0);
    assert_true(drop_in_lines("?gemm_batch_strided on=cpu why=failed") > 0);
    drop_in_assert_lines("on=cpu why=given-up", 0);
}

/* ---- A device that does not recover -------------------------------------------------------- */

static int broken(void) {
    steer_setup(NULL);
    drop_in_multiply(SIZE, 0);
    steer.arm(1, 1);
    for (int i = 0; i < 6; i++)
        drop_in_multiply(SIZE, 0.5F);
    const long after = steer.calls();
    for (int i = 0; i < 6; i++)
        drop_in_multiply(SIZE, 0.5F);
    return steer.calls() == after ? 0 : 1;
}

static void a_broken_device_is_given_up(void **state) {
    (void)state;
    drop_in_succeed("broken", unchecked_waiting);
    drop_in_assert_lines("?gemm on=device", 1);
    drop_in_assert_lines("?gemm on=cpu why=failed", 3);
    drop_in_assert_lines("?gemm on=cpu why=given-up", 9);
    drop_in_assert_lines("clgemm: the device failed (", 1);
}

/* ---- First use: a process for each fault --------------------------------------------------- */

/* The child's exit code: NO_FAULT_LEFT if there was no n-th call. */
static int in_child(long n, int sticky) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        steer.arm(n, sticky);
        drop_in_multiply(SIZE, 0.5F);
        const bool injected = steer.injected() > 0;
        steer.disarm();
        drop_in_multiply(SIZE, 0.5F);
        clg_test_end_child(injected ? 0 : NO_FAULT_LEFT);
    }
    return clg_test_wait_for(child);
}

/* Each of them needs its own time limit. */
enum { MANY_CHILDREN_S = 600 };

static int first_uses(void) {
    const struct clg_test_walk drawn = clg_test_walk_drawn();
    alarm(MANY_CHILDREN_S);
    steer_setup(NULL);
    for (int sticky = 0; sticky < 2; sticky++) {
        /* Neighbouring calls are mostly alike, so the seed draws some, and whether the fault is
         * sticky. */
        const int step = sticky ? 5 : 1;
        int code = 0;
        long n = (long)step * (drawn.first - drawn.step);
        while (code == 0 && n < LONGEST)
            code = in_child(n += (long)step * drawn.step, sticky);
        fprintf(stderr, "tried first uses up to call %ld\n", n);
        if (code != NO_FAULT_LEFT || n < 10)
            return 1;
    }
    return 0;
}

/* Takes half a minute, so the seed draws the type. Compilers may take that long for a complex
 * kernel alone. */
static void first_use_may_fail(void **state) {
    (void)state;
    if (clg_type_is_complex(drop_in_type) ||
        (!clg_test_is_long() && clg_test_draw(2) != (int)drop_in_type))
        skip();
    drop_in_succeed("first uses", unchecked);
    drop_in_assert_lines("tried first uses", 2);
    assert_true(drop_in_lines("?gemm on=cpu why=no-device") > 0);
}

/* ---- A compiler that miscompiles a kernel -------------------------------------------------- */

/* The general kernel, with which calls run while the right one is built in the background. */
static int miscompiled(void) {
    steer_setup(NULL);
    steer.replace("p < k; p++", "p < k - 1; p++");
    for (int i = 0; i < 4; i++)
        drop_in_multiply(SIZE, 0.5F);
    return steer.replace(NULL, NULL) > 0 ? 0 : 1;
}

static void products_are_right_whatever_the_compiler_does(void **state) {
    (void)state;
    drop_in_succeed("miscompiled", with_layer);
    assert_true(drop_in_lines("gives wrong results or none here and is not used") > 0);
    assert_true(drop_in_lines("?gemm on=device") > 0);
}

/* A step of syr2k fails its check, so nothing is computed on the device. */
static int wrong_step(void) {
    struct clg_test_random random = clg_test_random_start(572);
    steer_setup(NULL);
    steer.replace("UPPER ? i > j : i < j", "false");
    level3_check(CLGEMM_SYR2K, BY_CBLAS, 0, SIZE, &random);
    level3_check(CLGEMM_SYR2K, BY_FORTRAN, 4, SIZE, &random);
    return steer.replace(NULL, NULL) > 0 ? 0 : 1;
}

static void the_cpu_does_what_the_device_cannot(void **state) {
    (void)state;
    drop_in_succeed("wrong step", with_layer);
    drop_in_assert_lines("?syr2k on=cpu why=unsupported", 2);
}

/* ---- A device without double precision ----------------------------------------------------- */

static void multiply_in(clgemm_type type) {
    drop_in_type = type;
    drop_in_multiply(SIZE, 0.5F);
}

/* The device is opened with the n-th call failing. Exits with 0 if it then computes singles, and
 * complex doubles are not sent to it a second time. */
static int in_child_without(long n) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        steer.arm(n, 0);
        multiply_in(CLGEMM_F32);
        const bool injected = steer.injected() > 0;
        steer.disarm();
        multiply_in(CLGEMM_CF64);
        const long before = steer.calls();
        multiply_in(CLGEMM_CF64);
        const bool doubles = steer.calls() > before;
        multiply_in(CLGEMM_F32);
        multiply_in(CLGEMM_F64); /* by whole numbers */
        const bool singles = steer.calls() > before;
        clg_test_end_child(!injected ? NO_FAULT_LEFT : singles && !doubles ? 0 : 1);
    }
    return clg_test_wait_for(child);
}

/* Of the queries about a device only that for doubles may fail, because OpenCL 1.1 need not know
 * it. The device then counts as having none. */
static int without_doubles(void) {
    int code = 1;
    steer_setup(NULL);
    for (long n = 1; n < LONGEST && code == 1; n++)
        code = in_child_without(n);
    return code;
}

static void a_device_without_doubles_serves_others(void **state) {
    (void)state;
    if (drop_in_type != CLGEMM_F64)
        skip();
    drop_in_succeed("without doubles", unchecked_waiting);
    drop_in_assert_lines("such calls stay on the CPU", 1);
    drop_in_assert_lines("zgemm on=cpu why=precision", 2);
    assert_true(drop_in_lines("dgemm on=device") >= 1);
    assert_true(drop_in_lines("sgemm on=device") >= 2);
    drop_in_assert_lines("sgemm on=cpu why=failed", 0);
}

/* Returns only if the loader loads the layer. */
static int layers(void) {
    steer_setup(NULL);
    return 0;
}

static int own_tests(void) {
    const char *const layer_alone[] = {"OPENCL_LAYERS=" LAYER_PATH, NULL};
    clg_test_require_device();
    if (clg_test_run_self("layers", layer_alone, NULL, 0) == CLG_TEST_SKIP)
        return CLG_TEST_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right_whatever_fails),
        cmocka_unit_test(level3_is_right_whatever_fails),
        cmocka_unit_test(batches_are_right_whatever_fails),
        cmocka_unit_test(a_broken_device_is_given_up),
        cmocka_unit_test(first_use_may_fail),
        cmocka_unit_test(products_are_right_whatever_the_compiler_does),
        cmocka_unit_test(the_cpu_does_what_the_device_cannot),
        cmocka_unit_test(a_device_without_doubles_serves_others),
    };
    return cmocka_run_group_tests_name("blas: faults", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {
        {"walks", walks},           {"level 3", level3},
        {"batches", batches},       {"broken", broken},
        {"first uses", first_uses}, {"miscompiled", miscompiled},
        {"wrong step", wrong_step}, {"without doubles", without_doubles},
        {"layers", layers}};
    return drop_in_main(argc, argv, EVERY_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
