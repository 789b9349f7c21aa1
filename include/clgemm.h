/* SPDX-License-Identifier: Apache-2.0
 * libclgemm: matrix multiplication through OpenCL, for matrices in host memory.
 *
 *     C := alpha * op(A) * op(B) + beta * C          op(X) = X or X transposed
 *
 * Simple use needs one function, clgemm_sgemm(), which takes what cblas_sgemm takes. This header
 * needs no OpenCL header; <clgemm_cl.h> adds calls on the caller's own cl_mem and queues.
 *
 * Every function may be called from any number of threads at once. Nothing here prints (unless
 * CLGEMM_VERBOSE asks for it), aborts or exits: errors come back as a status, and
 * clgemm_last_error() says more.
 *
 * Environment, read when a device is opened, not by set-uid programs (README.md says what each
 * takes): CLGEMM_DEVICE; CLGEMM_VERBOSE, CLGEMM_LOGFILE; CLGEMM_BUILD; CLGEMM_MATH; CLGEMM_CACHE,
 * CLGEMM_CACHE_DIR, CLGEMM_CACHE_MAX_SIZE; CLGEMM_WORKSPACE_MAX; CLGEMM_TUNING, CLGEMM_ONLINE. */
#ifndef CLGEMM_H
#define CLGEMM_H

#include <stddef.h>
#include <stdint.h>

#define CLGEMM_VERSION_MAJOR 0
#define CLGEMM_VERSION_MINOR 1
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

/* Our own codes: X(NAME, value, text) */
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
    X(INVALID_PACKED, -10024, "a packed operand is NULL, released, or of another product")

/* What a call returns: success, a code of OpenCL's (-1 to -9999) as it is, or one of our own. When
 * several arguments are wrong, the first in the order of the call is reported. */
typedef enum {
    CLGEMM_SUCCESS = 0,
#define CLGEMM_STATUS_ENUM(name, value, text) CLGEMM_STATUS_##name = (value),
    CLGEMM_STATUS_MAP(CLGEMM_STATUS_ENUM)
#undef CLGEMM_STATUS_ENUM
} clgemm_status;

/* "CLGEMM_STATUS_INVALID_LDA", "CL_OUT_OF_RESOURCES"; never NULL. Static storage. */
CLGEMM_API const char *clgemm_status_name(clgemm_status status);

/* One sentence on a status, without a full stop; never NULL. Static storage. */
CLGEMM_API const char *clgemm_status_text(clgemm_status status);

/* What the calling thread's last failed call had to say: which argument and value, the build log,
 * the devices tried. "" if none failed yet. Valid until the thread's next call into the library. */
CLGEMM_API const char *clgemm_last_error(void);

/* "MAJOR.MINOR.PATCH" of the library that is running. */
CLGEMM_API const char *clgemm_version(void);

/* ---- Matrix multiplication ---------------------------------------------------------------- */

/* Values as in cblas.h, so that its enumerators may be passed with a cast. */
typedef enum { CLGEMM_ROW_MAJOR = 101, CLGEMM_COL_MAJOR = 102 } clgemm_layout;
typedef enum {
    CLGEMM_NO_TRANS = 111,
    CLGEMM_TRANS = 112,
    CLGEMM_CONJ_TRANS = 113 /* the same as CLGEMM_TRANS for real matrices */
} clgemm_transpose;

/* C := alpha * op(A) * op(B) + beta * C in single precision; op(A) is m x k, op(B) is k x n,
 * C is m x n. Leading dimensions count elements. Blocks until C is written.
 *
 * As in the reference BLAS: m = 0 or n = 0 does nothing; alpha = 0 or k = 0 reads neither A nor B;
 * beta = 0 does not read C; beta = 1 with alpha = 0 or k = 0 does not touch C. Elements between a
 * row's or column's end and the leading dimension are neither read nor written. A and B may be the
 * same or overlapping memory; C may lie in the gaps of A or B, but not overlap their elements. A
 * NULL matrix is an error only where it would be read or written.
 *
 * The device is the one that CLGEMM_DEVICE names (see clgemm_create), opened by the first call.
 * A call that is refused, or fails before its kernels start, leaves C as it was. Where kernels fail
 * while they run (CL_OUT_OF_RESOURCES, a lost device), C is unspecified: as it was, right, or right
 * in parts; so it is where a problem too large for the device's memory, which runs in blocks, fails
 * in a later one. No memory but C's elements is written in any case. */
