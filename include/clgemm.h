/* SPDX-License-Identifier: Apache-2.0
 * libclgemm: matrix multiplication through OpenCL, for matrices in host memory.
 *
 *     C := alpha * op(A) * op(B) + beta * C          op(X) = X, X transposed, or its conjugate
 *
 * Simple use needs one function: clgemm_sgemm() takes the arguments of cblas_sgemm(). This header
 * needs no OpenCL header. <clgemm_cl.h> adds calls on the caller's own buffers and queues.
 *
 * Matrices hold floats (F32), doubles (F64), FP16, bfloat16, or complex floats or doubles (CF32,
 * CF64). Each type has these functions:
 *
 *     F32         clgemm_sgemm, clgemm_handle_sgemm, and the same with _cl
 *     F64         clgemm_dgemm, clgemm_dgemm_cl
 *     F16         clgemm_hgemm, clgemm_hgemm_cl
 *     CF32        clgemm_cgemm, clgemm_cgemm3m, clgemm_cgemm_cl
 *     CF64        clgemm_zgemm, clgemm_zgemm3m, clgemm_zgemm_cl
 *     every type  clgemm_gemm, clgemm_gemm_batch, and the same with _cl;
 *                 clgemm_pack_cl, clgemm_gemm_packed_cl
 *
 * To multiply other types than floats on a handle, call clgemm_gemm(handle, &desc, ...), whose
 * descriptor names the type. bfloat16 has no function of its own.
 *
 * Every function may be called from any number of threads at once, on one handle or several. The
 * only exception is clgemm_destroy(). Nothing here prints (unless CLGEMM_VERBOSE asks for it),
 * aborts or exits: errors are returned as a status, and clgemm_last_error() says more.
 *
 * A child process made by fork() cannot use the library if its parent has: calls then fail with
 * CLGEMM_STATUS_FORKED. exec() and posix_spawn() are no problem.
 *
 * The library reads these environment variables, which docs/environment.md explains:
 * CLGEMM_DEVICE; CLGEMM_VERBOSE, CLGEMM_LOGFILE; CLGEMM_CACHE, CLGEMM_CACHE_DIR,
 * CLGEMM_CACHE_MAX_SIZE; CLGEMM_WORKSPACE_MAX; CLGEMM_TUNING; CLGEMM_BUILD, CLGEMM_VERIFY,
 * CLGEMM_MATH. XDG_CACHE_HOME, XDG_CONFIG_HOME and HOME say where its files are, and NVIDIA's
 * CUDA_CACHE_DISABLE, CUDA_CACHE_PATH and CUDA_CACHE_MAXSIZE whether that driver keeps programs.
 * Set-uid programs ignore them all. */
#ifndef CLGEMM_H
#define CLGEMM_H

#include <stddef.h>
#include <stdint.h>

#define CLGEMM_VERSION_MAJOR 0
#define CLGEMM_VERSION_MINOR 2
#define CLGEMM_VERSION_PATCH 0

#if defined(__GNUC__)
#define CLGEMM_API __attribute__((visibility("default")))
#else
#define CLGEMM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------------------------- */

/* The library's own codes: X(NAME, value, text) */
#define CLGEMM_STATUS_MAP(X)                                                                 \
    X(INVALID_LAYOUT, -10000, "layout is neither row-major (101) nor column-major (102)")    \
    X(INVALID_TRANS_A, -10001, "transpose of A is none of 111, 112, 113")                    \
    X(INVALID_TRANS_B, -10002, "transpose of B is none of 111, 112, 113")                    \
    X(INVALID_M, -10003, "m is negative")                                                    \
    X(INVALID_N, -10004, "n is negative")                                                    \
    X(INVALID_K, -10005, "k is negative")                                                    \
    X(INVALID_A, -10006, "A is NULL, not a buffer of this context, or too small")            \
    X(INVALID_LDA, -10007, "leading dimension of A is smaller than a row or column of A")    \
    X(INVALID_B, -10008, "B is NULL, not a buffer of this context, or too small")            \
    X(INVALID_LDB, -10009, "leading dimension of B is smaller than a row or column of B")    \
    X(INVALID_C, -10010, "C is NULL, not a buffer of this context, or too small")            \
    X(INVALID_LDC, -10011, "leading dimension of C is smaller than a row or column of C")    \
    X(INVALID_OFFSET, -10012, "a matrix reaches past the end of its buffer at this offset")  \
    X(INVALID_QUEUE, -10013, "the command queue is NULL or of another context or device")    \
    X(INVALID_HANDLE, -10014, "the handle, or the place to store one, is NULL")              \
    X(SIZE_OVERFLOW, -10015, "a matrix has more bytes than this machine can address")        \
    X(OUT_OF_MEMORY, -10016, "host memory is exhausted")                                     \
    X(NO_DEVICE, -10017, "no usable OpenCL device")                                          \
    X(DEVICE_LOST, -10018, "the OpenCL device stopped working")                              \
    X(FORKED, -10019, "OpenCL was used before fork() and cannot be used in the child")       \
    X(INVALID_TUNING, -10020, "a tuning file cannot be read, used or written")               \
    X(UNSUPPORTED, -10021, "this library or device cannot compute that type, mode or batch") \
    X(INVALID_DESC, -10022, "a description of a product is NULL or has an impossible field") \
    X(INVALID_OPTION, -10023, "there is no such option, or it has no such value")            \
    X(INVALID_PACKED, -10024, "a packed operand is NULL, released, or of another product")   \
    X(EXITING, -10025, "the process is ending, and nothing is compiled any more")

