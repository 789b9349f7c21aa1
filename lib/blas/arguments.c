/* SPDX-License-Identifier: Apache-2.0
 * Wrong arguments. */
#define _GNU_SOURCE /* dladdr */
#include "blas/arguments.h"

#include <dlfcn.h>
#include <string.h>

#include "base/log.h"

/* ---- Checks -------------------------------------------------------------------------------- */

static bool is_transpose(int value) {
    return (value >= CLGEMM_NO_TRANS && value <= CLGEMM_CONJ_TRANS) || value == CLG_CONJ_NO_TRANS;
}

static bool transposes(int value) {
    return value == CLGEMM_TRANS || value == CLGEMM_CONJ_TRANS;
}

static bool is_layout(int value) {
    return value == CLGEMM_ROW_MAJOR || value == CLGEMM_COL_MAJOR;
}

/* Whether a leading dimension is large enough for columns of `rows` elements. */
static bool holds(int64_t ld, int64_t rows) {
    return ld >= (rows > 1 ? rows : 1);
}

/* Checks sgemm_'s arguments from m on. */
static int check_sizes(const struct clg_gemm *call) {
    if (call->m < 0)
        return 3;
    if (call->n < 0)
        return 4;
    if (call->k < 0)
        return 5;
    if (!holds(call->lda, transposes(call->ta) ? call->k : call->m))
        return 8;
    if (!holds(call->ldb, transposes(call->tb) ? call->n : call->k))
        return 10;
    return holds(call->ldc, call->m) ? 0 : 13;
}

int clg_gemm_check(const struct clg_gemm *call, enum clg_convention convention) {
    const int shift = convention == CLG_CBLAS; /* the layout is its first argument */
    if (!is_layout(call->layout))
        return 1;
    if (!is_transpose(call->ta))
        return 1 + shift;
    if (!is_transpose(call->tb))
        return 2 + shift;
    int wrong;
    if (call->layout == CLGEMM_COL_MAJOR) {
        wrong = check_sizes(call);
    } else {
        const struct clg_gemm swapped = {.ta = call->tb,
                                         .tb = call->ta,
                                         .m = call->n,
                                         .n = call->m,
                                         .k = call->k,
                                         .lda = call->ldb,
                                         .ldb = call->lda,
                                         .ldc = call->ldc};
        wrong = check_sizes(&swapped);
    }
    return wrong ? wrong + shift : 0;
}

int clg_batch_check(const struct clg_batch *call, enum clg_convention convention) {
    enum { BATCH_SIZE = 17 };
    const int wrong = call->count ? clg_gemm_check(&call->gemm, convention) : 0;
    return wrong || call->count >= 0 ? wrong : BATCH_SIZE + (convention == CLG_CBLAS);
}

int clg_groups_check(int64_t count, int64_t size, enum clg_convention convention) {
    enum { GROUP_COUNT = 14, GROUP_SIZE = 15 };
    const int wrong = count < 0 ? GROUP_COUNT : size < 0 ? GROUP_SIZE : 0;
    return wrong ? wrong + (convention == CLG_CBLAS) : 0;
}

int clg_syrk_check(const struct clg_syrk *call, enum clg_convention convention) {
    const int shift = convention == CLG_CBLAS;
    const bool by_rows = call->layout == CLGEMM_ROW_MAJOR;
    if (!is_layout(call->layout))
        return 1;
    if (call->uplo != CLG_UPPER && call->uplo != CLG_LOWER)
        return 1 + shift;
    if (!is_transpose(call->trans))
        return 2 + shift;
    if (call->n < 0)
        return 3 + shift;
    if (call->k < 0)
        return 4 + shift;
    if (!holds(call->lda, transposes(call->trans) != by_rows ? call->k : call->n))
        return 7 + shift;
    return holds(call->ldc, call->n) ? 0 : 10 + shift;
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* The number is passed as a word, whatever its width in the handler. */
typedef void cblas_handler(clg_word number, const char *routine, const char *form, ...);
typedef void fortran_handler(const char *routine, const void *number, size_t length);

/* The reference CBLAS's formats, by the argument's number. */
#define GEMM_FORMS                                                          \
    {                                                                       \
        "", "Illegal layout setting, %d\n", "Illegal TransA setting, %d\n", \
            "Illegal TransB setting, %d\n"                                  \
    }
static const char *const forms[CLG_KINDS][4] = {
    [CLG_GEMM] = GEMM_FORMS,
    [CLG_GEMM3M] = GEMM_FORMS,
    [CLG_GEMM_BATCH] = GEMM_FORMS,
    [CLG_GEMM_BATCH_STRIDED] = GEMM_FORMS,
    [CLG_SYRK] = {"", "Illegal layout setting, %d\n", "Illegal Uplo setting, %d\n",
                  "Illegal Trans setting, %d\n"},
};

/* OpenBLAS exports a cblas_xerbla() that ends the process, but never calls it. Its own CBLAS
 * reports wrong arguments to xerbla_(), which only prints. */
static bool is_openblas(const void *handler) {
    Dl_info object;
    return dladdr(handler, &object) && clg_object_is_named(object.dli_fname, ".so") &&
           clg_object_is_named(object.dli_fname, "openblas");
}

static bool report_cblas(const struct clg_route *route, int number, bool row_major, int value) {
    void *handler = clg_route_symbol(route, route->name->cblas_handler);
    if (!handler || is_openblas(handler))
        return false;
    /* This flag tells the reference's handler that numbers are those of the transposed product. */
    int *row_major_flag = clg_route_symbol(route, "RowMajorStrg");
    const struct clg_routine_row *routine = &clg_routines[route->name->routine];
    const char *form = number < 4 ? forms[routine->kind][number] : "";
    if (row_major_flag)
        *row_major_flag = row_major;
    ((cblas_handler *)handler)(number, routine->cblas, form, value);
    if (row_major_flag)
        *row_major_flag = 0;
    return true;
}

void clg_report(const struct clg_route *route, int number, bool row_major, int value) {
    const bool cblas = route->name->convention == CLG_CBLAS;
    if (cblas && report_cblas(route, number, row_major, value))
        return;
    const char *routine = clg_routines[route->name->routine].fortran;
    void *handler = clg_route_symbol(route, route->name->fortran_handler);
    const int position = cblas ? number - 1 : number;
    if (!handler) {
        clg_log(CLG_LOG_ALWAYS, "parameter %d of %s has an illegal value", number,
                route->name->name);
    } else if (route->is_long) {
        const int64_t wide = position;
        ((fortran_handler *)handler)(routine, &wide, strlen(routine));
    } else {
        const int32_t narrow = position;
        ((fortran_handler *)handler)(routine, &narrow, strlen(routine));
    }
}

void clg_report_gemm(const struct clg_route *route, int number, const struct clg_gemm *call) {
    const int enumerators[] = {0, call->layout, call->ta, call->tb};
    clg_report(route, number, call->layout == CLGEMM_ROW_MAJOR,
               number < 4 ? enumerators[number] : 0);
}
