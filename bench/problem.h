/* SPDX-License-Identifier: Apache-2.0
 * One problem: a shape with its transposes, scalars and host matrices; or a batch of products. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <clgemm.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/element.h"
#include "bench/options.h"
#include "gemm/problem.h"

/* ---- Routines, of which 0 is gemm ---- */

/* "gemm", "trsm". */
const char *routine_name(clgemm_routine routine);

static inline bool problem_is_symmetric(clgemm_routine routine) {
    return routine == CLGEMM_SYMM || routine == CLGEMM_HEMM;
}

/* Trmm and trsm, whose C is read and overwritten: the BLAS calls it B. */
static inline bool problem_is_triangular(clgemm_routine routine) {
    return routine == CLGEMM_TRMM || routine == CLGEMM_TRSM;
}

static inline bool problem_has_side(clgemm_routine routine) {
    return problem_is_symmetric(routine) || problem_is_triangular(routine);
}

static inline bool problem_is_rank(clgemm_routine routine) {
    return routine && !problem_has_side(routine);
}

static inline bool problem_has_b(clgemm_routine routine) {
    return !problem_is_triangular(routine) && routine != CLGEMM_SYRK && routine != CLGEMM_HERK;
}

static inline bool problem_is_hermitian(clgemm_routine routine) {
    return routine == CLGEMM_HEMM || routine == CLGEMM_HERK || routine == CLGEMM_HER2K;
}

/* A and B are filled once and only read. Element (i, l) of product z's op(A) is at a[i * a_i + l *
 * a_l + z * a_z], (l, j) of its op(B) at b[l * b_l + j * b_j + z * b_z], and (i, j) of its C at i *
 * c_i + j * c_j + z * c_z. Matrices have no gaps and follow one another.
 *
 * Routines other than gemm use the same: their A is k x k where it is symmetric or triangular, else
 * their op(A) is n x k. Their B is m x n in symm and hemm, and op(B) n x k in syr2k and her2k: its
 * element (i, j) is at i * b_l + j * b_j. */
struct problem {
    clgemm_routine routine;
    clgemm_side side;
    clgemm_uplo uplo;
    struct shape shape;
    clgemm_type type;
    clgemm_math math; /* 0 counts as strict */
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    int64_t batch;             /* products, at least one */
    struct factor alpha, beta; /* values of the type */
    bool special;              /* A has an Inf, and B a NaN, in the middle */
    int64_t lda, ldb, ldc;
    int64_t a_i, a_l, a_z, b_l, b_j, b_z, c_i, c_j, c_z;
    size_t a_count, b_count, c_count; /* elements, of all products together */
    void *a, *b;
    void *c; /* the output of contenders that work on host matrices */
};

/* The seed of all matrices; printed in the context. */
#define PROBLEM_SEED 42

/* Sets the sizes, the strides, and all pointers to NULL. Returns false with a reason if the bytes
 * of a matrix cannot be counted. */
bool problem_describe(struct problem *problem, const struct options *options, struct shape shape,
                      struct transposes trans, char *why, size_t room);

/* Allocates and fills A and B, and allocates C. `extra` bytes will be needed besides these. A
 * problem that does not fit into free memory is refused, because the kernel would kill the program
 * later. Release in any case. */
bool problem_create(struct problem *problem, double extra, char *why, size_t room);
void problem_release(struct problem *problem);

static inline bool problem_reads_c(const struct problem *problem) {
    return problem->beta.re != 0 || problem->beta.im != 0 ||
           problem_is_triangular(problem->routine);
}

/* What C holds before a checked call: numbers if beta is not 0, else NaN, so that an element that
 * is never written is noticed. */
double problem_c_start(const struct problem *problem, int64_t index);
void problem_start_c(const struct problem *problem, void *c);

/* The call as the library's users describe it, without its matrices and factors. */
clgemm_desc problem_desc(const struct problem *problem);

/* The same of a routine other than gemm. */
clgemm_level3_desc problem_level3_desc(const struct problem *problem);

/* The call as the library sees it internally, on its own buffers, with k = depth. */
struct clg_call problem_call(const struct problem *problem, int64_t depth);

/* Of all products together. */
double problem_flops(const struct problem *problem);
double problem_bytes(const struct problem *problem);   /* A, B and C together */
size_t problem_c_bytes(const struct problem *problem); /* Of C alone. */

#endif