/* What a call returns: success, a code of OpenCL (-1 to -9999) unchanged, or one of these. When
 * several arguments are wrong, the first in the order of the call is reported. */
typedef enum {
    CLGEMM_SUCCESS = 0,
#define CLGEMM_STATUS_ENUM(name, value, text) CLGEMM_STATUS_##name = (value),
    CLGEMM_STATUS_MAP(CLGEMM_STATUS_ENUM)
#undef CLGEMM_STATUS_ENUM
} clgemm_status;

/* The status as a name, such as "CLGEMM_STATUS_INVALID_LDA" or "CL_OUT_OF_RESOURCES"; never NULL.
 * Static storage. */
CLGEMM_API const char *clgemm_status_name(clgemm_status status);

/* The status as a sentence, without a full stop; never NULL. Static storage. */
CLGEMM_API const char *clgemm_status_text(clgemm_status status);

/* Details of the calling thread's last failed call: the argument and its value, the build log, the
 * devices tried. "" if no call of the thread has failed. Valid until the thread's next call into
 * the library. */
CLGEMM_API const char *clgemm_last_error(void);

/* The version of the library that is running, as "MAJOR.MINOR.PATCH". */
CLGEMM_API const char *clgemm_version(void);

/* ---- Matrix multiplication ---------------------------------------------------------------- */

/* The order of a matrix in memory. Values are those of cblas.h, so its enumerators may be passed
 * with a cast. */
typedef enum { CLGEMM_ROW_MAJOR = 101, CLGEMM_COL_MAJOR = 102 } clgemm_layout;

/* Whether a matrix is transposed. Values are those of cblas.h. */
typedef enum {
    CLGEMM_NO_TRANS = 111,
    CLGEMM_TRANS = 112,
    CLGEMM_CONJ_TRANS = 113 /* and conjugated; the same as CLGEMM_TRANS for real matrices */
} clgemm_transpose;

/* C := alpha * op(A) * op(B) + beta * C in single precision. op(A) is m x k, op(B) is k x n and C
 * is m x n. Leading dimensions count elements. Blocks until C is written.
 *
 * Special cases are those of the reference BLAS. With m = 0 or n = 0 nothing happens. With
 * alpha = 0 or k = 0, A and B are not read. With beta = 0, C is not read. With beta = 1 and
 * (alpha = 0 or k = 0), C is not touched. A NULL matrix is an error only if it would be read or
 * written.
 *
 * Elements between the end of a row or column and the leading dimension are neither read nor
 * written. A and B may be the same or overlapping memory. C may use the gaps of A or B, but must
 * not overlap their elements.
 *
 * The device is the one that CLGEMM_DEVICE names (see clgemm_create()). The first call opens it,
 * so the statuses of clgemm_create() are also possible here.
 *
 * A call that is refused, or fails before its kernels start, leaves C unchanged. If kernels fail
 * while they run (CL_OUT_OF_RESOURCES, CLGEMM_STATUS_DEVICE_LOST), or if a problem too large for
 * the device's memory fails in a later block, the elements of C are unspecified. No other memory
 * is ever written. */
CLGEMM_API clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      float alpha, const float *a, int64_t lda, const float *b,
                                      int64_t ldb, float beta, float *c, int64_t ldc);

/* The same in double precision. A device without doubles computes by whole numbers: with the same
 * bounds, and slowly. */
CLGEMM_API clgemm_status clgemm_dgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      double alpha, const double *a, int64_t lda, const double *b,
                                      int64_t ldb, double beta, double *c, int64_t ldc);

/* The same in FP16 (IEEE binary16, as uint16_t), on any device: FP16 storage, FP32 accumulation.
 * Each element of C is rounded once, to nearest, ties to even. Values from 65520 on become
 * infinity, and NaN stays NaN. */
