/* SPDX-License-Identifier: Apache-2.0
 * Step 8's two device extras, in each form that OpenCL devices offer. Build options choose them; an
 * option is 0 if the probe (extras_probe.cl) found that the extra does not work.
 *
 * PTX_LOAD: read-only loads by PTX. PTX_SHUFFLE: exchange between work-items by PTX.
 * SUBGROUP_SHUFFLE: exchange by sub-groups, 1 for cl_khr_subgroup_shuffle, 2 for
 * cl_intel_subgroups. WIDTH must be defined before. */
#ifndef PTX_LOAD
#define PTX_LOAD 0
#endif
#ifndef PTX_SHUFFLE
#define PTX_SHUFFLE 0
#endif
#ifndef SUBGROUP_SHUFFLE
#define SUBGROUP_SHUFFLE 0
#endif

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if WIDTH == 1
typedef float vector;
#else
typedef JOIN(float, WIDTH) vector;
#endif

/* Loads a vector that is not written while the kernel runs. */
static vector load_read_only(const __global vector *from) {
#if PTX_LOAD && WIDTH == 4
    float x, y, z, w;
    __asm__ volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                     : "l"((size_t)from));
    return (vector)(x, y, z, w);
#elif PTX_LOAD && WIDTH == 2
    float x, y;
    __asm__ volatile("ld.global.nc.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"((size_t)from));
    return (vector)(x, y);
#elif PTX_LOAD && WIDTH == 1
    float x;
    __asm__ volatile("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"((size_t)from));
    return x;
#else
    return *from;
#endif
}

#if PTX_SHUFFLE || SUBGROUP_SHUFFLE
#if SUBGROUP_SHUFFLE == 1
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#elif SUBGROUP_SHUFFLE == 2
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif

/* This work-item's place in its SIMD group. */
static uint simd_lane(void) {
#if PTX_SHUFFLE
    uint lane;
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
#else
    return get_sub_group_local_id();
#endif
}

/* The x of the work-item at place `lane`. */
static float value_of_lane(const float x, const uint lane) {
#if PTX_SHUFFLE
    float y;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(y) : "f"(x), "r"(lane));
    return y;
#elif SUBGROUP_SHUFFLE == 1
    return sub_group_shuffle(x, lane);
#else
    return intel_sub_group_shuffle(x, lane);
#endif
}
#endif
