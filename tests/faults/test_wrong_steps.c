/* SPDX-License-Identifier: Apache-2.0
 * A compiler that miscompiles a step of level 3. Unchecked, results are wrong; with checks others
 * are used, or the call fails and C stays. Right ones pass their checks in test_level3. */
#define _GNU_SOURCE
#include "steer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"
#include "support/device.h"
#include "support/matrix.h"

enum { N = 70 };

/* Kernel text, and the wrong text that replaces it. `where`: in a kernel of GPUs alone, or as CPUs
 * run it, or in what CPUs alone have, so that the steps of GPUs do. */
enum where { CPU, GPU, REPLACED };
static const struct mistake {
    clgemm_routine routine;
    clgemm_type type;
    const char *right, *wrong;
    enum where where;
} mistakes[] = {
    {CLGEMM_SYMM, CLGEMM_CF32, "square[fast][s] : square[s][fast]",
     "square[fast][s] : square[fast][s]", CPU},
    {CLGEMM_HEMM, CLGEMM_CF32, "value.y : -value.y", "value.y : value.y", CPU},
    {CLGEMM_HERK, CLGEMM_CF32, "sum.y = 0", "sum.y = 1", CPU},
    {CLGEMM_HER2K, CLGEMM_CF32, "UPPER ? i > j : i < j", "false", CPU},
    {CLGEMM_SYR2K, CLGEMM_F32, "sum += other", "sum -= other", CPU},
    {CLGEMM_TRSM, CLGEMM_F32, "u[e] * t[(s + e) * REG_N + j]", "u[e] * t[s * REG_N + j]", REPLACED},
    {CLGEMM_TRSM, CLGEMM_F32, "t[k * REG_N + j], v[j]", "t[k * REG_N], v[j]", REPLACED},
    {CLGEMM_SYMM, CLGEMM_F32, "along_k == stored ?", "along_k != stored ?", REPLACED},
    {CLGEMM_TRSM, CLGEMM_CF32, "t[k][row + r], value", "t[k][row], value", CPU},
    {CLGEMM_TRSM, CLGEMM_F32, "mine * STRIP + r, k), value", "mine * STRIP, k), value", GPU},
    {CLGEMM_TRSM, CLGEMM_F32, "T_AT(before, s * STRIP", "T_AT(now, s * STRIP", GPU},
    {CLGEMM_TRSM, CLGEMM_F32, "fma(-guess, t, x.re)", "fma(guess, t, x.re)", GPU},
    {CLGEMM_TRSM, CLGEMM_F32, "[k][item] / T_OF_STRIP(k, k)", "[k][item] / T_OF_STRIP(k, 0)", GPU},
    {CLGEMM_TRSM, CLGEMM_CF32, "mine == s - 1", "mine == s - 2", GPU},
    {CLGEMM_TRSM, CLGEMM_CF32, "x.im - x.re * ratio", "x.im + x.re * ratio", CPU},
    {CLGEMM_TRMM, CLGEMM_CF32, "t[row + k][row + r], value", "t[row + k][row], value", CPU},
    {CLGEMM_TRMM, CLGEMM_CF32, "STORE(kept, i *", "STORE(kept, (i ^ 1) *", CPU}};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* Runs the routine on whole numbers. C's first column is too large for quick divisions. */
