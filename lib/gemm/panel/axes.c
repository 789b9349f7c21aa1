/* SPDX-License-Identifier: Apache-2.0
 * The panel family for the tuner: its axes, the bounds that exclude what is not worth trying, and
 * its parameters in words. */
#include "base/checked.h"
#include "gemm/panel/panel.h"

enum { COLUMNS_OF_16 = 6 }; /* fit 16 vector registers, beside two of A and one of B */

static const struct clg_axis axes[] = {
    CLG_AXIS(VEC, vec, PLAIN, 2, 4, 8, 16),
    CLG_AXIS(REG_N, reg_n, PLAIN, 4, 6, 8, 10, 12, 14),
    CLG_AXIS(TILE_M, tile_m, PANELS, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
    CLG_AXIS(TILE_N, tile_n, CUTS_N, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32),
    CLG_AXIS(TILE_K, tile_k, CUTS_K, 1, 2, 3, 4, 6, 8, 12, 16),
    CLG_AXIS(PACK_B, pack_b, PLAIN, 0, 1),
    CLG_AXIS(SPLIT_K, split_k, PLAIN, 0, 2, 3, 4, 6, 8, 12, 16),
};

static const char *shape_unsupported_reason(const struct clg_problem *problem,
                                            const struct clg_facts *facts,
                                            const struct clg_params *p) {
    const struct clg_panel_registers registers = clg_panel_registers_of(problem->type, facts);
    if (p->vec > registers.elements || 2 * p->vec < registers.elements)
        return "VEC is neither the device's vector width nor half of it";
    if (registers.count == 16 && p->reg_n > COLUMNS_OF_16)
        return "REG_N columns need more vector registers than there are";
    return NULL;
}

static const char *bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p) {
    const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
    (void)facts;
    if (p->split_k > 1 &&
        (blocks < p->split_k || clg_ceil_div(blocks, blocks / p->split_k) != p->split_k))
        return "k does not divide into this number of slices";
    return NULL;
}

const struct clg_axes clg_panel_axes = {
    .axes = axes,
    .count = CLG_AXES_COUNT(axes),
    .shape_axes = 2,
    .core_axes = 6,
    .shape_unsupported_reason = shape_unsupported_reason,
    .unsupported_reason = bounds,
};

void clg_panel_describe(char text[CLG_DESCRIPTION], const struct clg_params *p) {
    clg_describe(text, "%dx%dx%d, %d elements, %d columns", p->tile_m, p->tile_n, p->tile_k, p->vec,
                 p->reg_n);
    if (p->split_k > 1)
        clg_describe(text, ", split %d", p->split_k);
    if (p->pack_b)
        clg_describe(text, ", pack B");
}
