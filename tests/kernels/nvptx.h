/* SPDX-License-Identifier: Apache-2.0
 * The built-in functions of NVIDIA's OpenCL that the tensor core kernels use, for a clang that
 * makes PTX and lacks that library. It precedes a kernel's text. */
#define get_local_id(d) ((size_t)__nvvm_read_ptx_sreg_tid_x())
#define get_group_id(d) ((size_t)__nvvm_read_ptx_sreg_ctaid_x())
#define get_num_groups(d) ((size_t)__nvvm_read_ptx_sreg_nctaid_x())
#define barrier(fences) __asm__ volatile("bar.sync 0;" ::: "memory")
#define fma __builtin_fmaf
#define fabs __builtin_fabsf
#define fmax __builtin_fmaxf
#define fmin __builtin_fminf
#define isnan __builtin_isnan
#define isinf __builtin_isinf
#define min(x, y) ((x) < (y) ? (x) : (y))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define popcount __builtin_popcount
#define vload2(i, from) (*(const __local float2 *)((from) + 2 * (i)))
#define atomic_inc(at)                                                                            \
    ({                                                                                            \
        int before;                                                                               \
        __asm__ volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(at) : "memory"); \
        before;                                                                                   \
    })

#define vload_half(i, from) float_of(((const __global ushort *)(from))[i])
#define vstore_half_rte(value, i, to) (((__global ushort *)(to))[i] = half_of(value))
#define vstorea_half2_rte(value, i, to) \
    (((__global uint *)(to))[i] = half_of((value).x) | (uint)half_of((value).y) << 16)

static float float_of(const ushort bits) {
    float x;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}
static ushort half_of(const float x) {
    ushort bits;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
