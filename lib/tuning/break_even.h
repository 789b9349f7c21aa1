/* SPDX-License-Identifier: Apache-2.0
 * The break-even: the number of operations (2 m n k) from which a product of host matrices is
 * faster on the device than on the CPU. It is measured, else estimated from the device's facts. */
#ifndef CLG_TUNING_BREAK_EVEN_H
#define CLG_TUNING_BREAK_EVEN_H

#include "tuning/table.h"

/* The measured break-even of the type in a table, else the estimate for this host. INT64_MAX if the
 * device is never faster, or cannot compute with the type. */
int64_t clg_break_even_flops(const struct clg_tuning *tuning, clgemm_type type,
                             const struct clg_facts *facts);

/* A conservative estimate: the size of a cube from which the slowest device with such facts, behind
 * a slow bus, is faster than a fast CPU with `host_processors` processors. INT64_MAX for devices
 * that are not GPUs. */
int64_t clg_break_even_guess(const struct clg_facts *facts, clgemm_type type, int host_processors);

#endif
