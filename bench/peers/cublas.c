/* SPDX-License-Identifier: Apache-2.0
 * cuBLAS, opened at run time, on its own matrices on the CUDA device that is the OpenCL device, or
 * else on CUDA's first device. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/options.h"
#include "bench/peers/cuda.h"

/* From CUDA's interfaces, as far as used here. Status 0 is success everywhere. */
enum { TO_DEVICE = 1, TO_HOST = 2 };
enum { DEFAULT_MATH = 0, SUMS_IN_COMPUTE_TYPE = 16 };                     /* cublasMath_t */
enum { COMPUTE_32F = 68, FAST_16F = 74, FAST_16BF = 75, FAST_TF32 = 77 }; /* cublasComputeType_t */
enum { ANY_ALGORITHM = -1 };
typedef void *cublas_handle;
/* With void for the element: a pointer is passed alike. */
typedef int cublas_gemm(cublas_handle handle, int ta, int tb, int m, int n, int k,
                        const void *alpha, const void *a, int lda, const void *b, int ldb,
                        const void *beta, void *c, int ldc);
typedef int cublas_gemm_batch(cublas_handle handle, int ta, int tb, int m, int n, int k,
                              const void *alpha, const void *a, int lda, long long stride_a,
                              const void *b, int ldb, long long stride_b, const void *beta, void *c,
                              int ldc, long long stride_c, int batch);

typedef int cublas_gemm_ex(cublas_handle handle, int ta, int tb, int m, int n, int k,
                           const void *alpha, const void *a, int type_a, int lda, const void *b,
                           int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                           int compute, int algorithm);
typedef int cublas_gemm_batch_ex(cublas_handle handle, int ta, int tb, int m, int n, int k,
                                 const void *alpha, const void *a, int type_a, int lda,
                                 long long stride_a, const void *b, int type_b, int ldb,
                                 long long stride_b, const void *beta, void *c, int type_c, int ldc,
                                 long long stride_c, int batch, int compute, int algorithm);

/* The shapes of the other routines. */
typedef int cublas_sided(cublas_handle handle, int side, int uplo, int m, int n, const void *alpha,
                         const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                         int ldc);
typedef int cublas_rank(cublas_handle handle, int uplo, int trans, int n, int k, const void *alpha,
                        const void *a, int lda, const void *beta, void *c, int ldc);
typedef int cublas_rank_2(cublas_handle handle, int uplo, int trans, int n, int k,
                          const void *alpha, const void *a, int lda, const void *b, int ldb,
                          const void *beta, void *c, int ldc);
typedef int cublas_trmm(cublas_handle handle, int side, int uplo, int trans, int diag, int m, int n,
                        const void *alpha, const void *a, int lda, const void *b, int ldb, void *c,
                        int ldc);
typedef int cublas_trsm(cublas_handle handle, int side, int uplo, int trans, int diag, int m, int n,
                        const void *alpha, const void *a, int lda, void *b, int ldb);
enum { LEFT, RIGHT };
enum { LOWER, UPPER };
enum { NON_UNIT };

/* The routines of a type that has its own, for one product and for a batch. */
static const struct {
    const char *one, *batch;
} routines[] = {[CLGEMM_F32] = {"cublasSgemm_v2", "cublasSgemmStridedBatched"},
                [CLGEMM_F64] = {"cublasDgemm_v2", "cublasDgemmStridedBatched"},
                [CLGEMM_CF32] = {"cublasCgemm_v2", "cublasCgemmStridedBatched"},
                [CLGEMM_CF64] = {"cublasZgemm_v2", "cublasZgemmStridedBatched"}};
enum { ROUTINES = sizeof routines / sizeof *routines };

/* Types as cudaDataType_t has them. */
static const int data_types[CLG_TYPE_COUNT] = {
    [CLGEMM_F32] = 0,   [CLGEMM_F64] = 1,  [CLGEMM_F16] = 2,
    [CLGEMM_BF16] = 14, [CLGEMM_CF32] = 4, [CLGEMM_CF64] = 5};

