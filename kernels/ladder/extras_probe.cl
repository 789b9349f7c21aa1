/* SPDX-License-Identifier: Apache-2.0
 * Tests whether step 8's extras work: one work-group of RTSM x RTSN items tries them and checks the
 * results.
 *
 *     in:  WIDTH floats for each work-item, with any values
 *     out: for each work-item 1 if all was right, else 0
 *
 * Built with the options of 08_device_extras.cl. The host checks `out`, so a kernel that does not
 * run at all counts as a failure. */
#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef WPTM
#define WPTM 8
#endif
#ifndef WPTN
#define WPTN 8
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)

#include "extras.h"

#if PTX_SHUFFLE || SUBGROUP_SHUFFLE
/* A value of each work-item's own, other than its number. */
static float token(const int x, const int y) {
    return (float)(3 * (y * RTSM + x) + 1);
}
#endif

__kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1))) void
clg_extras_probe(const __global vector *restrict in, __global int *restrict out) {
    const int x = get_local_id(0), y = get_local_id(1), item = y * RTSM + x;
    const vector loaded = load_read_only(&in[item]), expected = in[item];
    int right = 1;
#if WIDTH == 1
    right = loaded == expected;
#else
    right = all(loaded == expected);
#endif
#if PTX_SHUFFLE || SUBGROUP_SHUFFLE
    const uint row_start = simd_lane() - x;
    for (int j = 0; j < WPTN; j++)
        if (value_of_lane(token(x, y), row_start + j) != token(j, y))
            right = 0;
#endif
    out[item] = right;
}
