/* SPDX-License-Identifier: Apache-2.0
 * clgemm_pack_cl() and clgemm_gemm_packed_cl(): results for any number of rows, every layout,
 * transpose and type; special values in every mode; batches; what is refused. */
#include <math.h>

#include "support/check.h"
#include "support/judge.h"
#include "support/packed.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static int drawn; /* a short run compiles a part of the programs */
enum { PARTS = 16 };

static bool is_drawn(int turn, int turns) {
    return clg_test_is_long() || turn % turns == drawn % turns;
}

/* ---- Results ---- */

/* All layouts and transposes of either operand, with alternating types and alignments. */
static void any_number_of_rows(void **state) {
    static const int64_t sizes[] = {0, 1, 17, 64, 133};
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (int form = 0; form < 16; form++) {
        if (!is_drawn(form, PARTS))
            continue;
        struct clg_test_weights w = clg_test_weights_plain(
            form & 8 ? CLGEMM_PACK_A : CLGEMM_PACK_B, clg_test_type((form >> 1) + form + drawn));
        const bool odd = (form + form / 4) % 2;
        w.problem.layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR;
        w.problem.ta = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
        w.problem.tb = form & 4 ? CLGEMM_CONJ_TRANS : CLGEMM_NO_TRANS;
        w.problem.k += odd;
        w.problem.gap_a = w.problem.gap_b = w.problem.gap_c = odd ? 3 : 0;
        w.problem.offset_a = w.problem.offset_b = odd ? 5 : 32;
        w.problem.offset_c = 7;
        w.problem.beta = form % 3 ? 0.25F : 0;
        clg_test_weights_make(&w, &random);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            clg_test_weights_check(&w, sizes[s], &random);
        clg_test_weights_end(&w);
    }
}

/* Strict's bound for ACCURATE and, with elements of similar size, NORMWISE, at a size for which a
 * device uses its tensor cores. Inf, NaN and values that the parts cannot hold are in the packed
 * operand. */
static void special_values_in_every_mode(void **state) {
    const bool has_tensor_cores = clg_test_fixture.engine.device->facts.tensor_cores;
    const int64_t size = has_tensor_cores ? 640 : 66;
    struct clg_test_random random = clg_test_random_start(2);
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct clg_test_weights w =
            clg_test_weights_plain(i & 1 ? CLGEMM_PACK_A : CLGEMM_PACK_B, CLGEMM_F32);
        if (!is_drawn(i, 2))
            continue;
        w.math = i & 2 ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE;
        w.problem.m = w.problem.n = w.problem.k = size;
        w.problem.alpha = 1;
        w.problem.beta = 0;
        clg_test_weights_draw(&w, &random);
        float *x = clg_test_matrix_data(&w.matrix);
        if (i & 4) {
            x[3] = INFINITY;
            x[3 + 7 * w.matrix.ld] = -INFINITY;
            x[40 + 9 * w.matrix.ld] = NAN;
            x[50 + 11 * w.matrix.ld] = 0x1p-120F;
            x[51 + 12 * w.matrix.ld] = 0x1p-149F;
            x[52 + 13 * w.matrix.ld] = 0x1.fffffep127F;
        }
        clg_test_matrix_snapshot(&w.matrix);
        clReleaseMemObject(w.buffer);
        w.buffer = clg_test_buffer(cl, &w.matrix);
        clg_test_assert_success(
            clg_test_weights_pack(clg_test_weights_handle, &w, cl->queue, 0, NULL, NULL));
        for (int64_t free_size = size - 5; free_size <= size + 130; free_size += 135) {
            struct clg_test_case test = clg_test_weights_case(&w, free_size, &random);
            struct clg_test_buffers made;
            const clgemm_desc desc = clg_test_weights_desc(&w, &test);
            clg_test_buffers_create(cl, &test, &made);
            clg_test_assert_success(
                clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, NULL));
            clg_test_read_back(cl, made.c, &test.c, NULL);
            const double error =
                clg_test_largest_error(&test.problem, clg_test_matrix_data(&test.a), test.a.ld,
                                       clg_test_matrix_data(&test.b), test.b.ld,
                                       clg_test_matrix_data(&test.c), test.c.ld, 0);
            assert_true(error <= 1);
            clg_test_buffers_release(&made);
            clg_test_weights_case_end(&test, &w);
        }
        clg_test_weights_end(&w);
    }
}

