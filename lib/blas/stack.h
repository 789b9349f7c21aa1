/* SPDX-License-Identifier: Apache-2.0
 * Whether a thread's stack is large enough for an OpenCL runtime, whose compiler runs on it. */
#ifndef CLG_BLAS_STACK_H
#define CLG_BLAS_STACK_H

#include <stdbool.h>

/* False if little of the calling thread's stack is left, or if the stack is not the thread's own
 * (as in a fibre). */
bool clg_stack_is_large(void);

#endif
