/* SPDX-License-Identifier: Apache-2.0
 * Programs with the drop-in before their BLAS, and what it logs of their calls. */
#ifndef CLG_TESTS_BLAS_DROP_IN_H
#define CLG_TESTS_BLAS_DROP_IN_H

#include "support/check.h"
#include "support/gemm.h"

/* The type under test: of the calls below, and of '?' in names. */
extern clgemm_type drop_in_type;

/* Replaces each '?' by the type's letter; "?gemm" and "?GEMM" are the notation of BLAS
 * documents. */
void drop_in_name_type(char *text);

/* In tests of every type: whether this test takes the type. The seed draws one, the long form takes
 * all. */
bool drop_in_type_is_drawn(void);

/* Runs this program again as `role` with libclgemm_blas.so preloaded, CLGEMM_VERBOSE=1 and the
 * settings of `environment` (as clg_test_run_self() takes them). Returns its exit status; skips the
 * test if that is CLG_TEST_SKIP. Its output can be queried until the next run. */
int drop_in_run(const char *role, const char *const *environment);

/* The same, and fails the test if the program does not exit with 0. */
void drop_in_succeed(const char *role, const char *const *environment);

/* The number of lines with the text, in which '?' is the type's letter, in the last program's
 * output. */
int drop_in_lines(const char *pattern);

/* Fails the test and prints the output unless there are `count` such lines. */
void drop_in_assert_lines(const char *text, int expected);

/* ---- In such a program --------------------------------------------------------------------- */

enum names { BY_CBLAS, BY_FORTRAN };

/* OpenBLAS's CblasConjNoTrans, which a problem may have as a transpose. */
enum { CONJUGATED_ONLY = 114 };

/* cblas_?gemm() or ?gemm_(). */
void drop_in_gemm(const struct clg_test_problem *problem, enum names names, const void *a, int lda,
                  const void *b, int ldb, void *c, int ldc);

/* alpha or beta; the imaginary part counts in complex types. */
double _Complex drop_in_number(float real, float imag);

/* The same with scalars of the type under test instead of the problem's. */
void drop_in_gemm_scaled(const struct clg_test_problem *problem, enum names names,
                         const void *alpha, const void *a, int lda, const void *b, int ldb,
                         const void *beta, void *c, int ldc);

/* Creates the problem's matrices, makes that call, and judges. Exits on a fault. alpha and beta are
 * those of the problem, except for a last digit that only the type has. */
void drop_in_check_gemm(const struct clg_test_problem *problem, enum names names);

/* Whether a file with this in its path is mapped into this process. */
bool drop_in_is_mapped(const char *name);

/* A product of n x n matrices for tests of where a call goes; exits if it is wrong. */
void drop_in_multiply(int n, float beta);

/* The roles of a program: X(name) for functions that return an exit code. */
struct role {
    const char *name;
    int (*run)(void);
};

/* Runs the role that the command line names. Without one it runs the tests, for each type or for
 * the one that the seed draws. */
enum types_tested { EVERY_TYPE, ONE_TYPE };
int drop_in_main(int argc, char **argv, enum types_tested tested, const struct role *roles,
                 size_t num_roles, int (*own_tests)(void));

#endif
