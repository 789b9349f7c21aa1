/* SPDX-License-Identifier: Apache-2.0
 * Products of doubles for tests of the families of residues, and parameters of `dot`, which runs on
 * any device. */
#ifndef CLG_TEST_DOUBLES_H
#define CLG_TEST_DOUBLES_H

#include "support/device.h"

/* Of dot: small tiles, flat ones, and those for a device without FP64, which clg_test_dot_run()
 * pretends to have. */
extern const struct clg_params clg_test_dot, clg_test_flat_dot, clg_test_soft_dot;

/* Column-major, with alpha 1, gaps and offsets. */
struct clg_test_problem clg_test_doubles(int64_t m, int64_t n, int64_t k, bool ta, bool tb);

/* Always the same data for a problem. */
void clg_test_doubles_create(struct clg_test_case *test, const struct clg_test_problem *problem);

/* Elements of op(A), op(B) and C. clg_test_doubles_keep() makes changes of A and B part of the
 * case. */
double *clg_test_double_a(struct clg_test_case *test, int64_t row, int64_t k);
double *clg_test_double_b(struct clg_test_case *test, int64_t k, int64_t col);
double *clg_test_double_c(struct clg_test_case *test, int64_t row, int64_t col);
void clg_test_doubles_keep(struct clg_test_case *test);

/* The largest error as a part of (k+2) u |A||B|, or of `least`. */
double clg_test_doubles_error(struct clg_test_case *test, double least);

/* Multiplies by dot. */
void clg_test_dot_run(struct clg_engine *engine, struct clg_test_cl *cl, clgemm_math math,
                      const struct clg_params *params, struct clg_test_case *test);

#endif
