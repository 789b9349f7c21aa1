/* SPDX-License-Identifier: Apache-2.0
 * Measures the stack of a thread, once. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "blas/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "base/thread.h"

/* PoCL 3.1 needs no more than 128 KiB; the needs of others are not known. */
enum { NEEDED = 512 << 10 };

/* The stack's ends; equal until they are known. */
static _Thread_local uintptr_t low, high;

/* The main thread's stack, for when /proc is missing and pthread_getattr_np() fails. Strings from
 * exec() are at the end of the stack, and it can grow to its limit or, without one, far enough. */
static void measure_main(void) {
    static const rlim_t far_enough = 8 << 20;
    struct rlimit limit;
    const uintptr_t end = getauxval(AT_EXECFN);
    if (!end || !clg_thread_is_main() || getrlimit(RLIMIT_STACK, &limit))
        return;
    const rlim_t size = limit.rlim_cur < far_enough ? limit.rlim_cur : far_enough;
    low = end > size ? end - size : 0;
    high = end;
}

static void measure(void) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes)) {
        measure_main();
        return;
    }
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
