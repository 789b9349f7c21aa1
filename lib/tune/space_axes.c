/* SPDX-License-Identifier: Apache-2.0
 * Each family's axes, and the bounds that keep out what is not worth a try; docs/tuning.md states
 * both. */
#include "base/checked.h"
#include "gemm/tiled.h"
#include "tune/space.h"

#define AXIS(option, name, kind, ...)                                \
    {                                                                \
#option, offsetof(struct clg_params, name), CLG_AXIS_##kind, \
            sizeof((int[]){__VA_ARGS__}) / sizeof(int), {            \
            __VA_ARGS__                                              \
        }                                                            \
    }
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* Below a quarter of a tile, most of what a group does is thrown away. */
static bool overhangs(int64_t size, int tile) {
    return 4 * size < tile;
}

/* ---- tiled ---- */

enum {
    SMALL_GROUP = 32,
    LARGE_GROUP = 512,
    FEW_SUMS = 4,
    MANY_SUMS = 128,
    MANY_SUMS_CPU = 32, /* PoCL compiles more of them for half a minute, and wrongly */
    REGISTERS = 232,    /* of the 255 that a work-item can have */
    ENOUGH_GROUPS = 16  /* a unit */
};

static const struct clg_axis tiled_axes[] = {
    AXIS(TILE_M, tile_m, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    AXIS(TILE_N, tile_n, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    AXIS(WG_M, wg_m, PLAIN, 2, 4, 8, 16, 32),
    AXIS(WG_N, wg_n, PLAIN, 2, 4, 8, 16, 32),
    AXIS(TILE_K, tile_k, PLAIN, 8, 16, 32, 64),
    AXIS(WG_K, wg_k, PLAIN, 1, 2, 4),
    AXIS(PRIVATE_A, private_a, PLAIN, 0, 1),
    AXIS(PRIVATE_B, private_b, PLAIN, 0, 1),
    AXIS(IN_PLACE, in_place, PLAIN, 0, 1),
    AXIS(LANES_M, lanes_m, PATCH, 0, 2, 4, 8, 16, 32),
    AXIS(VEC_A, vec_a, PLAIN, 1, 2, 4),
    AXIS(VEC_B, vec_b, PLAIN, 1, 2, 4),
    AXIS(STAGES, stages, PLAIN, 1, 2),
    AXIS(PAD_LOCAL, pad_local, PLAIN, 0, 4),
    AXIS(PACK_A, pack_a, PLAIN, 0, 1),
    AXIS(PACK_B, pack_b, PLAIN, 0, 1),
    AXIS(BAND_M, band_m, PLAIN, 1, 4, 8, 16, 32),
    AXIS(SPLIT_K, split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
    AXIS(SPLIT_TAIL, split_tail, PLAIN, 0, 2, 4, 8, 16),
};

static const char *tiled_shape_why_not(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C is not shared evenly by the work-items";
    const int reg_m = p->tile_m / p->wg_m, reg_n = p->tile_n / p->wg_n, sums = reg_m * reg_n;
    const int group = p->wg_m * p->wg_n * p->wg_k;
    if (group > LARGE_GROUP || (!cpu && group < SMALL_GROUP))
        return "a group has less than 32 work-items, or more than 512";
    if (sums < FEW_SUMS || sums > (cpu ? MANY_SUMS_CPU : MANY_SUMS))
        return "a work-item has less than 4 sums, or too many";
    if (sums + 2 * (reg_m + reg_n) + (p->tile_m + p->tile_n) * p->tile_k / group > REGISTERS)
        return "a work-item has too few registers";
    if (overhangs(problem->m, p->tile_m) || overhangs(problem->n, p->tile_n) ||
        overhangs(problem->k, p->tile_k))
        return "less than a quarter of a tile is used";
    return NULL;
}

/* Whether an operand is read in vectors as wide as it allows where it lies, and packed only for
 * wider ones. */
static bool reads_well(const struct clg_reading *in_place, int pack) {
    return pack ? in_place->vec < in_place->wanted : in_place->vec == in_place->wanted;
}

/* Whether a private operand is read in narrower vectors than the candidate says: single elements
 * along k, and no more than a fragment's. */
static bool reads_less(const struct clg_reading *in_place, int pack, int reg) {
    const int fragment = reg % 4 == 0 ? 4 : reg % 2 == 0 ? 2 : 1;
    return in_place->wanted > (in_place->along_k && !pack ? 1 : fragment);
}

static const char *tiled_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    if (p->split_k > 1 && p->split_tail > 1)
        return "all tiles are split, and the tail once more";
    const struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    if (p->lanes_m > 0 && (p->wg_m % p->lanes_m || p->wg_n % p->lanes_n))
        return "a group is not made of whole patches of lanes";
    if (!reads_well(&a, p->pack_a) || !reads_well(&b, p->pack_b))
        return "an operand is packed in vain, or cannot be read in such vectors";
    if ((p->private_a && reads_less(&a, p->pack_a, p->tile_m / p->wg_m)) ||
        (p->private_b && reads_less(&b, p->pack_b, p->tile_n / p->wg_n)))
        return "a private operand is read in narrower vectors";
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    const int64_t tiles_m = clg_ceil_div(problem->m, p->tile_m);
    if (p->band_m > 1 && tiles_m <= (p->band_m == 4 ? 1 : p->band_m / 2))
        return "a narrower band holds all tiles along m";
    if (p->split_k > 1 &&
        (problem->k < (int64_t)p->split_k * p->tile_k || cut.slices != p->split_k))
        return "k makes no such number of slices";
    if (p->split_tail > 1 &&
        (problem->k < (int64_t)p->split_tail * p->tile_k || cut.slices != p->split_tail))
        return "k makes no such number of slices of the tail";
    if (p->split_tail > 1 && !clg_tiled_leaves_tail(problem, facts, p))
        return "no tile is left over";
    if ((cut.tiles - cut.whole) * cut.slices > ENOUGH_GROUPS * (int64_t)facts->compute_units)
        return "the device is full with fewer slices";
    return NULL;
}

static const struct clg_axes tiled = {
    &clg_family_tiled, tiled_axes, COUNT(tiled_axes), 6, 16, tiled_shape_why_not, tiled_bounds,
};

/* ---- direct ---- */

enum { DIRECT_SUMS = 32, DIRECT_GROUP = 256, DIRECT_GROUP_CPU = 64 };

static const struct clg_axis direct_axes[] = {
    AXIS(TILE_M, tile_m, PLAIN, 1, 2, 4, 8, 16, 32, 64, 128),
    AXIS(TILE_N, tile_n, PLAIN, 1, 2, 4, 8, 16, 32, 64, 128),
    AXIS(WG_M, wg_m, PLAIN, 1, 2, 4, 8, 16, 32, 64),
    AXIS(WG_N, wg_n, PLAIN, 1, 2, 4, 8, 16, 32, 64),
};

static const char *direct_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *p) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    const int group = p->wg_m * p->wg_n;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C is not shared evenly by the work-items";
    if (group > (cpu ? DIRECT_GROUP_CPU : DIRECT_GROUP) || (!cpu && group < SMALL_GROUP))
        return "a group is too small or too large";
    if (p->tile_m / p->wg_m * (p->tile_n / p->wg_n) > DIRECT_SUMS)
        return "a work-item has more than 32 sums";
    if (overhangs(problem->m, p->tile_m) || overhangs(problem->n, p->tile_n))
        return "less than a quarter of a tile is used";
    return NULL;
}

