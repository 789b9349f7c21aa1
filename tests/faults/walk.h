/* SPDX-License-Identifier: Apache-2.0
 * A walk over the calls of one kind that a scenario makes: each fails once, or with all after it,
 * and the rules are checked. */
#ifndef CLG_TESTS_FAULTS_WALK_H
#define CLG_TESTS_FAULTS_WALK_H

#include "libc.h"
#include "scenarios.h"
#include "steer.h"
#include "support/check.h"

/* A kind of calls. */
struct faults {
    const char *name;           /* the program's argument */
    unsigned by;                /* the scenarios that use it */
    int parts;                  /* a short run tests one in this many */
    struct clg_test_walk drawn; /* those calls, by walk_draw() */
    void (*arm)(long n, int sticky);
    void (*disarm)(void);
    long (*injected)(void);
    const char *(*where)(void);
    bool (*is_named_by)(clgemm_status status); /* whether the status says what failed */
};

/* All that the library holds: OpenCL objects, memory and system resources. */
struct holdings {
    long opencl[FAULT_KINDS], libc[LIBC_KINDS];
};
struct holdings holdings_now(void);

/* One test: a scenario, once or sticky. */
struct walk {
    const struct faults *faults;
    const struct scenario *scenario;
    int sticky;
    long n;          /* the call that fails now */
    int broken;      /* rules broken so far */
    char where[64];  /* the function that failed */
    char status[64]; /* what the library returned */
};

/* The outcome of one call. */
struct outcome {
    const struct walk *walk;
    struct world *world;
    long n;
    clgemm_status status;
    bool explained; /* clgemm_last_error() said something */
    enum verdict verdict;
};

/* Ends the program if a call does not end. Call it before the first attempt. */
void walk_watch(void);

/* Runs the walk's scenario with the n-th call failing; n = 0: none. */
struct outcome walk_attempt(struct walk *walk, struct world *world, long n);

/* The rules: for a call with a fault, for the next one without, and for what is held after both if
 * `before` was held. Unless `exact`, less memory or fewer resources are accepted, because what a
 * process keeps to its end may not exist yet. */
void walk_check_faulted(struct walk *walk, const struct outcome *outcome);
void walk_check_recovered(struct walk *walk, const struct outcome *outcome);
void walk_check_leaks(struct walk *walk, const struct holdings *before, bool exact);

/* Reports a broken rule. One that is broken often is counted, and reported a few times. */
void walk_rule(struct walk *walk, bool kept, const char *text);

/* A CMocka test, whose state is a struct walk: every call that this run tests. */
void walk_test(void **state);

/* Draws the calls that fail in this run. */
void walk_draw(struct faults *faults);

#endif
