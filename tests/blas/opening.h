/* SPDX-License-Identifier: Apache-2.0
 * What a program with the drop-in sees of the thread that opens the device beside it. */
#ifndef CLG_TESTS_BLAS_OPENING_H
#define CLG_TESTS_BLAS_OPENING_H

#include <stdbool.h>

/* That thread, or 0: the first of its name, as those that a runtime starts in it inherit that. */
int opening_thread(void);

bool opening_is_alive(int thread);

/* To be called once, behind the call that began to open. */
void opening_wait(void);

/* Whether the library is there, which is what would load OpenCL; this program itself is linked with
 * that. */
bool opening_started(void);

/* Products of 1e9 operations: so many calls of them open the device. */
enum { OPENING_CALLS = 10 };
void opening_multiply(int times);

#endif
