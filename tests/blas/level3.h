/* SPDX-License-Identifier: Apache-2.0
 * Calls of level 3's other routines, of the type under test, through the drop-in. */
#ifndef CLG_TESTS_BLAS_LEVEL3_H
#define CLG_TESTS_BLAS_LEVEL3_H

#include "drop_in.h"
#include "support/level3.h"

/* "symm" */
const char *level3_name(clgemm_routine routine);

/* cblas_?symm() or ?symm_(); exits if there is none. */
void *level3_function(clgemm_routine routine, enum names names);

/* Calls it, with alpha and beta as the routine takes them; by Fortran without the layout. */
void level3_call(void *function, enum names names, const clgemm_level3_desc *desc,
                 const void *alpha, const void *a, const void *b, const void *beta, void *c);

/* Draws a call that has work (support/level3.h), and makes it. Returns what is wrong, or NULL. */
const char *level3_fault(void *function, enum names names, clgemm_routine routine, int form,
                         int64_t most, struct clg_test_random *random);

/* The same by the usual names, and exits on a fault. */
void level3_check(clgemm_routine routine, enum names names, int form, int64_t most,
                  struct clg_test_random *random);

#endif
