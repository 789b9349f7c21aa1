/* SPDX-License-Identifier: Apache-2.0
 * The ladder's table. */
#include "src/common/ladder_steps.h"

#include <string.h>

extern const struct clg_source ladder_sources[];
extern const size_t ladder_source_count;

const struct clg_source *ladder_source_find(const char *name) {
    for (size_t i = 0; i < ladder_source_count; i++)
        if (!strcmp(ladder_sources[i].name, name))
            return &ladder_sources[i];
    return NULL;
}

int ladder_value(const struct ladder_step *step, const char *name, int otherwise) {
    for (const struct ladder_setting *s = step->settings; s->name; s++)
        if (!strcmp(s->name, name))
            return s->value;
    return otherwise;
}

static bool is_width(int width) {
    return width == 1 || width == 2 || width == 4 || width == 8;
}

/* ---- Steps 1 to 5: square tiles ---- */

static void square_launch(const struct ladder_step *step, struct ladder_launch *out) {
    const int ts = ladder_value(step, "TS", 0), depth = ladder_value(step, "TSDK", ts);
    *out = (struct ladder_launch){.tile_m = ts,
                                  .tile_n = ts,
                                  .tile_k = step->number == 1 ? 1 : depth,
                                  .group_m = ts / ladder_value(step, "WIDTH", 1),
                                  .group_n = ts / ladder_value(step, "WPT", 1)};
    if (step->number > 1)
        out->local_bytes =
            (int64_t)sizeof(float) * ts * (2LL * depth + ladder_value(step, "PAD", 0));
}

static const char *square_wrong(const struct ladder_step *step,
                                const struct ladder_launch *launch) {
    const int ts = launch->tile_m, wpt = ladder_value(step, "WPT", 1);
    const int width = ladder_value(step, "WIDTH", 1), depth = ladder_value(step, "TSDK", ts);
    if (ts % wpt)
        return "WPT does not divide TS";
    if (!is_width(width))
        return "WIDTH is not one of 1, 2, 4, 8";
    if (ts % width)
        return "WIDTH does not divide TS";
    if ((int64_t)depth * wpt % ts)
        return "TSDK * WPT / TS, the loads per work-item, is not an integer";
    return NULL;
}

/* ---- Steps 6 to 10: register tiles ---- */

static void tiled_launch(const struct ladder_step *step, struct ladder_launch *out) {
    const int tsm = ladder_value(step, "TSM", 0), tsn = ladder_value(step, "TSN", 0);
    const int tsk = ladder_value(step, "TSK", 0), buffers = step->number >= 9 ? 2 : 1;
    *out = (struct ladder_launch){.tile_m = tsm,
                                  .tile_n = tsn,
                                  .tile_k = tsk,
                                  .group_m = tsm / ladder_value(step, "WPTM", 1),
                                  .group_n = tsn / ladder_value(step, "WPTN", 1),
                                  .local_bytes = (int64_t)sizeof(float) *
                                                 (((int64_t)tsm + tsn) * tsk * buffers +
                                                  (int64_t)tsn * ladder_value(step, "PAD", 0))};
}

static const char *shuffle_wrong(const struct ladder_step *step,
                                 const struct ladder_launch *launch) {
    const int ptx = ladder_value(step, "PTX_SHUFFLE", 0);
    const int subgroup = ladder_value(step, "SUBGROUP_SHUFFLE", 0);
    if (ladder_value(step, "PTX_LOAD", 0) > 1 || ptx > 1 || subgroup > 2)
        return "PTX_LOAD and PTX_SHUFFLE are 0 or 1, SUBGROUP_SHUFFLE is 0, 1 or 2";
    if (ladder_value(step, "PTX_LOAD", 0) && ladder_value(step, "WIDTH", 1) > 4)
        return "PTX_LOAD reads at most 4 floats at a time";
    if (ptx && subgroup)
        return "PTX_SHUFFLE and SUBGROUP_SHUFFLE exclude each other";
    if ((ptx || subgroup) && ladder_value(step, "WPTN", 1) > launch->group_m)
        return "shuffles need WPTN <= TSM / WPTM";
    if (ptx && (32 % launch->group_m || launch->group_m * launch->group_n % 32))
        return "PTX_SHUFFLE needs rows of TSM / WPTM work-items that divide 32, and groups that 32 "
               "divides";
    return NULL;
}

