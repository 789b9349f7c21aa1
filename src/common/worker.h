/* SPDX-License-Identifier: Apache-2.0
 * A worker process: one request, one answer, over a pair of pipes. It is this program, started anew
 * by exec, because a runtime such as OpenCL does not survive a bare fork. So a crash, a hang or a
 * lost device costs one request and no more. */
#ifndef CLGEMM_COMMON_WORKER_H
#define CLGEMM_COMMON_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "device/facts.h"

struct worker {
    const char *const *words; /* its command line after the program's name; NULL at the end */
    void *answer;             /* where the answer goes: `answer_size` bytes */
    size_t answer_size;
    unsigned started;      /* number of processes so far */
    pid_t process, last;   /* the current process; 0: none */
    int requests, answers; /* ends of the pipes */
    bool busy;             /* asked, and the result not yet taken */
    bool failed;           /* there is no answer; `why` says why */
    bool unstartable;      /* because no process could be started */
    char why[128];
    size_t received;  /* bytes received of the answer */
    double limit;     /* seconds for this request */
    double until;     /* clg_clock_seconds() at which it exceeds its limit */
    double paused_at; /* clg_clock_seconds() at the pause, if `paused` */
    bool paused;
};

/* Set by a signal handler: pending requests are given up. */
extern volatile sig_atomic_t worker_stop;

/* The first Ctrl-C, SIGTERM or SIGHUP sets worker_stop. The second Ctrl-C or SIGTERM ends the
 * program. An ignored SIGHUP stays ignored. A dead worker is noticed by its pipe, not by a
 * signal. */
void worker_watch_signals(void);

/* The number of cores that this process may use; and as many workers, at least one and at most
 * `cores`, as fit the memory of a device with these facts. On a GPU each takes some hundred MB for
 * the driver's contexts. */
enum { WORKERS_MAX = 17 };
int worker_cores(void);
int workers_that_fit(const struct clg_facts *facts, int cores);

/* Sends a request, to a new process if there is none. The worker must not be busy. */
void worker_ask(struct worker *worker, const void *request, size_t size, double limit);

/* Waits until a busy worker that is not paused has its answer or has failed, and returns its index.
 * -1: none is busy, `until` has passed, or worker_stop is set. The process of a failed worker is
 * ended. */
int worker_wait(struct worker *const *workers, int count, double until);

/* Stops a busy process, or lets it continue. Its time limit stops too. */
void worker_pause(struct worker *worker, bool pause);

/* Ends the process, if there is one, and its request. */
void worker_end(struct worker *worker);

/* The process's side. It ends when the asking process ends, even if it hangs in a driver. The first
 * reads a request, and returns false at the end; the second answers. */
void worker_begin(void);
bool worker_read(void *request, size_t size);
bool worker_answer(const void *answer, size_t size);

#endif
