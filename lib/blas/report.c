/* SPDX-License-Identifier: Apache-2.0
 * Reports wrong arguments. */
#define _GNU_SOURCE /* dladdr */
#include "blas/report.h"

#include <dlfcn.h>
#include <string.h>

#include "base/log.h"
#include "blas/object.h"

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
