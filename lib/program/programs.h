/* SPDX-License-Identifier: Apache-2.0
 * The programs of one open device. Each is built once, even if many threads need it at once. Kernel
 * objects are lent to one thread at a time, because clSetKernelArg is not thread-safe. */
#ifndef CLG_PROGRAM_PROGRAMS_H
#define CLG_PROGRAM_PROGRAMS_H

#include "device/device.h"
#include "program/cache.h"

struct clg_programs;
struct clg_program;

/* `device` and `store` must outlive the result. With `store` NULL, binaries are neither kept nor
 * looked up. */
clgemm_status clg_programs_open(struct clg_programs **out, struct clg_device *device,
                                struct clg_binaries *store);

/* Releases every program; NULL is fine. No kernel may be lent out. */
void clg_programs_close(struct clg_programs *programs);

/* The program of an embedded source with these options: from this table, else as in
 * clg_cache_build, which uses `warm_launch` (may be NULL). Waits while another thread builds the
 * same program. The result lives as long as `programs`. A failed build is not remembered, so the
 * next call tries again. */
clgemm_status clg_programs_get(struct clg_programs *programs, const char *source,
                               const char *options, const struct clg_warm_launch *warm_launch,
                               struct clg_program **out);

/* The same if nothing has to be compiled: the program is built already, or can be loaded from
 * memory or disk. NULL if it must be compiled, or if another thread is building it. */
struct clg_program *clg_programs_find(struct clg_programs *programs, const char *source,
                                      const char *options);

/* Launches a built program once more in advance, for another kind of grid (run/warm_launch.h). */
clgemm_status clg_program_launch(struct clg_program *program,
                                 const struct clg_warm_launch *warm_launch);

/* A kernel object, and the values that its plain arguments (not memory) were last set to, so that
 * they need not be set again. Code that sets arguments must keep this up to date. */
enum { CLG_KERNEL_ARGS = 32 };
struct clg_kernel {
    cl_kernel object;
    uint32_t known; /* bit i: argument i is plain[i] */
    uint64_t plain[CLG_KERNEL_ARGS];
};

/* Lends one of the program's kernels. Give it back after enqueueing (empty ones are fine). */
clgemm_status clg_kernel_take(struct clg_program *program, struct clg_kernel *out);
void clg_kernel_give(struct clg_program *program, const struct clg_kernel *kernel);

/* clg_kernel_spills of the program's kernel; 0 on other devices than GPUs. */
uint64_t clg_program_spills(struct clg_program *program);

/* The number of programs in the table with that origin. */
unsigned clg_programs_count(struct clg_programs *programs, enum clg_origin origin);

#endif
