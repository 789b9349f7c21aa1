/* SPDX-License-Identifier: Apache-2.0
 * Passes calls on to the program's own BLAS, in the convention of the caller. */
#include "blas/cpu.h"

#include "blas/shapes.h"

_Thread_local int clg_depth;

/* An integer of the width that the callee reads. */
union integer {
    int64_t wide;
    int32_t narrow;
};

static union integer integer(const struct clg_route *route, int64_t value) {
    return route->is_long ? (union integer){.wide = value}
                          : (union integer){.narrow = (int32_t)value};
}

/* The letter of a value of cblas.h. */
static char letter_of(int value) {
    static const char letters[] = {
        [CLGEMM_NO_TRANS] = 'N',   [CLGEMM_TRANS] = 'T', [CLGEMM_CONJ_TRANS] = 'C',
        [CLG_CONJ_NO_TRANS] = 'R', [CLGEMM_UPPER] = 'U', [CLGEMM_LOWER] = 'L',
        [CLGEMM_NON_UNIT] = 'N',   [CLGEMM_UNIT] = 'U',  [CLGEMM_LEFT] = 'L',
        [CLGEMM_RIGHT] = 'R'};
    const bool is_known = value >= 0 && value < (int)sizeof letters && letters[value];
    return is_known ? letters[value] : '?';
}

/* Calls a function with the arguments of a call, by their sort. In CBLAS alpha and beta depend on
 * the type. NOLINTBEGIN(bugprone-macro-parentheses): types and initializers */
#define CALL_CBLAS(function, kind, T, layout)              \
    ((void (*)(CLG_CBLAS_PARAMETERS(kind, T)))(function))( \
        (int)(layout)CLG_SHAPE_##kind(TO_CBLAS, T))

#define TO_CBLAS(sort, T, member, name) , TO_CBLAS_##sort(T, call->member)
#define TO_CBLAS_LETTER(T, x) (int)(x)
#define TO_CBLAS_SIZE(T, x) x
#define TO_CBLAS_SCALAR(T, x) CLG_SCALAR(T, x)
#define TO_CBLAS_REAL(T, x) *(const clg_real_##T *)&(x)
#define TO_CBLAS_INPUT(T, x) x
#define TO_CBLAS_OUTPUT(T, x) x
#define TO_CBLAS_LETTERS(T, x) x
#define TO_CBLAS_INPUTS(T, x) x
#define TO_CBLAS_OUTPUTS(T, x) x

/* The lengths of the strings follow the arguments, as Fortran compilers pass them. A callee may
 * overwrite the stack words that hold them. */
#define CALL_FORTRAN(function, kind)                                          \
    ((void (*)(CLG_LIST(CLG_SHAPE_##kind(CLG_FORTRAN_PARAMETER, F32)          \
                            CLG_SHAPE_##kind(LENGTH_TYPE, F32))))(function))( \
        CLG_LIST(CLG_SHAPE_##kind(TO_FORTRAN, F32) CLG_SHAPE_##kind(LENGTH, F32)))

#define TO_FORTRAN(sort, T, member, name) , TO_FORTRAN_##sort(call->member)
#define TO_FORTRAN_LETTER(x) \
    (const char[]) {         \
        letter_of((int)(x))  \
    }
#define TO_FORTRAN_SIZE(x)    \
    (const union integer[]) { \
        integer(route, x)     \
    }
#define TO_FORTRAN_SCALAR(x) &(x)
#define TO_FORTRAN_REAL(x) &(x)
#define TO_FORTRAN_INPUT(x) x
#define TO_FORTRAN_OUTPUT(x) x
#define TO_FORTRAN_LETTERS(x) x
#define TO_FORTRAN_INPUTS(x) x
#define TO_FORTRAN_OUTPUTS(x) x

#define LENGTH_TYPE(sort, T, member, name) OF_STRING_##sort(, size_t)
#define LENGTH(sort, T, member, name) OF_STRING_##sort(, (size_t)1)
#define OF_STRING_LETTER(...) __VA_ARGS__
#define OF_STRING_LETTERS(...) __VA_ARGS__
#define OF_STRING_SIZE(...)
#define OF_STRING_SCALAR(...)
#define OF_STRING_REAL(...)
#define OF_STRING_INPUT(...)
#define OF_STRING_OUTPUT(...)
#define OF_STRING_INPUTS(...)
#define OF_STRING_OUTPUTS(...)
/* NOLINTEND(bugprone-macro-parentheses) */

/* One product, or all of a batch. */
static void products_call(const struct clg_route *route, const struct clg_batch *call, bool all) {
    const bool fortran = route->name->convention == CLG_FORTRAN;
    if (fortran && all)
        CALL_FORTRAN(route->next, GEMM_BATCH_STRIDED);
    else if (fortran)
        CALL_FORTRAN(route->gemm, GEMM);
    switch (fortran ? -1 : (int)call->gemm.type) {
#define CALL(type, element, scalar, bits)                                         \
    case CLGEMM_##type:                                                           \
        if (all)                                                                  \
            CALL_CBLAS(route->next, GEMM_BATCH_STRIDED, type, call->gemm.layout); \
        else                                                                      \
            CALL_CBLAS(route->gemm, GEMM, type, call->gemm.layout);               \
        break;
        CLG_BLAS_TYPES(CALL)
#undef CALL
    default:
        break;
    }
}

static void groups_call(const struct clg_route *route, const struct clg_groups *call) {
    if (route->name->convention == CLG_FORTRAN)
        CALL_FORTRAN(route->next, GEMM_BATCH);
    else
        CALL_CBLAS(route->next, GEMM_BATCH, F32, call->layout);
}

/* NOLINTBEGIN(bugprone-branch-clone): of trmm and trsm, for example */
static void level3_call(const struct clg_route *route, const struct clg_level3 *call) {
    switch (route->name->convention == CLG_FORTRAN ? call->desc.routine : 0) {
#define CALL(NAME, name, kind, type)     \
    case CLGEMM_##kind:                  \
        CALL_FORTRAN(route->next, kind); \
        return;
        CLG_BLAS_SYMMETRIC(CALL, S, s, F32)
        CLG_BLAS_HERMITIAN(CALL, C, c, CF32)
#undef CALL
    default:
        break;
    }
    switch (route->name->routine) {
#define CALL(NAME, name, kind, type)                            \
    case CLG_##NAME:                                            \
        CALL_CBLAS(route->next, kind, type, call->desc.layout); \
        break;
        CLG_BLAS_LEVEL3(CALL)
#undef CALL
    default:
        break;
    }
}
/* NOLINTEND(bugprone-branch-clone) */

void clg_cpu_groups(const struct clg_route *route, const struct clg_groups *call) {
    clg_depth++;
    groups_call(route, call);
    clg_depth--;
}

void clg_cpu_batch(const struct clg_route *route, const struct clg_batch *batch) {
    clg_depth++;
    products_call(route, batch, true);
    clg_depth--;
}

void clg_cpu_gemm(const struct clg_route *route, const struct clg_gemm *call) {
    clg_depth++;
    if (route->gemm)
        products_call(route, &(struct clg_batch){.gemm = *call}, false);
    else
        clg_plain_gemm(call);
    clg_depth--;
}

void clg_cpu_level3(const struct clg_route *route, const struct clg_level3 *call) {
    clg_depth++;
    if (route->next)
        level3_call(route, call);
    else
        clg_plain_level3(call);
    clg_depth--;
}
