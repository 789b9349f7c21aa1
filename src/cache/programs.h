/* SPDX-License-Identifier: Apache-2.0
 * The programs that the model can choose on a device, found by planning alone, without OpenCL
 * calls. So the set is known, and can be tested, without the device. */
#ifndef CLGEMM_CACHE_PROGRAMS_H
#define CLGEMM_CACHE_PROGRAMS_H

#include "run/choose.h"
#include "src/common/build.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"

/* Adds the programs that calls on column-major matrices of these shapes and that type need, for
 * host matrices and for buffers without gaps between columns. */
void cache_programs_add_shapes(struct build_set *out, clgemm_type type,
                               const struct shape_list *shapes,
                               const struct transpose_list *transposes,
                               const struct clg_facts *facts, const struct clg_tuning *tuning);

/* Adds the programs of all shapes of a type, the likely ones first, until worker_stop:
 *
 *   1. the shapes of the tuning table that have the type
 *   2. squares with columns aligned for vectors: copies of host matrices, or buffers of such sizes
 *   3. m, n and k each small or large, with such columns
 *   4. squares and nearly square shapes without gaps between columns, which m, n and k align or
 *      misalign
 *   5. the same with m, n and k each small or large
 *
 * Sizes go up to 24576 by factors of 4/3 and 3/2; in 5 by 2. */
void cache_programs_add_all(struct build_set *out, clgemm_type type,
                            const struct transpose_list *transposes, const struct clg_facts *facts,
                            const struct clg_tuning *tuning);

#endif
