/* SPDX-License-Identifier: Apache-2.0
 * One multiplication as a test case, and the judgement of its result.
 *
 * The reference is a product in wider arithmetic. A result is right if each element is within
 * clg_test_error_bound() of it; where the exact result is NaN or infinite, the result must be so
 * too. */
#ifndef CLG_TEST_GEMM_H
#define CLG_TEST_GEMM_H

#include "clgemm_cl.h"
#include "gemm/problem.h"
#include "support/matrix.h"

struct clg_test_problem {
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    int64_t m, n, k;
    float alpha, beta;
    float alpha_imag, beta_imag; /* for complex types */
    int64_t gap_a, gap_b, gap_c; /* the excess of each leading dimension over the least one */
    size_t offset_a, offset_b, offset_c; /* elements before each matrix in its memory */
    clgemm_type type;
    int64_t batch;              /* products; 0: one */
    int64_t between;            /* elements between a batch's matrices */
    bool shares_a, shares_b;    /* in the batch: one matrix for all products */
    enum clg_triangle triangle; /* of C: the rest is NaN, and must stay as it is */
    struct clg_stored stored;   /* the operand's rest is zeros, and its diagonal ones if `unit` */
};

/* Whether the call computes the element of C. */
static inline bool clg_test_is_computed(const struct clg_test_problem *p, int64_t row,
                                        int64_t column) {
    return p->triangle == CLG_ALL || (p->triangle == CLG_LOWER ? row >= column : row <= column);
}

struct clg_test_case {
    struct clg_test_problem problem;
    struct clg_test_matrix a, b, c;
};

/* Matrices for a problem, with random elements. */
void clg_test_case_create(struct clg_test_case *out, const struct clg_test_problem *problem,
                          struct clg_test_random *random);
void clg_test_case_destroy(struct clg_test_case *test);

/* The case as a call on buffers that hold its whole matrices. */
struct clg_call clg_test_call(const struct clg_test_problem *problem, struct clg_operand a,
                              struct clg_operand b, struct clg_operand c);
struct clg_call clg_test_case_call(const struct clg_test_case *test);

/* Multiplies the matrices by clgemm_sgemm(), clgemm_dgemm(), or on a handle; a batch by its
 * description. */
clgemm_status clg_test_case_run(struct clg_test_case *test, clgemm_handle *handle);
clgemm_desc clg_test_case_desc(const struct clg_test_case *test);

/* The same for matrices anywhere, and the description of such a call. */
clgemm_status clg_test_run(const struct clg_test_problem *problem, clgemm_handle *handle,
                           const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
                           int64_t ldc);
clgemm_desc clg_test_desc(const struct clg_test_problem *problem, int64_t lda, int64_t ldb,
                          int64_t ldc);

/* alpha and beta in the type that the description requires. */
struct clg_test_factors {
    float single[2][2];
    double wide[2][2];
    bool is_wide;
};
struct clg_test_factors clg_test_factors_of(const struct clg_test_problem *problem);
const void *clg_test_alpha(const struct clg_test_factors *factors);
const void *clg_test_beta(const struct clg_test_factors *factors);

/* NULL if C holds the right result and no other memory changed; else what is wrong, with the
 * problem and the seed, in storage of the calling thread. */
const char *clg_test_case_fault(const struct clg_test_case *test);

/* Runs the case and fails the CMocka test on an error status or a wrong result. */
void clg_test_case_run_and_check(struct clg_test_case *test, clgemm_handle *handle);

/* Creates, runs without a handle, checks and destroys. */
void clg_test_problem_check(const struct clg_test_problem *problem, struct clg_test_random *random);

/* A small problem without zeros among its scalars, and one right result of it through the handle
 * (NULL: without one), to test only whether calls work. */
struct clg_test_problem clg_test_small_problem(void);
void clg_test_check_works(clgemm_handle *handle);

/* The bound for one element of C; absolute_product is the element of |op(A)| |op(B)|. */
double clg_test_error_bound(const struct clg_test_problem *problem, double absolute_product,
                            double c_before);

/* Like clg_test_case_fault(), for matrices anywhere; `c_before` and `c` share a leading
 * dimension. */
const char *clg_test_result_fault(const struct clg_test_problem *problem, const void *a,
                                  int64_t lda, const void *b, int64_t ldb, const void *c_before,
                                  const void *c, int64_t ldc);

#endif
