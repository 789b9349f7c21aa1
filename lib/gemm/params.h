/* SPDX-License-Identifier: Apache-2.0
 * The one table of tunables. It feeds the struct, the -D options of every kernel, and the names in
 * tuning files. */
#ifndef CLG_GEMM_PARAMS_H
#define CLG_GEMM_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

/* X(OPTION, field, meaning). A family that does not use a tunable leaves it 0, and kernels then get
 * no such option. */
#define CLG_TUNABLES(X)                                                                        \
    X(TILE_M, tile_m, "rows of C that a work-group computes")                                  \
    X(TILE_N, tile_n, "columns of C that a work-group computes")                               \
    X(TILE_K, tile_k, "steps along k of a tile or block of A and B")                           \
    X(WG_M, wg_m, "work-items of a group along m")                                             \
    X(WG_N, wg_n, "work-items of a group along n")                                             \
    X(PRODUCTS, products, "products of a batch that a work-group computes")                    \
    X(WG_K, wg_k, "work-items of a group along k, for each of WG_M x WG_N; 0: one")            \
    X(LANES_M, lanes_m, "work-items of a SIMD group along m; 0: all of WG_M")                  \
    X(LANES_N, lanes_n, "work-items of a SIMD group along n; 0: 1")                            \
    X(VEC_A, vec_a, "widest vector that A is read in: 1, 2 or 4 elements")                     \
    X(VEC_B, vec_b, "widest vector that B is read in: 1, 2 or 4 elements")                     \
    X(PAD_LOCAL, pad_local, "elements between rows of a local tile, against bank conflicts")   \
    X(UNROLL_K, unroll_k, "steps along k that are unrolled; 0: all of a tile")                 \
    X(STAGES, stages, "tiles of A and of B in local memory: one in use, the others in flight") \
    X(PRIVATE_A, private_a, "1: A goes from global memory to registers, past local memory")    \
    X(PRIVATE_B, private_b, "1: B goes from global memory to registers, past local memory")    \
    X(IN_PLACE, in_place, "1: products read A and B in local memory, without registers")       \
    X(SPREAD_B, spread_b, "work-items that share their registers of B (Intel's); 0: none")     \
    X(VEC, vec, "elements of a vector register of a CPU: 2, 4, 8 or 16")                       \
    X(REG_N, reg_n, "columns of C that a work-item holds in registers")                        \
    X(REGISTERS, registers, "most registers of a work-item; 0: the compiler decides")          \
    X(BAND_M, band_m, "tiles along m that are visited before the next along n, for the cache") \
    X(PACK_A, pack_a, "1: A is packed first, unless reading it in place is as fast")           \
    X(PACK_B, pack_b, "1: B is packed first, unless reading it in place is as fast")           \
    X(SPLIT_K, split_k, "slices of k, each in a work-group, added up at the end; 0: one")      \
    X(SPLIT_TAIL, split_tail, "slices of k of the tiles after the last full round; 0: one")    \
    X(SHARERS, sharers, "work-groups that may share a tile, if there are fewer than units")    \
    X(NARROW_A, narrow_a, "1: A is the narrow operand, which is packed; 0: B is")

struct clg_params {
#define CLG_TUNABLE_FIELD(option, field, meaning) int field;
    CLG_TUNABLES(CLG_TUNABLE_FIELD)
#undef CLG_TUNABLE_FIELD
};

struct clg_tunable {
    const char *name, *field, *meaning;
    size_t offset; /* of the field */
};

enum {
#define CLG_TUNABLE_INDEX(option, field, meaning) CLG_TUNABLE_##option,
    CLG_TUNABLES(CLG_TUNABLE_INDEX)
#undef CLG_TUNABLE_INDEX
        CLG_TUNABLE_COUNT
};
extern const struct clg_tunable clg_tunables[CLG_TUNABLE_COUNT];

int clg_params_get(const struct clg_params *params, const struct clg_tunable *tunable);
void clg_params_set(struct clg_params *params, const struct clg_tunable *tunable, int value);

/* Whether all tunables are equal. */
bool clg_params_equal(const struct clg_params *left, const struct clg_params *right);

/* Why no family can compute with these parameters, or NULL: a value is negative, or so large that
 * arithmetic on it could overflow, or the options are too long for a build. */
const char *clg_params_unsupported_reason(const struct clg_params *params);

/* Writes "-DTILE_M=128 ..." for every tunable that is not 0, always terminated; returns the length
 * that it would take, as snprintf. */
size_t clg_params_options(const struct clg_params *params, char *out, size_t size);

#endif