struct cublas {
    struct cuda cuda;
    int (*allocate)(void **out, size_t bytes);
    int (*release)(void *memory);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*synchronize)(void);
    int (*create)(cublas_handle *out);
    int (*destroy)(cublas_handle handle);
    int (*set_math)(cublas_handle handle, int mode);
    int (*version)(cublas_handle handle, int *out);
    cublas_gemm *gemm[ROUTINES];
    cublas_gemm_batch *gemm_batch[ROUTINES];
    cublas_gemm_ex *gemm_ex;
    cublas_gemm_batch_ex *gemm_batch_ex;
    cublas_handle handle;
    void *library;
    void *a, *b, *c;
    union {
        cublas_sided *sided;
        cublas_rank *rank;
        cublas_rank_2 *rank_2;
        cublas_trmm *trmm;
        cublas_trsm *trsm;
    } level3; /* of the problem, unless that is gemm */
};

static bool load(struct contender *c, struct cublas *s) {
    void *runtime = NULL;
    void *cublas = s->library = cuda_load(c, &s->cuda, &runtime);
    bool loaded = cublas != NULL;
    for (int i = 0; i < ROUTINES && loaded; i++)
        loaded =
            !routines[i].one || (contender_symbol(c, cublas, routines[i].one, &s->gemm[i]) &&
                                 contender_symbol(c, cublas, routines[i].batch, &s->gemm_batch[i]));
    return loaded && contender_symbol(c, runtime, "cudaMalloc", &s->allocate) &&
           contender_symbol(c, runtime, "cudaFree", &s->release) &&
           contender_symbol(c, runtime, "cudaMemcpy", &s->copy) &&
           contender_symbol(c, runtime, "cudaDeviceSynchronize", &s->synchronize) &&
           contender_symbol(c, cublas, "cublasCreate_v2", &s->create) &&
           contender_symbol(c, cublas, "cublasDestroy_v2", &s->destroy) &&
           contender_symbol(c, cublas, "cublasSetMathMode", &s->set_math) &&
           contender_symbol(c, cublas, "cublasGemmEx", &s->gemm_ex) &&
           contender_symbol(c, cublas, "cublasGemmStridedBatchedEx", &s->gemm_batch_ex) &&
           contender_symbol(c, cublas, "cublasGetVersion_v2", &s->version);
}

static enum outcome open_cublas(struct contender *c) {
    struct cublas *s = calloc(1, sizeof *s);
    c->state = s;
    if (!s)
        return contender_say(c, OUTCOME_SKIPPED, "out of memory");
    if (!load(c, s))
        return OUTCOME_SKIPPED;
    int device, version = 0, status;
    if (!cuda_choose(c, &s->cuda, &device))
        return OUTCOME_SKIPPED;
    if ((status = s->create(&s->handle)) != 0) {
        s->handle = NULL;
        return contender_say(c, OUTCOME_SKIPPED, "cublasCreate: status %d", status);
    }
    /* Full single precision: no rounding of the inputs to a shorter format, nor of partial sums to
     * a 16-bit element type. */
    s->set_math(s->handle, DEFAULT_MATH | SUMS_IN_COMPUTE_TYPE);
    s->version(s->handle, &version);
    cuda_about(c, &s->cuda, device, version);
    return OUTCOME_OK;
}

static enum outcome new_matrix(struct contender *c, const void *host, size_t count, void **out) {
    struct cublas *s = c->state;
    const size_t size = clg_type_size(c->problem->type);
    void *memory = NULL;
    enum outcome outcome =
        cuda_outcome(c, "cudaMalloc", s->allocate(&memory, (count ? count : 1) * size));
    *out = outcome ? NULL : memory;
    if (!outcome && host)
        outcome = cuda_outcome(c, "cudaMemcpy", s->copy(memory, host, count * size, TO_DEVICE));
    return outcome;
}

enum { NAME_TEXT = 32 };

static const char *level3_name(char text[NAME_TEXT], const struct problem *p) {
    snprintf(text, NAME_TEXT, "cublas%c%s_v2", clg_types[p->type].letters[0] - 'a' + 'A',
             routine_name(p->routine));
    return text;
}

