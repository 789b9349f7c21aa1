/* SPDX-License-Identifier: Apache-2.0
 * PTX for NVIDIA's instructions that OpenCL C cannot express. Other compilers see none of it; with
 * them a file still compiles, so that the rest can be tested. The build puts this text in place of
 * the #include. */
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
