/* SPDX-License-Identifier: Apache-2.0
 * Computes syrk in blocks, as large as possible, by gemm. */
#include "blas/arguments.h"
#include "blas/batch.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/engine.h"
#include "blas/enter.h"
#include "blas/trace.h"

/* Triangles up to SMALL are computed as whole squares, not split, because each product has the same
 * overhead. Blocks begin at multiples of UNIT, so that columns stay aligned for vector loads. */
enum { SMALL = 64, UNIT = 16 };

/* The same call in column-major order. A row-major C is its own transpose in columns, and C is
 * symmetric, so only the triangle and `trans` change. */
static struct clg_syrk in_columns(const struct clg_syrk *call) {
    struct clg_syrk transposed = *call;
    if (call->layout == CLGEMM_ROW_MAJOR) {
        transposed.layout = CLGEMM_COL_MAJOR;
        transposed.uplo = call->uplo == CLG_UPPER ? CLG_LOWER : CLG_UPPER;
        transposed.trans = call->trans == CLGEMM_NO_TRANS ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    }
    return transposed;
}

/* Rows of op(A) from `first` on. */
static const void *rows_from(const struct clg_syrk *call, int64_t first) {
    return clg_element_at(call->type, call->a,
                          call->trans == CLGEMM_NO_TRANS ? first : first * call->lda);
}

/* The block C(i:i+m, j:j+n): the product of rows i:i+m and rows j:j+n of op(A). */
static struct clg_gemm block(const struct clg_syrk *call, int64_t i, int64_t m, int64_t j,
                             int64_t n) {
    const bool plain = call->trans == CLGEMM_NO_TRANS;
    return (struct clg_gemm){.type = call->type,
                             .layout = CLGEMM_COL_MAJOR,
                             .ta = plain ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                             .tb = plain ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                             .m = m,
                             .n = n,
                             .k = call->k,
                             .alpha = call->alpha,
                             .a = rows_from(call, i),
                             .lda = call->lda,
                             .b = rows_from(call, j),
                             .ldb = call->lda,
                             .beta = call->beta,
                             .c = clg_element_at(call->type, call->c, i + j * call->ldc),
                             .ldc = call->ldc};
}

/* Copies a small triangle of C between its place and a square array. */
enum direction { OUT, BACK };
static void copy_triangle(const struct clg_syrk *call, double whole[SMALL * SMALL],
                          enum direction direction) {
    for (int64_t j = 0; j < call->n; j++) {
        const int64_t first = call->uplo == CLG_UPPER ? 0 : j,
                      end = call->uplo == CLG_UPPER ? j + 1 : call->n;
        void *c = clg_element_at(call->type, call->c, first + j * call->ldc),
             *copy = clg_element_at(call->type, whole, first + j * SMALL);
        memcpy(direction == OUT ? copy : c, direction == OUT ? c : copy,
               (size_t)(end - first) * clg_element_size(call->type));
    }
}

/* Computes a small triangle: its whole square on the device, in a separate array. */
static enum clg_where square(const struct clg_syrk *call) {
    double whole[SMALL * SMALL] = {0}; /* room for either real type */
    struct clg_gemm gemm = block(call, 0, call->n, 0, call->n);
    gemm.c = whole;
    gemm.ldc = SMALL;
    if (!clg_element_is_zero(call->type, call->beta))
        copy_triangle(call, whole, OUT);
    const enum clg_where where = clg_engine_gemm(&(struct clg_batch){.gemm = gemm, .count = 1});
    if (where == CLG_ON_DEVICE)
        copy_triangle(call, whole, BACK);
    return where;
}

/* Where the largest product within a triangle is to run. */
static enum clg_where choose(const struct clg_syrk *call) {
    const double n = (double)call->n, k = (double)call->k;
    const double flops = call->n <= SMALL ? n * (n + 1) * k : n * n * k / 2;
    return clg_engine_choose(call->type, &(struct clg_work){flops, flops, 0});
}

static int64_t first_half(int64_t n) {
    return (n / 2 + UNIT - 1) / UNIT * UNIT;
}

/* Computes a triangle. If a part that should have run on the device did not, `where` becomes the
 * reason. */
static void compute(const struct clg_route *route, const struct clg_syrk *call,
                    enum clg_where *where) {
    const enum clg_where chosen = choose(call);
    if (chosen == CLG_ON_DEVICE && call->n <= SMALL) {
        const enum clg_where got = square(call);
        if (got == CLG_ON_DEVICE)
            return;
        *where = got;
    }
    if (chosen != CLG_ON_DEVICE || call->n <= SMALL) {
        clg_cpu_syrk(route, call);
        return;
    }
    const int64_t n1 = first_half(call->n), n2 = call->n - n1;
    struct clg_syrk triangle = *call;
    triangle.n = n1;
    compute(route, &triangle, where);
    const struct clg_gemm between =
        call->uplo == CLG_UPPER ? block(call, 0, n1, n1, n2) : block(call, n1, n2, 0, n1);
    const enum clg_where got = clg_gemm_compute(route, &between);
    if (got != CLG_ON_DEVICE && got != CLG_ON_SMALL)
        *where = got;
    triangle.n = n2;
    triangle.a = rows_from(call, n1);
    triangle.c = clg_element_at(call->type, call->c, n1 + n1 * call->ldc);
    compute(route, &triangle, where);
}

/* Blocks need a CPU gemm to fall back to. Without any BLAS, the plain loops are enough. */
static enum clg_where run(const struct clg_route *route, const struct clg_syrk *call) {
    enum clg_where where = CLG_ON_DEVICE;
    if (call->n == 0 || call->k == 0 || clg_element_is_zero(call->type, call->alpha))
        where = CLG_ON_NO_WORK;
    else if (call->trans == CLG_CONJ_NO_TRANS || (route->next && !route->gemm))
        where = CLG_ON_ARGUMENTS;
    else
        where = choose(call);
    if (where != CLG_ON_DEVICE) {
        clg_cpu_syrk(route, call);
        return where;
    }
    const struct clg_syrk transposed = in_columns(call);
    compute(route, &transposed, &where);
    return where;
}

void clg_syrk_enter(const struct clg_route *route, const struct clg_syrk *call) {
    if (clg_depth > 0) {
        clg_cpu_syrk(route, call);
        return;
    }
    const int wrong = clg_syrk_check(call, route->name->convention);
    if (wrong) {
        const int enumerators[] = {0, call->layout, call->uplo, call->trans};
        clg_report(route, wrong, call->layout == CLGEMM_ROW_MAJOR,
                   wrong < 4 ? enumerators[wrong] : 0);
        return;
    }
    const int64_t start = clg_note_start();
    const enum clg_where where = run(route, call);
    clg_note_syrk(route->name->routine, call, where, start);
}
