/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libcuda, which says of any memory that it is pinned if it is told to. */
#ifndef CLG_TEST_CUDA_H
#define CLG_TEST_CUDA_H

#include <stddef.h>

/* Loads it into this process, once and to stay, as a program that uses CUDA has the real one. */
void clg_test_cuda_load(void);

/* From here on that memory is one allocation, pinned by that context; and none is. */
void clg_test_cuda_pin(const void *memory, size_t bytes, const void *context);
void clg_test_cuda_unpin_all(void);

#endif
