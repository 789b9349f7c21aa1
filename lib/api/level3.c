/* SPDX-License-Identifier: Apache-2.0
 * clgemm_level3, clgemm_level3_cl, and the routines by the BLAS's names. */
#include <inttypes.h>

#include "api/call.h"
#include "api/gemm_cl.h"
#include "base/caller.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/process.h"
#include "device/error.h"
#include "device/event.h"
#include "host/host.h"
#include "routine/routine.h"

/* ---- Reading a description ---- */

/* Whether it has `side` and m; else it is a rank update, which has k. */
static bool has_side(clgemm_routine routine) {
    return clg_routine_is_triangular(routine) || routine == CLGEMM_SYMM || routine == CLGEMM_HEMM;
}

static clgemm_status check_desc(const clgemm_level3_desc *desc) {
    const bool triangular = clg_routine_is_triangular(desc->routine);
    const char *name = clg_routine_name(desc->routine);
    if (!name)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->routine = %d is not a clgemm_routine",
                        (int)desc->routine);
    if (!clg_type_is_known(desc->type))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->type = %d is not a clgemm_type",
                        (int)desc->type);
    if (clg_type_is_narrow(desc->type))
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "%s has no elements of 16 bits", name);
    if (!clg_math_word(desc->math))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->math = %d is not a clgemm_math",
                        (int)desc->math);
    if (has_side(desc->routine) && desc->side != CLGEMM_LEFT && desc->side != CLGEMM_RIGHT)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "side = %d is neither 141 nor 142",
                        (int)desc->side);
    if (desc->uplo != CLGEMM_UPPER && desc->uplo != CLGEMM_LOWER)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "uplo = %d is neither 121 nor 122",
                        (int)desc->uplo);
    if (triangular && desc->diag != CLGEMM_NON_UNIT && desc->diag != CLGEMM_UNIT)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "diag = %d is neither 131 nor 132",
                        (int)desc->diag);
    if (desc->batch < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->batch = %" PRId64 " is negative",
                        desc->batch);
    return CLGEMM_SUCCESS;
}

/* Reads a factor of a call, which is a single number where the BLAS has it so. */
static void read_factor(clgemm_type type, const void *factor, bool is_real, double *re,
                        double *im) {
    *re = clg_scalar_read(type, factor, 0);
    *im = is_real ? 0 : clg_scalar_read(type, factor, 1);
}

static clgemm_status read_call(struct clg_routine *out, const clgemm_level3_desc *given,
                               const clgemm_handle *handle, const void *alpha, const void *beta) {
    clgemm_level3_desc desc;
    clgemm_status status =
        clg_desc_copy(&desc, sizeof desc, offsetof(clgemm_level3_desc, batch), given);
    if (status || (status = check_desc(&desc)))
        return status;
    const bool triangular = clg_routine_is_triangular(desc.routine);
    if (!alpha || (!beta && !triangular))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "%s is NULL", alpha ? "beta" : "alpha");
    *out = (struct clg_routine){.routine = desc.routine,
                                .left = desc.side == CLGEMM_LEFT,
                                .upper = desc.uplo == CLGEMM_UPPER,
                                .unit = desc.diag == CLGEMM_UNIT,
                                .call = {.type = desc.type,
                                         .math = desc.math ? desc.math : clg_handle_math(handle),
                                         .layout = desc.layout,
                                         .ta = desc.trans,
                                         .m = has_side(desc.routine) ? desc.m : desc.n,
                                         .n = desc.n,
                                         .k = has_side(desc.routine) ? 0 : desc.k,
                                         .batch = desc.batch}};
    const int64_t lds[] = {desc.lda, desc.ldb, desc.ldc};
    const int64_t strides[] = {desc.stride_a, desc.stride_b, desc.stride_c};
    for (int i = 0; i < CLG_MATRICES; i++) {
        out->call.operand[i].ld = lds[i];
        out->call.operand[i].stride = desc.batch > 1 ? strides[i] : 0;
    }
    struct clg_scalars *scalars = &out->call.scalars;
    read_factor(desc.type, alpha, desc.routine == CLGEMM_HERK, &scalars->alpha,
                &scalars->alpha_imag);
    if (!triangular)
        read_factor(desc.type, beta, desc.routine == CLGEMM_HERK || desc.routine == CLGEMM_HER2K,
                    &scalars->beta, &scalars->beta_imag);
    return CLGEMM_SUCCESS;
}

/* ---- Verbose lines ---- */

/* A negative `ms` is unknown and left out. */
static void trace(const struct clg_routine *routine, const struct clg_facts *facts, double ms) {
    const struct clg_call *call = &routine->call;
    char time[32] = "";
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    if (ms >= 0)
        clg_format(time, sizeof time, " ms=%.4f", ms);
    clg_log(CLG_LOG_CALLS,
            "%s%s on=device device=\"%s\" m=%" PRId64 " n=%" PRId64 " k=%" PRId64 "%s",
            clg_types[call->type].letters, clg_routine_name(routine->routine), facts->name, call->m,
            call->n, call->k, time);
}

