/* SPDX-License-Identifier: Apache-2.0
 * Strides and offsets past 2^31 elements, on memory that is mapped but never used, except for a few
 * pages. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/check.h"
#include "support/device.h"
#include "support/gemm.h"

static const int64_t huge = (INT64_C(1) << 31) + 5;

static float *map(size_t floats) {
    void *memory = mmap(NULL, floats * sizeof(float), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) { /* an address space or overcommit limit */
        print_message("no %zu GiB of address space\n", floats * sizeof(float) >> 30);
        skip();
    }
    return memory;
}

static void fill(float *x, int64_t length, int64_t vectors, int64_t ld,
                 struct clg_test_random *random) {
    for (int64_t j = 0; j < vectors; j++)
        for (int64_t i = 0; i < length; i++)
            x[i + j * ld] = clg_test_value(random);
}

/* Pages of the mapping that exist: those of its elements, if nothing else was touched. */
static size_t resident_pages(float *memory, size_t floats) {
    size_t pages = (floats * sizeof(float) + 4095) / 4096, count = 0;
    unsigned char *map = clg_test_alloc(pages);
    assert_int_equal(mincore(memory, floats * sizeof(float), map), 0);
    for (size_t i = 0; i < pages; i++)
        count += map[i] & 1;
    free(map);
    return count;
}

/* A, B and C interleaved in one array whose columns are 2^31 and more elements apart. */
static void strides_past_2_to_31(void **state) {
    (void)state;
    enum { S = 3 };
    struct clg_test_random random = clg_test_random_start(1);
    const size_t floats = (size_t)(huge * (S - 1)) + 3 * S;
    float *a = map(floats), *b = a + S, *c = b + S;
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};
    for (int form = 0; form < 8; form++) {
        struct clg_test_problem problem = {.layout = form & 4 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                           .ta = transposes[form & 1],
                                           .tb = transposes[form >> 1 & 1],
                                           .m = S,
                                           .n = S,
                                           .k = S,
                                           .alpha = -0.7f,
                                           .beta = 1};
        float *before = map(floats);
        fill(a, 3 * S, S, huge, &random);
        for (int64_t j = 0; j < S; j++)
            memcpy(before + j * huge, a + j * huge, 3 * S * sizeof(float));
        clg_test_assert_success(clgemm_sgemm(problem.layout, problem.ta, problem.tb, S, S, S,
                                             problem.alpha, a, huge, b, huge, problem.beta, c,
                                             huge));
        clg_test_assert_no_fault(
            clg_test_result_fault(&problem, a, huge, b, huge, before + 2 * S, c, huge));
        for (int64_t j = 0; j < S; j++)
            assert_memory_equal(a + j * huge, before + j * huge, 2 * S * sizeof(float));
        munmap(before, floats * sizeof(float));
    }
    assert_true(resident_pages(a, floats) <= 2 * S);
    munmap(a, floats * sizeof(float));
}

/* With one vector the leading dimension is unused and may be anything. */
static void unused_leading_dimensions(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(2);
    float a[4], b[5], c[20], before[20];
    struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                       .ta = CLGEMM_NO_TRANS,
                                       .tb = CLGEMM_TRANS,
                                       .m = 4,
                                       .n = 5,
                                       .k = 1,
                                       .alpha = 1,
                                       .beta = -0.7f};
    fill(a, 4, 1, 4, &random);
    fill(b, 5, 1, 5, &random);
    fill(c, 20, 1, 20, &random);
    memcpy(before, c, sizeof c);
    clg_test_assert_success(clgemm_sgemm(problem.layout, problem.ta, problem.tb, 4, 5, 1, 1, a,
                                         INT64_MAX, b, huge, problem.beta, c, 4));
    clg_test_assert_no_fault(clg_test_result_fault(&problem, a, 4, b, 5, before, c, 4));
    problem.tb = CLGEMM_NO_TRANS;
    problem.n = 1;
    memcpy(c, before, sizeof c);
    clg_test_assert_success(clgemm_sgemm(problem.layout, problem.ta, problem.tb, 4, 1, 1, 1, a, 4,
                                         b, INT64_MAX / 2, problem.beta, c, INT64_MAX));
    clg_test_assert_no_fault(clg_test_result_fault(&problem, a, 4, b, 1, before, c, 4));
}

