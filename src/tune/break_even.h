/* SPDX-License-Identifier: Apache-2.0
 * The search for the break-even between the device and the CPU for host matrices. It does not
 * measure: its caller says who won. */
#ifndef CLGEMM_TUNE_BREAK_EVEN_H
#define CLGEMM_TUNE_BREAK_EVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/shape.h"

enum break_even_winner { WINS_DEVICE, WINS_CPU, WINS_NOBODY /* not measurable: ends the search */ };

/* Sizes of cubes, from 4096 down. For each there are the cube and three shapes with as many
 * operations whose sizes differ by a factor of eight. */
enum { BREAK_EVEN_SIZES = 13, BREAK_EVEN_SHAPES = 4 };
extern const int64_t break_even_sizes[BREAK_EVEN_SIZES];
struct shape break_even_shape(int64_t size, int number);

typedef enum break_even_winner break_even_contest(struct shape shape, void *user);

/* Finds the number of operations from which on the device won each contest, among sizes up to
 * `largest`; INT64_MAX if it lost at the largest. Tries every second size downward, and after a
 * loss the size above it. Returns false, with *flops unchanged, if a contest had no winner. */
bool break_even_find(int64_t largest, break_even_contest *contest, void *user, int64_t *flops);

#endif
