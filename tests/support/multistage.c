/* SPDX-License-Identifier: Apache-2.0
 * Small parameters of the multistage family. */
#include "support/multistage.h"

static const struct clg_params rows[CLG_TEST_MULTISTAGE_ROWS] = {
    {.tile_m = 32, .tile_n = 16, .tile_k = 8, .wg_m = 8, .wg_n = 4, .stages = 3},
    {.tile_m = 64, .tile_n = 16, .tile_k = 16, .wg_m = 16, .wg_n = 4, .stages = 2},
    {.tile_m = 32, .tile_n = 32, .tile_k = 8, .wg_m = 8, .wg_n = 8, .stages = 4},
    {.tile_m = 16, .tile_n = 32, .tile_k = 16, .wg_m = 8, .wg_n = 4, .wg_k = 2, .stages = 3},
    {.tile_m = 96, .tile_n = 24, .tile_k = 8, .wg_m = 24, .wg_n = 4, .stages = 3},
};

struct clg_params clg_test_multistage_row(int row, int cut) {
    struct clg_params p = rows[row];
    p.lanes_m = 8;
    p.lanes_n = 4;
    p.vec_a = p.vec_b = 1;
    p.band_m = 2;
    p.split_k = cut == 1 ? 3 : 0;
    /* 16 slices, which another kernel adds, in the last preset */
    p.split_tail = cut < 2 ? 0 : row < CLG_TEST_MULTISTAGE_ROWS - 1 ? 2 : 16;
    return p;
}

void clg_test_multistage_allow(struct clg_facts *facts) {
    facts->async_copies = true;
    facts->capability = CLG_AMPERE;
}
