/* SPDX-License-Identifier: Apache-2.0
 * A tuning table while it is being made; nobody else has it then. */
#ifndef CLG_TUNING_TABLE_EDIT_H
#define CLG_TUNING_TABLE_EDIT_H

#include "tuning/table.h"

/* Adds a row behind those of its origin, or replaces the one of the same class, origin and driver:
 * if this one supersedes it, or in any case if `always`. False where memory is short. */
bool clg_tuning_add(struct clg_tuning *table, const struct clg_tuning_row *row,
                    enum clg_tuning_origin origin, bool own_driver, bool always);

/* Takes a measured break-even (flops 0: nothing) in place of the one of the same type, origin and
 * driver: if it is of a later day, or in any case if `always`. */
void clg_tuning_add_break_even(struct clg_tuning *table, const struct clg_break_even *break_even,
                               enum clg_tuning_origin origin, bool own_driver, bool always);

/* The same with how fast host and bus are (not measured: nothing). */
void clg_tuning_add_host_speeds(struct clg_tuning *table, const struct clg_host_speeds *speeds,
                                enum clg_tuning_origin origin, bool own_driver, bool always);

/* Adds to the faults of an origin; `why` is the first of them. */
void clg_tuning_add_faults(struct clg_tuning *table, enum clg_tuning_origin origin, size_t faults,
                           const char *why);

/* Adds all rows, break-evens and speeds, in any case, and faults of another table (NULL: none).
 * False where memory is short.
 */
bool clg_tuning_add_all(struct clg_tuning *table, const struct clg_tuning *other);

#endif
