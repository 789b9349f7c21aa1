/* SPDX-License-Identifier: Apache-2.0
 * Seeded random numbers, the same on every machine. */
#ifndef CLG_TEST_RANDOM_H
#define CLG_TEST_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct clg_test_random {
    uint64_t state;
};

/* The run's seed: CLGEMM_TEST_SEED, or a fixed one, so that a plain run is repeatable. Failures
 * print it. */
uint64_t clg_test_seed(void);

/* Which of this many parts of a sweep a run does, from 0, drawn by its seed; prints it. */
int clg_test_draw(int parts);

/* Distributes items with these costs, in any unit, to this many parts: the most expensive first,
 * each to the part with the least total so far. Then part[i] is that of item i, from 0. */
void clg_test_deal(const double *costs, int count, int parts, int *part);

/* Starts a sequence for `stream`, each different, from the run's seed. */
struct clg_test_random clg_test_random_start(uint64_t stream);

uint64_t clg_test_next(struct clg_test_random *random);

/* Uniform in low..high, both included. */
int64_t clg_test_range(struct clg_test_random *random, int64_t low, int64_t high);

/* Uniform in [-1, 1), a multiple of 2^-23. */
float clg_test_value(struct clg_test_random *random);

#endif
