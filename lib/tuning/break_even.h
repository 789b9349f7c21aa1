/* SPDX-License-Identifier: Apache-2.0
 * From how many floating-point operations on (2 m n k) a product of host matrices is worth the way
 * to the device: measured, else guessed from facts. */
#ifndef CLG_TUNING_BREAK_EVEN_H
#define CLG_TUNING_BREAK_EVEN_H

#include "tuning/table.h"

/* What a table's measurement with the type says, else the guess for this host; INT64_MAX: nowhere,
 * as where the device cannot compute with the type. */
int64_t clg_break_even_flops(const struct clg_tuning *tuning, clgemm_type type,
                             const struct clg_facts *facts);

/* A guess on the safe side, for a host of so many processors: the cube from which the slowest
 * device of such facts, behind a slow bus, beats a fast CPU. Nowhere, where the device is a CPU
 * itself, or of a kind of which nothing is known. */
int64_t clg_break_even_guess(const struct clg_facts *facts, clgemm_type type, int host_processors);

#endif