/* All products of a batch share the operand. */
static void batches_share_it(void **state) {
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct clg_test_weights w = clg_test_weights_plain(i & 1 ? CLGEMM_PACK_A : CLGEMM_PACK_B,
                                                           i & 2 ? CLGEMM_F16 : CLGEMM_F32);
        if (!is_drawn(i, 4))
            continue;
        w.problem.shares_a = w.which == CLGEMM_PACK_A;
        w.problem.shares_b = w.which == CLGEMM_PACK_B;
        w.problem.batch = i & 2 ? 3 : 0; /* known when it was packed, or not */
        clg_test_weights_make(&w, &random);
        for (w.problem.batch = 0; w.problem.batch <= 5; w.problem.batch += 5)
            clg_test_weights_check(&w, 40, &random);
        /* A matrix for each product is not what was packed. */
        w.problem.batch = 2;
        struct clg_test_case test = clg_test_weights_case(&w, 40, &random);
        struct clg_test_buffers made;
        clgemm_desc desc = clg_test_weights_desc(&w, &test);
        *(w.which == CLGEMM_PACK_A ? &desc.stride_a : &desc.stride_b) = 1;
        clg_test_buffers_create(cl, &test, &made);
        clg_test_assert_status(clg_test_weights_multiply(&w, &desc, &test, &made, cl->queue, NULL),
                               CLGEMM_STATUS_UNSUPPORTED);
        clgemm_packed *none = w.packed;
        clg_test_assert_status(clgemm_pack_cl(clg_test_weights_handle, &desc, w.which, w.buffer, 0,
                                              cl->queue, 0, NULL, NULL, &none),
                               CLGEMM_STATUS_UNSUPPORTED);
        assert_null(none);
        clg_test_buffers_release(&made);
        clg_test_weights_case_end(&test, &w);
        clg_test_weights_end(&w);
    }
}

/* ---- What is refused ---- */

