/* SPDX-License-Identifier: Apache-2.0
 * The tiled family for the tuner: its axes, the bounds that exclude what is not worth trying, its
 * schemes, and its parameters in words. */
#include "base/checked.h"
#include "gemm/tiled/tiled.h"

enum {
    SMALL_GROUP = 32,
    LARGE_GROUP = 512,
    FEW_ACCUMULATORS = 4,
    MANY_ACCUMULATORS = 128,
    MANY_ACCUMULATORS_CPU = 32, /* PoCL compiles more of them for half a minute, and wrongly */
    REGISTERS = 232,            /* of the 255 that a work-item can have */
    ENOUGH_GROUPS = 16          /* per compute unit */
};

static const struct clg_axis axes[] = {
    CLG_AXIS(TILE_M, tile_m, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    CLG_AXIS(TILE_N, tile_n, PLAIN, 4, 8, 16, 32, 64, 128, 256),
    CLG_AXIS(WG_M, wg_m, PLAIN, 2, 4, 8, 16, 32),
    CLG_AXIS(WG_N, wg_n, PLAIN, 2, 4, 8, 16, 32),
    CLG_AXIS(TILE_K, tile_k, PLAIN, 8, 16, 32, 64),
    CLG_AXIS(WG_K, wg_k, PLAIN, 1, 2, 4),
    CLG_AXIS(PRIVATE_A, private_a, PLAIN, 0, 1),
    CLG_AXIS(PRIVATE_B, private_b, PLAIN, 0, 1),
    CLG_AXIS(IN_PLACE, in_place, PLAIN, 0, 1),
    CLG_AXIS(LANES_M, lanes_m, PATCH, 0, 2, 4, 8, 16, 32),
    CLG_AXIS(VEC_A, vec_a, PLAIN, 1, 2, 4),
    CLG_AXIS(VEC_B, vec_b, PLAIN, 1, 2, 4),
    CLG_AXIS(STAGES, stages, PLAIN, 1, 2),
    CLG_AXIS(PAD_LOCAL, pad_local, PLAIN, 0, 4),
    CLG_AXIS(PACK_A, pack_a, PLAIN, 0, 1),
    CLG_AXIS(PACK_B, pack_b, PLAIN, 0, 1),
    CLG_AXIS(BAND_M, band_m, PLAIN, 1, 4, 8, 16, 32),
    CLG_AXIS(SPLIT_K, split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
    CLG_AXIS(SPLIT_TAIL, split_tail, PLAIN, 0, 2, 4, 8, 16),
    CLG_AXIS(UNROLL_K, unroll_k, PLAIN, 0),
};

static const char *shape_unsupported_reason(const struct clg_problem *problem,
                                            const struct clg_facts *facts,
                                            const struct clg_params *p) {
    const bool cpu = facts->kind == CLG_DEVICE_CPU;
    if (p->tile_m % p->wg_m || p->tile_n % p->wg_n)
        return "a tile of C does not divide evenly among the work-items";
    const int reg_m = p->tile_m / p->wg_m, reg_n = p->tile_n / p->wg_n,
              accumulators = reg_m * reg_n;
    const int group = p->wg_m * p->wg_n * p->wg_k;
    if (group > LARGE_GROUP || (!cpu && group < SMALL_GROUP))
        return "a group has fewer than 32 work-items, or more than 512";
    if (accumulators < FEW_ACCUMULATORS ||
        accumulators > (cpu ? MANY_ACCUMULATORS_CPU : MANY_ACCUMULATORS))
        return "a work-item has fewer than 4 accumulators, or too many";
    if (accumulators + 2 * (reg_m + reg_n) + (p->tile_m + p->tile_n) * p->tile_k / group >
        REGISTERS)
        return "a work-item needs too many registers";
    if (clg_overhangs(problem->m, p->tile_m) || clg_overhangs(problem->n, p->tile_n) ||
        clg_overhangs(problem->k, p->tile_k))
        return "less than a quarter of a tile is used";
    return NULL;
}

/* Whether an operand is read in place in vectors as wide as the row's, or is packed because it
 * cannot be. */
static bool reads_well(const struct clg_reading *in_place, int pack) {
    return pack ? in_place->vec < in_place->wanted : in_place->vec == in_place->wanted;
}

/* Whether a private operand is read in narrower vectors than the candidate says: it is read in
 * single elements along k, and in a fragment's vectors at most. */
static bool reads_less(const struct clg_reading *in_place, int pack, int reg) {
    return in_place->wanted > (in_place->along_k && !pack ? 1 : clg_tiled_fragment(reg));
}

const char *clg_tiled_cut_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *p) {
    if (p->split_k > 1 && p->split_tail > 1)
        return "both SPLIT_K and SPLIT_TAIL split the tiles";
    const struct clg_cut cut = clg_tiled_cut(problem, facts, p);
    const int64_t tiles_m = clg_ceil_div(problem->m, p->tile_m);
    if (p->band_m > 1 && tiles_m <= (p->band_m == 4 ? 1 : p->band_m / 2))
        return "a narrower band holds all tiles along m";
    if (p->split_k > 1 &&
        (problem->k < (int64_t)p->split_k * p->tile_k || cut.slices != p->split_k))
        return "k does not divide into this number of slices";
    if (p->split_tail > 1 &&
        (problem->k < (int64_t)p->split_tail * p->tile_k || cut.slices != p->split_tail))
        return "k does not divide into this number of slices of the tail";
    if (p->split_tail > 1 && !clg_tiled_leaves_tail(problem, facts, p))
        return "there is no tail to split";
    if ((cut.tiles - cut.whole) * cut.slices > ENOUGH_GROUPS * (int64_t)facts->compute_units)
        return "the device is full with fewer slices";
    return NULL;
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const int widest = (int)clg_type_vector(problem->type);
    if (p->vec_a > widest || p->vec_b > widest)
        return "a vector is wider than the type's widest";
    const struct clg_reading a = clg_tiled_read_a(problem, p), b = clg_tiled_read_b(problem, p);
    if (p->lanes_m > 0 && (p->wg_m % p->lanes_m || p->wg_n % p->lanes_n))
        return "a group is not made of whole patches of lanes";
    if (!reads_well(&a, p->pack_a) || !reads_well(&b, p->pack_b))
        return "an operand is packed needlessly, or cannot be read in vectors of this width";
    if ((p->private_a && reads_less(&a, p->pack_a, p->tile_m / p->wg_m)) ||
        (p->private_b && reads_less(&b, p->pack_b, p->tile_n / p->wg_n)))
        return "a private operand is read in narrower vectors";
    return clg_tiled_cut_bounds(problem, facts, p);
}

const struct clg_axes clg_tiled_axes = {
    .axes = axes,
    .count = CLG_AXES_COUNT(axes),
    .shape_axes = 6,
    .core_axes = 16,
    .shape_unsupported_reason = shape_unsupported_reason,
    .unsupported_reason = bounds,
};

enum clg_scheme clg_tiled_scheme(const struct clg_params *p) {
    return p->in_place                    ? CLG_SCHEME_LOCAL
           : p->private_a && p->private_b ? CLG_SCHEME_PRIVATE
           : p->private_a || p->private_b ? CLG_SCHEME_LOCAL_PRIVATE
                                          : CLG_SCHEME_BOTH;
}

bool clg_tiled_variant(int number, const struct clg_params *params, struct clg_params *out) {
    enum { ONE_PRIVATE, OTHER_PRIVATE, BOTH_PRIVATE, IN_PLACE, VARIANTS };
    if (number >= VARIANTS)
        return false;
    *out = *params;
    out->private_a = number == ONE_PRIVATE || number == BOTH_PRIVATE;
    out->private_b = number == OTHER_PRIVATE || number == BOTH_PRIVATE;
    out->in_place = number == IN_PLACE;
    if (number != IN_PLACE)
        out->wg_k = 0;
    if (number == BOTH_PRIVATE)
        out->stages = 1;
    return true;
}

void clg_tiled_describe(char text[CLG_DESCRIPTION], const struct clg_params *p) {
    clg_describe(text, "%dx%dx%d, %dx%d", p->tile_m, p->tile_n, p->tile_k, p->wg_m, p->wg_n);
    if (p->wg_k > 1)
        clg_describe(text, "x%d", p->wg_k);
    if (p->lanes_m)
        clg_describe(text, " in %dx%d", p->lanes_m, p->lanes_n);
    if (p->vec_a)
        clg_describe(text, ", vectors %d and %d", p->vec_a, p->vec_b);
    if (p->stages)
        clg_describe(text, ", %d stage%s", p->stages, p->stages > 1 ? "s" : "");
    if (p->private_a || p->private_b)
        clg_describe(text, ", private %s%s", p->private_a ? "A" : "", p->private_b ? "B" : "");
    if (p->in_place)
        clg_describe(text, ", in place");
    if (p->pad_local)
        clg_describe(text, ", pad %d", p->pad_local);
    if (p->registers)
        clg_describe(text, ", %d registers", p->registers);
    if (p->band_m)
        clg_describe(text, ", band %d", p->band_m);
    if (p->split_k > 1)
        clg_describe(text, ", split %d", p->split_k);
    if (p->split_tail > 1)
        clg_describe(text, ", tail %d", p->split_tail);
    if (p->pack_a || p->pack_b)
        clg_describe(text, ", pack %s%s", p->pack_a ? "A" : "", p->pack_b ? "B" : "");
}