CLGEMM_API clgemm_status clgemm_sgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      float alpha, const float *a, int64_t lda, const float *b,
                                      int64_t ldb, float beta, float *c, int64_t ldc);

/* The same in double precision. CLGEMM_STATUS_UNSUPPORTED where the device has no doubles. */
CLGEMM_API clgemm_status clgemm_dgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      double alpha, const double *a, int64_t lda, const double *b,
                                      int64_t ldb, double beta, double *c, int64_t ldc);

/* The same in half precision (IEEE binary16, as uint16_t), on any device. Products are made and
 * added up in single precision; each element of C is rounded once, to the nearest, of two to the
 * even one, to infinity from 65520 on, and a NaN stays one. */
CLGEMM_API clgemm_status clgemm_hgemm(clgemm_layout layout, clgemm_transpose ta,
                                      clgemm_transpose tb, int64_t m, int64_t n, int64_t k,
                                      float alpha, const uint16_t *a, int64_t lda,
                                      const uint16_t *b, int64_t ldb, float beta, uint16_t *c,
                                      int64_t ldc);

/* ---- Any type, mode and batch: a descriptor ----------------------------------------------- */

/* How A, B and C are stored. CLGEMM_F64 needs a device with doubles, the others any. */
typedef enum {
    CLGEMM_F32 = 0,
    CLGEMM_F64 = 1,
    CLGEMM_F16 = 2, /* IEEE half precision, as uint16_t */
    CLGEMM_BF16 = 3 /* bfloat16, as uint16_t: the upper half of a float; as clgemm_hgemm() */
} clgemm_type;

/* What a product may do. A mode beyond strict permits tensor cores to all types but F64, where a
 * device has such as are used (compute capability 8.0 and 9.0); elsewhere, and where strict is
 * quicker, strict runs. With u = 2^-24, and |A||B| the sum of |a||b| for an element of C = A B
 * (docs/accuracy.md has the proofs): */
typedef enum {
    CLGEMM_MATH_DEFAULT = 0,  /* CLGEMM_OPTION_MATH, else CLGEMM_MATH, else strict */
    CLGEMM_MATH_STRICT = 1,   /* multiply-adds in the type; F16 and BF16: in F32 */
    CLGEMM_MATH_ACCURATE = 2, /* each element within strict's bound, (k+2) u |A||B| */
    CLGEMM_MATH_NORMWISE = 3, /* the same, and u/2^7 of (largest of A's row) x (largest of B's
                                 column) in each 128 of k: relative to norms, as LAPACK's bounds */
    CLGEMM_MATH_TF32 = 4,     /* these three: F32 operands rounded so, sums in F32 */
    CLGEMM_MATH_BF16 = 5,
    CLGEMM_MATH_F16 = 6
} clgemm_math;

/* A product, or a batch of them. Fields added in later versions stand behind these, and are 0 for
 * callers that do not know them: set `size`, and start from {0}.
 *
 * In a batch all matrices have one size, and each lies stride_x elements behind the one before;
 * with stride 0 all products use the same A, or B. Strides are not negative, and no two C have an
 * element in common, which is looked at; one may lie in the gaps of another. Without a batch
 * strides mean nothing. */
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

typedef struct clgemm_handle clgemm_handle;

/* clgemm_sgemm() for what `desc` describes, on the handle's device; handle NULL: on the device of
 * the handle-less calls. alpha and beta point to a double for CLGEMM_F64, else to a float.
 * Semantics are clgemm_sgemm()'s. Beside its statuses: CLGEMM_STATUS_INVALID_DESC where desc, alpha
 * or beta is NULL, a field is out of its range or the C of a batch overlap, and
 * CLGEMM_STATUS_UNSUPPORTED where this version or the device lacks the type;
 * clgemm_last_error() names it. */
