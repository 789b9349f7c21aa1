/* SPDX-License-Identifier: Apache-2.0
 * The one table of tunables. It feeds the struct and the -D options of every kernel. */
#ifndef CLG_GEMM_PARAMS_H
#define CLG_GEMM_PARAMS_H

#include <stddef.h>

/* X(OPTION, field, meaning). A family that has no use for a tunable leaves it 0, and no option is
 * made of it. */
#define CLG_TUNABLES(X)                                                                    \
    X(TILE_M, tile_m, "rows of C that a work-group computes")                              \
    X(TILE_N, tile_n, "columns of C that a work-group computes")                           \
    X(TILE_K, tile_k, "depth of the tiles of A and B in local memory")                     \
    X(WG_M, wg_m, "work-items of a group along m")                                         \
    X(WG_N, wg_n, "work-items of a group along n")                                         \
    X(VEC_A, vec_a, "widest vector that A is read in: 1, 2 or 4 floats")                   \
    X(VEC_B, vec_b, "widest vector that B is read in: 1, 2 or 4 floats")                   \
    X(PAD_LOCAL, pad_local, "floats between rows of a local tile, against bank conflicts") \
    X(UNROLL_K, unroll_k, "steps along k that the compiler unrolls; 0: the whole tile")    \
    X(STAGES, stages, "local buffers: 1, or 2 to load a tile while computing on another")  \
    X(BAND_M, band_m, "tiles along m that are visited before the next along n, for the cache")

struct clg_params {
#define CLG_TUNABLE_FIELD(option, field, meaning) int field;
    CLG_TUNABLES(CLG_TUNABLE_FIELD)
#undef CLG_TUNABLE_FIELD
};

/* Writes " -DTILE_M=128 ..." for every tunable that is not 0, ended properly; returns the length
 * it would take, as snprintf. */
size_t clg_params_options(const struct clg_params *params, char *out, size_t size);

#endif
