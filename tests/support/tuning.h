/* SPDX-License-Identifier: Apache-2.0
 * Rows and devices for tests of tuning tables, which need no device. */
#ifndef CLG_TEST_TUNING_H
#define CLG_TEST_TUNING_H

#include "gemm/family.h"
#include "tuning/file.h"

/* A CPU of four units for the panel family. */
struct clg_facts clg_test_cpu_facts(void);

/* A panel row for m = n = k = `size`, both operands aligned and not transposed, which took `ms` on
 * 2026-01-01, with REG_N = `reg_n`. */
struct clg_tuning_row clg_test_row(int64_t size, int reg_n, double ms);

/* A copy of `base` (NULL: empty) with these rows as imported ones, measured with the device's own
 * driver, which replace those of the same class. */
struct clg_tuning *clg_test_tuning_with(const struct clg_tuning *base,
                                        const struct clg_tuning_row *rows, size_t count);

/* The text of a file with these rows, measured on that device; free it. */
char *clg_test_tuning_text(const struct clg_facts *facts, const struct clg_tuning_row *rows,
                           size_t count, size_t *size);

/* The same as a file. */
void clg_test_tuning_file(const char *path, const struct clg_facts *facts,
                          const struct clg_tuning_row *rows, size_t count);

/* Whether both rows are equal in all that a file holds of them. */
bool clg_test_same_row(const struct clg_tuning_row *left, const struct clg_tuning_row *right);

#endif