CLGEMM_API clgemm_status clgemm_hgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      float alpha, const uint16_t *a, int64_t lda,
                                      const uint16_t *b, int64_t ldb, float beta, uint16_t *c,
                                      int64_t ldc);

/* The same for complex numbers: pairs of floats, the real part first, as float _Complex,
 * std::complex<float> and Fortran's COMPLEX have them. Arguments are those of cblas_cgemm(): alpha
 * and beta point to such a pair. Leading dimensions count pairs.
 *
 * A product of complex matrices runs as one of real matrices, twice as long in m and k, so that
 * every kernel and mode serves. A is first written anew in workspace of twice its size, with alpha
 * as a factor; B too, in workspace of its own size, if it is transposed. In row-major layout A and
 * B exchange their parts here. */
CLGEMM_API clgemm_status clgemm_cgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      const void *alpha, const void *a, int64_t lda, const void *b,
                                      int64_t ldb, const void *beta, void *c, int64_t ldc);

/* The same for pairs of doubles. Fails with CLGEMM_STATUS_UNSUPPORTED if the device has no doubles.
 */
CLGEMM_API clgemm_status clgemm_zgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      const void *alpha, const void *a, int64_t lda, const void *b,
                                      int64_t ldb, const void *beta, void *c, int64_t ldc);

/* clgemm_cgemm() and clgemm_zgemm() by the names that BLAS have for a form with three real products
 * instead of four. It would be less exact; these use four. */
CLGEMM_API clgemm_status clgemm_cgemm3m(clgemm_layout layout, clgemm_transpose ta,
                                        clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                        const void *alpha, const void *a, int64_t lda,
                                        const void *b, int64_t ldb, const void *beta, void *c,
                                        int64_t ldc);
CLGEMM_API clgemm_status clgemm_zgemm3m(clgemm_layout layout, clgemm_transpose ta,
                                        clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                        const void *alpha, const void *a, int64_t lda,
                                        const void *b, int64_t ldb, const void *beta, void *c,
                                        int64_t ldc);

/* ---- Any type, mode and batch: a descriptor ----------------------------------------------- */

/* How the elements of A, B and C are stored. CLGEMM_F64 and CLGEMM_CF64 need a device with doubles;
 * the others work on any device. */
typedef enum {
    CLGEMM_F32 = 0,
    CLGEMM_F64 = 1,
    CLGEMM_F16 = 2,  /* IEEE binary16, as uint16_t; see clgemm_hgemm() */
    CLGEMM_BF16 = 3, /* bfloat16, as uint16_t: the upper half of a float; FP32 accumulation */
    CLGEMM_CF32 = 4, /* complex: pairs of floats; see clgemm_cgemm() */
    CLGEMM_CF64 = 5  /* complex: pairs of doubles */
} clgemm_type;

/* The arithmetic that a product may use. Modes beyond strict permit tensor cores for F32, F16 and
 * BF16. The library uses those of NVIDIA devices with compute capability 8.0 and 9.0, and of others
 * above 8.0 if a measurement finds them fast enough. For F64, ACCURATE and NORMWISE use those of
 * 8.0 and above, and dot products of bytes of other GPUs with slow doubles. On all other devices,
 * and where strict is faster, strict runs.
 *
 * Bounds are for an element of C = A B, with u = 2^-24 and |A||B| the sum of |a||b| for that
 * element. docs/accuracy.md has the proofs. For complex types they hold for both parts of an
 * element, with 2k for k, and with the parts of A's and B's elements as numbers of their own. */
typedef enum {
    CLGEMM_MATH_DEFAULT = 0,  /* CLGEMM_OPTION_MATH, else CLGEMM_MATH, else strict */
    CLGEMM_MATH_STRICT = 1,   /* multiply-adds in the type; F16 and BF16: in F32 */
    CLGEMM_MATH_ACCURATE = 2, /* the same bound as strict: (k+2) u |A||B| */
    CLGEMM_MATH_NORMWISE = 3, /* strict's bound, plus u/2^7 x (largest of A's row) x (largest of
                                 B's column) for every 128 of k: relative to norms, as in LAPACK;
                                 F64: k u x (Euclidean norms of A's row and B's column) */
    CLGEMM_MATH_TF32 = 4,     /* F32 operands rounded to TF32, sums in F32 */
    CLGEMM_MATH_BF16 = 5,     /* F32 operands rounded to bfloat16, sums in F32 */
    CLGEMM_MATH_F16 = 6       /* F32 operands rounded to FP16, sums in F32 */
} clgemm_math;

/* A product, or a batch of products of one size. Start from {0} and set `size`, which says what
 * fields the caller knows. Later versions add fields at the end, for which 0 changes nothing.
 *
 * In a batch, each matrix begins stride_x elements after the one before. With stride 0 all products
 * use the same A or B. Strides are not negative. The C matrices of a batch must not have an element
 * in common, which is checked, but one may use the gaps of another. Without a batch, strides are
 * ignored. */
