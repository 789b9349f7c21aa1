/* SPDX-License-Identifier: Apache-2.0
 * The process's store of compiled programs. */
#include "api/store.h"

#include <pthread.h>

#include "program/binaries.h"

struct clg_binaries *clg_store(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct clg_binaries *binaries;
    pthread_mutex_lock(&lock);
    if (!binaries)
        binaries = clg_binaries_new();
    struct clg_binaries *store = binaries;
    pthread_mutex_unlock(&lock);
    return store;
}
