/* SPDX-License-Identifier: Apache-2.0
 * cuBLASXt, opened at run time: from host to host, like our host path. Once on the matrices that
 * all contenders have, and once on copies in memory pinned by CUDA, which it transfers several
 * times as fast. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options.h"
#include "bench/peers/cuda.h"

typedef void *cublasxt_handle;
/* With void for the element: a pointer is passed alike. */
typedef int cublasxt_gemm(cublasxt_handle handle, int ta, int tb, size_t m, size_t n, size_t k,
                          const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                          const void *beta, void *c, size_t ldc);

static const char *const routines[] = {[CLGEMM_F32] = "cublasXtSgemm",
                                       [CLGEMM_F64] = "cublasXtDgemm",
                                       [CLGEMM_CF32] = "cublasXtCgemm",
                                       [CLGEMM_CF64] = "cublasXtZgemm"};
enum { ROUTINES = sizeof routines / sizeof *routines };

struct cublasxt {
    struct cuda cuda;
    int (*create)(cublasxt_handle *out);
    int (*destroy)(cublasxt_handle handle);
    int (*select)(cublasxt_handle handle, int count, int *devices);
    int (*version)(int *out);
    int (*allocate)(void **out, size_t bytes);
    int (*release)(void *memory);
    cublasxt_gemm *gemm[ROUTINES];
    cublasxt_handle handle;
    void *a, *b, *c; /* pinned, or NULL */
};

static bool load(struct contender *c, struct cublasxt *s) {
    void *runtime = NULL, *cublas = cuda_load(c, &s->cuda, &runtime);
    bool loaded = cublas != NULL;
    for (int i = 0; i < ROUTINES && loaded; i++)
        loaded = !routines[i] || contender_symbol(c, cublas, routines[i], &s->gemm[i]);
    return loaded && contender_symbol(c, runtime, "cudaRuntimeGetVersion", &s->version) &&
           contender_symbol(c, runtime, "cudaMallocHost", &s->allocate) &&
           contender_symbol(c, runtime, "cudaFreeHost", &s->release) &&
           contender_symbol(c, cublas, "cublasXtCreate", &s->create) &&
           contender_symbol(c, cublas, "cublasXtDestroy", &s->destroy) &&
           contender_symbol(c, cublas, "cublasXtDeviceSelect", &s->select);
}

static enum outcome open_cublasxt(struct contender *c) {
    struct cublasxt *s = calloc(1, sizeof *s);
    int device, devices[CLG_DEVICES_MOST] = {0}, version = 0, status;
    c->state = s;
    if (!s)
        return contender_say(c, OUTCOME_SKIPPED, "out of memory");
    if (!load(c, s) || !cuda_choose(c, &s->cuda, &device))
        return OUTCOME_SKIPPED;
    if ((status = s->create(&s->handle)) != 0) {
        s->handle = NULL;
        return contender_say(c, OUTCOME_SKIPPED, "cublasXtCreate: status %d", status);
    }
    const int count = cuda_list(c, &s->cuda, devices);
    if ((status = s->select(s->handle, count ? count : 1, devices)) != 0)
        return contender_say(c, OUTCOME_SKIPPED, "cublasXtDeviceSelect: status %d", status);
    s->version(&version);
    cuda_about(c, &s->cuda, device, version);
    if (count > 1) {
        const size_t used = strlen(c->about);
        snprintf(c->about + used, sizeof c->about - used, " and %d more", count - 1);
    }
    return OUTCOME_OK;
}

static enum outcome start(struct contender *c) {
    if (c->problem->batch != 1)
        return contender_say(c, OUTCOME_SKIPPED, "cuBLASXt has no batches of host matrices");
    return !c->problem->routine && routines[c->problem->type] ? OUTCOME_OK
                                                              : contender_no_routine(c);
}

