/* SPDX-License-Identifier: Apache-2.0
 * CLBlast, opened at run time, on the same queue and buffers as our device path. If its database
 * has no good row for a device, CLGEMM_BENCH_CLBLAST="Xgemm KWG=16 MWG=64 ..." sets all parameters
 * of one of its kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options.h"
#include "bench/peers/contender.h"

/* From CLBlast's C interface; layout and transposes have cblas.h's values, as ours do. */
#define GEMM_FUNCTION(name, scalar)                                                                \
    typedef int name(int layout, int ta, int tb, size_t m, size_t n, size_t k, scalar alpha,       \
                     cl_mem a, size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, \
                     scalar beta, cl_mem c, size_t c_offset, size_t ldc, cl_command_queue *queue,  \
                     cl_event *event)
GEMM_FUNCTION(clblast_sgemm, float);
GEMM_FUNCTION(clblast_dgemm, double);
GEMM_FUNCTION(clblast_hgemm, cl_half);

#define BATCH_FUNCTION(name, scalar)                                                         \
    typedef int name(int layout, int ta, int tb, size_t m, size_t n, size_t k, scalar alpha, \
                     cl_mem a, size_t a_offset, size_t lda, size_t stride_a, cl_mem b,       \
                     size_t b_offset, size_t ldb, size_t stride_b, scalar beta, cl_mem c,    \
                     size_t c_offset, size_t ldc, size_t stride_c, size_t batch,             \
                     cl_command_queue *queue, cl_event *event)
BATCH_FUNCTION(clblast_sgemm_batch, float);
BATCH_FUNCTION(clblast_dgemm_batch, double);
BATCH_FUNCTION(clblast_hgemm_batch, cl_half);

struct clblast {
    void *library;
    clblast_sgemm *sgemm;
    clblast_dgemm *dgemm;
    clblast_hgemm *hgemm;
    clblast_sgemm_batch *sgemm_batch;
    clblast_dgemm_batch *dgemm_batch;
    clblast_hgemm_batch *hgemm_batch;
    int (*clear_cache)(void);
    bool overridden;
};

/* Also from CLBlast's C interface. */
typedef int clblast_override(cl_device_id device, const char *kernel, int precision, size_t count,
                             const char **names, const size_t *values);

enum { PARAMETERS_MAX = 32 };

/* Passes the parameters on; `text` is changed. */
static enum outcome override_parameters(struct contender *c, clblast_override *override,
                                        char *text) {
    const char *names[PARAMETERS_MAX];
    size_t values[PARAMETERS_MAX], count = 0;
    char *rest = NULL, *kernel = strtok_r(text, " ,", &rest);
    for (char *word; count < PARAMETERS_MAX && (word = strtok_r(NULL, " ,", &rest)); count++) {
        char *equals = strchr(word, '=');
        if (!equals)
            return contender_say(c, OUTCOME_FAILED, "CLGEMM_BENCH_CLBLAST: no value in %s", word);
        *equals = '\0';
        names[count] = word;
        values[count] = strtoul(equals + 1, NULL, 10);
    }
    const int bits = 8 * (int)clg_type_size(c->problem->type);
    const int status =
        kernel ? override(c->device->open->id, kernel, bits, count, names, values) : -1;
    if (status)
        return contender_say(c, OUTCOME_FAILED, "CLBlast rejects CLGEMM_BENCH_CLBLAST: status %d",
                             status);
    return OUTCOME_OK;
}

/* Once, when the device is open. */
static enum outcome override_by_environment(struct contender *c) {
    struct clblast *state = c->state;
    const char *wish = getenv("CLGEMM_BENCH_CLBLAST");
    clblast_override *override = NULL;
    if (!wish || state->overridden)
        return OUTCOME_OK;
    char *text = strdup(wish);
    enum outcome outcome = OUTCOME_SKIPPED;
    if (!text)
        outcome = contender_say(c, OUTCOME_SKIPPED, "out of memory");
    else if (contender_symbol(c, state->library, "CLBlastOverrideParameters", &override))
        outcome = override_parameters(c, override, text);
    free(text);
    state->overridden = outcome == OUTCOME_OK;
    return outcome;
}

static enum outcome open_clblast(struct contender *c) {
    static const char *const names[] = {"libclblast.so.1", "libclblast.so", NULL};
    struct clblast *state = calloc(1, sizeof *state);
    c->state = state;
    if (!state)
        return contender_say(c, OUTCOME_SKIPPED, "out of memory");
    state->library = contender_library(c, names);
    if (!state->library || !contender_symbol(c, state->library, "CLBlastSgemm", &state->sgemm) ||
        !contender_symbol(c, state->library, "CLBlastDgemm", &state->dgemm) ||
        !contender_symbol(c, state->library, "CLBlastHgemm", &state->hgemm) ||
        !contender_symbol(c, state->library, "CLBlastSgemmStridedBatched", &state->sgemm_batch) ||
        !contender_symbol(c, state->library, "CLBlastDgemmStridedBatched", &state->dgemm_batch) ||
        !contender_symbol(c, state->library, "CLBlastHgemmStridedBatched", &state->hgemm_batch) ||
        !contender_symbol(c, state->library, "CLBlastClearCache", &state->clear_cache))
        return OUTCOME_SKIPPED;
    /* The library does not report its version. */
    const char *wish = getenv("CLGEMM_BENCH_CLBLAST");
    snprintf(c->about, sizeof c->about, "loaded%s%s", wish ? ", with " : "", wish ? wish : "");
    return OUTCOME_OK;
}

