/* SPDX-License-Identifier: Apache-2.0
 * The axes of a family's part of the tuner's search space: all of its tunables, and the values to
 * try. The family declares them; tune/space walks them. */
#ifndef CLG_GEMM_AXES_H
#define CLG_GEMM_AXES_H

#include "device/facts.h"
#include "gemm/params.h"
#include "gemm/problem.h"

enum { CLG_AXES_MAX = 21, CLG_AXIS_VALUES = 16 };

/* How an axis's value becomes a tunable. */
enum clg_axis_kind {
    CLG_AXIS_PLAIN,
    CLG_AXIS_PATCH,  /* LANES_M of a patch of CLG_PATCH work-items; LANES_N follows; 0: no patch */
    CLG_AXIS_PANELS, /* multiples of a panel's 2 * VEC rows */
    CLG_AXIS_CUTS_N, /* even parts of n, in whole panels of REG_N columns */
    CLG_AXIS_CUTS_K  /* even parts of k, in whole vectors */
};

enum { CLG_PATCH = 32 };

struct clg_axis {
    size_t field; /* its offset in struct clg_params */
    enum clg_axis_kind kind;
    int count, values[CLG_AXIS_VALUES]; /* ascending */
};

/* Why parameters are refused for the problem on that device, or NULL. */
typedef const char *clg_params_reason(const struct clg_problem *problem,
                                      const struct clg_facts *facts,
                                      const struct clg_params *params);

struct clg_axes {
    const struct clg_axis *axes;
    int count;
    /* A walk uses these counts to skip whole branches. shape_unsupported_reason depends on the
     * first shape_axes axes only. If a point whose axes after the first core_axes (or more) have
     * their first values is refused, so are all points that differ from it in those axes. */
    int shape_axes, core_axes;
    /* What is not worth trying, beside the family's own unsupported_reason; NULL: nothing. */
    clg_params_reason *shape_unsupported_reason, *unsupported_reason;
};

/* For the families' tables: an axis of these values, and the length of an array. */
#define CLG_AXIS(name, kind, ...)                           \
    {                                                       \
        offsetof(struct clg_params, name), CLG_AXIS_##kind, \
            sizeof((int[]){__VA_ARGS__}) / sizeof(int), {   \
            __VA_ARGS__                                     \
        }                                                   \
    }
#define CLG_AXES_COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* Whether less than a quarter of a tile would be used: most of a group's work is discarded. */
static inline bool clg_overhangs(int64_t size, int tile) {
    return 4 * size < tile;
}

#endif