static enum outcome new_pinned(struct contender *c, const void *from, size_t count, void **out) {
    struct cublasxt *s = c->state;
    const size_t bytes = count * clg_type_size(c->problem->type);
    const enum outcome outcome =
        cuda_outcome(c, "cudaMallocHost", s->allocate(out, bytes ? bytes : 1));
    if (outcome)
        *out = NULL;
    else if (from)
        memcpy(*out, from, bytes);
    return outcome;
}

static enum outcome start_pinned(struct contender *c) {
    struct cublasxt *s = c->state;
    const struct problem *p = c->problem;
    enum outcome outcome = start(c);
    if (!outcome)
        outcome = new_pinned(c, p->a, p->a_count, &s->a);
    if (!outcome)
        outcome = new_pinned(c, p->b, p->b_count, &s->b);
    return outcome ? outcome : new_pinned(c, NULL, p->c_count, &s->c);
}

static enum outcome start_pinned_c(struct contender *c, void *scratch) {
    struct cublasxt *s = c->state;
    (void)scratch;
    problem_start_c(c->problem, s->c);
    return OUTCOME_OK;
}

static enum outcome fetch_pinned_c(struct contender *c, void *out) {
    const struct cublasxt *s = c->state;
    memcpy(out, s->c, problem_c_bytes(c->problem));
    return OUTCOME_OK;
}

/* Column-major, as cuBLAS: a row-major C is the column-major product of B and A swapped. */
static enum outcome run(struct contender *c, int calls) {
    const struct cublasxt *s = c->state;
    const struct problem *p = c->problem;
    const union scalar alpha = element_scalar(p->type, p->alpha),
                       beta = element_scalar(p->type, p->beta);
    const void *a = s->a ? s->a : p->a, *b = s->b ? s->b : p->b;
    void *out = s->c ? s->c : p->c;
    const int ta = cuda_transpose(p->ta), tb = cuda_transpose(p->tb);
    const size_t m = (size_t)p->shape.m, n = (size_t)p->shape.n, k = (size_t)p->shape.k;
    const size_t lda = (size_t)p->lda, ldb = (size_t)p->ldb, ldc = (size_t)p->ldc;
    int status = 0;
    for (int i = 0; i < calls && !status; i++)
        status = p->layout == CLGEMM_ROW_MAJOR
                     ? s->gemm[p->type](s->handle, tb, ta, n, m, k, &alpha, b, ldb, a, lda, &beta,
                                        out, ldc)
                     : s->gemm[p->type](s->handle, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta,
                                        out, ldc);
    return status ? contender_say(c, OUTCOME_FAILED, "%s: status %d", routines[p->type], status)
                  : OUTCOME_OK;
}

static void finish(struct contender *c) {
    struct cublasxt *s = c->state;
    void **matrices[] = {&s->a, &s->b, &s->c};
    for (int i = 0; i < 3; i++) {
        if (*matrices[i])
            s->release(*matrices[i]);
        *matrices[i] = NULL;
    }
}

/* The libraries stay loaded, as with cuBLAS. */
static void close_cublasxt(struct contender *c) {
    struct cublasxt *s = c->state;
    if (s && s->handle)
        s->destroy(s->handle);
    free(s);
    c->state = NULL;
}

const struct contender_ops cublasxt_ops = {
    .key = "cublasxt",
    .title = "cuBLASXt, host to host",
    .peer = PEER_CUBLASXT,
    .host_matrices = true,
    .open = open_cublasxt,
    .start = start,
    .start_c = contender_start_host_c,
    .fetch_c = contender_fetch_host_c,
    .run = run,
    .finish = finish,
    .close = close_cublasxt,
};

const struct contender_ops cublasxt_pinned_ops = {
    .key = "cublasxt_pinned",
    .title = "cuBLASXt, pinned",
    .peer = PEER_CUBLASXT,
    .host_matrices = true,
    .open = open_cublasxt,
    .start = start_pinned,
    .start_c = start_pinned_c,
    .fetch_c = fetch_pinned_c,
    .run = run,
    .finish = finish,
    .close = close_cublasxt,
};
