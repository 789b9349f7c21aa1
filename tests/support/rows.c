/* SPDX-License-Identifier: Apache-2.0
 * A family's parameters, for tests that run each of its kernels. */
#include "support/rows.h"

#include "gemm/select.h"
#include "support/check.h"
#include "tuning/costs.h"

static const struct clg_params panels[] = {
    {.tile_m = 16, .tile_n = 12, .tile_k = 20, .vec = 8, .reg_n = 6, .pack_b = 1},
    {.tile_m = 32, .tile_n = 24, .tile_k = 40, .vec = 16, .reg_n = 12, .pack_b = 1},
    {.tile_m = 32, .tile_n = 24, .tile_k = 32, .vec = 16, .reg_n = 12},
    {.tile_m = 32, .tile_n = 16, .tile_k = 16, .vec = 16, .reg_n = 8, .split_k = 3},
    {.tile_m = 32, .tile_n = 8, .tile_k = 16, .vec = 16, .reg_n = 8, .pack_b = 1},
    {.tile_m = 16, .tile_n = 6, .tile_k = 12, .vec = 8, .reg_n = 6, .split_k = 2},
    {.tile_m = 16, .tile_n = 24, .tile_k = 16, .vec = 4, .reg_n = 12, .pack_b = 1},
    {.tile_m = 8, .tile_n = 12, .tile_k = 16, .vec = 4, .reg_n = 12},
};

/* In the costs they are for GPUs whose costs are computed. */
static const struct clg_params dots[] = {
    {.tile_m = 64, .tile_n = 64, .tile_k = 32, .wg_m = 8, .wg_n = 8, .band_m = 8},
    {.tile_m = 128, .tile_n = 64, .tile_k = 32, .wg_m = 16, .wg_n = 8, .band_m = 1},
    {.tile_m = 64, .tile_n = 64, .tile_k = 64, .wg_m = 16, .wg_n = 16, .band_m = 8},
    {.tile_m = 128, .tile_n = 128, .tile_k = 32, .wg_m = 16, .wg_n = 16, .band_m = 8},
};

const struct clg_costs *clg_test_costs(const struct clg_facts *facts) {
    static struct clg_costs room;
    return clg_costs_for(facts, &room);
}

const struct clg_params *clg_test_rows(const struct clg_family *family, enum clg_device_kind kind,
                                       size_t *count) {
    enum { MOST = 64 };
    static struct clg_params kept[2][CLG_FAMILIES][MOST];
    const struct clg_facts facts = {.kind = kind, .capability = CLG_HOPPER};
    const struct clg_cost_rows rows = clg_costs_of(clg_test_costs(&facts), family);
    int f = 0;
    while (clg_families[f] != family)
        f++;
    if (family == &clg_family_panel) {
        *count = kind == CLG_DEVICE_CPU ? sizeof panels / sizeof *panels : 1;
        return panels;
    }
    if (family == &clg_family_dot) {
        *count = sizeof dots / sizeof *dots;
        return dots;
    }
    assert_true(rows.count <= MOST);
    struct clg_params *out = kept[kind != CLG_DEVICE_CPU][f];
    for (size_t i = 0; i < rows.count; i++)
        out[i] = rows.rows[i].params;
    *count = rows.count;
    return out;
}

bool clg_test_parameters(const struct clg_family *family, const struct clg_problem *problem,
                         const struct clg_facts *facts, struct clg_params *out) {
    struct clg_list list = {.count = 0};
    clg_family_candidates(&list, family, problem, facts, clg_test_costs(facts));
    if (list.count > 0)
        *out = list.at[0].params;
    return list.count > 0;
}
