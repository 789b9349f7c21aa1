/* SPDX-License-Identifier: Apache-2.0
 * Detects which of the groups that share a sum finishes last, on NVIDIA's devices from compute
 * capability 7.0 on. OpenCL C 1.2 itself orders nothing between groups of a launch. The build puts
 * this text in place of the #include, after ptx.h. (CUTLASS and Stream-K call it the fixup: Osama
 * et al., 2023.) */

/* Makes this work-item's earlier writes visible to groups on other units before its later ones. */
#define PUBLISH                           \
    mem_fence(CLK_GLOBAL_MEM_FENCE);      \
    PTX("fence.acq_rel.gpu;" ::: "memory")

/* Whether this group is the last of `groups` to call this; if so, it sees all their earlier writes
 * to global memory. The counter is 0 before and after; `arrived` belongs to the group. */
static bool comes_last(__global int *counter, const int groups, __local int *arrived) {
    PUBLISH;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        *arrived = atomic_inc(counter);
        if (*arrived == groups - 1)
            *counter = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool last = *arrived == groups - 1;
    if (last)
        PUBLISH;
    return last;
}