static clgemm_status end(const struct clg_routine *routine, const struct clg_caller *caller,
                         clgemm_status status) {
    const char *name = status ? clg_routine_name(routine->routine) : NULL;
    if (name)
        clg_log(CLG_LOG_CALLS, "%s%s failed status=%d error=\"%s\"",
                clg_types[routine->call.type].letters, name, (int)status, clg_last_error());
    return clg_caller_release(caller, status);
}

/* ---- Matrices in host memory ---- */

static clgemm_status run_on_host(clgemm_handle *handle, const struct clg_routine *routine,
                                 void *const matrices[CLG_MATRICES]) {
    clgemm_handle *used;
    clgemm_status status = clg_shared_use(handle, &used);
    if (status)
        return status;
    const double start = clg_clock_seconds();
    status = clg_handle_check_exit(used);
    if (!status)
        status = clg_cl_name_lost(clg_host_routine(&used->host, routine, matrices));
    if (!status)
        trace(routine, &used->engine.device->facts, 1e3 * (clg_clock_seconds() - start));
    clg_shared_end(handle, used, status);
    return status;
}

clgemm_status clgemm_level3(clgemm_handle *handle, const clgemm_level3_desc *desc,
                            const void *alpha, const void *a, const void *b, const void *beta,
                            void *c) {
    void *const matrices[] = {(void *)a, (void *)b, c};
    struct clg_routine routine = {.routine = 0};
    enum clg_work work;
    const struct clg_caller caller = clg_caller_hold();
    clgemm_status status = read_call(&routine, desc, handle, alpha, beta);
    if (status)
        return clg_caller_release(&caller, status);
    for (int i = 0; i < CLG_MATRICES; i++)
        routine.call.operand[i] = clg_host_operand(matrices[i], routine.call.operand[i].ld,
                                                   routine.call.operand[i].stride);
    status = clg_routine_check(&routine, &work);
    if (!status && work != CLG_WORK_NOTHING)
        status = run_on_host(handle, &routine, matrices);
    return end(&routine, &caller, status);
}

/* ---- The caller's buffers ---- */

/* Checks the arguments in their order, as clg_objects_check does. */
static clgemm_status check_objects(struct clg_routine *routine, const struct clg_objects *objects,
                                   enum clg_work *work, cl_context *context, cl_device_id *id) {
    const clgemm_status queue_status = clg_queue_owner(objects->where.queue, context, id);
    bool needed[CLG_MATRICES];
    *work = clg_routine_work(routine);
    for (int i = 0; i < CLG_MATRICES; i++)
        needed[i] = clg_routine_needs(routine, *work, i);
    const clgemm_status unknown =
        clg_operands_query(&routine->call, objects, needed, queue_status ? NULL : *context);
    const clgemm_status status = clg_routine_check(routine, work);
    return status ? status : clg_queue_check(&objects->where, unknown, queue_status);
}

/* Without work, an event of a marker. */
static clgemm_status enqueue(clgemm_handle *handle, const struct clg_routine *routine,
                             enum clg_work work, const struct clg_objects *objects) {
    struct clg_engine *engine = &handle->engine;
    struct clg_memory memory[CLG_MATRICES] = {{.buffer = NULL}};
    if (work == CLG_WORK_NOTHING)
        return objects->event ? clg_event_join(objects->where.queue, objects->where.num_wait,
                                               objects->where.wait_list, objects->event)
                              : CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES; i++)
        memory[i].buffer = objects->matrix[i];
    const clgemm_status status =
        clg_routine_run(engine, routine, memory, &objects->where, objects->event);
    if (!status)
        trace(routine, &engine->device->facts, -1);
    return status;
}

clgemm_status clgemm_level3_cl(clgemm_handle *handle, const clgemm_level3_desc *desc,
                               const void *alpha, cl_mem a, size_t a_offset, cl_mem b,
                               size_t b_offset, const void *beta, cl_mem c, size_t c_offset,
                               cl_command_queue queue, cl_uint num_wait, const cl_event *wait_list,
                               cl_event *event) {
    const struct clg_objects objects = {.matrix = {a, b, c},
                                        .offset = {a_offset, b_offset, c_offset},
                                        .where = {queue, num_wait, wait_list},
                                        .event = event};
    struct clg_routine routine = {.routine = 0};
    enum clg_work work;
    cl_context context = NULL;
    cl_device_id id = NULL;
    clgemm_handle *used = NULL;
    const struct clg_caller caller = clg_caller_hold();
    clgemm_status status = handle ? clg_handle_check(handle) : clg_process_check_fork();
    if (status || (status = read_call(&routine, desc, handle, alpha, beta)))
        return clg_caller_release(&caller, status);
    status = check_objects(&routine, &objects, &work, &context, &id);
    if (!status && !(status = clg_shared_use_for(handle, context, id, &used))) {
        status = enqueue(used, &routine, work, &objects);
        clg_shared_end(handle, used, status);
    }
    return end(&routine, &caller, status);
}

/* ---- By the BLAS's names ---- */

