/* SPDX-License-Identifier: Apache-2.0
 * Pseudo-random numbers, the same on every machine: splitmix64. Its state is one word, and every
 * seed is good. */
#ifndef CLG_BASE_RANDOM_H
#define CLG_BASE_RANDOM_H

#include <stdint.h>

/* The increment of the state, and the function that turns a state into random bits. */
#define CLG_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t clg_random_mix(uint64_t state) {
    uint64_t z = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Advances the state and returns 64 random bits. */
static inline uint64_t clg_random_next(uint64_t *state) {
    return clg_random_mix(*state += CLG_RANDOM_STEP);
}

#endif
