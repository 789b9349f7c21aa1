/* SPDX-License-Identifier: Apache-2.0
 * Decides where calls of level 3's other routines run, and lets the CPU compute what the device
 * could not. */
#include "blas/arguments.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/engine.h"
#include "blas/enter.h"
#include "blas/keep.h"
#include "blas/trace.h"

/* Rank updates of complex numbers have one way to transpose. Other values are refused in columns,
 * but some BLAS take them in rows. */
static bool is_taken(const clgemm_level3_desc *desc) {
    const bool is_complex = clg_parts(desc->type) > 1;
    if (clg_is_symmetric(desc->routine) || desc->trans == CLGEMM_NO_TRANS)
        return true;
    if (is_complex && clg_is_rank(desc->routine))
        return desc->trans == (clg_is_hermitian(desc->routine) ? CLGEMM_CONJ_TRANS : CLGEMM_TRANS);
    return desc->trans == CLGEMM_TRANS || desc->trans == CLGEMM_CONJ_TRANS;
}

static bool reads_c(const struct clg_level3 *call) {
    return clg_is_triangular(call->desc.routine) ||
           !clg_element_is_zero(clg_beta_type(call), call->beta);
}

/* Elements that a call on the device transfers: of a triangular or symmetric matrix its triangle,
 * of a C that is read twice as many. */
static double elements_of(const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    const double m = (double)desc->m, n = (double)desc->n, k = (double)desc->k;
    const bool is_rank = clg_is_rank(desc->routine);
    const double side = is_rank ? n : (double)clg_side(desc), triangle = side * (side + 1) / 2;
    const double a = is_rank ? n * k : triangle, c = is_rank ? triangle : m * n;
    const double b = clg_is_rank_2k(desc->routine)     ? n * k
                     : clg_is_symmetric(desc->routine) ? m * n
                                                       : 0;
    return a + b + c * (reads_c(call) ? 2 : 1);
}

static enum clg_where choose(const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    const double flops = clg_level3_flops(call);
    if (flops == 0 || clg_element_is_zero(clg_alpha_type(call), call->alpha))
        return CLG_ON_NO_WORK;
    if (!is_taken(desc))
        return CLG_ON_ARGUMENTS;
    return clg_engine_choose(desc->type,
                             &(struct clg_work){flops, flops, true, flops / elements_of(call)});
}

/* Computes on the device. If the call reads C, C is copied first, because a device may fail after
 * it has written part of it: on any other result C is as it was, or is not read. */
static enum clg_where on_device(const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    const bool is_rank = clg_is_rank(desc->routine);
    const struct clg_batch c = {.gemm = {.type = desc->type,
                                         .layout = (int)desc->layout,
                                         .m = is_rank ? desc->n : desc->m,
                                         .n = desc->n,
                                         .c = call->c,
                                         .ldc = desc->ldc},
                                .count = 1};
    struct clg_kept *kept = NULL;
    if (reads_c(call) && !(kept = clg_keep(&c)))
        return CLG_ON_MEMORY;
    const enum clg_where where = clg_engine_level3(call);
    if (where != CLG_ON_DEVICE && kept && is_rank)
        clg_keep_restore_triangle(kept, &c.gemm, desc->uplo);
    else if (where != CLG_ON_DEVICE && kept)
        clg_keep_restore(kept, &c);
    clg_keep_release(kept);
    return where;
}

void clg_level3_enter(const struct clg_route *route, const struct clg_level3 *call) {
    if (clg_depth > 0) {
        clg_cpu_level3(route, call);
        return;
    }
    const int wrong = clg_level3_check(call, route->name->convention);
    if (wrong) {
        clg_report_level3(route, wrong, call);
        return;
    }
    const int64_t start = clg_note_start();
    enum clg_where where = choose(call);
    if (where == CLG_ON_DEVICE)
        where = on_device(call);
    if (where != CLG_ON_DEVICE)
        clg_cpu_level3(route, call);
    clg_note_level3(route->name->routine, call, where, start);
}
