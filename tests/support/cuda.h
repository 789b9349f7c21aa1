/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libcuda, which reports as pinned any memory that the test names. */
#ifndef CLG_TEST_CUDA_H
#define CLG_TEST_CUDA_H

#include <stddef.h>

/* Loads it into this process, once and permanently, as a program that uses CUDA has loaded the real
 * one. */
void clg_test_cuda_load(void);

/* From here on that memory is one allocation, pinned by that context; and no memory is. */
void clg_test_cuda_pin(const void *memory, size_t bytes, const void *context);
void clg_test_cuda_unpin_all(void);

#endif