CLGEMM_API clgemm_status clgemm_gemm(clgemm_handle *handle, const clgemm_desc *desc,
                                     const void *alpha, const void *a, const void *b,
                                     const void *beta, void *c);

/* `count` products of what `desc` describes (its batch is 0), of matrices anywhere: a[z], b[z] and
 * c[z] are those of product z; an array may be NULL where its matrices would not be used. Pointers
 * that lie evenly, upwards, make one batch as above; others a product after the other, of which
 * those before one that fails are done. C that overlap are undefined. */
CLGEMM_API clgemm_status clgemm_gemm_batch(clgemm_handle *handle, const clgemm_desc *desc,
                                           size_t count, const void *alpha, const void *const *a,
                                           const void *const *b, const void *beta, void *const *c);

/* Options of a handle; for NULL, of the handle-less calls, also those that have begun to use a
 * device, until the process ends. */
typedef enum {
    CLGEMM_OPTION_MATH =
        1, /* a clgemm_math: what CLGEMM_MATH_DEFAULT means; default: CLGEMM_MATH, else strict */
    CLGEMM_OPTION_BUILD =
        2, /* a clgemm_build; default: CLGEMM_BUILD in the environment, else wait */
    CLGEMM_OPTION_VERIFY =
        3 /* a clgemm_verify; default: CLGEMM_VERIFY in the environment, else first */
} clgemm_option;

/* What a call does whose programs have to be compiled first, which takes up to seconds. In the
 * background: a thread of the handle's builds them, one at a time, and until then calls of that
 * kind run with programs that are there: right, but slower, and perhaps with other last bits. At
 * the least there is one that serves any product, built when the option is set or the device
 * opened. exit() and clgemm_destroy() wait for the build under way. Warm-ups wait in any case. */
typedef enum { CLGEMM_BUILD_WAIT = 0, CLGEMM_BUILD_BACKGROUND = 1 } clgemm_build;

/* Whether the programs of a call are checked on the device by a small product of known result
 * before they are used, since drivers miscompile. FIRST: once for each device and driver; the
 * verdict is kept with the programs on disk. ALWAYS: once for each kind of call of each handle,
 * whatever is on disk. OFF: not at all, but for modes that need it. A call whose programs are wrong
 * runs the next best that are right; where there are none it fails with
 * CLGEMM_STATUS_UNSUPPORTED. */
typedef enum {
    CLGEMM_VERIFY_FIRST = 0,
    CLGEMM_VERIFY_OFF = 1,
    CLGEMM_VERIFY_ALWAYS = 2
} clgemm_verify;

/* Sets an option for calls that begin later. Fails with CLGEMM_STATUS_INVALID_OPTION for one that
 * does not exist, or has no such value, CLGEMM_STATUS_UNSUPPORTED for a value that this version
 * lacks. */
CLGEMM_API clgemm_status clgemm_set_option(clgemm_handle *handle, clgemm_option option,
                                           int64_t value);

/* ---- Handles: an explicit device ---------------------------------------------------------- */

/* Opens a device. `device` is "P:D" (platform and device number from 0), a part of the device's
 * name (any case), "cpu" or "gpu"; NULL takes CLGEMM_DEVICE from the environment; where that is
 * unset, the best GPU, else an accelerator, else a CPU. With "%R/N" behind any of these, "gpu%1/4",
 * N processes, of which this is R from 0, spread over all devices like that one, and those that
 * share one share its workspace. The caller owns *out and ends it with clgemm_destroy(); on failure
 * *out is NULL. */
CLGEMM_API clgemm_status clgemm_create(clgemm_handle **out, const char *device);

/* Releases a handle and all it holds. NULL is fine. No call on the handle may be under way. */
CLGEMM_API void clgemm_destroy(clgemm_handle *handle);

/* clgemm_sgemm() on the handle's device. */
CLGEMM_API clgemm_status clgemm_handle_sgemm(clgemm_handle *handle, clgemm_layout layout,
                                             clgemm_transpose ta, clgemm_transpose tb, int64_t m,
                                             int64_t n, int64_t k, float alpha, const float *a,
                                             int64_t lda, const float *b, int64_t ldb, float beta,
                                             float *c, int64_t ldc);

