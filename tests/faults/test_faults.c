/* SPDX-License-Identifier: Apache-2.0
 * Every OpenCL call that the library makes fails once, and from there on: each time the library
 * must report it (or do without), keep C whole, leak nothing and work again afterwards. A
 * drawn part of them, in the long form all. */
#define _GNU_SOURCE
#include "scenarios.h"
#include "steer.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"

enum { HANG_SECONDS = 60, REPORTS = 10 };

/* One test: a scenario, once or sticky. */
struct walk {
    const struct scenario *scenario;
    int sticky;
    long n;          /* the call that fails now */
    int broken;      /* rules broken so far */
    char where[64];  /* the function that failed */
    char status[64]; /* what the library made of it */
};
static struct walk *volatile current; /* for the alarm */
static struct clg_test_walk drawn;

/* ---- Reports ------------------------------------------------------------------------------ */

static void on_alarm(int number) {
    (void)number;
    static const char text[] = "no end in sight after a fault in call ";
    char digits[24];
    int length = 0;
    long n = current ? current->n : 0;
    do
        digits[sizeof digits - 1 - (size_t)length++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    ssize_t ignored = write(2, text, sizeof text - 1);
    ignored += write(2, digits + sizeof digits - length, (size_t)length);
    if (current)
        ignored += write(2, current->sticky ? " (sticky) of " : " (once) of ", 12);
    if (current)
        ignored += write(2, current->scenario->name, strlen(current->scenario->name));
    ignored += write(2, "\n", 1);
    _exit(ignored < 0 ? 2 : 1);
}

static void rule(struct walk *walk, bool kept, const char *text) {
    if (kept)
        return;
    if (walk->broken++ < REPORTS)
        print_error("%s, %s, call %ld (%s, reported as %s): %s\n", walk->scenario->name,
                    walk->sticky ? "sticky" : "once", walk->n, walk->where, walk->status, text);
}

/* ---- One call ----------------------------------------------------------------------------- */

/* What came of one call; made in a thread of its own, whose clgemm_last_error() starts empty. */
struct outcome {
    const struct scenario *scenario;
    struct world *world;
    clgemm_status status;
    bool explained; /* clgemm_last_error() said something */
    enum verdict verdict;
};

static void *call_thread(void *user) {
    struct outcome *o = user;
    o->status = o->scenario->call(o->world);
    o->explained = clgemm_last_error()[0] != '\0';
    return NULL;
}

/* Runs the scenario with the n-th call failing; n = 0: none. */
static struct outcome attempt(const struct scenario *s, struct world *w, long n, int sticky) {
    struct outcome o = {.scenario = s, .world = w};
    pthread_t thread;
    alarm(HANG_SECONDS);
    world_fill(w, s);
    steer.arm(n, sticky);
    if (pthread_create(&thread, NULL, call_thread, &o) != 0)
        fail_msg("no thread");
    pthread_join(thread, NULL);
    steer.disarm();
    o.verdict = world_judge(w, s);
    alarm(0);
    return o;
}

static void check_faulted(struct walk *walk, const struct outcome *o) {
    bool injected = steer.injected() > 0;
    snprintf(walk->where, sizeof walk->where, "%s", injected ? steer.where() : "no fault");
    snprintf(walk->status, sizeof walk->status, "%s", clgemm_status_name(o->status));
    rule(walk, !o->world->broken, o->world->broken);
    if (o->status == CLGEMM_SUCCESS) {
        rule(walk, o->verdict == RIGHT, "success, but C is not the product");
    } else {
        rule(walk, injected, "fails without a fault");
        rule(walk, o->verdict != WRONG || walk->scenario->in_parts,
             "C is neither untouched nor right");
        rule(walk, o->explained, "clgemm_last_error() is empty");
    }
}

static void check_recovered(struct walk *walk, const struct outcome *o) {
    rule(walk, o->status == CLGEMM_SUCCESS, "the next call fails");
    rule(walk, o->verdict == RIGHT, "the next call is not right");
    rule(walk, !o->world->broken, o->world->broken);
}

static void check_leaks(struct walk *walk, const long before[FAULT_KINDS]) {
    rule(walk, clgemm_clear_cache() == CLGEMM_SUCCESS, "clgemm_clear_cache() fails");
    int kind = steer_settle(before);
    if (kind < 0)
        return;
    char text[96];
    snprintf(text, sizeof text, "%ld %s instead of %ld after clgemm_clear_cache()",
             steer.live((enum fault_kind)kind), steer_kind_name[kind], before[kind]);
    rule(walk, false, text);
}

/* ---- The walk ----------------------------------------------------------------------------- */

static void walk_faults(void **state) {
    struct walk *walk = *state;
    struct world world;
    long before[FAULT_KINDS];
    long reported = 0;
    current = walk;
    world_open(&world, walk->scenario);
    steer_counts(before);
    for (walk->n = drawn.first;; walk->n += drawn.step) {
        struct outcome o = attempt(walk->scenario, &world, walk->n, walk->sticky);
        bool last = steer.injected() == 0;
        check_faulted(walk, &o);
        reported += o.status != CLGEMM_SUCCESS;
        if (last) {
            rule(walk, steer.launches() >= walk->scenario->launches, "too few kernels");
            check_leaks(walk, before);
            break;
        }
        o = attempt(walk->scenario, &world, 0, 0);
        check_recovered(walk, &o);
        check_leaks(walk, before);
        steer_counts(before); /* so that one leak is not reported for every call after it */
    }
    world_close(&world);
    current = NULL;
    print_message("%s, %s: %ld calls, %ld failures reported\n", walk->scenario->name,
                  walk->sticky ? "sticky" : "once", walk->n - 1, reported);
    assert_true(walk->n > drawn.first);
    assert_true(reported > 0);
    assert_int_equal(walk->broken, 0);
}

/* ---- First use: a process for each fault -------------------------------------------------- */

/* The child's exit code: 0 rules kept, 1 broken, 2 kept and no fault met, CLG_TEST_SKIP no device.
 */
static int first_use(long n, int sticky) {
    struct walk walk = {.scenario = &scenarios[0], .sticky = sticky, .n = n};
    struct world world;
    long before[FAULT_KINDS];
    current = &walk;
    world_open(&world, walk.scenario);
    steer_counts(before);
    struct outcome o = attempt(walk.scenario, &world, n, sticky);
    if (n == 0)
        return o.status == CLGEMM_STATUS_NO_DEVICE ? CLG_TEST_SKIP : 0;
    bool injected = steer.injected() > 0;
    check_faulted(&walk, &o);
    o = attempt(walk.scenario, &world, 0, 0);
    check_recovered(&walk, &o);
    check_leaks(&walk, before);
    return walk.broken ? 1 : injected ? 0 : 2;
}

static int in_child(long n, int sticky) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int code = first_use(n, sticky);
        fflush(NULL);
        _exit(code);
    }
    return child > 0 ? clg_test_wait_for(child) : -1;
}

