/* SPDX-License-Identifier: Apache-2.0
 * What one process learns of the device is known to the next: the break-even, or that no call pays,
 * so that it does not ask again. And what pays by it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cblas.h>

#include "api/handle.h"
#include "drop_in.h"
#include "faults/steer.h"
#include "opening.h"
#include "support/cache.h"
#include "support/device.h"
#include "support/tuning_places.h"
#include "tuning/break_even.h"

static int64_t never(clgemm_type type) {
    (void)type;
    return INT64_MAX;
}

static int64_t ten_millions(clgemm_type type) {
    (void)type;
    return 10000000;
}

/* A cube of this edge. */
enum { CUBE = 64 };
static int64_t cube(clgemm_type type) {
    return clg_type_operations(type) * CUBE * CUBE * CUBE;
}

/* The device's break-evens in a file that CLGEMM_TUNING names, with `text` in it. */
static void write_break_evens(const struct clg_test_cache *cache, int64_t (*flops)(clgemm_type),
                              char text[CLG_TEST_PATH + 32]) {
    clgemm_handle *handle;
    char path[CLG_TEST_PATH];
    clg_test_join(path, cache->scratch, "tuned.json");
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int type = CLGEMM_F32; type <= CLGEMM_CF64; type++) {
        struct clg_break_even measured = {
            .type = (clgemm_type)type, .flops = flops((clgemm_type)type), .against = "a BLAS"};
        clg_tuning_stamp(measured.date, measured.version);
        clg_test_assert_success(
            clg_test_write_break_even(path, &handle->engine.device->facts, &measured, NULL, 0));
    }
    clgemm_destroy(handle);
    snprintf(text, CLG_TEST_PATH + 32, "CLGEMM_TUNING=%s", path);
}

/* The exit status says whether it was opened. */
static int asks(void) {
    opening_multiply(OPENING_CALLS);
    opening_wait();
    opening_multiply(2);
    drop_in_multiply(180, 0);
    exit(opening_started());
}

static void assert_asks(const char *const *settings, bool expected) {
    assert_int_equal(drop_in_run("asks", settings), expected);
    drop_in_assert_lines("as an earlier process found", expected ? 0 : 4);
}

static void that_nothing_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    const char *const another[] = {tuning, "CLGEMM_DEVICE=0:0", NULL};
    const char *const forgetful[] = {tuning, "CLGEMM_CACHE=0", NULL};
    write_break_evens(*state, never, tuning);
    assert_asks(forgetful, true);
    assert_asks(settings, true);
    drop_in_assert_lines("gemm break-even=", 4);
    assert_asks(settings, false);
    drop_in_assert_lines("sgemm on=cpu why=small", 2 + (drop_in_type == CLGEMM_F32));
    assert_asks(settings, false);
    if (!getenv("CLGEMM_DEVICE"))
        assert_asks(another, true);
    /* A file with other values, or a newer one with the same, makes the process ask again. */
    write_break_evens(*state, never, tuning);
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static void damage(const char *folder, size_t length) {
    DIR *files = opendir(folder);
    int damaged = 0;
    assert_non_null(files);
    for (const struct dirent *file; (file = readdir(files));) {
        char path[2 * CLG_TEST_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (strncmp(file->d_name, "break-even-", 11) == 0)
            damaged += truncate(path, (off_t)length) == 0;
    }
    closedir(files);
    assert_int_equal(damaged, 1);
}

static void a_damaged_note_is_none(void **state) {
    const struct clg_test_cache *cache = *state;
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(cache, never, tuning);
    assert_asks(settings, true);
    damage(cache->place, (size_t)clg_test_draw(60));
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static int pays(void) {
    opening_multiply(OPENING_CALLS);
    opening_wait();
    const bool pairs = clg_type_is_complex(drop_in_type);
    drop_in_multiply(pairs ? 100 : 150, 0.5F); /* less than the break-even */
    drop_in_multiply(pairs ? 120 : 180, 0.5F);
    exit(0);
}

/* Both processes open the device; the second knows the break-even before. */
static void what_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(*state, ten_millions, tuning);
    for (int process = 0; process < 2; process++) {
        drop_in_succeed("pays", settings);
        drop_in_assert_lines("as an earlier process found", 4 * process);
        drop_in_assert_lines("gemm break-even=1e+07", 4 + 4 * process);
        drop_in_assert_lines("?gemm on=device", 1);
        drop_in_assert_lines("?gemm on=cpu why=small", 1);
    }
}

/* ---- Behind a bus -------------------------------------------------------------------------- */

static void multiply_thin(int size, int k, float beta) {
    const struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                             .ta = CLGEMM_NO_TRANS,
                                             .tb = CLGEMM_TRANS,
                                             .m = size,
                                             .n = size,
                                             .k = k,
                                             .alpha = 1,
                                             .beta = beta};
    drop_in_check_gemm(&problem, BY_CBLAS);
}