/* A problem by its sizes alone, for clgemm_warmup(): F32, column-major, columns without gaps. */
typedef struct {
    int64_t m, n, k;
    clgemm_transpose ta, tb;
} clgemm_shape;

/* Does ahead of time what the first call of these shapes would have to wait for: opens the device,
 * chooses the plans and builds the programs. handle NULL: the handle-less path's device; count 0:
 * only open it. As clgemm_warmup_gemm() with the leading dimensions that a shape's columns have. */
CLGEMM_API clgemm_status clgemm_warmup(clgemm_handle *handle, const clgemm_shape *shapes,
                                       size_t count);

/* The same for products with any layout and leading dimensions. What is covered: clgemm_gemm() and
 * the sgemm functions with these fields, any alpha (but 0) and beta, and matrices that start where
 * malloc() would place them; and the calls of <clgemm_cl.h> with these fields and offsets that are
 * multiples of 4, on buffers that end with the matrix's last element, or with its last column's
 * gap. A matrix that is less aligned may need another program, which its first call builds. */
CLGEMM_API clgemm_status clgemm_warmup_gemm(clgemm_handle *handle, const clgemm_desc *desc,
                                            size_t count);

/* Releases every OpenCL object that the handle-less calls hold; those under way keep theirs until
 * they return. Handles keep theirs. The next handle-less call opens a device anew. */
CLGEMM_API clgemm_status clgemm_clear_cache(void);

/* ---- Tuning ------------------------------------------------------------------------------- */

/* A handle multiplies problems for which it has tuned parameters with these, others as a model of
 * the device says. When it is opened it reads the tuning files of its device: those that
 * CLGEMM_TUNING names, the user's, the system's, and the table in the library (docs/tuning.md);
 * CLGEMM_TUNING=0: none.
 *
 * In these functions `handle` NULL means that of the handle-less calls on host matrices, until
 * clgemm_clear_cache(). They may be called while other threads multiply with the handle: calls
 * under way end with what they began with, later ones take what is new. No result depends on
 * tuning but for rounding. */

/* Adds what a tuning file, or all "*.json" files of a folder, has for the handle's device; it goes
 * before all that the handle has. `path` NULL: reads the files anew as when the handle was opened,
 * in place of all that it has. Fails with CLGEMM_STATUS_INVALID_TUNING, and a text that names the
 * first file and line, where something is not there, damaged, or cannot run on the device, and
 * where there is nothing for the device; what is good is in force all the same. */
CLGEMM_API clgemm_status clgemm_tuning_import(clgemm_handle *handle, const char *path);

/* Writes all that the handle has and that was measured with its device's present driver, whatever
 * it came from, into a tuning file. `path` is a folder, in which the file has a name of its own, or
 * a file ("*.json", if it is not there yet); NULL: CLGEMM_TUNING if that is set, else the user's
 * folder. What the file holds already stays, unless it was measured earlier, or on the same day and
 * was slower. Readers never see half a file, and writers wait for each other. Fails with
 * CLGEMM_STATUS_INVALID_TUNING, and leaves the file as it is, where it is another device's, another
 * driver's or no tuning file, or cannot be written. */
CLGEMM_API clgemm_status clgemm_tuning_export(clgemm_handle *handle, const char *path);

/* Drops all that the handle has, files and the table in the library included: from then on the
 * model alone decides. clgemm_tuning_import(handle, NULL) brings the files back. */
CLGEMM_API clgemm_status clgemm_tuning_forget(clgemm_handle *handle);

/* From how many floating-point operations on (2 * m * n * k) a clgemm_sgemm() on the handle's
 * device is quicker than the CPU's BLAS: what `clgemm tune --break-even` measured on this machine,
 * else a guess from facts about the device, which rather asks for too many. INT64_MAX where the
 * device never is, and where it cannot be used: clgemm_last_error() says why. */
CLGEMM_API int64_t clgemm_min_flops(clgemm_handle *handle);

/* The same of products of that type. INT64_MAX, too, for one that the device cannot multiply. */
CLGEMM_API int64_t clgemm_min_flops_of(clgemm_handle *handle, clgemm_type type);

#ifdef __cplusplus
}
#endif
#endif