static enum outcome start(struct contender *c) {
    struct cublas *s = c->state;
    const struct problem *p = c->problem;
    char name[NAME_TEXT];
    if (p->routine && p->batch > 1)
        return contender_no_routine(c);
    if (p->routine && !contender_symbol(c, s->library, level3_name(name, p), &s->level3))
        return OUTCOME_SKIPPED;
    if (p->shape.m > INT_MAX || p->shape.n > INT_MAX || p->shape.k > INT_MAX)
        return contender_say(c, OUTCOME_SKIPPED, "a size exceeds cuBLAS's 32 bits");
    enum outcome outcome = new_matrix(c, p->a, p->a_count, &s->a);
    if (!outcome)
        outcome = new_matrix(c, p->b, p->b_count, &s->b);
    if (!outcome)
        outcome = new_matrix(c, NULL, p->c_count, &s->c);
    return outcome;
}

static enum outcome start_c(struct contender *c, void *scratch) {
    struct cublas *s = c->state;
    problem_start_c(c->problem, scratch);
    return cuda_outcome(c, "cudaMemcpy",
                        s->copy(s->c, scratch, problem_c_bytes(c->problem), TO_DEVICE));
}

static enum outcome fetch_c(struct contender *c, void *out) {
    struct cublas *s = c->state;
    return cuda_outcome(c, "cudaMemcpy", s->copy(out, s->c, problem_c_bytes(c->problem), TO_HOST));
}

/* A matrix for each product. */
struct operand {
    void *memory;
    int trans, ld;
    long long stride;
};

/* The cublasComputeType_t for calls of routines that take one: for 16-bit elements, which have no
 * other routine, and in the modes for which cuBLAS has something besides full precision; else 0. */
static int compute_type(const struct problem *p) {
    return clg_type_is_narrow(p->type)   ? COMPUTE_32F
           : p->type != CLGEMM_F32       ? 0
           : p->math == CLGEMM_MATH_TF32 ? FAST_TF32
           : p->math == CLGEMM_MATH_F16  ? FAST_16F
           : p->math == CLGEMM_MATH_BF16 ? FAST_16BF
                                         : 0;
}

/* The routine that the problem calls. */
static const char *routine_of(const struct problem *p) {
    if (compute_type(p))
        return p->batch == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx";
    return p->batch == 1 ? routines[p->type].one : routines[p->type].batch;
}

static int multiply_in(int compute, const struct cublas *s, const struct problem *p, int m, int n,
                       struct operand left, struct operand right) {
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    const int type = data_types[p->type], k = (int)p->shape.k, ldc = (int)p->ldc;
    return p->batch == 1 ? s->gemm_ex(s->handle, left.trans, right.trans, m, n, k, &alpha,
                                      left.memory, type, left.ld, right.memory, type, right.ld,
                                      &beta, s->c, type, ldc, compute, ANY_ALGORITHM)
                         : s->gemm_batch_ex(s->handle, left.trans, right.trans, m, n, k, &alpha,
                                            left.memory, type, left.ld, left.stride, right.memory,
                                            type, right.ld, right.stride, &beta, s->c, type, ldc,
                                            p->c_z, (int)p->batch, compute, ANY_ALGORITHM);
}

static int multiply(const struct cublas *s, const struct problem *p, int m, int n,
                    struct operand left, struct operand right) {
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    const int k = (int)p->shape.k, ldc = (int)p->ldc;
    if (compute_type(p))
        return multiply_in(compute_type(p), s, p, m, n, left, right);
    return p->batch == 1
               ? s->gemm[p->type](s->handle, left.trans, right.trans, m, n, k, &alpha, left.memory,
                                  left.ld, right.memory, right.ld, &beta, s->c, ldc)
               : s->gemm_batch[p->type](s->handle, left.trans, right.trans, m, n, k, &alpha,
                                        left.memory, left.ld, left.stride, right.memory, right.ld,
                                        right.stride, &beta, s->c, ldc, p->c_z, (int)p->batch);
}