static clgemm_level3_desc describe(clgemm_routine routine, clgemm_type type, clgemm_layout layout,
                                   clgemm_uplo uplo, int64_t m, int64_t n, int64_t k) {
    return (clgemm_level3_desc){.size = sizeof(clgemm_level3_desc),
                                .routine = routine,
                                .type = type,
                                .layout = layout,
                                .side = CLGEMM_LEFT,
                                .uplo = uplo,
                                .trans = CLGEMM_NO_TRANS,
                                .diag = CLGEMM_NON_UNIT,
                                .m = m,
                                .n = n,
                                .k = k};
}

#define WITH_SIDE(name, routine, type, in, out, factor, address)                             \
    clgemm_status clgemm_##name(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,    \
                                int64_t m, int64_t n, factor alpha, in a, int64_t lda, in b, \
                                int64_t ldb, factor beta, out c, int64_t ldc) {              \
        clgemm_level3_desc desc =                                                            \
            describe(CLGEMM_##routine, CLGEMM_##type, layout, uplo, m, n, 0);                \
        desc.side = side, desc.lda = lda, desc.ldb = ldb, desc.ldc = ldc;                    \
        return clgemm_level3(NULL, &desc, address(alpha), a, b, address(beta), c);           \
    }
#define RANK_K(name, routine, type, in, out, factor, address)                                   \
    clgemm_status clgemm_##name(clgemm_layout layout, clgemm_uplo uplo, clgemm_transpose trans, \
                                int64_t n, int64_t k, factor alpha, in a, int64_t lda,          \
                                factor beta, out c, int64_t ldc) {                              \
        clgemm_level3_desc desc =                                                               \
            describe(CLGEMM_##routine, CLGEMM_##type, layout, uplo, n, n, k);                   \
        desc.trans = trans, desc.lda = lda, desc.ldb = lda, desc.ldc = ldc;                     \
        return clgemm_level3(NULL, &desc, address(alpha), a, NULL, address(beta), c);           \
    }
#define RANK_2K(name, routine, type, in, out, factor, address, factor2, address2)               \
    clgemm_status clgemm_##name(clgemm_layout layout, clgemm_uplo uplo, clgemm_transpose trans, \
                                int64_t n, int64_t k, factor alpha, in a, int64_t lda, in b,    \
                                int64_t ldb, factor2 beta, out c, int64_t ldc) {                \
        clgemm_level3_desc desc =                                                               \
            describe(CLGEMM_##routine, CLGEMM_##type, layout, uplo, n, n, k);                   \
        desc.trans = trans, desc.lda = lda, desc.ldb = ldb, desc.ldc = ldc;                     \
        return clgemm_level3(NULL, &desc, address(alpha), a, b, address2(beta), c);             \
    }
#define TRIANGULAR(name, routine, type, in, out, factor, address)                               \
    clgemm_status clgemm_##name(clgemm_layout layout, clgemm_side side, clgemm_uplo uplo,       \
                                clgemm_transpose trans, clgemm_diag diag, int64_t m, int64_t n, \
                                factor alpha, in a, int64_t lda, out b, int64_t ldb) {          \
        clgemm_level3_desc desc =                                                               \
            describe(CLGEMM_##routine, CLGEMM_##type, layout, uplo, m, n, 0);                   \
        desc.side = side, desc.trans = trans, desc.diag = diag, desc.lda = lda, desc.ldc = ldb; \
        return clgemm_level3(NULL, &desc, address(alpha), a, NULL, NULL, b);                    \
    }
#define OF_TYPE(letter, type, in, out, factor, address)                            \
    WITH_SIDE(letter##symm, SYMM, type, in, out, factor, address)                  \
    RANK_K(letter##syrk, SYRK, type, in, out, factor, address)                     \
    RANK_2K(letter##syr2k, SYR2K, type, in, out, factor, address, factor, address) \
    TRIANGULAR(letter##trmm, TRMM, type, in, out, factor, address)                 \
    TRIANGULAR(letter##trsm, TRSM, type, in, out, factor, address)

OF_TYPE(s, F32, const float *, float *, float, CLG_VALUE)
OF_TYPE(d, F64, const double *, double *, double, CLG_VALUE)
OF_TYPE(c, CF32, const void *, void *, const void *, CLG_ADDRESS)
OF_TYPE(z, CF64, const void *, void *, const void *, CLG_ADDRESS)
WITH_SIDE(chemm, HEMM, CF32, const void *, void *, const void *, CLG_ADDRESS)
WITH_SIDE(zhemm, HEMM, CF64, const void *, void *, const void *, CLG_ADDRESS)
RANK_K(cherk, HERK, CF32, const void *, void *, float, CLG_VALUE)
RANK_K(zherk, HERK, CF64, const void *, void *, double, CLG_VALUE)
RANK_2K(cher2k, HER2K, CF32, const void *, void *, const void *, CLG_ADDRESS, float, CLG_VALUE)
RANK_2K(zher2k, HER2K, CF64, const void *, void *, const void *, CLG_ADDRESS, double, CLG_VALUE)
