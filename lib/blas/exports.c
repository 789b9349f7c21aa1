/* SPDX-License-Identifier: Apache-2.0
 * The exported functions, one for each name of blas/names.h. Each reads its arguments in the width
 * of the BLAS behind the caller, and determines where it was called from. None changes errno: a
 * first call searches libraries and reads files, and the device's driver does anything. */
#include <errno.h>

#include "blas/element.h"
#include "blas/enter.h"
#include "blas/read.h"
#include "blas/shapes.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- One function for each name ------------------------------------------------------------ */

/* NOLINTBEGIN(bugprone-macro-parentheses): a type, and parts of initializers */

/* A function: keeps errno, and finds where the calling place's calls go on to. */
#define EXPORTED(symbol, what, parameters, ...)                             \
    EXPORT void symbol parameters {                                         \
        const int error = errno;                                            \
        const struct clg_route *route =                                     \
            clg_route_find(CLG_NAME_##symbol, __builtin_return_address(0)); \
        const struct clg_##what call = {__VA_ARGS__};                       \
        clg_##what##_enter(route, &call);                                   \
        errno = error;                                                      \
    }

/* The same in either convention; the members of the call that are no parameters end with its
 * layout. */
#define EXPORTED_CBLAS(symbol, what, kind, T, ...)          \
    EXPORTED(symbol, what, (CLG_CBLAS_PARAMETERS(kind, T)), \
             __VA_ARGS__ = layout CLG_SHAPE_##kind(FROM_CBLAS, T))
#define EXPORTED_FORTRAN(symbol, what, kind, T, ...)          \
    EXPORTED(symbol, what, (CLG_FORTRAN_PARAMETERS(kind, T)), \
             __VA_ARGS__ = CLGEMM_COL_MAJOR CLG_SHAPE_##kind(FROM_FORTRAN, T))

/* Parameters as members, by their sort. */
#define FROM_CBLAS(sort, T, member, name) , .member = FROM_CBLAS_##sort(T, name)
#define FROM_CBLAS_LETTER(T, name) name
#define FROM_CBLAS_SIZE(T, name) clg_read_word(route, name)
#define FROM_CBLAS_SCALAR(T, name) clg_element_read(CLGEMM_##T, CLG_SCALAR_AT(name))
#define FROM_CBLAS_REAL(T, name) clg_element_read(clg_real_type(CLGEMM_##T), &(name))
#define FROM_CBLAS_INPUT(T, name) name
#define FROM_CBLAS_OUTPUT(T, name) name
#define FROM_CBLAS_LETTERS(T, name) name
#define FROM_CBLAS_INPUTS(T, name) name
#define FROM_CBLAS_OUTPUTS(T, name) name

#define FROM_FORTRAN(sort, T, member, name) , .member = FROM_FORTRAN_##sort(T, name)
#define FROM_FORTRAN_LETTER(T, name) clg_read_##name(*name)
#define FROM_FORTRAN_SIZE(T, name) clg_read_integer(route, name)
#define FROM_FORTRAN_SCALAR(T, name) clg_element_read(CLGEMM_##T, name)
#define FROM_FORTRAN_REAL(T, name) clg_element_read(clg_real_type(CLGEMM_##T), name)
#define FROM_FORTRAN_INPUT(T, name) name
#define FROM_FORTRAN_OUTPUT(T, name) name
#define FROM_FORTRAN_LETTERS(T, name) name
#define FROM_FORTRAN_INPUTS(T, name) name
#define FROM_FORTRAN_OUTPUTS(T, name) name
#define clg_read_ta clg_read_trans
#define clg_read_tb clg_read_trans

#define DEFINE_GEMM(symbol, convention, kind, T) \
    EXPORTED_##convention(symbol, batch, kind, T, .count = 1, .gemm.type = CLGEMM_##T, .gemm.layout)
#define DEFINE_GEMM3M DEFINE_GEMM
#define DEFINE_GEMM_BATCH_STRIDED(symbol, convention, kind, T) \
    EXPORTED_##convention(symbol, batch, kind, T, .gemm.type = CLGEMM_##T, .gemm.layout)
#define DEFINE_GEMM_BATCH(symbol, convention, kind, T) \
    EXPORTED_##convention(symbol, groups, kind, T, .type = CLGEMM_##T, .layout)
#define DEFINE_LEVEL3(symbol, convention, kind, letter, T, ...)                             \
    EXPORTED_##convention(symbol, level3, kind, T, .desc.size = sizeof(clgemm_level3_desc), \
                          .desc.routine = CLGEMM_##kind, .desc.type = CLGEMM_##T, .desc.layout)
#define DEFINE(symbol, convention, kind, letter, T, ...) DEFINE_##kind(symbol, convention, kind, T)
CLG_BLAS_PRODUCT_NAMES(DEFINE)
CLG_BLAS_LEVEL3_NAMES(DEFINE_LEVEL3)

/* NOLINTEND(bugprone-macro-parentheses) */
