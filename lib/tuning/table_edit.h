/* SPDX-License-Identifier: Apache-2.0
 * Builds a tuning table, which has only one owner meanwhile. */
#ifndef CLG_TUNING_TABLE_EDIT_H
#define CLG_TUNING_TABLE_EDIT_H

#include "tuning/table.h"

/* Adds a row after those of its origin. A row of the same class, origin and driver is replaced
 * instead, if the new one supersedes it or `always` is set. False if memory is short. */
bool clg_tuning_add(struct clg_tuning *table, const struct clg_tuning_row *row,
                    enum clg_tuning_origin origin, bool own_driver, bool always);

/* Replaces the break-even of the same type, origin and driver, if the new one was measured on a
 * later day or `always` is set. Does nothing if its flops are 0. */
void clg_tuning_add_break_even(struct clg_tuning *table, const struct clg_break_even *break_even,
                               enum clg_tuning_origin origin, bool own_driver, bool always);

/* The same for the speeds of host and bus; does nothing if they were not measured. */
void clg_tuning_add_host_speeds(struct clg_tuning *table, const struct clg_host_speeds *speeds,
                                enum clg_tuning_origin origin, bool own_driver, bool always);

/* Takes measured costs over, if none with such an origin and driver are there. False if memory is
 * short. */
bool clg_tuning_add_costs(struct clg_tuning *table, const struct clg_costs *costs,
                          enum clg_tuning_origin origin, bool own_driver, bool always);

/* Adds to the faults of an origin; `why` is the first of them. */
void clg_tuning_add_faults(struct clg_tuning *table, enum clg_tuning_origin origin, size_t faults,
                           const char *why);

/* Adds all rows, break-evens, speeds and faults of another table (NULL: none); they replace those
 * of this one. False if memory is short. */
bool clg_tuning_add_all(struct clg_tuning *table, const struct clg_tuning *other);

#endif
