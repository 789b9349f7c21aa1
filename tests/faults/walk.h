/* SPDX-License-Identifier: Apache-2.0
 * A walk over the calls of one sort that a scenario makes: each fails once, or with all behind it,
 * and what must hold then. */
#ifndef CLG_TESTS_FAULTS_WALK_H
#define CLG_TESTS_FAULTS_WALK_H

#include "libc.h"
#include "scenarios.h"
#include "steer.h"
#include "support/check.h"

/* A sort of calls. */
struct faults {
    const char *name;           /* the program's argument */
    unsigned by;                /* the scenarios that are walked */
    int parts;                  /* of which a run that is not long draws one */
    struct clg_test_walk drawn; /* those calls, by walk_draw() */
    void (*arm)(long n, int sticky);
    void (*disarm)(void);
    long (*injected)(void);
    const char *(*where)(void);
    bool (*is_named_by)(clgemm_status status); /* whether the status says what failed */
};

/* All that the library holds: objects of OpenCL's, and what the C library and the system gave. */
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
    char status[64]; /* what the library made of it */
};

/* What came of one call. */
struct outcome {
    const struct walk *walk;
    struct world *world;
    long n;
    clgemm_status status;
    bool explained; /* clgemm_last_error() said something */
    enum verdict verdict;
};

/* Ends the program where a call has no end; before the first attempt. */
void walk_watch(void);

/* Runs the walk's scenario with the n-th call failing; n = 0: none. */
struct outcome walk_attempt(struct walk *walk, struct world *world, long n);

/* The rules: of a call with a fault, of the next one without, and of what is held after both, where
 * `before` was held. Unless `exact`, less of the C library's may be: what a process keeps to its
 * end may not have come into being. */
void walk_check_faulted(struct walk *walk, const struct outcome *outcome);
void walk_check_recovered(struct walk *walk, const struct outcome *outcome);
void walk_check_leaks(struct walk *walk, const struct holdings *before, bool exact);

/* Reports a broken rule; what is broken often is counted, and said a few times. */
void walk_rule(struct walk *walk, bool kept, const char *text);

/* A CMocka test, whose state is a struct walk: every call, as far as this run draws them. */
void walk_test(void **state);

/* Draws those that this run has fail. */
void walk_draw(struct faults *faults);

#endif
