/* SPDX-License-Identifier: Apache-2.0
 * The search for the break-even between two ways to multiply host matrices. It knows neither: it is
 * told who won. */
#ifndef CLGEMM_TUNE_BREAK_EVEN_H
#define CLGEMM_TUNE_BREAK_EVEN_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/shape.h"

enum break_even_winner { WINS_DEVICE, WINS_CPU, WINS_NOBODY /* not to be had: ends the search */ };

/* Sizes of cubes, from 4096 down; at each, that cube and three shapes that are eight times longer
 * one way than another, with as many operations. */
enum { BREAK_EVEN_SIZES = 13, BREAK_EVEN_SHAPES = 4 };
extern const int64_t break_even_sizes[BREAK_EVEN_SIZES];
struct shape break_even_shape(int64_t size, int number);

typedef enum break_even_winner break_even_contest(struct shape shape, void *user);

/* The operations from which on the device won each contest among sizes up to `largest`; INT64_MAX
 * if it lost at the largest. Goes downward by every second size, and where one is lost to the one
 * above it. False, and *flops as it was: nobody won. */
bool break_even_find(int64_t largest, break_even_contest *contest, void *user, int64_t *flops);

#endif
