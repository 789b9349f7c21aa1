/* SPDX-License-Identifier: Apache-2.0
 * Packed operands as test cases. */
#include "support/packed.h"

#include <string.h>

#include "support/check.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
clgemm_handle *clg_test_weights_handle;

struct clg_test_matrix *clg_test_operand_of(struct clg_test_case *test, clgemm_which which) {
    return which == CLGEMM_PACK_A ? &test->a : &test->b;
}

/* A case of that size with the weights as its operand. */
struct clg_test_case clg_test_weights_case(const struct clg_test_weights *weights,
                                           int64_t free_size, struct clg_test_random *random) {
    struct clg_test_case test;
    struct clg_test_problem problem = weights->problem;
    *(weights->which == CLGEMM_PACK_A ? &problem.n : &problem.m) = free_size;
    clg_test_case_create(&test, &problem, random);
    clg_test_matrix_destroy(clg_test_operand_of(&test, weights->which));
    *clg_test_operand_of(&test, weights->which) = weights->matrix;
    return test;
}

void clg_test_weights_case_end(struct clg_test_case *test, const struct clg_test_weights *weights) {
    memset(clg_test_operand_of(test, weights->which), 0, sizeof(struct clg_test_matrix));
    clg_test_case_destroy(test);
}

clgemm_desc clg_test_weights_desc(const struct clg_test_weights *weights,
                                  const struct clg_test_case *test) {
    clgemm_desc desc = clg_test_case_desc(test);
    desc.math = weights->math;
    return desc;
}

/* A matrix for the weights, not packed yet. */
void clg_test_weights_draw(struct clg_test_weights *w, struct clg_test_random *random) {
    struct clg_test_case test;
    clg_test_case_create(&test, &w->problem, random);
    w->matrix = *clg_test_operand_of(&test, w->which);
    w->buffer = clg_test_buffer(cl, &w->matrix);
    w->packed = NULL;
    clg_test_weights_case_end(&test, w);
}

clgemm_status clg_test_weights_pack(clgemm_handle *by, struct clg_test_weights *w,
                                    cl_command_queue queue, cl_uint num_wait,
                                    const cl_event *wait_list, cl_event *event) {
    struct clg_test_random random = clg_test_random_start(99);
    struct clg_test_case test =
        clg_test_weights_case(w, w->which == CLGEMM_PACK_A ? w->problem.n : w->problem.m, &random);
    const clgemm_desc desc = clg_test_weights_desc(w, &test);
    const size_t offset = w->which == CLGEMM_PACK_A ? w->problem.offset_a : w->problem.offset_b;
    const clgemm_status status = clgemm_pack_cl(by, &desc, w->which, w->buffer, offset, queue,
                                                num_wait, wait_list, event, &w->packed);
    clg_test_weights_case_end(&test, w);
    return status;
}

void clg_test_weights_make(struct clg_test_weights *w, struct clg_test_random *random) {
    clg_test_weights_draw(w, random);
    clg_test_assert_success(
        clg_test_weights_pack(clg_test_weights_handle, w, cl->queue, 0, NULL, NULL));
    assert_non_null(w->packed);
}

void clg_test_weights_end(struct clg_test_weights *w) {
    clgemm_packed_release(w->packed);
    clReleaseMemObject(w->buffer);
    clg_test_matrix_destroy(&w->matrix);
}

clgemm_status clg_test_weights_multiply(const struct clg_test_weights *w, const clgemm_desc *desc,
                                        const struct clg_test_case *test,
                                        const struct clg_test_buffers *made, cl_command_queue queue,
                                        cl_event *event) {
    const struct clg_test_problem *p = &test->problem;
    const struct clg_test_factors factors = clg_test_factors_of(p);
    const bool is_a = w->which == CLGEMM_PACK_A;
    return clgemm_gemm_packed_cl(clg_test_weights_handle, desc, clg_test_alpha(&factors), w->packed,
                                 is_a ? made->b : made->a, is_a ? p->offset_b : p->offset_a,
                                 clg_test_beta(&factors), made->c, p->offset_c, queue, 0, NULL,
                                 event);
}

/* One product with the weights, in that queue. */
void clg_test_weights_check(const struct clg_test_weights *w, int64_t free_size,
                            struct clg_test_random *random) {
    struct clg_test_case test = clg_test_weights_case(w, free_size, random);
    struct clg_test_buffers made;
    const clgemm_desc desc = clg_test_weights_desc(w, &test);
    cl_event done = NULL;
    clg_test_buffers_create(cl, &test, &made);
    clg_test_assert_success(clg_test_weights_multiply(w, &desc, &test, &made, cl->queue, &done));
    clg_test_buffers_check(cl, &test, &made, done);
    clReleaseEvent(done);
    clg_test_buffers_release(&made);
    clg_test_weights_case_end(&test, w);
}

struct clg_test_weights clg_test_weights_plain(clgemm_which which, clgemm_type type) {
    return (struct clg_test_weights){.which = which,
                                     .problem = {.type = type,
                                                 .layout = CLGEMM_COL_MAJOR,
                                                 .ta = CLGEMM_NO_TRANS,
                                                 .tb = CLGEMM_NO_TRANS,
                                                 .m = 64,
                                                 .n = 50,
                                                 .k = 70,
                                                 .alpha = 1.5F,
                                                 .beta = -0.5F}};
}

int clg_test_weights_open(void **state) {
    clg_test_fixture_open(state);
    return clgemm_create_cl(&clg_test_weights_handle, cl->context, cl->device) != CLGEMM_SUCCESS;
}

int clg_test_weights_close(void **state) {
    clgemm_destroy(clg_test_weights_handle);
    return clg_test_fixture_close(state);
}
