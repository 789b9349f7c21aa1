/* SPDX-License-Identifier: Apache-2.0
 * The programs of one open device: each built once, also when many threads ask at the same moment,
 * and kernel objects lent to one thread at a time (clSetKernelArg is not safe between threads). */
#ifndef CLG_PROGRAM_PROGRAMS_H
#define CLG_PROGRAM_PROGRAMS_H

#include "device/device.h"
#include "program/cache.h"

struct clg_programs;
struct clg_program;

/* `device` and `store` must outlive the result; `store` NULL: binaries are neither kept nor looked
 * for. */
clgemm_status clg_programs_open(struct clg_programs **out, struct clg_device *device,
                                struct clg_binaries *store);

/* Releases every program; NULL is fine. No kernel may be lent out. */
void clg_programs_close(struct clg_programs *programs);

/* The program of that embedded source, built with these options: what this table holds, else as
 * clg_cache_build, which `warm_launch` is for (may be NULL). Waits while another thread builds the
 * same. The result lives as long as `programs`. A failed build is not kept: the next call tries
 * again. */
clgemm_status clg_programs_get(struct clg_programs *programs, const char *source,
                               const char *options, const struct clg_warm_launch *warm_launch,
                               struct clg_program **out);

/* The same where nothing has to be compiled for it: built already, or loaded now from memory or
 * disk. NULL where it has to, and where another thread is just building it. */
struct clg_program *clg_programs_find(struct clg_programs *programs, const char *source,
                                      const char *options);

/* Launches a built program in advance once more: for another kind of grid (run/warm_launch.h). */
clgemm_status clg_program_launch(struct clg_program *program,
                                 const struct clg_warm_launch *warm_launch);

/* A kernel object, and which values its plain arguments (no memory) were last set to, so that those
 * need not be set again: whoever sets arguments keeps this true. */
enum { CLG_KERNEL_ARGS = 32 };
struct clg_kernel {
    cl_kernel object;
    uint32_t known; /* bit i: argument i is plain[i] */
    uint64_t plain[CLG_KERNEL_ARGS];
};

/* Lends one of the program's kernels; give it back after enqueueing (empty ones are fine). */
clgemm_status clg_kernel_take(struct clg_program *program, struct clg_kernel *out);
void clg_kernel_give(struct clg_program *program, const struct clg_kernel *kernel);

/* How many programs of the table came from there. */
unsigned clg_programs_count(struct clg_programs *programs, enum clg_origin origin);

/* How many of those from source are on disk now. */
unsigned clg_programs_kept(struct clg_programs *programs);

#endif
