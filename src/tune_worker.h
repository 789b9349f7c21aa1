/* SPDX-License-Identifier: Apache-2.0
 * The process in which candidates run: one request, one answer, over a pair of pipes. It is this
 * program again (a real exec: a runtime such as OpenCL does not survive a bare fork), so that a
 * candidate that crashes, hangs or loses the device costs itself and no more. */
#ifndef CLGEMM_TUNE_WORKER_H
#define CLGEMM_TUNE_WORKER_H

#include <signal.h>
#include <sys/types.h>

#include "tune/measure.h"

/* What the process is started as: clgemm tune --worker P:D. */
#define TUNE_WORKER_OPTION "--worker"

struct tune_request {
    struct clg_tuning_shape shape;
    int family; /* index in clg_families */
    struct clg_params params;
    double best; /* seconds; a candidate that is slower by a margin is cut short */
};

struct tune_answer {
    bool unusable; /* the device, or the problem on it: trial.why says why */
    struct clg_trial trial;
};

struct tune_worker {
    const char *device;            /* P:D */
    double limit;                  /* seconds for a candidate */
    double start_limit;            /* and for opening the device and loading the problem */
    unsigned started;              /* processes so far */
    pid_t process;                 /* 0: none runs */
    int requests, answers;         /* ends of the pipes */
    struct clg_tuning_shape shape; /* that it has loaded, if `loaded` */
    bool loaded;
};

/* Set by a signal handler: a candidate under way is given up. */
extern volatile sig_atomic_t tune_stop;

/* Seconds of a clock that only goes forward. */
double tune_now(void);

/* Has the candidate tried, in a new process where there is none, or the last trial was suspect.
 * What goes wrong there is the trial's verdict. False: given up because of tune_stop. */
bool tune_worker_try(struct tune_worker *worker, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, double best,
                     struct tune_answer *answer);

/* Ends the process, if there is one. */
void tune_worker_end(struct tune_worker *worker);

bool tune_is_same_shape(const struct clg_tuning_shape *one, const struct clg_tuning_shape *other);

/* The process's side: reads a request; false at the end. Answers. */
bool tune_worker_read(struct tune_request *request);
bool tune_worker_answer(const struct tune_answer *answer);

/* The whole of that process; returns its exit code. */
int tune_worker_main(const char *device);

#endif
