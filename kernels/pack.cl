/* SPDX-License-Identifier: Apache-2.0
 * Packs op(A) or op(B) into a dense copy whose elements are consecutive along m or n ("outer"), so
 * that clg_tiled can read it in aligned vectors.
 *
 *        source (outer x depth)                     packed (padded x depth)
 *
 *     x[o + p * ld]  ALONG_K = 0                      packed[o + p * padded]
 *     x[p + o * ld]  ALONG_K = 1                      zero where o >= outer
 *
 * A work-group moves a SIDE x SIDE square through local memory, so that neighbouring work-items
 * read and write consecutive elements, whether the source runs along k or not. Each work-item moves
 * several elements, so that several reads are in flight at once. */
#include "real.h"

#if defined(__clang__) && !defined(__NV_CL_C_VERSION)
#pragma clang diagnostic ignored \
    "-Wpass-failed" /* of unrolling: `slow` is not known to be < ROWS */
#endif

#ifndef ALONG_K
#define ALONG_K 1
#endif
#define SIDE 32
#define ROWS 8 /* rows of the square that the work-group moves at a time */

__kernel __attribute__((reqd_work_group_size(SIDE * ROWS, 1, 1))) void
clg_pack(const int outer, const int depth, const __global element *restrict x, const long x_offset,
         const long ld BATCH_STRIDE(x), const int padded,
         __global element *restrict packed BATCH_STRIDE(packed) BATCH_ARGS) {
    /* One element of padding spreads a column of the square over SIDE banks. */
    __local element square[SIDE][SIDE + 1];
    const int fast = (int)get_local_id(0) % SIDE, slow = (int)get_local_id(0) / SIDE;
    const int squares = (padded + SIDE - 1) / SIDE;
    const int o0 = (int)GROUP_ID % squares * SIDE;
    const int p0 = (int)GROUP_ID / squares * SIDE;

#pragma unroll
    for (int s = slow; s < SIDE; s += ROWS) {
        const int read_o = ALONG_K ? s : fast, read_p = ALONG_K ? fast : s;
        const int o = o0 + read_o, p = p0 + read_p;
        const long at = x_offset + PRODUCT_OF(x) + (ALONG_K ? p + o * ld : o + p * ld);
        square[read_p][read_o] = o < outer && p < depth ? x[at] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
    for (int s = slow; s < SIDE; s += ROWS)
        if (o0 + fast < padded && p0 + s < depth)
            packed[PRODUCT_OF(packed) + o0 + fast + (long)(p0 + s) * padded] = square[s][fast];
}