static clgemm_status run(const struct mistake *mistake, clgemm_verify verify, float *c) {
    static const float factors[] = {1, 0};
    const int parts = mistake->type == CLGEMM_CF32 ? 2 : 1;
    const clgemm_level3_desc desc = {.size = sizeof desc,
                                     .routine = mistake->routine,
                                     .type = mistake->type,
                                     .layout = CLGEMM_COL_MAJOR,
                                     .side = CLGEMM_LEFT,
                                     .uplo = CLGEMM_LOWER,
                                     .trans = CLGEMM_NO_TRANS,
                                     .diag = CLGEMM_NON_UNIT,
                                     .m = N,
                                     .n = N,
                                     .k = N,
                                     .lda = N,
                                     .ldb = N,
                                     .ldc = N};
    float *a = clg_test_alloc((size_t)(N * N * parts) * sizeof *a);
    float *b = clg_test_alloc((size_t)(N * N * parts) * sizeof *b);
    clgemm_handle *handle = NULL;
    for (int i = 0; i < N * N * parts; i++) {
        a[i] = (float)(i % 11 - 5);
        b[i] = (float)(i % 13 - 6);
        c[i] = ldexpf((float)(i % 7 - 3), i < N * parts ? 70 : 0);
    }
    for (int i = 0; i < N; i++) /* a diagonal that dominates */
        a[i * (N + 1) * parts] = 1024;
    clg_test_assert_success(clgemm_create(&handle, NULL));
    clg_test_assert_success(clgemm_set_option(handle, CLGEMM_OPTION_VERIFY, verify));
    const clgemm_status status = clgemm_level3(handle, &desc, factors, a, b, factors, c);
    clgemm_destroy(handle);
    free(a);
    free(b);
    return status;
}

enum { BYTES = N * N * 2 * (int)sizeof(float) };

/* Other steps round otherwise. */
static bool is_near(const float *right, const float *other, size_t columns, size_t length) {
    for (size_t j = 0; j < columns; j++) {
        float largest = 0, difference = 0;
        for (size_t i = j * length; i < (j + 1) * length; i++) {
            largest = fmaxf(largest, fabsf(right[i]));
            difference = fmaxf(difference, fabsf(right[i] - other[i]));
        }
        if (!(difference <= largest / 4096))
            return false;
    }
    return true;
}

/* In a process of its own, which shares no programs. `path`: the right result. */
static int make_mistake(const struct mistake *mistake, const char *path) {
    const size_t used = BYTES / (mistake->type == CLGEMM_CF32 ? 1 : 2);
    float *right = clg_test_alloc(BYTES), *wrong = clg_test_alloc(BYTES);
    FILE *file = fopen(path, "rb");
    if (!file || fread(right, 1, used, file) != used)
        return 2;
    fclose(file);
    steer.replace(mistake->right, mistake->wrong);
    if (run(mistake, CLGEMM_VERIFY_OFF, wrong) || !memcmp(right, wrong, used))
        return 3; /* the mistake does no harm */
    const clgemm_status status = run(mistake, CLGEMM_VERIFY_FIRST, wrong);
    if (mistake->where == REPLACED)
        return status || !is_near(right, wrong, N, used / N / sizeof *right) ? 5 : 0;
    return status == CLGEMM_STATUS_UNSUPPORTED &&
                   strstr(clgemm_last_error(), "was wrong when it was checked")
               ? 0
               : 4;
}

static bool is_gpu(void) {
    struct clg_test_cl cl;
    cl_device_type type = 0;
    clg_test_cl_open(&cl, 0);
    clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clg_test_cl_close(&cl);
    return type & CL_DEVICE_TYPE_GPU;
}

static void wrong_steps_are_not_used(void **state) {
    const bool of_gpus = is_gpu();
    float *right = clg_test_alloc(BYTES);
    char role[] = "A/tmp/clg-steps-XXXXXX";
    const int descriptor = mkstemp(role + 1);
    (void)state;
    for (int i = 0; i < MISTAKES; i++) {
        if ((mistakes[i].where == GPU) != of_gpus)
            continue;
        role[0] = (char)('A' + i);
        clg_test_assert_success(run(&mistakes[i], CLGEMM_VERIFY_FIRST, right));
        assert_int_equal(pwrite(descriptor, right, BYTES, 0), BYTES);
        const int code = clg_test_run_self(role, NULL, NULL, 0);
        if (code)
            fail_msg("\"%s\" ends with %d", mistakes[i].wrong, code);
    }
    close(descriptor);
    unlink(role + 1);
    free(right);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_steps_are_not_used)};
    setenv("POCL_MAX_PTHREAD_COUNT", "2", 1); /* N columns are enough to solve in panels */
    steer_setup(argv);
    if (argc == 2)
        clg_test_end_child(make_mistake(&mistakes[argv[1][0] - 'A'], argv[1] + 1));
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
