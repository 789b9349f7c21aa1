/* SPDX-License-Identifier: Apache-2.0
 * Packs op(A) or op(B) into a dense copy, consecutive along m or n ("outer"), zero-padded to whole
 * tiles, for clg_tiled to read in aligned vectors without predicates.
 *
 *        source (outer x depth)                     packed (padded_outer x padded_depth)
 *
 *     x[o + p * ld]  ALONG_K = 0                      packed[o + p * padded_outer]
 *     x[p + o * ld]  ALONG_K = 1                      zero where o >= outer or p >= depth
 *
 * One work-group moves a SIDE x SIDE square through local memory, so that both the reads and the
 * writes of neighbouring work-items are consecutive, whichever way the source runs. */
#ifndef ALONG_K
#define ALONG_K 1
#endif
#define SIDE 16

__kernel __attribute__((reqd_work_group_size(SIDE * SIDE, 1, 1))) void
clg_pack(const int outer, const int depth, const __global float *x, const long x_offset,
         const long ld, const int padded_outer, const int padded_depth, __global float *packed) {
    /* One float of padding puts a column of the square into SIDE different banks. */
    __local float square[SIDE][SIDE + 1];
    const int item = get_local_id(0), group = get_group_id(0);
    const int squares = (padded_outer + SIDE - 1) / SIDE;
    const int o0 = group % squares * SIDE, p0 = group / squares * SIDE;
    const int fast = item % SIDE, slow = item / SIDE;

    const int read_o = ALONG_K ? slow : fast, read_p = ALONG_K ? fast : slow;
    const long o = o0 + read_o, p = p0 + read_p;
    square[read_p][read_o] =
        o < outer && p < depth ? x[x_offset + (ALONG_K ? p + o * ld : o + p * ld)] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (o0 + fast < padded_outer && p0 + slow < padded_depth)
        packed[o0 + fast + (long)(p0 + slow) * padded_outer] = square[slow][fast];
}
