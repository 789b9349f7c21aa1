/* SPDX-License-Identifier: Apache-2.0
 * A family's parameters, for tests that run each of its kernels. */
#ifndef CLG_TEST_ROWS_H
#define CLG_TEST_ROWS_H

#include "gemm/family.h"

/* The device's costs in the library; computed ones hold until the next call. */
const struct clg_costs *clg_test_costs(const struct clg_facts *facts);

/* The rows of the costs for that kind of device. `panel` has rules instead of rows, and here some
 * examples with small tiles. */
const struct clg_params *clg_test_rows(const struct clg_family *family, enum clg_device_kind kind,
                                       size_t *count);

/* The parameters of the family's first candidate; false if it has none. */
bool clg_test_parameters(const struct clg_family *family, const struct clg_problem *problem,
                         const struct clg_facts *facts, struct clg_params *out);

#endif
