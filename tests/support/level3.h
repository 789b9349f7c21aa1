/* SPDX-License-Identifier: Apache-2.0
 * Calls of symm, hemm, syrk, herk, syr2k, her2k, trmm and trsm, judged by their definitions in
 * wider arithmetic. All memory outside the triangles and matrices that a routine has is NaN and
 * must stay as it is. */
#ifndef CLG_TEST_LEVEL3_H
#define CLG_TEST_LEVEL3_H

#include "support/device.h"

enum { CLG_TEST_A, CLG_TEST_B, CLG_TEST_C, CLG_TEST_MATRICES };

struct clg_test_level3 {
    clgemm_level3_desc desc;
    double alpha[2], beta[2];
    struct clg_test_matrix matrix[CLG_TEST_MATRICES];
    int64_t rows[CLG_TEST_MATRICES], cols[CLG_TEST_MATRICES];
};

/* Whether the BLAS has the routine in the type. */
bool clg_test_level3_has(clgemm_routine routine, clgemm_type type);

/* Draws a call with dimensions up to `most`. Bits of the form: row-major, right, upper, unit. */
struct clg_test_level3 clg_test_level3_draw(clgemm_routine routine, clgemm_type type, int form,
                                            int64_t most, struct clg_test_random *random);

/* Creates its matrices, and fills in leading dimensions and strides. */
void clg_test_level3_create(struct clg_test_level3 *call, struct clg_test_random *random);
void clg_test_level3_destroy(struct clg_test_level3 *call);

/* alpha or beta in the type that the call requires: `pair` or `out`. */
const void *clg_test_level3_factor(const struct clg_test_level3 *call, const double pair[2],
                                   float out[2]);

/* Makes the call on host matrices, or on buffers that hold copies of their whole memory. */
clgemm_status clg_test_level3_run(struct clg_test_level3 *call, clgemm_handle *handle);
clgemm_status clg_test_level3_enqueue(const struct clg_test_level3 *call, clgemm_handle *handle,
                                      const cl_mem buffer[CLG_TEST_MATRICES],
                                      cl_command_queue queue, cl_event *event);

/* Whether the device under test has work-groups as large as level 3's steps require. */
bool clg_test_level3_is_possible(void);

/* Makes it on buffers of its own and reads C back. Fails the test unless that succeeds. */
void clg_test_level3_run_on_buffers(struct clg_test_level3 *call, struct clg_test_cl *cl,
                                    clgemm_handle *handle);

/* What is wrong after the call, in static storage; NULL if nothing is. Changes C. */
const char *clg_test_level3_fault(struct clg_test_level3 *call);

#endif
