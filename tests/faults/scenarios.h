/* SPDX-License-Identifier: Apache-2.0
 * The ways into the library that the fault test walks: each makes one call or sequence of calls. */
#ifndef CLG_TESTS_FAULTS_SCENARIOS_H
#define CLG_TESTS_FAULTS_SCENARIOS_H

#include "support/device.h"
#include "support/gemm.h"

/* What a scenario works on. The OpenCL objects are the test's own. */
struct world {
    struct clg_test_case test; /* made anew for every attempt */
    struct clg_test_cl cl;     /* all NULL where the scenario takes host matrices */
    struct clg_test_buffers buffers;
    bool in_parts;      /* the scenario is, on this device */
    int launches;       /* that it makes at least, on this device */
    char tuning[64];    /* a file with a row for the scenario; "": it wants none */
    char exported[64];  /* where it may write one */
    const char *broken; /* a rule of the API that call() saw broken, else NULL */
    bool by_event;      /* what call() returned is the status of the event that it was given */
};

/* Sorts of calls that fail: of OpenCL, for memory, to the system (libc.h); OpenCL's commands, late.
 */
enum { BY_OPENCL = 1, BY_MEMORY = 2, BY_SYSTEM = 4, BY_LATE = 8, BY_ALL = 15 };

struct scenario {
    const char *name;
    int64_t m, n, k;
    int launches;    /* kernels that it starts at least */
    bool joined;     /* one less where copies are asynchronous: slices are added up by their own */
    bool on_buffers; /* on the test's own buffers and queue */
    bool in_parts;   /* C is written in several parts, some before the last command is enqueued */
    bool piped;      /* so on devices that host matrices are copied to */
    bool late_parts; /* a command that fails late may leave C in parts */
    bool unordered;  /* the test's queue is out of order */
    bool tuned;      /* has a tuning file */
    unsigned by;     /* whose faults it is walked with */
    /* Faults hit only this. Returns the first status that is not a success. */
    clgemm_status (*call)(struct world *);
};

extern const struct scenario scenarios[];
extern const int scenario_count;

/* For the first use of a process: host matrices; the same while programs are built beside. */
extern const struct scenario scenario_host, scenario_background;

/* What became of C. */
enum verdict { UNTOUCHED, RIGHT, WRONG };

/* The test's own context and queue, or nothing for host matrices. */
void world_open(struct world *w, const struct scenario *s);
void world_close(struct world *w);

/* Fresh matrices, and the end of them with what became of C; neither with a fault armed. */
void world_fill(struct world *w, const struct scenario *s);
enum verdict world_judge(struct world *w, const struct scenario *s);

#endif
