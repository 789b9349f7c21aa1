/* SPDX-License-Identifier: Apache-2.0
 * Records the reason of a failure. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* A thread's text is in `brief`, or, if it is longer, in memory that is freed with the thread.
 * `brief` is small because every thread of the program has one, even on the smallest stack. It is
 * static so that it is available when memory has run out. */
enum { BRIEF_SIZE = 256 };
static _Thread_local char brief[BRIEF_SIZE];
static _Thread_local char *whole;  /* of CLG_LAST_ERROR_SIZE; NULL: not needed yet */
static _Thread_local bool is_long; /* the text is in `whole` */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* frees `whole` when the thread ends */
static bool has_key;

static void release(void *memory) {
    whole = NULL;
    is_long = false;
    free(memory);
}

static void make_key(void) {
    has_key = pthread_key_create(&key, release) == 0;
}

static bool reserve_whole(void) {
    if (whole)
        return true;
    pthread_once(&once, make_key);
    char *memory = has_key ? malloc(CLG_LAST_ERROR_SIZE) : NULL;
    if (memory && pthread_setspecific(key, memory)) {
        free(memory);
        memory = NULL;
    }
    whole = memory;
    return memory != NULL;
}

clgemm_status clg_fail(clgemm_status status, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = clg_format_args(brief, sizeof brief, format, args);
    is_long = length >= BRIEF_SIZE && reserve_whole();
    if (is_long)
        clg_format_args(whole, CLG_LAST_ERROR_SIZE, format, again);
    va_end(again);
    va_end(args);
    return status;
}

const char *clg_last_error(void) {
    return is_long ? whole : brief;
}

void clg_copy_last_error(char *out, size_t size) {
    snprintf(out, size, "%s", clg_last_error());
}

/* ---- The first failure among threads ---- */

bool clg_failure_note(struct clg_failure *failure, clgemm_status status) {
    int none = CLGEMM_SUCCESS;
    if (status && __atomic_compare_exchange_n(&failure->status, &none, (int)status, false,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        failure->why = strdup(clg_last_error());
    return status != CLGEMM_SUCCESS;
}

clgemm_status clg_failure_end(struct clg_failure *failure) {
    const clgemm_status status = (clgemm_status)failure->status;
    if (status)
        clg_fail(status, "%s", failure->why ? failure->why : "no memory for the reason");
    free(failure->why);
    *failure = (struct clg_failure){0};
    return status;
}
