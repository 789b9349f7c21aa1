/* SPDX-License-Identifier: Apache-2.0
 * Tuning beside a handle's calls on host matrices, where CLGEMM_ONLINE=1 asks for it: tune/online
 * says what may be tried; here it is done. A call's C always comes from the plan that is trusted
 * and is never touched again: trials compute into memory of their own, after the call. */
#ifndef CLG_API_ONLINE_H
#define CLG_API_ONLINE_H

#include "run/host.h"
#include "tune/online.h"

/* The shapes that calls spend most of their time on, as far as was seen. */
enum { CLG_ONLINE_CLASSES = 8 };

struct clg_online_class {
    struct clg_tuning_shape shape;
    struct clg_online online;
};

struct clg_online_tuner {
    struct clg_engine *engine; /* the handle's */
    struct clg_engine trial;   /* the same with plans of the candidate alone */
    pthread_mutex_t lock;      /* guards all below, and `trial` */
    struct clg_online_class classes[CLG_ONLINE_CLASSES];
    int count;
    bool off; /* a result was wrong, or the device lost: nothing is tried any more */
    char last_error[CLG_LAST_ERROR_SIZE];
};

/* NULL where it was not asked for, or memory is short. `engine` must outlive it. */
struct clg_online_tuner *clg_online_open(struct clg_engine *engine);
void clg_online_close(struct clg_online_tuner *tuner); /* NULL is fine */

/* After a call that succeeded, ran `plan`, and took so long. May try a candidate; what wins is what
 * later calls run, and is written to the user's tuning file. One thread at a time tries, the others
 * return at once. Leaves clgemm_last_error() as it was. */
void clg_online_after(struct clg_online_tuner *tuner, const struct clg_problem *problem,
                      const struct clg_scalars *scalars, const struct clg_host_matrices *host,
                      const struct clg_plan *plan, double seconds);

#endif