typedef struct {
    size_t size; /* sizeof(clgemm_desc) */
    clgemm_type type;
    clgemm_math math;
    clgemm_layout layout;
    clgemm_transpose ta, tb;
    int64_t m, n, k;
    int64_t lda, ldb, ldc;                /* elements */
    int64_t batch;                        /* products; 0 counts as 1 */
    int64_t stride_a, stride_b, stride_c; /* of a batch: from one matrix to the next, elements */
} clgemm_desc;

/* An open device with its programs and options. */
typedef struct clgemm_handle clgemm_handle;

/* The general form of clgemm_sgemm(), for the type, mode and batch that `desc` describes. It runs
 * on the handle's device; with a NULL handle, on the device of the calls without a handle. alpha
 * and beta point to doubles for CLGEMM_F64, to pairs of them for CLGEMM_CF64, to pairs of floats
 * for CLGEMM_CF32, else to floats.
 *
 * Semantics are those of clgemm_sgemm(). It also fails with CLGEMM_STATUS_INVALID_DESC if desc,
 * alpha or beta is NULL, a field is out of range, or C matrices of a batch overlap, and with
 * CLGEMM_STATUS_UNSUPPORTED if this version or the device cannot compute what desc asks for. */
CLGEMM_API clgemm_status clgemm_gemm(clgemm_handle *handle, const clgemm_desc *desc,
                                     const void *alpha, const void *a, const void *b,
                                     const void *beta, void *c);

/* Multiplies `count` products of one description, whose matrices may be anywhere in memory: product
 * z uses a[z], b[z] and c[z]. desc->batch must be 0 or 1. An array may be NULL if its matrices
 * would not be used. If C matrices overlap, results are undefined. A NULL handle is as in
 * clgemm_gemm().
 *
 * Pointers at equal, ascending distances are computed as one strided batch. Otherwise the products
 * run one after another, and those before a failing one are complete. */
CLGEMM_API clgemm_status clgemm_gemm_batch(clgemm_handle *handle, const clgemm_desc *desc,
                                           size_t count, const void *alpha, const void *const *a,
                                           const void *const *b, const void *beta, void *const *c);

/* ---- The rest of level 3 ------------------------------------------------------------------- */

/* What a routine computes, for matrices of the type's numbers; ' transposes, and in hemm, herk and
 * her2k also conjugates. `c` is what the routine writes: in trmm and trsm it is what the BLAS calls
 * B. Of real numbers, hemm, herk and her2k are symm, syrk and syr2k.
 *
 *     routine       c is      computes                                        A           B
 *     SYMM, HEMM    m x n     C := alpha A B + beta C,  from the right B A    triangle    m x n
 *     SYRK, HERK    triangle  C := alpha op(A) op(A)' + beta C                op: n x k
 *     SYR2K, HER2K  triangle  C := alpha op(A) op(B)' + (the same)' + beta C  op: n x k   op: n x k
 *     TRMM          m x n     C := alpha op(A) C,       from the right C op(A)       triangle
 *     TRSM          m x n     C := alpha inv(op(A)) C,  from the right C inv(op(A))  triangle
 *
 * The triangle that `uplo` names is read or written, in trmm and trsm with CLGEMM_UNIT without its
 * diagonal; the rest of that matrix is neither. A symmetric or triangular A is m x m, from the
 * right n x n; C with a triangle is n x n. A Hermitian matrix has a real diagonal: imaginary parts
 * there are not read, and are set to 0. op() transposes as `trans` says. The rank updates of
 * complex numbers have CLGEMM_NO_TRANS, and CLGEMM_TRANS if symmetric, CLGEMM_CONJ_TRANS if
 * Hermitian. */
typedef enum {
    CLGEMM_SYMM = 1,
    CLGEMM_HEMM = 2,
    CLGEMM_SYRK = 3,
    CLGEMM_HERK = 4,
    CLGEMM_SYR2K = 5,
    CLGEMM_HER2K = 6,
    CLGEMM_TRMM = 7,
    CLGEMM_TRSM = 8
} clgemm_routine;

/* The values of cblas.h. */
typedef enum { CLGEMM_LEFT = 141, CLGEMM_RIGHT = 142 } clgemm_side;
typedef enum { CLGEMM_UPPER = 121, CLGEMM_LOWER = 122 } clgemm_uplo;
typedef enum { CLGEMM_NON_UNIT = 131, CLGEMM_UNIT = 132 } clgemm_diag;

