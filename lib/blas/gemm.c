/* SPDX-License-Identifier: Apache-2.0
 * Decides where a product runs, and computes it on the CPU when the device fails. */
#include "blas/gemm.h"

#include "base/clock.h"
#include "blas/arguments.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/engine.h"
#include "blas/keep.h"
#include "blas/report.h"
#include "blas/trace.h"

static enum clg_where choose(const struct clg_gemm *call) {
    if (call->m == 0 || call->n == 0 || call->k == 0 ||
        clg_element_is_zero(call->type, call->alpha))
        return CLG_ON_NO_WORK;
    if (call->ta == CLG_CONJ_NO_TRANS || call->tb == CLG_CONJ_NO_TRANS)
        return CLG_ON_ARGUMENTS;
    const double flops = clg_gemm_flops(call);
    return clg_engine_choose(call->type, &(struct clg_work){flops, flops, 0});
}

/* The part of a call that computes `count` lines of C. */
static struct clg_gemm part_of(const struct clg_gemm *call, int64_t first, int64_t count) {
    struct clg_gemm part = *call;
    if (call->layout == CLGEMM_ROW_MAJOR) {
        part.m = count;
        part.a = clg_element_at(call->type, call->a,
                                first * (call->ta == CLGEMM_NO_TRANS ? call->lda : 1));
    } else {
        part.n = count;
        part.b = clg_element_at(call->type, call->b,
                                first * (call->tb == CLGEMM_NO_TRANS ? call->ldb : 1));
    }
    part.c = clg_element_at(call->type, call->c, first * call->ldc);
    return part;
}

/* If beta is not 0, C is copied first: a device may fail after it has written part of C. */
enum clg_where clg_batch_on_device(const struct clg_batch *batch) {
    struct clg_kept *kept = NULL;
    if (!clg_element_is_zero(batch->gemm.type, batch->gemm.beta) && !(kept = clg_keep(batch)))
        return CLG_ON_MEMORY;
    const enum clg_where where = clg_engine_gemm(batch);
    if (where != CLG_ON_DEVICE && kept)
        clg_keep_restore(kept, batch);
    clg_keep_release(kept);
    return where;
}

/* Lines of C that one call on the device may compute: all, or those whose copy is small enough. */
static int64_t lines_at_once(const struct clg_gemm *call) {
    const struct clg_lines lines = clg_lines_of(call);
    const int64_t most = CLG_KEPT_MOST / (int64_t)clg_element_size(call->type) / lines.length;
    return clg_element_is_zero(call->type, call->beta) || most >= lines.count ? lines.count
           : most < 1                                                         ? 1
                                                                              : most;
}

enum clg_where clg_gemm_compute(const struct clg_route *route, const struct clg_gemm *call) {
    enum clg_where where = choose(call);
    const int64_t count = clg_lines_of(call).count;
    int64_t done = 0;
    while (where == CLG_ON_DEVICE && done < count) {
        const int64_t left = count - done, most = lines_at_once(call);
        const struct clg_batch part = {.gemm = part_of(call, done, left < most ? left : most),
                                       .count = 1};
        where = clg_batch_on_device(&part);
        if (where == CLG_ON_DEVICE)
            done += left < most ? left : most;
    }
    if (where != CLG_ON_DEVICE) {
        const struct clg_gemm rest = part_of(call, done, count - done);
        clg_cpu_gemm(route, &rest);
    }
    return where;
}

void clg_gemm_enter(const struct clg_route *route, const struct clg_gemm *call) {
    if (clg_depth > 0) {
        clg_cpu_gemm(route, call);
        return;
    }
    const int wrong = clg_gemm_check(call, route->name->convention);
    if (wrong) {
        clg_report_gemm(route, wrong, call);
        return;
    }
    if (!clg_is_watched()) {
        clg_gemm_compute(route, call);
        return;
    }
    const int64_t start = clg_clock_ns();
    const enum clg_where where = clg_gemm_compute(route, call);
    clg_note_gemm(route->name->routine, call, where, clg_clock_ns() - start);
}