enum { SIDE = 1000, THIN = 8 };
static float thin[SIDE * 20], square[SIDE * SIDE];

static void update_thin(int size, int k) {
    cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, size, k, 1, thin, size, 0, square, size);
}

/* A cube of half the edge has 21.33 operations (complex: 85.33) for each element of A, B and C. So
 * has a product of 256 x 256 with k = 23.27 if C crosses the bus twice, without beta with 11.64,
 * and an update of 500 x 500 with 11.14. All are more operations than the break-even. */
static int at_both_sides(void) {
    steer_setup(NULL);
    steer.be_odd(getenv("TEST_BEHIND_BUS") ? FAULT_OWN_MEMORY : FAULT_NOT_ODD);
    opening_multiply(OPENING_CALLS);
    opening_wait();
    drop_in_multiply(CUBE, 0.5F);
    for (int more = 0; more < 2; more++) {
        multiply_thin(256, 23 + more, 0.5F);
        multiply_thin(256, 11 + more, 0);
        update_thin(500, 11 + more);
    }
    exit(0);
}

/* Whether calls that transfer much open a device. */
static int only_thin(void) {
    steer_setup(NULL);
    steer.be_odd(FAULT_OWN_MEMORY);
    for (int i = 0; i < 700; i++) /* 1.6e7 operations each */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, SIDE, SIDE, THIN, 1, thin, SIDE, thin,
                    SIDE, 0, square, SIDE);
    opening_wait();
    exit(opening_started());
}

static void thin_calls_do_not_cross_a_bus(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const layer = "OPENCL_LAYERS=" LAYER_PATH;
    const char *const shared[] = {tuning, layer, "CLGEMM_CACHE=0", NULL};
    const char *const behind_bus[] = {tuning, layer, "CLGEMM_CACHE=0", "TEST_BEHIND_BUS=1", NULL};
    const char *const remembered[] = {tuning, layer, NULL};
    write_break_evens(*state, cube, tuning);
    drop_in_succeed("at both sides", behind_bus);
    drop_in_assert_lines("?gemm on=device", 3);
    drop_in_assert_lines("?gemm on=cpu why=transfer", 2);
    drop_in_assert_lines("ssyrk on=device", 1);
    drop_in_assert_lines("ssyrk on=cpu why=transfer", 1);
    drop_in_assert_lines(" m=500 n=500 k=11 uplo=L", 1);
    drop_in_succeed("at both sides", shared);
    drop_in_assert_lines("?gemm on=device", 5);
    drop_in_assert_lines("ssyrk on=device", 2);
    assert_int_equal(drop_in_run("only thin", remembered), true);
    assert_int_equal(drop_in_run("only thin", remembered), false);
    assert_true(drop_in_lines("sgemm on=cpu why=transfer") > 0);
}

/* ---- LAPACK's blocks ------------------------------------------------------------------------- */

typedef int ilaenv(const int *what, const char *routine, const char *options, const int *n1,
                   const int *n2, const int *n3, const int *n4, size_t routine_length,
                   size_t options_length);