/* A call of a routine, or a batch of calls, as in clgemm_desc: start from {0} and set `size`.
 * Fields that a routine does not have are ignored: `m` of rank updates, `k` of the others, `side`
 * of rank updates, `trans` of symm and hemm, `diag` of all but trmm and trsm, `ldb` and `stride_b`
 * where there is no B. Types are F32, F64, CF32 and CF64. Dimensions are at most INT_MAX. */
typedef struct {
    size_t size; /* sizeof(clgemm_level3_desc) */
    clgemm_routine routine;
    clgemm_type type;
    clgemm_math math; /* of the products that the routine is made of */
    clgemm_layout layout;
    clgemm_side side;
    clgemm_uplo uplo;
    clgemm_transpose trans;
    clgemm_diag diag;
    int64_t m, n, k;
    int64_t lda, ldb, ldc; /* elements */
    int64_t batch;
    int64_t stride_a, stride_b, stride_c;
} clgemm_level3_desc;

/* Runs a routine on matrices in host memory. alpha and beta are as in clgemm_gemm(), except that
 * alpha of HERK and beta of HERK and HER2K are single real numbers. `b` is NULL where there is no
 * B, and beta in trmm and trsm, which have none. A NULL handle is as in clgemm_gemm().
 *
 * Rules are the reference BLAS's: with alpha 0, A and B are not read; with beta 0, C is not.
 * Statuses are those of clgemm_gemm(): A, B and C are the arguments of these names here, and
 * `trans` has that of ta. If a driver fails after some commands have run, C is unspecified.
 * A device with memory of its own must have room for all matrices of the call, else the call fails
 * with CLGEMM_STATUS_UNSUPPORTED and C is unchanged. */
CLGEMM_API clgemm_status clgemm_level3(clgemm_handle *handle, const clgemm_level3_desc *desc,
                                       const void *alpha, const void *a, const void *b,
                                       const void *beta, void *c);

/* C := alpha A B + beta C with A symmetric, from the right alpha B A + beta C: clgemm_level3() with
 * CLGEMM_SYMM, without a handle. Arguments are those of cblas_ssymm() and its relatives. */
CLGEMM_API clgemm_status clgemm_ssymm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, float alpha, const float *a,
                                      int64_t lda, const float *b, int64_t ldb, float beta,
                                      float *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_dsymm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, double alpha, const double *a,
                                      int64_t lda, const double *b, int64_t ldb, double beta,
                                      double *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_csymm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, const void *alpha, const void *a,
                                      int64_t lda, const void *b, int64_t ldb, const void *beta,
                                      void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zsymm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, const void *alpha, const void *a,
                                      int64_t lda, const void *b, int64_t ldb, const void *beta,
                                      void *c, int64_t ldc);

/* The same with A Hermitian. */
CLGEMM_API clgemm_status clgemm_chemm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, const void *alpha, const void *a,
                                      int64_t lda, const void *b, int64_t ldb, const void *beta,
                                      void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zhemm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      int64_t m, int64_t n, const void *alpha, const void *a,
                                      int64_t lda, const void *b, int64_t ldb, const void *beta,
                                      void *c, int64_t ldc);

/* A triangle of C := alpha op(A) op(A)' + beta C, as with CLGEMM_SYRK. */
CLGEMM_API clgemm_status clgemm_ssyrk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k, float alpha,
                                      const float *a, int64_t lda, float beta, float *c,
                                      int64_t ldc);
CLGEMM_API clgemm_status clgemm_dsyrk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k, double alpha,
                                      const double *a, int64_t lda, double beta, double *c,
                                      int64_t ldc);
CLGEMM_API clgemm_status clgemm_csyrk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k,
                                      const void *alpha, const void *a, int64_t lda,
                                      const void *beta, void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zsyrk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k,
                                      const void *alpha, const void *a, int64_t lda,
                                      const void *beta, void *c, int64_t ldc);

/* The same with a Hermitian C, and real alpha and beta. */
CLGEMM_API clgemm_status clgemm_cherk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k, float alpha,
                                      const void *a, int64_t lda, float beta, void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zherk(clgemm_layout layout, clgemm_uplo uplo,
                                      clgemm_transpose trans, int64_t n, int64_t k, double alpha,
                                      const void *a, int64_t lda, double beta, void *c,
                                      int64_t ldc);

/* A triangle of C := alpha op(A) op(B)' + alpha op(B) op(A)' + beta C, as with CLGEMM_SYR2K. */
CLGEMM_API clgemm_status clgemm_ssyr2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k, float alpha,
                                       const float *a, int64_t lda, const float *b, int64_t ldb,
                                       float beta, float *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_dsyr2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k, double alpha,
                                       const double *a, int64_t lda, const double *b, int64_t ldb,
                                       double beta, double *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_csyr2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k,
                                       const void *alpha, const void *a, int64_t lda, const void *b,
                                       int64_t ldb, const void *beta, void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zsyr2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k,
                                       const void *alpha, const void *a, int64_t lda, const void *b,
                                       int64_t ldb, const void *beta, void *c, int64_t ldc);

