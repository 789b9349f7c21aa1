/* SPDX-License-Identifier: Apache-2.0
 * Reads the description of a public call. */
#include "api/call.h"

#include <inttypes.h>
#include <string.h>

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

/* Converts a description of another version to this version's. Fields that the caller's lacks are
 * 0. */
static clgemm_status copy_desc(clgemm_desc *out, const clgemm_desc *given) {
    enum { LEAST = offsetof(clgemm_desc, batch), MOST = 4096 };
    const unsigned char *bytes = (const unsigned char *)given;
    if (!given)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc is NULL");
    if (given->size < LEAST || given->size > MOST)
        return clg_fail(CLGEMM_STATUS_INVALID_DESC, "desc->size = %zu is not sizeof(clgemm_desc)",
                        given->size);
    for (size_t i = sizeof *out; i < given->size; i++)
        if (bytes[i])
            return clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                            "desc asks for something that version %d.%d does not know",
                            CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR);
    memset(out, 0, sizeof *out);
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    return CLGEMM_SUCCESS;
}

clgemm_status clg_desc_read(clgemm_desc *out, const clgemm_desc *given) {
    char text[128];
    clgemm_status status = copy_desc(out, given);
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

static double read_scalar(clgemm_type type, const void *scalar) {
    double value;
    float single;
    if (clg_types[type].scalar_size == sizeof value) {
        memcpy(&value, scalar, sizeof value);
        return value;
    }
    memcpy(&single, scalar, sizeof single);
    return (double)single;
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
        .scalars = {read_scalar(desc->type, alpha), read_scalar(desc->type, beta)}};
    for (int i = 0; i < CLG_MATRICES; i++) {
        out->operand[i].ld = lds[i];
        out->operand[i].stride = desc->batch > 1 ? strides[i] : 0;
    }
    return CLGEMM_SUCCESS;
}
