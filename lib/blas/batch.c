/* SPDX-License-Identifier: Apache-2.0
 * Decides where products run, and computes them on the CPU when the device fails. */
#include "base/checked.h"
#include "blas/arguments.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/engine.h"
#include "blas/enter.h"
#include "blas/keep.h"
#include "blas/trace.h"

/* ---- The choice ---------------------------------------------------------------------------- */

static bool has_work(const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    return batch->count > 0 && one->m && one->n && one->k &&
           !clg_element_is_zero(one->type, one->alpha);
}

/* Whether no stride is negative and no two C overlap, as the device requires. */
static bool are_apart(const struct clg_batch *batch) {
    const struct clg_lines lines = clg_lines_of(&batch->gemm);
    int64_t span;
    return batch->stride_a >= 0 && batch->stride_b >= 0 &&
           !__builtin_mul_overflow(lines.count - 1, batch->gemm.ldc, &span) &&
           !__builtin_add_overflow(span, lines.length, &span) && batch->stride_c >= span;
}

/* Finds the strides of a batch given by arrays, if its matrices are at equal distances. Such a
 * batch is one call on the device. */
static bool find_strides(struct clg_batch *batch) {
    const size_t size = clg_element_size(batch->gemm.type), count = (size_t)batch->count;
    return clg_are_even(batch->a, count, size, &batch->stride_a) &&
           clg_are_even(batch->b, count, size, &batch->stride_b) &&
           clg_are_even(batch->c, count, size, &batch->stride_c);
}

static struct clg_work work_of(const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    const double m = (double)one->m, n = (double)one->n, k = (double)one->k,
                 each = clg_gemm_flops(one);
    struct clg_batch even = *batch;
    const bool at_once =
        batch->count == 1 || !batch->c || (find_strides(&even) && are_apart(&even));
    const double count = at_once ? (double)batch->count : 1;
    const double elements = m * k * (even.stride_a ? count : 1) +
                            k * n * (even.stride_b ? count : 1) +
                            m * n * count * (clg_element_is_zero(one->type, one->beta) ? 1 : 2);
    return (struct clg_work){each * (double)batch->count, each, at_once, each * count / elements};
}

enum clg_where clg_batch_choose(const struct clg_batch *batch) {
    const struct clg_gemm *one = &batch->gemm;
    if (!has_work(batch))
        return CLG_ON_NO_WORK;
    if (one->ta == CLG_CONJ_NO_TRANS || one->tb == CLG_CONJ_NO_TRANS ||
        (!batch->c && batch->count > 1 && !are_apart(batch)))
        return CLG_ON_ARGUMENTS;
    const struct clg_work work = work_of(batch);
    return clg_engine_choose(one->type, &work);
}

/* ---- One product --------------------------------------------------------------------------- */

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

/* Computes on the device what is to run there. If beta is not 0, C is copied first, because a
 * device may fail after it has written part of it: on any other result C is unchanged. */
static enum clg_where on_device(const struct clg_batch *batch) {
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

static enum clg_where compute_one(const struct clg_route *route, const struct clg_gemm *call) {
    enum clg_where where = clg_batch_choose(&(struct clg_batch){.gemm = *call, .count = 1});
    const int64_t count = clg_lines_of(call).count;
    int64_t done = 0;
    while (where == CLG_ON_DEVICE && done < count) {
        const int64_t left = count - done, most = lines_at_once(call);
        const struct clg_batch part = {.gemm = part_of(call, done, left < most ? left : most),
                                       .count = 1};
        where = on_device(&part);
        if (where == CLG_ON_DEVICE)
            done += left < most ? left : most;
    }
    if (where != CLG_ON_DEVICE) {
        const struct clg_gemm rest = part_of(call, done, count - done);
        clg_cpu_gemm(route, &rest);
    }
    return where;
}

/* ---- A batch ------------------------------------------------------------------------------- */

/* The number of products whose C may be kept at once; 0 if one C alone is too large. */
static int64_t products_at_once(const struct clg_batch *batch) {
    const struct clg_lines lines = clg_lines_of(&batch->gemm);
    const double bytes =
        (double)lines.count * (double)lines.length * (double)clg_element_size(batch->gemm.type);
    return clg_element_is_zero(batch->gemm.type, batch->gemm.beta)
               ? batch->count
               : (int64_t)(CLG_KEPT_MOST / bytes);
}

void clg_batch_one_by_one(const struct clg_route *route, const struct clg_batch *batch,
                          int64_t first) {
    for (int64_t z = first; z < batch->count; z++) {
        const struct clg_gemm product = clg_batch_product(batch, z);
        clg_cpu_gemm(route, &product);
    }
}

/* Computes each product as a call of its own, which splits C into parts. */
static enum clg_where as_calls(const struct clg_route *route, const struct clg_batch *batch) {
    enum clg_where where = CLG_ON_DEVICE;
    for (int64_t z = 0; z < batch->count; z++) {
        const struct clg_gemm product = clg_batch_product(batch, z);
        const enum clg_where got = compute_one(route, &product);
        where = got == CLG_ON_DEVICE ? where : got;
    }
    return where;
}

enum clg_where clg_batch_compute(const struct clg_route *route, const struct clg_batch *batch) {
    const int64_t most = products_at_once(batch);
    enum clg_where where = CLG_ON_DEVICE;
    int64_t done = 0;
    if (most == 0)
        return as_calls(route, batch);
    while (where == CLG_ON_DEVICE && done < batch->count) {
        const int64_t left = batch->count - done, count = left < most ? left : most;
        const struct clg_batch part = clg_batch_part(batch, done, count);
        where = on_device(&part);
        if (where == CLG_ON_DEVICE)
            done += count;
    }
    if (where != CLG_ON_DEVICE)
        clg_batch_one_by_one(route, batch, done);
    return where;
}

/* ---- Exported names ------------------------------------------------------------------------ */

static void pass_on(const struct clg_route *route, const struct clg_batch *batch) {
    if (!clg_kind_is_batch(clg_routines[route->name->routine].kind))
        clg_cpu_gemm(route, &batch->gemm);
    else if (route->next)
        clg_cpu_batch(route, batch);
    else
        clg_batch_one_by_one(route, batch, 0);
}

void clg_batch_enter(const struct clg_route *route, const struct clg_batch *call) {
    if (clg_depth > 0) {
        pass_on(route, call);
        return;
    }
    const int wrong = clg_batch_check(call, route->name->convention);
    if (wrong) {
        clg_report_gemm(route, wrong, &call->gemm);
        return;
    }
    if (call->count == 0)
        return;
    const int64_t start = clg_note_start();
    enum clg_where where = clg_batch_choose(call);
    if (where == CLG_ON_DEVICE)
        where = clg_batch_compute(route, call);
    else
        pass_on(route, call);
    if (start) {
        const struct clg_noted noted = clg_noted_of(call);
        clg_note_batch(route->name->routine, &noted, where, start);
    }
}
