/* SPDX-License-Identifier: Apache-2.0
 * Tuning after a handle's calls on host matrices, if CLGEMM_ONLINE is set. tune/online decides what
 * is tried, and this file does it. The C of a call always comes from the trusted plan and is not
 * touched again. Trials run after the call, into memory of their own. */
#ifndef CLG_API_ONLINE_H
#define CLG_API_ONLINE_H

#include "run/host.h"
#include "tune/online.h"

/* The number of shapes, those on which calls have spent most time. */
enum { CLG_ONLINE_CLASSES = 8 };

struct clg_online_class {
    struct clg_tuning_shape shape;
    struct clg_online online;
};

struct clg_online_tuner {
    struct clg_engine *engine; /* the handle's */
    struct clg_engine trial; /* an engine for the same device that plans with the candidate only */
    pthread_mutex_t lock;    /* guards all below, and `trial` */
    struct clg_online_class classes[CLG_ONLINE_CLASSES];
    int count;
    bool off; /* a result was wrong, or the device was lost: no more trials */
    char last_error[CLG_LAST_ERROR_SIZE];
};

/* NULL if it was not requested, or memory is short. `engine` must outlive it. */
struct clg_online_tuner *clg_online_open(struct clg_engine *engine);
void clg_online_close(struct clg_online_tuner *tuner); /* NULL is fine */

/* Follows a call that succeeded with `plan` and took `seconds`. May try a candidate. If a candidate
 * wins, later calls use it, and it is written to the user's tuning file. One thread tries at a
 * time; others return at once. Preserves clgemm_last_error(). */
void clg_online_after(struct clg_online_tuner *tuner, const struct clg_problem *problem,
                      const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                      const struct clg_plan *plan, double seconds);

#endif
