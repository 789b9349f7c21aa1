/* SPDX-License-Identifier: Apache-2.0
 * The ways into the library that the fault test covers: each makes one call or a sequence of
 * calls. */
#ifndef CLG_TESTS_FAULTS_SCENARIOS_H
#define CLG_TESTS_FAULTS_SCENARIOS_H

#include "support/device.h"
#include "support/level3.h"

/* What a scenario works on. The OpenCL objects are the test's own. */
struct world {
    clgemm_routine routine;        /* the scenario's */
    struct clg_test_case test;     /* a product, created again for every attempt */
    struct clg_test_level3 level3; /* or a call of the routine */
    struct clg_test_cl cl;         /* all NULL if the scenario uses host matrices */
    cl_mem buffer[CLG_MATRICES];
    bool in_parts;      /* whether the scenario exists on this device */
    int launches;       /* the least number on this device */
    char tuning[64];    /* a file with a row for the scenario; "": none is needed */
    char exported[64];  /* where it may write one */
    const char *broken; /* a rule of the API that call() saw broken, or NULL */
    bool by_event;      /* call() returned the status of the event that it was given */
};

/* Kinds of calls that fail: of OpenCL, for memory, to the system (libc.h); OpenCL's commands,
 * late. */
enum { BY_OPENCL = 1, BY_MEMORY = 2, BY_SYSTEM = 4, BY_LATE = 8, BY_ALL = 15 };

struct scenario {
    const char *name;
    int64_t m, n, k;
    int launches;    /* the least number of kernel launches */
    bool joined;     /* one less with asynchronous copies: slices are then added without a kernel of
                        their own */
    bool on_buffers; /* on the test's own buffers and queue */
    bool in_parts;   /* C is written in several parts, some before the last command is enqueued */
    bool piped;      /* so on devices to which host matrices are copied */
    bool late_parts; /* a command that fails late may leave C in parts */
    bool unordered;  /* the test's queue is out of order */
    clgemm_routine routine; /* of level 3; 0: a product */
    bool tuned;             /* has a tuning file */
    unsigned by;            /* whose faults are tested */
    /* Faults hit only this function. Returns the first status that is not a success. */
    clgemm_status (*call)(struct world *);
};

extern const struct scenario scenarios[];
extern const int scenario_count;

/* For the first use in a process: host matrices; the same while programs are built in the
 * background. */
extern const struct scenario scenario_host, scenario_background;

/* The state of C afterwards. */
enum verdict { UNTOUCHED, RIGHT, WRONG };

/* The test's own context and queue; nothing for host matrices. */
void world_open(struct world *w, const struct scenario *s);
void world_close(struct world *w);

/* Creates the matrices, and releases them and reports the state of C; no fault is armed in
 * either. */
void world_fill(struct world *w, const struct scenario *s);
enum verdict world_judge(struct world *w, const struct scenario *s);

#endif
