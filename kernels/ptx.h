/* SPDX-License-Identifier: Apache-2.0
 * Instructions of NVIDIA's that OpenCL C has no words for, in PTX. Other compilers see none of it:
 * then a file only shows that the rest is right. The build puts this text in place of the #include. */
#if defined(__NV_CL_C_VERSION) || defined(__NVPTX__)
#define PTX(...) __asm__ volatile(__VA_ARGS__)
#define HAS_PTX 1
#else
#define PTX(...)
#define HAS_PTX 0
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
#endif