/* In row-major matrices cuBLAS sees transposes: so C's triangle is the other one, as is the side,
 * and rank updates are of op(A)' op(A). */
static int run_level3(const struct cublas *s, const struct problem *p) {
    const bool turned = p->layout == CLGEMM_ROW_MAJOR;
    const bool hermitian = problem_is_hermitian(p->routine);
    struct factor factor = p->alpha;
    factor.im = turned && p->routine == CLGEMM_HER2K ? -factor.im : factor.im;
    const union scalar alpha = element_scalar(p->type, factor),
                       beta = element_scalar(p->type, p->beta);
    const int side = (p->side == CLGEMM_LEFT) != turned ? LEFT : RIGHT;
    const int uplo = (p->uplo == CLGEMM_LOWER) != turned ? LOWER : UPPER;
    const int m = (int)(turned ? p->shape.n : p->shape.m);
    const int n = (int)(turned ? p->shape.m : p->shape.n), k = (int)p->shape.k;
    const int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    const int trans = cuda_transpose(p->ta);
    const int rank = (trans == CUDA_N) != turned ? CUDA_N : hermitian ? CUDA_C : CUDA_T;
    if (p->routine == CLGEMM_TRSM)
        return s->level3.trsm(s->handle, side, uplo, trans, NON_UNIT, m, n, &alpha, s->a, lda, s->c,
                              ldc);
    if (p->routine == CLGEMM_TRMM)
        return s->level3.trmm(s->handle, side, uplo, trans, NON_UNIT, m, n, &alpha, s->a, lda, s->c,
                              ldc, s->c, ldc);
    if (problem_is_symmetric(p->routine))
        return s->level3.sided(s->handle, side, uplo, m, n, &alpha, s->a, lda, s->b, ldb, &beta,
                               s->c, ldc);
    return problem_has_b(p->routine)
               ? s->level3.rank_2(s->handle, uplo, rank, n, k, &alpha, s->a, lda, s->b, ldb, &beta,
                                  s->c, ldc)
               : s->level3.rank(s->handle, uplo, rank, n, k, &alpha, s->a, lda, &beta, s->c, ldc);
}

/* cuBLAS has column-major matrices only: a row-major C is the column-major product of B and A
 * swapped. */
static enum outcome run(struct contender *c, int calls) {
    struct cublas *s = c->state;
    const struct problem *p = c->problem;
    const struct operand a = {s->a, cuda_transpose(p->ta), (int)p->lda, p->a_z},
                         b = {s->b, cuda_transpose(p->tb), (int)p->ldb, p->b_z};
    const int m = (int)p->shape.m, n = (int)p->shape.n;
    int status = 0;
    for (int i = 0; i < calls && !status; i++)
        status = p->routine                      ? run_level3(s, p)
                 : p->layout == CLGEMM_ROW_MAJOR ? multiply(s, p, n, m, b, a)
                                                 : multiply(s, p, m, n, a, b);
    int waited = s->synchronize();
    enum outcome outcome = cuda_outcome(c, "cudaDeviceSynchronize", waited);
    char name[NAME_TEXT];
    return status ? contender_say(c, OUTCOME_FAILED, "%s: status %d",
                                  p->routine ? level3_name(name, p) : routine_of(p), status)
                  : outcome;
}

static void finish(struct contender *c) {
    struct cublas *s = c->state;
    void **matrices[] = {&s->a, &s->b, &s->c};
    for (int i = 0; i < 3; i++) {
        if (*matrices[i])
            s->release(*matrices[i]);
        *matrices[i] = NULL;
    }
}

/* The libraries stay loaded: they have threads of their own, and the process is about to end. */
static void close_cublas(struct contender *c) {
    struct cublas *s = c->state;
    if (s && s->handle)
        s->destroy(s->handle);
    free(s);
    c->state = NULL;
}

const struct contender_ops cublas_ops = {
    .key = "cublas",
    .title = "cuBLAS",
    .peer = PEER_CUBLAS,
    .open = open_cublas,
    .start = start,
    .start_c = start_c,
    .fetch_c = fetch_c,
    .run = run,
    .finish = finish,
    .close = close_cublas,
};