static void walk_first_use(void **state) {
    int sticky = *(int *)*state, broken = 0, code = 0;
    long n = drawn.first;
    for (; code != 2 && broken < REPORTS; n += drawn.step) {
        code = in_child(n, sticky);
        broken += code != 0 && code != 2;
    }
    print_message("first use, %s: up to call %ld\n", sticky ? "sticky" : "once", n - 1);
    assert_int_equal(broken, 0);
}

int main(int argc, char **argv) {
    (void)argc;
    steer_setup(argv);
    signal(SIGALRM, on_alarm);
    if (in_child(0, 0) == CLG_TEST_SKIP) {
        print_message("no OpenCL device\n");
        return CLG_TEST_SKIP;
    }
    drawn = clg_test_walk_drawn();
    static int once = 0, sticky = 1;
    static struct walk walks[64];
    static struct CMUnitTest tests[64] = {
        /* First, because a process that has used OpenCL cannot fork children that do. */
        cmocka_unit_test_prestate(walk_first_use, &once),
        cmocka_unit_test_prestate(walk_first_use, &sticky),
    };
    static char names[64][64] = {"first use, once", "first use, sticky"};
    for (int i = 0; i < 2 * scenario_count; i++) {
        walks[i] = (struct walk){.scenario = &scenarios[i / 2], .sticky = i % 2};
        snprintf(names[i + 2], sizeof names[0], "%s, %s", scenarios[i / 2].name,
                 i % 2 ? "sticky" : "once");
        tests[i + 2] = (struct CMUnitTest){.test_func = walk_faults, .initial_state = &walks[i]};
    }
    for (int i = 0; i < 2 * scenario_count + 2; i++)
        tests[i].name = names[i];
    return _cmocka_run_group_tests("faults", tests, (size_t)(2 * scenario_count + 2), NULL, NULL);
}
