/* SPDX-License-Identifier: Apache-2.0
 * Reads arguments: integers in the width of the BLAS behind the caller, and letters. */
#ifndef CLG_BLAS_READ_H
#define CLG_BLAS_READ_H

#include <stddef.h>
#include <string.h>

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

/* A value of cblas.h, or -1 if the letter, of either case, is wrong: `value` for the first of the
 * letters, given in lower case, and those after it for the others. */
static inline int clg_read_letter(char letter, const char *letters, int value) {
    const char *found = strchr(letters, letter | ' ');
    return found ? value + (int)(found - letters) : -1;
}
static inline int clg_read_trans(char letter) {
    return clg_read_letter(letter, "ntcr", CLGEMM_NO_TRANS);
}
static inline int clg_read_side(char letter) {
    return clg_read_letter(letter, "lr", CLGEMM_LEFT);
}
static inline int clg_read_uplo(char letter) {
    return clg_read_letter(letter, "ul", CLGEMM_UPPER);
}
static inline int clg_read_diag(char letter) {
    return clg_read_letter(letter, "nu", CLGEMM_NON_UNIT);
}

#endif
