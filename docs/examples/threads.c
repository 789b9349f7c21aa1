/* SPDX-License-Identifier: Apache-2.0
 * Several threads on one handle, without locks in the program.
 *
 *     cc -pthread threads.c $(pkg-config --cflags --libs clgemm) && ./a.out */
#include <clgemm.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 64, SIZE = N * N, THREADS = 4, ROUNDS = 8 };

static float a[THREADS * SIZE], b[SIZE], c[THREADS * SIZE];

struct worker {
    pthread_t thread;
    clgemm_handle *handle; /* the same for all; NULL, the device of calls without one, works too */
    int index, wrong;
};

/* Multiplies this thread's A and C. All threads read the same B. */
static void *work(void *argument) {
    struct worker *worker = argument;
    const float *mine = a + worker->index * SIZE;
    float *result = c + worker->index * SIZE;
    for (int round = 0; round < ROUNDS; round++) {
        clgemm_status status =
            clgemm_handle_sgemm(worker->handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS,
                                N, N, N, 1.0F, mine, N, b, N, 0.0F, result, N);
        if (status != CLGEMM_SUCCESS) {
            /* clgemm_last_error() is of the calling thread. */
            fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
            worker->wrong = SIZE;
            return NULL;
        }
    }
    /* Sums of small whole numbers are exact, so every element must be equal. */
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            float sum = 0;
            for (int p = 0; p < N; p++)
                sum += mine[p * N + i] * b[j * N + p];
            worker->wrong += result[j * N + i] != sum;
        }
    return NULL;
}

int main(void) {
    for (int i = 0; i < THREADS * SIZE; i++)
        a[i] = (float)(i % 11) - 5;
    for (int i = 0; i < SIZE; i++)
        b[i] = (float)(i % 7) - 3;

    /* Opens the device, and compiles here what all threads would else wait for. */
    const clgemm_shape shape = {N, N, N, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS};
    clgemm_handle *handle;
    clgemm_status status = clgemm_create(&handle, NULL);
    if (status == CLGEMM_SUCCESS)
        status = clgemm_warmup(handle, &shape, 1);
    if (status != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
        return 1;
    }

    struct worker workers[THREADS];
    int started = 0, wrong = 0;
    for (; started < THREADS; started++) {
        workers[started] = (struct worker){.handle = handle, .index = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started])) {
            fprintf(stderr, "no thread could be started\n");
            wrong = 1;
            break;
        }
    }
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    clgemm_destroy(handle); /* only now: no call on the handle may be under way */

    printf("threads: %d of %d elements are right\n", THREADS * SIZE - wrong, THREADS * SIZE);
    return wrong != 0;
}