static const char *tiled_wrong(const struct ladder_step *step, const struct ladder_launch *launch) {
    const int width = ladder_value(step, "WIDTH", 1);
    const int64_t items = (int64_t)launch->group_m * launch->group_n;
    if (launch->tile_m % ladder_value(step, "WPTM", 1))
        return "WPTM does not divide TSM";
    if (launch->tile_n % ladder_value(step, "WPTN", 1))
        return "WPTN does not divide TSN";
    if (!is_width(width))
        return "WIDTH is not one of 1, 2, 4, 8";
    if (launch->tile_m % width || launch->tile_n % width)
        return "WIDTH does not divide TSM and TSN";
    if ((int64_t)launch->tile_m * launch->tile_k % (items * width) ||
        (int64_t)launch->tile_n * launch->tile_k % (items * width))
        return "LPTA and LPTB, the loads per work-item, are not integers";
    return shuffle_wrong(step, launch);
}

/* ---- Step 11: registers only ---- */

static void registers_launch(const struct ladder_step *step, struct ladder_launch *out) {
    const int x = ladder_value(step, "THREADSX", 0), y = ladder_value(step, "THREADSY", 0);
    *out = (struct ladder_launch){.tile_m = x * ladder_value(step, "RX", 0),
                                  .tile_n = y * ladder_value(step, "RY", 0),
                                  .tile_k = 4,
                                  .group_m = x,
                                  .group_n = y};
}

static const char *registers_wrong(const struct ladder_step *step,
                                   const struct ladder_launch *launch) {
    const int rx = ladder_value(step, "RX", 0), ry = ladder_value(step, "RY", 0);
    (void)launch;
    return (rx == 4 || rx == 8) && (ry == 4 || ry == 8) ? NULL : "RX and RY are 4 or 8";
}

/* ---- The table ---- */

#define SQUARE .launch = square_launch, .wrong = square_wrong
#define TILED .launch = tiled_launch, .wrong = tiled_wrong
#define TILES                                               \
    {"TSM", 128}, {"TSN", 128}, {"TSK", 16}, {"WPTM", 8}, { \
        "WPTN", 8                                           \
    }
#define REGISTERS(rx, ry)                                                                \
    {                                                                                    \
        .number = 11, .variant = #rx "x" #ry, .source = "11_registers_only",             \
        .title = "registers only", .launch = registers_launch, .wrong = registers_wrong, \
        .settings = {                                                                    \
            {"THREADSX", 8},                                                             \
            {"THREADSY", 8},                                                             \
            {"RX", rx},                                                                  \
            {"RY", ry}                                                                   \
        }                                                                                \
    }

const struct ladder_step ladder_steps[] = {
    {.number = 1,
     .variant = "",
     .source = "01_naive",
     .title = "naive",
     SQUARE,
     .settings = {{"TS", 32}}},
    {.number = 2,
     .variant = "",
     .source = "02_local_tiles",
     .title = "tiles in local memory",
     SQUARE,
     .settings = {{"TS", 32}}},
    {.number = 3,
     .variant = "",
     .source = "03_more_work",
     .title = "more work per work-item",
     SQUARE,
     .settings = {{"TS", 32}, {"WPT", 8}}},
    {.number = 4,
     .variant = "",
     .source = "04_wide_types",
     .title = "wide data types",
     SQUARE,
     .settings = {{"TS", 32}, {"WIDTH", 4}}},
    {.number = 5,
     .variant = "",
     .source = "05_transposed",
     .title = "B transposed, flat tiles",
     .needs = LADDER_TRANSPOSED_B,
     SQUARE,
     .settings = {{"TS", 32}, {"WPT", 8}, {"TSDK", 16}, {"PAD", 2}}},
    {.number = 6,
     .variant = "",
     .source = "06_register_tiles",
     .title = "register tiles",
     .needs = LADDER_TRANSPOSED_B,
     TILED,
     .settings = {TILES, {"PAD", 2}}},
    {.number = 7,
     .variant = "",
     .source = "07_wide_loads",
     .title = "wide loads",
     .needs = LADDER_TRANSPOSED_B,
     TILED,
     .settings = {TILES, {"WIDTH", 4}}},
    {.number = 8,
     .variant = "",
     .source = "08_device_extras",
     .title = "device extras",
     .needs = LADDER_TRANSPOSED_B,
     TILED,
     .settings =
         {TILES, {"WIDTH", 4}, {"PTX_LOAD", 0}, {"PTX_SHUFFLE", 0}, {"SUBGROUP_SHUFFLE", 0}}},
    {.number = 9,
     .variant = "",
     .source = "09_prefetch",
     .title = "pre-fetching",
     .needs = LADDER_TRANSPOSED_B,
     TILED,
     .settings = {TILES, {"WIDTH", 4}}},
    {.number = 10,
     .variant = "",
     .source = "10_any_size",
     .title = "any size, padded",
     .needs = LADDER_PADDED,
     TILED,
     .settings = {TILES, {"WIDTH", 4}}},
    REGISTERS(8, 4),
    REGISTERS(4, 8),
    REGISTERS(8, 8),
    REGISTERS(4, 4),
};
const int ladder_step_count = sizeof ladder_steps / sizeof *ladder_steps;
