/* SPDX-License-Identifier: Apache-2.0
 * A process that works for this one: one request, one answer, over a pair of pipes. It is this
 * program again (a real exec: a runtime such as OpenCL does not survive a bare fork), so that what
 * crashes, hangs or loses a device there costs one request and no more. */
#ifndef CLGEMM_COMMON_WORKER_H
#define CLGEMM_COMMON_WORKER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "device/facts.h"

struct worker {
    const char *const *words; /* its command line behind the program's name; NULL at the end */
    void *answer;             /* where the answer goes, of `answer_size` bytes */
    size_t answer_size;
    unsigned started;      /* processes so far */
    pid_t process, last;   /* 0: none runs; the one that did */
    int requests, answers; /* ends of the pipes */
    bool busy;             /* asked, and what came of it not yet taken */
    bool failed;           /* there is no answer: `why` says why */
    bool unstartable;      /* as no process could be started */
    char why[128];
    size_t received;  /* bytes of the answer */
    double limit;     /* seconds for this request */
    double until;     /* clg_clock_seconds() at which it has overrun */
    double paused_at; /* clg_clock_seconds(), if `paused` */
    bool paused;
};

/* Set by a signal handler: requests under way are given up. */
extern volatile sig_atomic_t worker_stop;

/* The first Ctrl-C, SIGTERM or SIGHUP sets worker_stop; the second Ctrl-C or SIGTERM ends the
 * program. SIGHUP stays ignored where it is. A worker that is gone is seen by its pipe, not by a
 * signal. */
void worker_watch_signals(void);

/* Cores that this process may use; and as many workers as a device of these facts has memory for
 * that are no more than `cores`, at least one, as each takes some hundred MB of a GPU's: the
 * driver's contexts. */
enum { WORKERS_MAX = 17 };
int worker_cores(void);
int workers_that_fit(const struct clg_facts *facts, int cores);

/* Sends a request, in a new process where there is none; the worker must not be busy. */
void worker_ask(struct worker *worker, const void *request, size_t size, double limit);

/* Waits until one of the busy ones that are not paused has its answer or has failed, and returns
 * its index. -1: none is busy, it is past `until`, or worker_stop. The process of one that failed
 * is ended. */
int worker_wait(struct worker *const *workers, int count, double until);

/* Stops a busy process in its tracks, or lets it go on; its limit waits too. */
void worker_pause(struct worker *worker, bool pause);

/* Ends the process, if there is one, and what it was asked for. */
void worker_end(struct worker *worker);

/* The process's side: it ends with the one that asks, also while it hangs in a driver. Reads a
 * request; false at the end. Answers. */
void worker_begin(void);
bool worker_read(void *request, size_t size);
bool worker_answer(const void *answer, size_t size);

#endif
