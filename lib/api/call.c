/* SPDX-License-Identifier: Apache-2.0
 * Reads the description of a public call, and logs the call. */
#include "api/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/log.h"
#include "gemm/family.h"

clgemm_desc clg_gemm_desc(clgemm_type type, clgemm_layout layout, clgemm_transpose ta,
                          clgemm_transpose tb, int64_t m, int64_t n, int64_t k, int64_t lda,
                          int64_t ldb, int64_t ldc) {
    return (clgemm_desc){.size = sizeof(clgemm_desc),
                         .type = type,
                         .layout = layout,
                         .ta = ta,
                         .tb = tb,
                         .m = m,
                         .n = n,
                         .k = k,
                         .lda = lda,
                         .ldb = ldb,
                         .ldc = ldc};
}

clgemm_status clg_desc_copy(void *out, size_t size, size_t least, const void *given) {
    enum { MOST = 4096 };
    const unsigned char *bytes = (const unsigned char *)given;
    size_t length;
    if (!given)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc is NULL");
    memcpy(&length, given, sizeof length);
    if (length < least || length > MOST)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->size = %zu is not that of its type",
                        length);
    for (size_t i = size; i < length; i++)
        if (bytes[i])
            return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                            "desc asks for something that version %d.%d does not know",
                            CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR);
    memset(out, 0, size);
    memcpy(out, given, length < size ? length : size);
    return CLGEMM_SUCCESS;
}

clgemm_status clg_desc_read(clgemm_desc *out, const clgemm_desc *given) {
    char text[128];
    clgemm_status status = clg_desc_copy(out, sizeof *out, offsetof(clgemm_desc, batch), given);
    if (status)
        return status;
    if (!clg_type_is_known(out->type))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->type = %d is not a clgemm_type",
                        (int)out->type);
    if (!clg_math_word(out->math))
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->math = %d is not a clgemm_math",
                        (int)out->math);
    if (out->batch < 0)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->batch = %" PRId64 " is negative",
                        out->batch);
    const char *why = clg_families_unsupported_reason(out->type, NULL, text, sizeof text);
    return why ? clg_fail(CLGEMM_STATUS_UNSUPPORTED, "%s", why) : CLGEMM_SUCCESS;
}

double clg_scalar_read(clgemm_type type, const void *scalar, int part) {
    const size_t size = clg_types[type].scalar_size;
    const char *at = (const char *)scalar + (size_t)part * size;
    double value;
    float single;
    if (part >= clg_type_parts(type))
        return 0;
    if (size == sizeof value) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&single, at, sizeof single);
    return (double)single;
}

const void *clg_scalar_of(clgemm_type type, bool one) {
    static const double doubles[][2] = {{0, 0}, {1, 0}};
    static const float floats[][2] = {{0, 0}, {1, 0}};
    return clg_types[type].scalar_size == sizeof **doubles ? (const void *)doubles[one]
                                                           : floats[one];
}

clgemm_status clg_call_init(struct clg_call *out, const clgemm_desc *desc, clgemm_math math,
                            const void *alpha, const void *beta) {
    if (!alpha || !beta)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "%s is NULL", alpha ? "beta" : "alpha");
    const int64_t lds[] = {desc->lda, desc->ldb, desc->ldc};
    const int64_t strides[] = {desc->stride_a, desc->stride_b, desc->stride_c};
    *out = (struct clg_call){
        .type = desc->type,
        .math = desc->math ? desc->math : math,
        .layout = desc->layout,
        .ta = desc->ta,
        .tb = desc->tb,
        .m = desc->m,
        .n = desc->n,
        .k = desc->k,
        .batch = desc->batch,
        .scalars = {clg_scalar_read(desc->type, alpha, 0), clg_scalar_read(desc->type, beta, 0),
                    clg_scalar_read(desc->type, alpha, 1), clg_scalar_read(desc->type, beta, 1)}};
    for (int i = 0; i < CLG_MATRICES; i++) {
        out->operand[i].ld = lds[i];
        out->operand[i].stride = desc->batch > 1 ? strides[i] : 0;
    }
    return CLGEMM_SUCCESS;
}

/* ---- Verbose lines ---- */