/* A routine that asks by another's name. Adding keeps the call from being its last one. */
__attribute__((visibility("default"))) int as_dpstrf(ilaenv *ask, int edge);
int as_dpstrf(ilaenv *ask, int edge) {
    static volatile int nothing;
    const int block = 1, none = -1;
    return ask(&block, "DPOTRF", "L", &edge, &none, &none, &none, 6, 1) + nothing;
}

/* Prints how many of the routines get a block of 512, and whether the others get LAPACK's own. */
static void ask_for_blocks(int what, int edge) {
    static const char *const routines[] = {"SGETRF", "DPOTRF", "cgeqrf", "ZGEQRF",
                                           "DSYTRF", "IGETRF", "DGETRI"};
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    ilaenv *ours = (ilaenv *)dlsym(RTLD_DEFAULT, "ilaenv_"), *own = NULL;
    own = blas ? (ilaenv *)dlsym(blas, "ilaenv_") : NULL;
    const int none = -1, far = 100000;
    int larger = 0, same = 0;
    if (!own || own == ours)
        exit(1);
    errno = EDOM;
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++) {
        const bool square = strcmp(routines[i], "DPOTRF") == 0;
        const int *n1 = square ? &edge : &far, *n2 = square ? &none : &edge;
        const int got = ours(&what, routines[i], " ", n1, n2, &none, &none, 6, 1);
        larger += got == 512;
        same += got == own(&what, routines[i], " ", n1, n2, &none, &none, 6, 1);
    }
    if (as_dpstrf(ours, edge) != as_dpstrf(own, edge) || errno != EDOM)
        exit(1);
    printf("blocks: %d larger, %d LAPACK's\n", larger, same);
}

static int blocks(void) {
    enum { BLOCK = 1, LEAST_BLOCK = 2, LARGE = 8192 };
    steer_setup(NULL);
    steer.be_odd(FAULT_OWN_MEMORY);
    ask_for_blocks(BLOCK, LARGE);
    opening_multiply(OPENING_CALLS);
    opening_wait();
    ask_for_blocks(BLOCK, LARGE);
    ask_for_blocks(BLOCK, LARGE - 1);
    ask_for_blocks(LEAST_BLOCK, LARGE);
    exit(0);
}

static void factorizations_get_larger_blocks_that_pay(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, "OPENCL_LAYERS=" LAYER_PATH, NULL};
    write_break_evens(*state, ten_millions, tuning);
    drop_in_succeed("blocks", settings);
    drop_in_assert_lines("blocks: 4 larger, 3 LAPACK's", 1);
    drop_in_assert_lines("blocks: 0 larger, 7 LAPACK's", 3);
    drop_in_succeed("blocks", settings); /* known before the device is open */
    drop_in_assert_lines("blocks: 4 larger, 3 LAPACK's", 2);
    drop_in_assert_lines("blocks: 0 larger, 7 LAPACK's", 2);
    write_break_evens(*state, never, tuning);
    drop_in_succeed("blocks", settings);
    drop_in_assert_lines("blocks: 0 larger, 7 LAPACK's", 4);
}

/* Each of these takes several processes, so the seed draws one. */
static const struct CMUnitTest known[] = {
    cmocka_unit_test_setup_teardown(that_nothing_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(a_damaged_note_is_none, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(what_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(thin_calls_do_not_cross_a_bus, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(factorizations_get_larger_blocks_that_pay, clg_test_cache_setup,
                                    clg_test_cache_teardown),
};
enum { KNOWN = sizeof known / sizeof known[0] };

static int own_tests(void) {
    clg_test_require_device();
    if (clg_test_is_long())
        return cmocka_run_group_tests_name("blas: known", known, NULL, NULL);
    const struct CMUnitTest drawn[] = {known[clg_test_draw(KNOWN)]};
    return cmocka_run_group_tests_name("blas: known", drawn, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"asks", asks},
                                        {"pays", pays},
                                        {"at both sides", at_both_sides},
                                        {"only thin", only_thin},
                                        {"blocks", blocks}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
