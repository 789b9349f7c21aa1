/* SPDX-License-Identifier: Apache-2.0
 * The tables of routines and their names. */
#include "blas/names.h"

const struct clg_routine_row clg_routines[CLG_ROUTINES] = {
#define ROUTINE_ROW(NAME, name, kind, type) \
    [CLG_##NAME] = {CLG_##kind, CLGEMM_##type, #name, "cblas_" #name, #NAME " "},
    CLG_BLAS_ROUTINES(ROUTINE_ROW)
#undef ROUTINE_ROW
};

const struct clg_name clg_names[CLG_NAMES] = {
#define NAME_ROW(name, convention, kind, letter, type, is_long, second, gemm, cblas, fortran) \
    {#name, #second, CLG_##convention, CLG_##letter##kind, is_long, #gemm, #cblas, #fortran},
    CLG_BLAS_NAMES(NAME_ROW)
#undef NAME_ROW
};