static char letter_of(clgemm_transpose transpose, clgemm_type type) {
    return transpose == CLGEMM_NO_TRANS                                  ? 'N'
           : transpose == CLGEMM_CONJ_TRANS && clg_type_is_complex(type) ? 'C'
                                                                         : 'T';
}

/* "0.5", or "0.5,2" if the type is complex. */
static void write_factor(const struct clg_call *call, double real, double imag, char *out,
                         size_t size) {
    const int digits = clg_types[call->type].scalar_size == sizeof(double) ? 17 : 9;
    if (clg_type_is_complex(call->type))
        clg_format(out, size, "%.*g,%.*g", digits, real, digits, imag);
    else
        clg_format(out, size, "%.*g", digits, real);
}

/* The benchmark command that repeats the call's problem, without a batch's strides. */
static void write_replay(const struct clg_call *call, char *out, size_t size) {
    char type[16] = "", math[24] = "", batch[32] = "", alpha[64], beta[64];
    write_factor(call, call->scalars.alpha, call->scalars.alpha_imag, alpha, sizeof alpha);
    write_factor(call, call->scalars.beta, call->scalars.beta_imag, beta, sizeof beta);
    if (call->type != CLGEMM_F32)
        snprintf(type, sizeof type, " --type %s", clg_types[call->type].letters);
    if (call->math > CLGEMM_MATH_STRICT)
        snprintf(math, sizeof math, " --math %s", clg_math_word(call->math));
    if (call->batch > 1)
        snprintf(batch, sizeof batch, " --batch %" PRId64, call->batch);
    clg_format(out, size,
               "clgemm-bench --shape %" PRId64 "x%" PRId64 "x%" PRId64
               "%s%s%s --trans %c%c --layout %s --alpha %s --beta %s",
               call->m, call->n, call->k, type, math, batch, letter_of(call->ta, call->type),
               letter_of(call->tb, call->type), call->layout == CLGEMM_ROW_MAJOR ? "row" : "col",
               alpha, beta);
}

/* The caller's operand whose packed layout the plan uses: 'a', 'b', or 0. */
static char packed_operand(const struct clg_call *call, const struct clg_plan *plan) {
    const bool swapped = call->layout == CLGEMM_ROW_MAJOR; /* the plan may belong to another call */
    if (plan->packed < 0)
        return 0;
    return (plan->problem.ahead.which == CLG_A) == swapped ? 'b' : 'a';
}

void clg_trace_call(const struct clg_call *call, const struct clg_plan *plan,
                    const struct clg_facts *facts, double ms) {
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    char replay[256], time[32] = "", note[16] = "";
    const char packed = packed_operand(call, plan);
    write_replay(call, replay, sizeof replay);
    if (packed)
        snprintf(note, sizeof note, "packed=%c ", packed);
    if (ms >= 0)
        clg_format(time, sizeof time, "ms=%.4f ", ms);
    clg_log(CLG_LOG_CALLS, "%sgemm on=device why=%s device=\"%s\" family=%s %s%sreplay=\"%s%s\"",
            clg_types[call->type].letters, plan->why, facts->name, clg_plan_family_name(plan), note,
            time, replay, packed == 'b' ? " --packed-b" : "");
    if (plan->slab < plan->problem.n)
        clg_log(CLG_LOG_PLANS, "  in slabs of %" PRId64 " %s", plan->slab,
                plan->problem.swapped ? "rows" : "columns");
    if (plan->each)
        clg_log(CLG_LOG_PLANS, "  one product after the other");
    for (int s = packed != 0; s < plan->num_steps; s++)
        clg_log(CLG_LOG_PLANS, "  step %s [%s] %" PRIu64 " groups of %" PRIu64,
                plan->steps[s].source, plan->steps[s].options, plan->steps[s].groups,
                plan->steps[s].group_size);
}

void clg_trace_failure(const struct clg_call *call, clgemm_status status) {
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    char replay[256];
    write_replay(call, replay, sizeof replay);
    clg_log(CLG_LOG_CALLS, "%sgemm failed status=%d error=\"%s\" replay=\"%s\"",
            clg_types[call->type].letters, (int)status, clg_last_error(), replay);
}
