/* SPDX-License-Identifier: Apache-2.0
 * Changes OpenBLAS's number of threads. Its functions for that only store or read a number here, so
 * other threads may be in OpenBLAS. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "blas/spare.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/log.h"
#include "base/thread.h"

enum { LEAST_THREADS = 8, POSIX_THREADS = 1 /* of openblas_get_parallel() */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int threads; /* atomic; before one was spared; 0: none is */

bool clg_spare_is_on(void) {
    return __atomic_load_n(&threads, __ATOMIC_RELAXED) != 0;
}

/* The functions in the program's scope, or NULL. */
struct openblas {
    int (*parallel)(void), (*get)(void);
    void (*set)(int count);
};

static bool find(struct openblas *out) {
    *(void **)&out->parallel = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    *(void **)&out->get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&out->set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    return out->parallel && out->get && out->set;
}

void clg_spare_begin(void) {
    struct openblas blas;
    pthread_mutex_lock(&lock);
    if (!clg_spare_is_on() && find(&blas) && blas.parallel() == POSIX_THREADS) {
        const int all = blas.get();
        if (all >= LEAST_THREADS && all >= clg_thread_processors()) {
            blas.set(all - 1);
            __atomic_store_n(&threads, all, __ATOMIC_RELAXED);
            clg_log(CLG_LOG_CALLS, "OpenBLAS has %d threads for %d while the device is prepared",
                    all - 1, all);
        }
    }
    pthread_mutex_unlock(&lock);
}

void clg_spare_end(void) {
    struct openblas blas;
    pthread_mutex_lock(&lock);
    if (clg_spare_is_on() && find(&blas) && blas.get() == threads - 1)
        blas.set(threads);
    __atomic_store_n(&threads, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}
