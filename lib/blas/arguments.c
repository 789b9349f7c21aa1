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

int clg_level3_check(const struct clg_level3 *call, enum clg_convention convention) {
    const clgemm_level3_desc *desc = &call->desc;
    const int trans = (int)desc->trans;
    const bool by_rows = desc->layout == CLGEMM_ROW_MAJOR, is_rank = clg_is_rank(desc->routine),
               is_symmetric = clg_is_symmetric(desc->routine),
               is_triangular = clg_is_triangular(desc->routine),
               has_b = is_symmetric || clg_is_rank_2k(desc->routine),
               only_one = is_rank && clg_parts(desc->type) > 1 && !by_rows; /* two in rows */
    const int lacking = !only_one                         ? -1
                        : clg_is_hermitian(desc->routine) ? CLGEMM_TRANS
                                                          : CLGEMM_CONJ_TRANS;
    const int64_t m = by_rows ? desc->n : desc->m, n = by_rows ? desc->m : desc->n;
    const int64_t of_a = !is_rank                       ? clg_side(desc)
                         : transposes(trans) != by_rows ? desc->k
                                                        : desc->n;
    int at = convention == CLG_CBLAS ? 2 : 1; /* the next argument */
    if (!is_layout((int)desc->layout))
        return 1;
    if (!is_rank && desc->side != CLGEMM_LEFT && desc->side != CLGEMM_RIGHT)
        return at;
    at += !is_rank;
    if (desc->uplo != CLGEMM_UPPER && desc->uplo != CLGEMM_LOWER)
        return at;
    at++;
    if (!is_symmetric && (!is_transpose(trans) || trans == lacking))
        return at;
    at += !is_symmetric;
    if (is_triangular && desc->diag != CLGEMM_UNIT && desc->diag != CLGEMM_NON_UNIT)
        return at;
    at += is_triangular;
    if ((is_rank ? desc->n : m) < 0)
        return at;
    if ((is_rank ? desc->k : n) < 0)
        return at + 1;
    at += 4; /* over both sizes, alpha and A */
    if (!holds(desc->lda, of_a))
        return at;
    if (has_b && !holds(desc->ldb, is_symmetric ? m : of_a))
        return at + 2;
    at += has_b ? 2 : 0;
    return holds(desc->ldc, is_rank ? desc->n : m) ? 0 : at + (is_triangular ? 2 : 3);
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* The number is passed as a word, whatever its width in the handler. */
typedef void cblas_handler(clg_word number, const char *routine, const char *form, ...);
typedef void fortran_handler(const char *routine, const void *number, size_t length);

/* An enumerator, and the reference CBLAS's format for a wrong one. */
struct enumerator {
    const char *form;
    int value;
};
static const char layout_form[] = "Illegal layout setting, %d\n";

/* OpenBLAS exports a cblas_xerbla() that ends the process, but never calls it. Its own CBLAS
 * reports wrong arguments to xerbla_(), which only prints. */
static bool is_openblas(const void *handler) {
    Dl_info object;
    return dladdr(handler, &object) && clg_object_is_named(object.dli_fname, ".so") &&
           clg_object_is_named(object.dli_fname, "openblas");
}

static bool report_cblas(const struct clg_route *route, int number, bool row_major,
                         struct enumerator wrong) {
    void *handler = clg_route_symbol(route, route->name->cblas_handler);
    if (!handler || is_openblas(handler))
        return false;
    /* This flag tells the reference's handler that numbers are those of the transposed product. */
    int *row_major_flag = clg_route_symbol(route, "RowMajorStrg");
    if (row_major_flag)
        *row_major_flag = row_major;
    ((cblas_handler *)handler)(number, clg_routines[route->name->routine].cblas, wrong.form,
                               wrong.value);
    if (row_major_flag)
        *row_major_flag = 0;
    return true;
}

/* `wrong` is the argument if it is an enumerator. */
static void report(const struct clg_route *route, int number, bool row_major,
                   struct enumerator wrong) {
    const bool cblas = route->name->convention == CLG_CBLAS;
    if (cblas && report_cblas(route, number, row_major, wrong))
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
    const struct enumerator enumerators[] = {{layout_form, call->layout},
                                             {"Illegal TransA setting, %d\n", call->ta},
                                             {"Illegal TransB setting, %d\n", call->tb}};
    report(route, number, call->layout == CLGEMM_ROW_MAJOR,
           number < 4 ? enumerators[number - 1] : (struct enumerator){"", 0});
}

void clg_report_level3(const struct clg_route *route, int number, const struct clg_level3 *call) {
    const clgemm_level3_desc *desc = &call->desc;
    struct enumerator enumerators[5] = {{layout_form, (int)desc->layout}};
    int count = 1;
    if (!clg_is_rank(desc->routine))
        enumerators[count++] = (struct enumerator){"Illegal Side setting, %d\n", (int)desc->side};
    enumerators[count++] = (struct enumerator){"Illegal Uplo setting, %d\n", (int)desc->uplo};
    if (!clg_is_symmetric(desc->routine))
        enumerators[count++] = (struct enumerator){"Illegal Trans setting, %d\n", (int)desc->trans};
    if (clg_is_triangular(desc->routine))
        enumerators[count++] = (struct enumerator){"Illegal Diag setting, %d\n", (int)desc->diag};
    report(route, number, desc->layout == CLGEMM_ROW_MAJOR,
           number <= count ? enumerators[number - 1] : (struct enumerator){"", 0});
}