static void what_does_not_match_is_refused(void **state) {
    struct clg_test_random random = clg_test_random_start(4);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    struct clg_test_buffers made;
    (void)state;
    clg_test_weights_make(&w, &random);
    struct clg_test_case test = clg_test_weights_case(&w, 64, &random);
    const clgemm_desc fits = clg_test_weights_desc(&w, &test);
    clg_test_buffers_create(cl, &test, &made);
    clgemm_desc wrong[8];
    for (int i = 0; i < 8; i++)
        wrong[i] = fits;
    wrong[0].type = CLGEMM_BF16;
    wrong[1].layout = CLGEMM_ROW_MAJOR;
    wrong[1].lda = wrong[1].ldb = wrong[1].ldc = 200;
    wrong[2].tb = CLGEMM_TRANS;
    wrong[3].n--;
    wrong[4].k--;
    wrong[5].ldb++;
    for (int i = 0; i < 6; i++) {
        clg_test_assert_status(
            clg_test_weights_multiply(&w, &wrong[i], &test, &made, cl->queue, NULL),
            CLGEMM_STATUS_INVALID_PACKED);
        clg_test_assert_error_says("was packed");
    }
    wrong[6].size = 3;
    wrong[7].lda = 1;
    clg_test_assert_status(clg_test_weights_multiply(&w, &wrong[6], &test, &made, cl->queue, NULL),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(clg_test_weights_multiply(&w, &wrong[7], &test, &made, cl->queue, NULL),
                           CLGEMM_STATUS_INVALID_LDA);
    clg_test_assert_status(clg_test_weights_multiply(&w, &fits, &test, &made, NULL, NULL),
                           CLGEMM_STATUS_INVALID_QUEUE);
    struct clg_test_cl other;
    clg_test_cl_open(&other, 0);
    clg_test_assert_status(clg_test_weights_multiply(&w, &fits, &test, &made, other.queue, NULL),
                           CLGEMM_STATUS_INVALID_PACKED);
    clg_test_assert_error_says("another context");
    clg_test_cl_close(&other);
    const struct clg_test_buffers absent = {NULL, made.b, made.c};
    clg_test_assert_status(clg_test_weights_multiply(&w, &fits, &test, &absent, cl->queue, NULL),
                           CLGEMM_STATUS_INVALID_A);
    clgemm_packed *kept = w.packed;
    w.packed = NULL;
    clg_test_assert_status(clg_test_weights_multiply(&w, &fits, &test, &made, cl->queue, NULL),
                           CLGEMM_STATUS_INVALID_PACKED);
    w.packed = kept;
    clg_test_read_back(cl, made.c, &test.c, NULL);
    assert_true(clg_test_matrix_unchanged(&test.c));
    clg_test_assert_success(clg_test_weights_multiply(&w, &fits, &test, &made, cl->queue, NULL));
    clg_test_buffers_check(cl, &test, &made, NULL);
    clg_test_buffers_release(&made);
    clg_test_weights_case_end(&test, &w);
    clg_test_weights_end(&w);
}

static void what_cannot_be_packed_is_refused(void **state) {
    struct clg_test_random random = clg_test_random_start(5);
    struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
    clgemm_packed *packed = NULL;
    (void)state;
    clg_test_weights_draw(&w, &random);
    struct clg_test_case test = clg_test_weights_case(&w, 64, &random);
    const clgemm_desc fits = clg_test_weights_desc(&w, &test);
    clgemm_desc short_ld = fits;
    short_ld.ldb = 1;
#define PACK(d, which, buffer, offset, queue, waits, out) \
    clgemm_pack_cl(clg_test_weights_handle, d, which, buffer, offset, queue, waits, NULL, NULL, out)
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_B, w.buffer, 0, cl->queue, 0, NULL),
                           CLGEMM_STATUS_INVALID_PACKED);
    clg_test_assert_status(PACK(NULL, CLGEMM_PACK_B, w.buffer, 0, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(PACK(&fits, (clgemm_which)3, w.buffer, 0, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_DESC);
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_B, NULL, 0, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_B);
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_A, NULL, 0, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_A);
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_B, w.buffer, 1 << 20, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_OFFSET);
    clg_test_assert_status(PACK(&short_ld, CLGEMM_PACK_B, w.buffer, 0, cl->queue, 0, &packed),
                           CLGEMM_STATUS_INVALID_LDB);
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_B, w.buffer, 0, NULL, 0, &packed),
                           CLGEMM_STATUS_INVALID_QUEUE);
    clg_test_assert_status(PACK(&fits, CLGEMM_PACK_B, w.buffer, 0, cl->queue, 1, &packed),
                           CL_INVALID_EVENT_WAIT_LIST);
    assert_null(packed);
    clgemm_packed_release(NULL);
    clg_test_weights_case_end(&test, &w);
    clg_test_weights_end(&w);
}

static void empty_matrices_are_packed(void **state) {
    struct clg_test_random random = clg_test_random_start(6);
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct clg_test_weights w = clg_test_weights_plain(CLGEMM_PACK_B, CLGEMM_F32);
        w.problem.m = 0; /* not yet known */
        if (i == 1)
            w.problem.k = 0;
        clg_test_weights_make(&w, &random);
        clg_test_weights_check(&w, 33, &random);
        w.problem.alpha = 0;
        clg_test_weights_check(&w, 33, &random);
        clg_test_weights_end(&w);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_rows),
        cmocka_unit_test(special_values_in_every_mode),
        cmocka_unit_test(batches_share_it),
        cmocka_unit_test(what_does_not_match_is_refused),
        cmocka_unit_test(what_cannot_be_packed_is_refused),
        cmocka_unit_test(empty_matrices_are_packed),
    };
    clg_test_require_device();
    if (!clg_test_is_long())
        drawn = clg_test_draw(PARTS);
    return cmocka_run_group_tests(tests, clg_test_weights_open, clg_test_weights_close);
}
