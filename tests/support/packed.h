/* SPDX-License-Identifier: Apache-2.0
 * Packed operands as test cases: a matrix that is packed, and products with it at any size of the
 * other side, on the fixture's device and a handle. */
#ifndef CLG_TEST_PACKED_H
#define CLG_TEST_PACKED_H

#include "support/device.h"

/* An operand of a problem, packed. */
struct clg_test_weights {
    clgemm_which which;
    struct clg_test_problem problem; /* the other side of which varies */
    clgemm_math math;
    struct clg_test_matrix matrix;
    cl_mem buffer;
    clgemm_packed *packed;
};

/* The set-up and tear-down of a group: the fixture and the handle. */
extern clgemm_handle *clg_test_weights_handle;
int clg_test_weights_open(void **state);
int clg_test_weights_close(void **state);

/* Weights for a small problem, without their matrix. */
struct clg_test_weights clg_test_weights_plain(clgemm_which which, clgemm_type type);

/* Creates a matrix for them; packs it by a handle (NULL: none) in a queue; does both; releases
 * them. */
void clg_test_weights_draw(struct clg_test_weights *w, struct clg_test_random *random);
clgemm_status clg_test_weights_pack(clgemm_handle *by, struct clg_test_weights *w,
                                    cl_command_queue queue, cl_uint num_wait,
                                    const cl_event *wait_list, cl_event *event);
void clg_test_weights_make(struct clg_test_weights *w, struct clg_test_random *random);
void clg_test_weights_end(struct clg_test_weights *w);

/* A case of that size with the weights as its operand, and its description; end it with
 * clg_test_weights_case_end(). */
struct clg_test_case clg_test_weights_case(const struct clg_test_weights *weights,
                                           int64_t free_size, struct clg_test_random *random);
void clg_test_weights_case_end(struct clg_test_case *test, const struct clg_test_weights *weights);
clgemm_desc clg_test_weights_desc(const struct clg_test_weights *weights,
                                  const struct clg_test_case *test);
struct clg_test_matrix *clg_test_operand_of(struct clg_test_case *test, clgemm_which which);

/* Enqueues a case's product with the packed operand. */
clgemm_status clg_test_weights_multiply(const struct clg_test_weights *w, const clgemm_desc *desc,
                                        const struct clg_test_case *test,
                                        const struct clg_test_buffers *made, cl_command_queue queue,
                                        cl_event *event);

/* One product of that size with the weights, right. */
void clg_test_weights_check(const struct clg_test_weights *w, int64_t free_size,
                            struct clg_test_random *random);

#endif
