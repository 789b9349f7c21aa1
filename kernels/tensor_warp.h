/* SPDX-License-Identifier: Apache-2.0
 * PTX's instructions for communication between groups and within warps, one function each: for
 * kernels on tensor cores, after ptx.h. The build puts this text in place of the #include. */

/* ---- Between groups: writes before a flag is set are visible after waiting for the flag ---- */

static inline void memory_fence(void) {
    PTX("fence.acq_rel.gpu;" ::: "memory");
}
static inline void flag_set(__global uint *flag) {
    PTX("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
}
static inline void flag_wait(const __global uint *flag) {
    uint set = 1;
    do
        PTX("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory");
    while (!set);
}
/* Reads past the L1 cache, which other groups' writes do not update. */
static inline float4 read_shared(const __global float4 *from) {
    float4 x = 0;
    PTX("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
        : "l"(from)
        : "memory");
    return x;
}

/* Returns x. The compiler cannot compute anything from it earlier, so values derived from x take no
 * registers during the multiplication. */
static inline int here(int x) {
    PTX("" : "+r"(x));
    return x;
}

static inline const __global element *here_from(const __global element *x) {
    PTX("" : "+l"(x));
    return x;
}

/* ---- Within a warp ---- */

/* A barrier for the warp. */
static inline void warp_together(void) {
    PTX("bar.warp.sync 0xffffffff;" ::: "memory");
}

/* A bit for each work-item of the warp: its `mine`. */
static inline uint warp_votes(const bool mine) {
    uint votes = mine;
    PTX("{ .reg .pred mine; setp.ne.u32 mine, %0, 0; vote.sync.ballot.b32 %0, mine, 0xffffffff; }"
        : "+r"(votes));
    return votes;
}
static inline bool warp_agrees(const bool mine) {
    return warp_votes(mine) == 0xffffffff;
}

/* Exchanges x with the work-item whose number differs in these bits. */
static inline float exchange(const float x, const int bits) {
    float got = x;
    PTX("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(got) : "f"(x), "r"(bits));
    return got;
}

/* Another work-item's x. */
static inline float from_lane(const float x, const int lane) {
    float got = x;
    PTX("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(got) : "f"(x), "r"(lane));
    return got;
}