/* The same with a Hermitian C, alpha's conjugate in the second product, and a real beta. */
CLGEMM_API clgemm_status clgemm_cher2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k,
                                       const void *alpha, const void *a, int64_t lda, const void *b,
                                       int64_t ldb, float beta, void *c, int64_t ldc);
CLGEMM_API clgemm_status clgemm_zher2k(clgemm_layout layout, clgemm_uplo uplo,
                                       clgemm_transpose trans, int64_t n, int64_t k,
                                       const void *alpha, const void *a, int64_t lda, const void *b,
                                       int64_t ldb, double beta, void *c, int64_t ldc);

/* B := alpha op(A) B with a triangular A, from the right alpha B op(A), as with CLGEMM_TRMM. */
CLGEMM_API clgemm_status clgemm_strmm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, float alpha, const float *a, int64_t lda, float *b,
                                      int64_t ldb);
CLGEMM_API clgemm_status clgemm_dtrmm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, double alpha, const double *a, int64_t lda,
                                      double *b, int64_t ldb);
CLGEMM_API clgemm_status clgemm_ctrmm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, const void *alpha, const void *a, int64_t lda,
                                      void *b, int64_t ldb);
CLGEMM_API clgemm_status clgemm_ztrmm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, const void *alpha, const void *a, int64_t lda,
                                      void *b, int64_t ldb);

/* Solves op(A) X = alpha B with a triangular A, from the right X op(A) = alpha B, as with
 * CLGEMM_TRSM. X is written over B. */
CLGEMM_API clgemm_status clgemm_strsm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, float alpha, const float *a, int64_t lda, float *b,
                                      int64_t ldb);
CLGEMM_API clgemm_status clgemm_dtrsm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, double alpha, const double *a, int64_t lda,
                                      double *b, int64_t ldb);
CLGEMM_API clgemm_status clgemm_ctrsm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, const void *alpha, const void *a, int64_t lda,
                                      void *b, int64_t ldb);
CLGEMM_API clgemm_status clgemm_ztrsm(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,
                                      clgemm_transpose trans, clgemm_diag diag, int64_t m,
                                      int64_t n, const void *alpha, const void *a, int64_t lda,
                                      void *b, int64_t ldb);

/* ---- Options -------------------------------------------------------------------------------- */

/* Options of a handle, or of all calls without a handle. An option that is not set is what the
 * environment says, else the default. */
typedef enum {
    CLGEMM_OPTION_MATH = 1,  /* a clgemm_math; else CLGEMM_MATH, else strict */
    CLGEMM_OPTION_BUILD = 2, /* a clgemm_build; else CLGEMM_BUILD, else wait */
    CLGEMM_OPTION_VERIFY = 3 /* a clgemm_verify; else CLGEMM_VERIFY, else first */
} clgemm_option;

/* What a call does if its programs must be compiled first, which can take seconds.
 *
 * WAIT, the default: it waits. BACKGROUND: a thread of the handle compiles them, one at a time.
 * Until then such calls run with programs that are already compiled. Results are right, but the
 * calls may be slower, and last bits may differ. One general program can compute every F32 product.
 * It is compiled when the option is set or the device is opened; those of other types and of
 * batches are compiled by their first call. HELPER: the same, but a process of the library's own
 * compiles, with low priority, so that no compiler runs in the program. It starts when it is
 * needed, and ends with the program or when it is idle. Where there can be none (see
 * docs/design.md), this is BACKGROUND.
 *
 * exit() and clgemm_destroy() wait for a thread's compilation under way. After exit() has begun, in
 * exit handlers and destructors of static objects, nothing is compiled: calls with programs that
 * are there run where the runtime is known to work until the end (PoCL, CUDA), others fail with
 * CLGEMM_STATUS_EXITING. Warm-ups and clgemm_pack_cl() always wait for the compiler. */
typedef enum {
    CLGEMM_BUILD_WAIT = 0,
    CLGEMM_BUILD_BACKGROUND = 1,
    CLGEMM_BUILD_HELPER = 2
} clgemm_build;

/* Whether programs are checked before they are used, because drivers can miscompile. The check
 * compares a small product with its known result on the device.
 *
 * FIRST, the default: once for each device and driver; the verdict is kept on disk with the
 * programs. ALWAYS: once for each kind of call of each handle, whatever is on disk. OFF: only
 * programs of modes that require it. A call avoids programs that are wrong and takes the next best.
 * If none is right it fails with CLGEMM_STATUS_UNSUPPORTED. */
