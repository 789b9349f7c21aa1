/* SPDX-License-Identifier: Apache-2.0
 * Arguments of calls: small products and calls of level 3 compared with the reference, and calls
 * with wrong arguments, which must be refused with C unchanged. Needs a device. */
#include <limits.h>
#include <stdlib.h>

#include "fuzz.h"
#include "support/check.h"
#include "support/device.h"
#include "support/level3.h"

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

static void try_product(struct fuzz_bytes *bytes, bool wrong) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_test_case test;
    const struct clg_test_problem problem = problem_of(bytes);
    clg_test_case_create(&test, &problem, &random);
    if (wrong) {
        refuse(&test, bytes);
    } else {
        FUZZ_CHECK(clg_test_case_run(&test, NULL) == CLGEMM_SUCCESS);
        const char *fault = clg_test_case_fault(&test);
        fuzz_check(!fault, fault ? fault : "", __FILE__, __LINE__);
    }
    clg_test_case_destroy(&test);
}

/* ---- The rest of level 3 ---- */

static struct clg_test_level3 level3_of(struct fuzz_bytes *bytes) {
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_CF32, CLGEMM_F64, CLGEMM_CF64};
    const clgemm_routine routine = (clgemm_routine)fuzz_take(bytes, CLGEMM_SYMM, CLGEMM_TRSM);
    const int type = fuzz_take(bytes, 0, clg_test_num_types() == CLG_TYPE_COUNT ? 3 : 1);
    const int form = fuzz_take(bytes, 0, 15), most = fuzz_take(bytes, 1, LARGEST);
    struct clg_test_random random = clg_test_random_start((uint64_t)fuzz_take(bytes, 0, 255));
    struct clg_test_level3 call = clg_test_level3_draw(routine, types[type], form, most, &random);
    clg_test_level3_create(&call, &random);
    return call;
}

/* Sets a field to a value that is never right. Returns whether the routine has the field. */
static bool spoil_level3(clgemm_level3_desc *desc, struct fuzz_bytes *bytes) {
    const bool triangular = desc->routine == CLGEMM_TRMM || desc->routine == CLGEMM_TRSM,
               symmetric = desc->routine == CLGEMM_SYMM || desc->routine == CLGEMM_HEMM,
               twice = desc->routine == CLGEMM_SYR2K || desc->routine == CLGEMM_HER2K,
               too_large = fuzz_take(bytes, 0, 1) == 1;
    const int64_t size = wrong_size(bytes), negative = size < 0 ? size : -1,
                  dimension = too_large ? INT64_MAX : negative;
    switch (fuzz_take(bytes, 0, 12)) {
    case 0:
        desc->m = dimension;
        return triangular || symmetric;
    case 1:
        desc->n = dimension;
        return true;
    case 2:
        desc->k = dimension;
        return !triangular && !symmetric;
    case 3:
        desc->lda = negative;
        return true;
    case 4:
        desc->ldb = negative;
        return symmetric || twice;
    case 5:
        desc->ldc = negative;
        return true;
    case 6:
        desc->layout = (clgemm_layout)fuzz_take(bytes, 0, 100);
        return true;
    case 7:
        desc->trans = (clgemm_transpose)fuzz_take(bytes, 0, 110);
        return !symmetric;
    case 8:
        desc->side = (clgemm_side)fuzz_take(bytes, 0, 140);
        return triangular || symmetric;
    case 9:
        desc->uplo = (clgemm_uplo)fuzz_take(bytes, 0, 120);
        return true;
    case 10:
        desc->diag = (clgemm_diag)fuzz_take(bytes, 0, 130);
        return triangular;
    case 11:
        desc->type = (clgemm_type)fuzz_take(bytes, CLG_TYPE_COUNT, 255);
        return true;
    default:
        desc->batch = negative;
        return true;
    }
}

static void try_level3(struct fuzz_bytes *bytes, bool wrong) {
    struct clg_test_level3 call = level3_of(bytes);
    const clgemm_level3_desc right = call.desc;
    const bool refused = wrong && spoil_level3(&call.desc, bytes);
    const clgemm_status status = clg_test_level3_run(&call, NULL);
    call.desc = right;
    if (refused) {
        FUZZ_CHECK(status != CLGEMM_SUCCESS && clgemm_last_error()[0] != '\0');
        FUZZ_CHECK(clg_test_matrix_unchanged(&call.matrix[CLG_TEST_C]));
    } else {
        FUZZ_CHECK(status == CLGEMM_SUCCESS);
        const char *fault = clg_test_level3_fault(&call);
        fuzz_check(!fault, fault ? fault : "", __FILE__, __LINE__);
    }
    clg_test_level3_destroy(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes bytes = {data, data + size};
    const int way = fuzz_take(&bytes, 0, 7);
    if (way < 4)
        try_product(&bytes, way == 3);
    else
        try_level3(&bytes, way > 5);
    return 0;
}
