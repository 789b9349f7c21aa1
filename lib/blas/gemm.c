/* SPDX-License-Identifier: Apache-2.0
 * Sends a call of sgemm where it pays, and to the CPU when that fails. */
#include "blas/gemm.h"

#include "blas/arguments.h"
#include "blas/cpu.h"
#include "blas/engine.h"
#include "blas/keep.h"
#include "blas/report.h"
#include "blas/trace.h"

static enum clg_where choose(const struct clg_gemm *call) {
    if (call->m == 0 || call->n == 0 || call->k == 0 || call->alpha == 0)
        return CLG_ON_NO_WORK;
    if (call->ta == CLG_CONJ_NO_TRANS || call->tb == CLG_CONJ_NO_TRANS)
        return CLG_ON_FORM;
    return clg_engine_choose(2.0 * (double)call->m * (double)call->n * (double)call->k);
}

/* With beta = 0 nothing in C is read, and a failure costs nothing but time. Else C is kept, as a
 * device that works on the caller's own memory may fail with half of it written. */
static enum clg_where on_device(const struct clg_gemm *call) {
    struct clg_kept *kept = NULL;
    if (call->beta != 0 && !(kept = clg_keep(call)))
        return CLG_ON_MEMORY;
    const enum clg_where where = clg_engine_gemm(call);
    if (where != CLG_ON_DEVICE && kept)
        clg_keep_restore(kept, call);
    clg_keep_release(kept);
    return where;
}

enum clg_where clg_gemm_compute(const struct clg_route *route, const struct clg_gemm *call) {
    enum clg_where where = choose(call);
    if (where == CLG_ON_DEVICE)
        where = on_device(call);
    if (where != CLG_ON_DEVICE)
        clg_cpu_gemm(route, call);
    return where;
}

void clg_gemm_enter(const struct clg_route *route, const struct clg_gemm *call) {
    if (clg_depth > 0) {
        clg_cpu_gemm(route, call);
        return;
    }
    const int wrong = clg_gemm_check(call, route->name->convention);
    if (wrong) {
        const int enumerators[] = {0, call->layout, call->ta, call->tb};
        clg_report(route, wrong, call->layout == CLGEMM_ROW_MAJOR,
                   wrong < 4 ? enumerators[wrong] : 0);
        return;
    }
    if (!clg_is_watched()) {
        clg_gemm_compute(route, call);
        return;
    }
    const uint64_t start = clg_now_ns();
    const enum clg_where where = clg_gemm_compute(route, call);
    clg_note_gemm(call, where, clg_now_ns() - start);
}