typedef enum {
    CLGEMM_VERIFY_FIRST = 0,
    CLGEMM_VERIFY_OFF = 1,
    CLGEMM_VERIFY_ALWAYS = 2
} clgemm_verify;

/* Sets an option for calls that begin later. `value` is an enumerator of the option's type. With a
 * NULL handle it is set for all calls without a handle, on any device, until the process ends.
 *
 * Fails with CLGEMM_STATUS_INVALID_OPTION if the option or the value does not exist, with
 * CLGEMM_STATUS_FORKED after fork(), and with the compiler's status if the general
 * program of CLGEMM_BUILD_BACKGROUND or CLGEMM_BUILD_HELPER cannot be compiled. */
CLGEMM_API clgemm_status clgemm_set_option(clgemm_handle *handle, clgemm_option option,
                                           int64_t value);

/* ---- Handles: an explicit device ---------------------------------------------------------- */

/* A handle is an open device with its programs and options. Functions that take one treat NULL as
 * follows:
 *
 *     clgemm_gemm, clgemm_gemm_batch,      the device of the calls without a handle,
 *     clgemm_warmup, clgemm_warmup_gemm,   which CLGEMM_DEVICE names; opened if it
 *     clgemm_tuning_*, clgemm_min_flops*,  is not open yet
 *     clgemm_shares_memory, clgemm_is_building
 *     clgemm_gemm_cl,                      programs kept for the context and
 *     clgemm_gemm_batch_cl,                device of the queue
 *     clgemm_pack_cl,
 *     clgemm_gemm_packed_cl
 *     clgemm_set_option                    all calls without a handle
 *     clgemm_handle_sgemm,                 fails with CLGEMM_STATUS_INVALID_HANDLE
 *     clgemm_handle_sgemm_cl
 *     clgemm_destroy                       does nothing
 */

/* Opens a device in an OpenCL context of its own. `device` is "P:D" (numbers of the platform and
 * device, from 0), part of the device's name in any case, "cpu" or "gpu". NULL means CLGEMM_DEVICE.
 * If that is unset, it is the best GPU, else an accelerator, else a CPU.
 *
 * "gpu:*", "cpu:*", "all", or several joined by "+", as in "1:0+1:1", open several devices. They
 * share products of host matrices, as far as that shortens a call; all else runs on the first. If
 * one is lost, that call fails with CLGEMM_STATUS_DEVICE_LOST, and later ones do without it.
 *
 * "%R/N" after any of these, as in "gpu%1/4", is for process R (from 0) of N processes on one
 * machine. They spread over all devices like the one named, and those on one device divide its
 * workspace. Of several devices each process has a part.
 *
 * The caller owns *out and ends it with clgemm_destroy(). On failure *out is NULL, and the status
 * is CLGEMM_STATUS_NO_DEVICE (no platform, no such device, one without a compiler or older than
 * OpenCL 1.2, or a set-uid process), CLGEMM_STATUS_FORKED, CLGEMM_STATUS_OUT_OF_MEMORY,
 * CLGEMM_STATUS_INVALID_HANDLE (out is NULL), or the code of the OpenCL call that failed. */
CLGEMM_API clgemm_status clgemm_create(clgemm_handle **out, const char *device);

/* Releases a handle and all that it holds; NULL is fine. Every call on this handle must have
 * returned, and none may begin. Calls on other handles and without a handle may run at the same
 * time. Commands that were enqueued with the handle still complete, and packed operands stay
 * usable. After fork(), a child may destroy its copy of a handle. */
CLGEMM_API void clgemm_destroy(clgemm_handle *handle);

/* Computes clgemm_sgemm() on the handle's device. Fails with CLGEMM_STATUS_INVALID_HANDLE if the
 * handle is NULL. For other types call clgemm_gemm() with the handle. */
CLGEMM_API clgemm_status clgemm_handle_sgemm(clgemm_handle *handle, clgemm_layout layout,
                                             clgemm_transpose ta, clgemm_transpose tb, int64_t m,
                                             int64_t n, int64_t k, float alpha, const float *a,
                                             int64_t lda, const float *b, int64_t ldb, float beta,
                                             float *c, int64_t ldc);

/* A problem for clgemm_warmup(), by its sizes alone: F32, column-major, no gaps between columns. */
typedef struct {
    int64_t m, n, k;
    clgemm_transpose ta, tb;
} clgemm_shape;

/* Prepares the first calls of these shapes: opens the device, chooses kernels and compiles them.
 * With a NULL handle it prepares calls on host memory without a handle. With count 0 it only opens
 * the device. It is clgemm_warmup_gemm() with the least leading dimensions. */
CLGEMM_API clgemm_status clgemm_warmup(clgemm_handle *handle, const clgemm_shape *shapes,
                                       size_t count);