/* A factor as CLBlast's routine for halves takes it. */
static cl_half half_of(double factor) {
    return clg_narrow_bits(CLGEMM_F16, factor);
}

static bool is_half(double factor) {
    return clg_narrow_value(CLGEMM_F16, half_of(factor)) == factor;
}

/* 16-bit elements: CLBlast has halves only, and accumulates in halves too. */
static enum outcome check_type(struct contender *c) {
    const struct problem *p = c->problem;
    if (p->routine || p->type == CLGEMM_BF16 || clg_type_is_complex(p->type))
        return contender_no_routine(c);
    if (p->type != CLGEMM_F16)
        return contender_type(c);
    if (!c->device->open->facts.has_fp16)
        return contender_say(c, OUTCOME_SKIPPED, "CLBlast needs cl_khr_fp16");
    return is_half(p->alpha.re) && is_half(p->beta.re)
               ? OUTCOME_OK
               : contender_say(c, OUTCOME_SKIPPED, "CLBlast's alpha and beta are halves");
}

static enum outcome start(struct contender *c) {
    const struct shape *s = &c->problem->shape;
    if (!s->m || !s->n || !s->k)
        return contender_say(c, OUTCOME_SKIPPED, "CLBlast rejects sizes of 0");
    const enum outcome outcome = check_type(c);
    return outcome ? outcome : override_by_environment(c);
}

/* The routines of the types differ only in this. */
#define MULTIPLY(gemm, alpha, beta)                                                               \
    gemm((int)p->layout, (int)p->ta, (int)p->tb, (size_t)p->shape.m, (size_t)p->shape.n,          \
         (size_t)p->shape.k, alpha, d->a, 0, (size_t)p->lda, d->b, 0, (size_t)p->ldb, beta, d->c, \
         0, (size_t)p->ldc, &d->queue, NULL)
#define MULTIPLY_BATCH(gemm, alpha, beta)                                                \
    gemm((int)p->layout, (int)p->ta, (int)p->tb, (size_t)p->shape.m, (size_t)p->shape.n, \
         (size_t)p->shape.k, alpha, d->a, 0, (size_t)p->lda, (size_t)p->a_z, d->b, 0,    \
         (size_t)p->ldb, (size_t)p->b_z, beta, d->c, 0, (size_t)p->ldc, (size_t)p->c_z,  \
         (size_t)p->batch, &d->queue, NULL)

static int multiply_batch(const struct clblast *state, const struct problem *p, struct device *d) {
    switch (p->type) {
    case CLGEMM_F64:
        return MULTIPLY_BATCH(state->dgemm_batch, p->alpha.re, p->beta.re);
    case CLGEMM_F16:
        return MULTIPLY_BATCH(state->hgemm_batch, half_of(p->alpha.re), half_of(p->beta.re));
    default:
        return MULTIPLY_BATCH(state->sgemm_batch, (float)p->alpha.re, (float)p->beta.re);
    }
}

static int multiply(const struct clblast *state, const struct problem *p, struct device *d) {
    switch (p->type) {
    case CLGEMM_F64:
        return MULTIPLY(state->dgemm, p->alpha.re, p->beta.re);
    case CLGEMM_F16:
        return MULTIPLY(state->hgemm, half_of(p->alpha.re), half_of(p->beta.re));
    default:
        return MULTIPLY(state->sgemm, (float)p->alpha.re, (float)p->beta.re);
    }
}

static enum outcome run(struct contender *c, int calls) {
    const struct problem *p = c->problem;
    int status = 0;
    for (int i = 0; i < calls && !status; i++)
        status = p->batch > 1 ? multiply_batch(c->state, p, c->device)
                              : multiply(c->state, p, c->device);
    cl_int code = clFinish(c->device->queue);
    if (status)
        return contender_say(c, OUTCOME_FAILED, "CLBlast status %d", status);
    if (code)
        return contender_say(c, OUTCOME_FAILED, "clFinish: %s",
                             clgemm_status_name((clgemm_status)code));
    return OUTCOME_OK;
}

static void finish(struct contender *c) {
    (void)c;
}

/* The library stays loaded: its static objects may outlive us, and the process is about to end. */
static void close_clblast(struct contender *c) {
    struct clblast *state = c->state;
    if (c->open)
        state->clear_cache();
    free(state);
    c->state = NULL;
}

const struct contender_ops clblast_ops = {
    .key = "clblast",
    .title = "CLBlast",
    .peer = PEER_CLBLAST,
    .shares_device = true,
    .open = open_clblast,
    .start = start,
    .start_c = contender_start_device_c,
    .fetch_c = contender_fetch_device_c,
    .run = run,
    .finish = finish,
    .close = close_clblast,
};
