/* SPDX-License-Identifier: Apache-2.0
 * Arguments of calls: small products compared with the reference, and calls with wrong arguments,
 * which must be refused with C unchanged. Needs a device. */
#include <limits.h>
#include <stdlib.h>

#include "fuzz.h"
#include "support/check.h"
#include "support/device.h"

enum { LARGEST = 20, GAP = 3 };

static clgemm_transpose transpose(struct fuzz_bytes *bytes) {
    return (clgemm_transpose)fuzz_take(bytes, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS);
}

static float factor(struct fuzz_bytes *bytes) {
    static const float values[] = {0, 1, -1, 0.5F, -0.75F, 2};
    return values[fuzz_take(bytes, 0, (int)(sizeof values / sizeof *values) - 1)];
}

static struct clg_test_problem problem_of(struct fuzz_bytes *bytes) {
    struct clg_test_problem p = {
        .layout = (clgemm_layout)fuzz_take(bytes, CLGEMM_ROW_MAJOR, CLGEMM_COL_MAJOR),
        .ta = transpose(bytes),
        .tb = transpose(bytes),
        .m = fuzz_take(bytes, 0, LARGEST),
        .n = fuzz_take(bytes, 0, LARGEST),
        .k = fuzz_take(bytes, 0, LARGEST),
        .alpha = factor(bytes),
        .beta = factor(bytes),
        .gap_a = fuzz_take(bytes, 0, GAP),
        .gap_b = fuzz_take(bytes, 0, GAP),
        .gap_c = fuzz_take(bytes, 0, GAP),
        .type = clg_test_type(fuzz_take(bytes, 0, clg_test_num_types() - 1)),
        .batch = fuzz_take(bytes, 0, 3),
        .between = fuzz_take(bytes, 0, GAP),
    };
    p.offset_a = (size_t)fuzz_take(bytes, 0, GAP);
    p.offset_b = (size_t)fuzz_take(bytes, 0, GAP);
    p.offset_c = (size_t)fuzz_take(bytes, 0, GAP);
    return p;
}

static int64_t wrong_size(struct fuzz_bytes *bytes) {
    static const int64_t values[] = {-1, INT64_MIN, INT64_MAX, INT32_MIN, INT64_MIN + 1};
    return values[fuzz_take(bytes, 0, (int)(sizeof values / sizeof *values) - 1)];
}

/* Sets a field to a value that is never right. */
static void spoil(clgemm_desc *desc, struct fuzz_bytes *bytes) {
    const int64_t size = wrong_size(bytes);
    switch (fuzz_take(bytes, 0, 10)) {
    case 0:
        desc->m = size < 0 ? size : -1;
        break;
    case 1:
        desc->n = size < 0 ? size : -1;
        break;
    case 2:
        desc->k = size < 0 ? size : -1;
        break;
    case 3:
        desc->lda = size < 0 ? size : 0;
        break;
    case 4:
        desc->ldb = size < 0 ? size : 0;
        break;
    case 5:
        desc->ldc = size < 0 ? size : 0;
        break;
    case 6:
        desc->layout = (clgemm_layout)fuzz_take(bytes, 0, 100);
        break;
    case 7:
        desc->ta = (clgemm_transpose)fuzz_take(bytes, 0, 110);
        break;
    case 8:
        desc->tb = (clgemm_transpose)fuzz_take(bytes, 114, 255);
        break;
    case 9:
        desc->type = (clgemm_type)fuzz_take(bytes, CLG_TYPE_COUNT, 255);
        break;
    default:
        desc->batch = size < 0 ? size : -1;
        break;
    }
}

static void refuse(struct clg_test_case *test, struct fuzz_bytes *bytes) {
    const struct clg_test_factors factors = clg_test_factors_of(&test->problem);
    clgemm_desc desc = clg_test_case_desc(test);
    spoil(&desc, bytes);
    const clgemm_status status =
        clgemm_gemm(NULL, &desc, clg_test_alpha(&factors), test->a.memory, test->b.memory,
                    clg_test_beta(&factors), test->c.memory);
    FUZZ_CHECK(status != CLGEMM_SUCCESS && clgemm_last_error()[0] != '\0');
    FUZZ_CHECK(clg_test_matrix_unchanged(&test->c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes bytes = {data, data + size};
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    const int wrong = fuzz_take(&bytes, 0, 3) == 3;
    const struct clg_test_problem problem = problem_of(&bytes);
    clg_test_case_create(&test, &problem, &random);
    if (wrong) {
        refuse(&test, &bytes);
    } else {
        FUZZ_CHECK(clg_test_case_run(&test, NULL) == CLGEMM_SUCCESS);
        const char *fault = clg_test_case_fault(&test);
        fuzz_check(!fault, fault ? fault : "", __FILE__, __LINE__);
    }
    clg_test_case_destroy(&test);
    return 0;
}
