/* SPDX-License-Identifier: Apache-2.0
 * Problems for the tests of pipelines. */
#ifndef CLG_TEST_FORM_H
#define CLG_TEST_FORM_H

#include "gemm/plan.h"
#include "support/random.h"

struct clg_test_form {
    int64_t m, n, k, batch; /* a batch of 0 is one product */
    clgemm_math math;
    size_t alignment; /* bytes, of all three matrices; 0: 4 */
    bool ta, tb, shares_a, has_beta;
    int64_t gap;
    bool scales;                  /* alpha is 0, and beta is not 1 */
    double alpha_imag, beta_imag; /* for complex types */
};

/* The problem, column-major; leading dimensions and strides exceed dense ones by `gap`. */
struct clg_problem clg_test_form_problem(const struct clg_test_form *f, clgemm_type type);

/* One product of dense matrices, each at a multiple of CLG_TEST_ALIGNED bytes. */
enum { CLG_TEST_ALIGNED = 512 };
struct clg_problem clg_test_aligned_problem(clgemm_type type, bool ta, bool tb, int64_t m,
                                            int64_t n, int64_t k);

/* Products of dense floats in a math mode, each matrix at a multiple of 64 bytes. */
struct clg_problem clg_test_mode_problem(int64_t m, int64_t n, int64_t k, clgemm_math math,
                                         int64_t batch);

/* The plan for a problem on a device with these facts, without tuned rows. Ends the test if there
 * is none, or if it has another mode. */
struct clg_plan clg_test_plan(const struct clg_problem *problem, const struct clg_facts *facts);

/* One of small sizes. */
struct clg_test_form clg_test_form_draw(struct clg_test_random *random);

#endif
