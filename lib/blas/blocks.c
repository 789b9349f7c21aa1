/* SPDX-License-Identifier: Apache-2.0
 * The blocks in which libraries above the BLAS divide their work: k of most of its products. Their
 * own are for CPUs, and too small for a device behind a bus. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "blas/config.h"
#include "blas/engine.h"
#include "blas/find.h"

enum { BLOCK = 512 };

/* Sets the type that a routine's first letter stands for. False: it is none of these. */
static bool find_type(char letter, clgemm_type *out) {
    for (int r = 0; r < CLG_ROUTINES; r++)
        if (strncasecmp(&letter, clg_routines[r].name, 1) == 0) {
            *out = clg_routines[r].type;
            return true;
        }
    return false;
}

/* ---- PBLAS --------------------------------------------------------------------------------- */

typedef int pilaenv(const int *context, const char *precision, size_t length);

__attribute__((visibility("default"))) int pilaenv_(const int *context, const char *precision) {
    enum { USUAL = 32 };
    static const struct clg_name name = {.name = "pilaenv_"};
    const int error = errno;
    clgemm_type type;
    const bool ours = find_type(*precision, &type) && !clg_config()->disabled;
    errno = error;
    if (ours)
        return clg_config()->pblas_nb ? clg_config()->pblas_nb : BLOCK;
    pilaenv *next = (pilaenv *)clg_next_function(&name, __builtin_return_address(0));
    return next ? next(context, precision, 1) : USUAL;
}

/* ---- LAPACK -------------------------------------------------------------------------------- */

/* The factorizations that leave nearly all of their work to products whatever the block: LU and
 * Cholesky divide a block's columns in turn. QR does not, but gains. */
static bool is_factorization(const char *routine) {
    return strncasecmp(routine, "getrf", 5) == 0 || strncasecmp(routine, "potrf", 5) == 0 ||
           strncasecmp(routine, "geqrf", 5) == 0;
}

/* Whether the routine that asks pivots by columns. Pivoted QR and Cholesky ask by the names of the
 * others, and with a large block do more of their work column by column. */
static bool is_pivoted(const void *site) {
    Dl_info caller;
    return dladdr(site, &caller) && caller.dli_sname &&
           (strstr(caller.dli_sname, "geqp3") || strstr(caller.dli_sname, "pstrf"));
}

/* Whether updates by a block pay when half of a matrix is left. A smaller matrix gains nothing. */
static bool does_larger_pay(clgemm_type type, double edge) {
    enum { LEAST = 16 * BLOCK };
    const double half = edge / 2, flops = clg_operations(type) * half * half * BLOCK;
    const double elements = 2 * half * (half + BLOCK);
    return edge >= LEAST && clg_engine_is_known_to_pay(
                                type, &(struct clg_work){flops, flops, true, flops / elements});
}

/* Integers and lengths may have 64 bits: all arguments are passed on as they are, and the lower
 * halves of sizes are enough here. */
typedef clg_word ilaenv(const int *what, const char *routine, const char *options, const int *n1,
                        const int *n2, const int *n3, const int *n4, clg_word routine_length,
                        clg_word options_length);

/* LAPACK's parameters: `what` is 1 for the block of a routine. Of the three, `n1` and `n2` are the
 * sizes of the matrix; n2 is -1 for a square one. */
__attribute__((visibility("default"))) ilaenv ilaenv_;
clg_word ilaenv_(const int *what, const char *routine, const char *options, const int *n1,
                 const int *n2, const int *n3, const int *n4, clg_word routine_length,
                 clg_word options_length) {
    static const struct clg_name name = {.name = "ilaenv_"};
    const void *site = __builtin_return_address(0);
    const int error = errno;
    clgemm_type type;
    const bool ours = *what == 1 && find_type(*routine, &type) && is_factorization(routine + 1) &&
                      does_larger_pay(type, *n2 < 0 || *n1 < *n2 ? *n1 : *n2) && !is_pivoted(site);
    errno = error;
    if (ours)
        return BLOCK;
    ilaenv *next = (ilaenv *)clg_next_function(&name, site);
    return next ? next(what, routine, options, n1, n2, n3, n4, routine_length, options_length) : 1;
}
