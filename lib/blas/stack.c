/* SPDX-License-Identifier: Apache-2.0
 * Measures the stack of a thread, once. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "blas/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* PoCL 3.1 gets by with 128 KiB; others are not known. */
enum { NEEDED = 512 << 10 };

/* The stack's ends; equal until they are known. */
static _Thread_local uintptr_t low, high;

static void measure(void) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        low = (uintptr_t)start;
        high = low + size;
    }
    pthread_attr_destroy(&attributes);
}

bool clg_stack_is_large(void) {
    const char here = 0;
    const uintptr_t now = (uintptr_t)&here;
    if (low == high)
        measure();
    return now > low && now < high && now - low >= NEEDED;
}
