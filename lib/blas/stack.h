/* SPDX-License-Identifier: Apache-2.0
 * Whether a thread's stack is large enough for an OpenCL runtime, whose compiler runs on it. */
#ifndef CLG_BLAS_STACK_H
#define CLG_BLAS_STACK_H

#include <stdbool.h>

/* False where the calling thread's stack, from here on, is small or not the thread's own (that of
 * a fibre). */
bool clg_stack_is_large(void);

#endif