static const struct clg_axes direct = {
    &clg_family_direct, direct_axes, COUNT(direct_axes), 4, 4, direct_bounds, NULL,
};

/* ---- panel ---- */

enum { COLUMNS_OF_16 = 6 }; /* that 16 vector registers hold beside A's two and one of B */

static const struct clg_axis panel_axes[] = {
    AXIS(VEC, vec, PLAIN, 4, 8, 16),
    AXIS(REG_N, reg_n, PLAIN, 4, 6, 8, 10, 12, 14),
    AXIS(TILE_M, tile_m, PANELS, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
    AXIS(TILE_N, tile_n, CUTS_N, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32),
    AXIS(TILE_K, tile_k, CUTS_K, 1, 2, 3, 4, 6, 8, 12, 16),
    AXIS(PACK_B, pack_b, PLAIN, 0, 1),
    AXIS(SPLIT_K, split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16),
};

/* Vectors of 8 come with 16 registers, those of 4 and 16 with 32. */
static const char *panel_shape_why_not(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p) {
    const int native = facts->float_vector >= 16 ? 16 : facts->float_vector >= 8 ? 8 : 4;
    (void)problem;
    if (p->vec > native || 2 * p->vec < native)
        return "VEC is neither the device's own width nor half of it";
    if (native == 8 && p->reg_n > COLUMNS_OF_16)
        return "REG_N columns take more vector registers than there are";
    return NULL;
}

static const char *panel_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                const struct clg_params *p) {
    const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
    (void)facts;
    if (p->split_k > 1 &&
        (blocks < p->split_k || clg_ceil_div(blocks, blocks / p->split_k) != p->split_k))
        return "k makes no such number of slices";
    return NULL;
}

static const struct clg_axes panel = {
    &clg_family_panel, panel_axes, COUNT(panel_axes), 2, 6, panel_shape_why_not, panel_bounds,
};

const struct clg_axes *const clg_space_families[] = {&panel, &tiled, &direct, NULL};
