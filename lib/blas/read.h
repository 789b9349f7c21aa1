/* SPDX-License-Identifier: Apache-2.0
 * Reads arguments: integers in the width of the BLAS behind the caller, and letters. */
#ifndef CLG_BLAS_READ_H
#define CLG_BLAS_READ_H

#include <stddef.h>

#include "blas/find.h"

static inline int64_t clg_read_word(const struct clg_route *route, clg_word word) {
    return route->is_long ? (int64_t)word : (int32_t)word;
}

static inline int64_t clg_read_entry(const struct clg_route *route, const void *integers,
                                     int64_t at) {
    return route->is_long ? ((const int64_t *)integers)[at] : ((const int32_t *)integers)[at];
}

static inline int64_t clg_read_integer(const struct clg_route *route, const void *integer) {
    return clg_read_entry(route, integer, 0);
}

/* The address of entry `at` of an array of integers. */
static inline const void *clg_entry_at(const struct clg_route *route, const void *integers,
                                       int64_t at) {
    return (const char *)integers +
           at * (int64_t)(route->is_long ? sizeof(int64_t) : sizeof(int32_t));
}

/* A value of cblas.h, or -1 if the letter is wrong. */
static inline int clg_read_trans(char letter) {
    switch (letter) {
    case 'N':
    case 'n':
        return CLGEMM_NO_TRANS;
    case 'T':
    case 't':
        return CLGEMM_TRANS;
    case 'C':
    case 'c':
        return CLGEMM_CONJ_TRANS;
    case 'R':
    case 'r':
        return CLG_CONJ_NO_TRANS;
    default:
        return -1;
    }
}

/* `value` for the first letter, given in lower case, and the one after it for the second. */
static inline int clg_read_either(char letter, char first, char second, int value) {
    const char lower = (char)(letter | ' ');
    return lower == first ? value : lower == second ? value + 1 : -1;
}
static inline int clg_read_side(char letter) {
    return clg_read_either(letter, 'l', 'r', CLGEMM_LEFT);
}
static inline int clg_read_uplo(char letter) {
    return clg_read_either(letter, 'u', 'l', CLGEMM_UPPER);
}
static inline int clg_read_diag(char letter) {
    return clg_read_either(letter, 'n', 'u', CLGEMM_NON_UNIT);
}

#endif
