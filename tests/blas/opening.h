/* SPDX-License-Identifier: Apache-2.0
 * What a program with the drop-in sees of the thread that opens the device in the background. */
#ifndef CLG_TESTS_BLAS_OPENING_H
#define CLG_TESTS_BLAS_OPENING_H

#include <stdbool.h>

/* That thread, or 0. It is the first of its name: threads that a runtime starts in it inherit the
 * name. */
int opening_thread(void);

bool opening_is_alive(int thread);

/* Call it once, after the call that started to open the device. */
void opening_wait(void);

/* Whether libclgemm is loaded. It is what would load OpenCL; but this program itself is linked with
 * OpenCL. */
bool opening_started(void);

/* Products of 1e9 operations; this many calls of them open the device. */
enum { OPENING_CALLS = 10 };
void opening_multiply(int times);

#endif