/* Long and thin: many tiles in one dimension, part of one in the others. */
static void long_dimensions(void **state) {
    (void)state;
    static const int64_t sizes[][3] = {{200000, 3, 2}, {2, 200000, 3}, {3, 2, 200000}};
    struct clg_test_random random = clg_test_random_start(3);
    for (int s = 0; s < 3; s++) {
        struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                           .ta = CLGEMM_NO_TRANS,
                                           .tb = CLGEMM_NO_TRANS,
                                           .m = sizes[s][0],
                                           .n = sizes[s][1],
                                           .k = sizes[s][2],
                                           .alpha = 1};
        clg_test_problem_check(&problem, &random);
    }
}

/* Writes or reads three columns of three elements. */
static void transfer(struct clg_test_cl *cl, cl_mem buffer, size_t offset, int64_t ld, float *host,
                     bool write) {
    for (int64_t j = 0; j < 3; j++) {
        size_t at = (offset + (size_t)(j * ld)) * sizeof(float), bytes = 3 * sizeof(float);
        float *column = host + 3 * j;
        assert_int_equal(
            write
                ? clEnqueueWriteBuffer(cl->queue, buffer, CL_TRUE, at, bytes, column, 0, NULL, NULL)
                : clEnqueueReadBuffer(cl->queue, buffer, CL_TRUE, at, bytes, column, 0, NULL, NULL),
            CL_SUCCESS);
    }
}

/* One buffer holds all three matrices, with their columns far apart and far from its start. */
static void buffers_past_2_to_31(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_test_problem problem = {.layout = CLGEMM_COL_MAJOR,
                                       .ta = CLGEMM_TRANS,
                                       .tb = CLGEMM_NO_TRANS,
                                       .m = 3,
                                       .n = 3,
                                       .k = 3,
                                       .alpha = 1,
                                       .beta = -0.7f};
    struct clg_test_cl cl;
    cl_ulong largest;
    cl_int code;
    float host[3][9], before[9];
    const int64_t ld = huge / 2;
    const size_t bytes = (size_t)(huge + 2 * ld + 9) * sizeof(float);
    clg_test_cl_open(&cl, 0);
    clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    if (largest < bytes) {
        print_message("the device's largest buffer is smaller\n");
        clg_test_cl_close(&cl);
        skip();
    }
    cl_mem buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (int i = 0; i < 3; i++) {
        fill(host[i], 9, 1, 9, &random);
        transfer(&cl, buffer, (size_t)huge + 3 * (size_t)i, ld, host[i], true);
    }
    memcpy(before, host[2], sizeof before);
    clg_test_assert_success(clgemm_sgemm_cl(problem.layout, problem.ta, problem.tb, 3, 3, 3,
                                            problem.alpha, buffer, (size_t)huge, ld, buffer,
                                            (size_t)huge + 3, ld, problem.beta, buffer,
                                            (size_t)huge + 6, ld, cl.queue, 0, NULL, NULL));
    transfer(&cl, buffer, (size_t)huge + 6, ld, host[2], false);
    clg_test_assert_no_fault(
        clg_test_result_fault(&problem, host[0], 3, host[1], 3, before, host[2], 3));
    clReleaseMemObject(buffer);
    clg_test_cl_close(&cl);
}

/* Several tiles in every dimension, and part of one at each end. */
static void a_large_product(void **state) {
    (void)state;
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_problem problem = {.layout = CLGEMM_ROW_MAJOR,
                                       .ta = CLGEMM_NO_TRANS,
                                       .tb = CLGEMM_TRANS,
                                       .m = 2049,
                                       .n = 1023,
                                       .k = 1500,
                                       .alpha = 1,
                                       .beta = 1};
    if (!clg_test_is_long())
        problem.m = 513;
    clg_test_problem_check(&problem, &random);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_past_2_to_31), cmocka_unit_test(unused_leading_dimensions),
        cmocka_unit_test(long_dimensions),      cmocka_unit_test(buffers_past_2_to_31),
        cmocka_unit_test(a_large_product),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