/* The same for descriptors, with any type, layout and leading dimension.
 *
 * It covers calls with these fields, any beta and any real alpha but 0: calls on host matrices
 * aligned as malloc() aligns them, and calls on buffers with the same handle, if the offsets are
 * multiples of 4 and the buffer ends with the matrix's last element or with the last column's gap.
 * For a matrix with less alignment the first call may still have to compile.
 *
 * Stops at the first failure. The status is that of clgemm_create() if the device cannot be opened,
 * that of the product if its description is wrong (such as CLGEMM_STATUS_INVALID_M), that of the
 * compiler (such as CL_BUILD_PROGRAM_FAILURE), or CLGEMM_STATUS_FORKED. If the array is NULL and
 * count is not 0, it is CLGEMM_STATUS_INVALID_DESC, or CL_INVALID_VALUE of clgemm_warmup(). */
CLGEMM_API clgemm_status clgemm_warmup_gemm(clgemm_handle *handle, const clgemm_desc *desc,
                                            size_t count);

/* Releases every OpenCL object that the calls without a handle hold. Calls under way keep theirs
 * until they return, and handles keep theirs. The next call without a handle opens its device anew.
 * Fails only with CLGEMM_STATUS_FORKED. */
CLGEMM_API clgemm_status clgemm_clear_cache(void);

/* ---- Tuning ------------------------------------------------------------------------------- */

/* A handle uses measured parameters for problems that have them, and a model of the device for all
 * others. When it is opened it reads the tuning files of its device: those that CLGEMM_TUNING
 * names, the user's, the system's, and the table in the library (docs/tuning.md). CLGEMM_TUNING=0
 * leaves all of them out.
 *
 * In these functions a NULL handle means the device of the calls on host memory without a handle,
 * until clgemm_clear_cache(). Other threads may multiply with the handle at the same time: calls
 * under way keep what they began with. Tuning changes results only by rounding. They fail as
 * clgemm_create() does if the device cannot be opened. */

/* Adds the rows for the handle's device from a tuning file, or from all "*.json" files of a folder.
 * They take precedence over all that the handle has. With `path` NULL it replaces all rows by those
 * of the files that are read when a device is opened.
 *
 * Fails with CLGEMM_STATUS_INVALID_TUNING if something is missing, damaged, or cannot run on the
 * device, or if nothing is for the device. clgemm_last_error() names the first file and line. Good
 * rows are used all the same. */
CLGEMM_API clgemm_status clgemm_tuning_import(clgemm_handle *handle, const char *path);

/* Writes the handle's rows that were measured with the device's present driver into a tuning file.
 * `path` is a folder, in which the library names the file, or a file "*.json". NULL means
 * CLGEMM_TUNING if it is set, else the user's folder.
 *
 * Rows that the file already holds stay, unless they were measured earlier, or on the same day and
 * were slower. Readers never see half a file, and writers wait for each other. Fails with
 * CLGEMM_STATUS_INVALID_TUNING if the file cannot be written, is no tuning file, or is of another
 * device or driver; then it stays unchanged. */
CLGEMM_API clgemm_status clgemm_tuning_export(clgemm_handle *handle, const char *path);

/* Drops all rows of the handle, including those of the table in the library: the model alone
 * decides. clgemm_tuning_import(handle, NULL) reads the files again. */
CLGEMM_API clgemm_status clgemm_tuning_forget(clgemm_handle *handle);

/* The least number of floating-point operations (2 * m * n * k; complex: 8 * m * n * k) from which
 * clgemm_sgemm() on the handle's device is faster than the CPU's BLAS. `clgemm tune --break-even`
 * measures it on a machine; without that it is a cautious estimate from facts about the device. It
 * is INT64_MAX if the device is never faster, or if it cannot be used, in which case
 * clgemm_last_error() says why.
 */
CLGEMM_API int64_t clgemm_min_flops(clgemm_handle *handle);

/* The same for a type. It is INT64_MAX also if the device cannot multiply that type. */
CLGEMM_API int64_t clgemm_min_flops_of(clgemm_handle *handle, clgemm_type type);

/* 1 if all devices of the handle use the host's memory, so that calls on host matrices transfer
 * nothing over a bus. 0 if one has memory of its own, or if none can be used, in which case
 * clgemm_last_error() says why. */
CLGEMM_API int clgemm_shares_memory(clgemm_handle *handle);

/* 1 while programs for the handle are compiled in the background (CLGEMM_OPTION_BUILD), so that
 * calls may be slower than later ones. 0 otherwise, also if no device can be used. */
CLGEMM_API int clgemm_is_building(clgemm_handle *handle);

#ifdef __cplusplus
}
#endif
#endif
