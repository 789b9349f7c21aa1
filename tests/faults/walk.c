/* SPDX-License-Identifier: Apache-2.0
 * The walk over calls, and its rules. */
#define _GNU_SOURCE
#include "walk.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/random.h"

enum { HANG_SECONDS = 60, REPORTS = 10 };

static struct walk *volatile current; /* for the alarm */

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

void walk_watch(void) {
    signal(SIGALRM, on_alarm);
}

void walk_rule(struct walk *walk, bool kept, const char *text) {
    if (kept)
        return;
    if (walk->broken++ < REPORTS)
        print_error("%s, %s, call %ld (%s, reported as %s): %s\n", walk->scenario->name,
                    walk->sticky ? "sticky" : "once", walk->n, walk->where, walk->status, text);
}

/* ---- One call ----------------------------------------------------------------------------- */

/* In a thread of its own, whose clgemm_last_error() is empty at first. */
static void *call_thread(void *user) {
    struct outcome *o = user;
    o->walk->faults->arm(o->n, o->walk->sticky);
    o->status = o->walk->scenario->call(o->world);
    o->explained = clgemm_last_error()[0] != '\0';
    o->walk->faults->disarm();
    return NULL;
}

struct outcome walk_attempt(struct walk *walk, struct world *world, long n) {
    struct outcome o = {.walk = walk, .world = world, .n = n};
    pthread_t thread;
    current = walk;
    alarm(HANG_SECONDS);
    world_fill(world, walk->scenario);
    if (pthread_create(&thread, NULL, call_thread, &o) != 0)
        fail_msg("no thread");
    pthread_join(thread, NULL);
    o.verdict = world_judge(world, walk->scenario);
    alarm(0);
    return o;
}

/* ---- The rules ---------------------------------------------------------------------------- */

void walk_check_faulted(struct walk *walk, const struct outcome *o) {
    const struct faults *faults = walk->faults;
    bool injected = faults->injected() > 0;
    snprintf(walk->where, sizeof walk->where, "%s", injected ? faults->where() : "no fault");
    snprintf(walk->status, sizeof walk->status, "%s", clgemm_status_name(o->status));
    walk_rule(walk, !o->world->broken, o->world->broken);
    if (o->status == CLGEMM_SUCCESS) {
        walk_rule(walk, o->verdict == RIGHT, "success, but C is not the product");
    } else {
        walk_rule(walk, injected, "fails without a fault");
        walk_rule(walk, faults->is_named_by(o->status), "the status does not say what failed");
        walk_rule(walk,
                  o->verdict != WRONG || o->world->in_parts ||
                      (walk->scenario->late_parts && faults->by == BY_LATE),
                  "C is neither untouched nor right");
        walk_rule(walk, o->explained || o->world->by_event, "clgemm_last_error() is empty");
    }
}

void walk_check_recovered(struct walk *walk, const struct outcome *o) {
    walk_rule(walk, o->status == CLGEMM_SUCCESS, "the next call fails");
    walk_rule(walk, o->verdict == RIGHT, "the next call is not right");
    walk_rule(walk, !o->world->broken, o->world->broken);
}

struct holdings holdings_now(void) {
    struct holdings now;
    steer_counts(now.opencl);
    libc_counts(now.libc);
    return now;
}

static void check_held(struct walk *walk, const char *kind, long held, long before, bool exact) {
    char text[96];
    snprintf(text, sizeof text, "%ld %s instead of %ld after clgemm_clear_cache()", held, kind,
             before);
    walk_rule(walk, exact ? held == before : held <= before, text);
}

void walk_check_leaks(struct walk *walk, const struct holdings *before, bool exact) {
    walk_rule(walk, clgemm_clear_cache() == CLGEMM_SUCCESS, "clgemm_clear_cache() fails");
    const int opencl = steer_settle(before->opencl), libc = libc_settle(before->libc, exact);
    const struct holdings now = holdings_now();
    if (opencl >= 0)
        check_held(walk, steer_kind_name[opencl], now.opencl[opencl], before->opencl[opencl], true);
    if (libc >= 0)
        check_held(walk, libc_kind_name[libc], now.libc[libc], before->libc[libc], exact);
}

/* ---- The walk ----------------------------------------------------------------------------- */

void walk_draw(struct faults *faults) {
    const int parts = clg_test_is_long() ? 1 : faults->parts;
    faults->drawn = clg_test_walk_drawn();
    if (parts > 1)
        faults->drawn.first += faults->drawn.step * clg_test_draw(parts);
    faults->drawn.step *= parts;
}

void walk_test(void **state) {
    struct walk *walk = *state;
    const struct clg_test_walk drawn = walk->faults->drawn;
    struct world world;
    long reported = 0;
    world_open(&world, walk->scenario);
    struct outcome o = walk_attempt(walk, &world, 0); /* creates what is kept afterwards */
    walk_check_recovered(walk, &o);
    if (walk->scenario->piped) { /* other plans are used if a pipeline cannot be staged */
        clgemm_clear_cache();
        steer.be_odd(FAULT_MAP_OF_NULL);
        walk_attempt(walk, &world, 0);
        steer.be_odd(FAULT_NOT_ODD);
    }
    clgemm_clear_cache();
    struct holdings before = holdings_now();
    for (walk->n = drawn.first;; walk->n += drawn.step) {
        o = walk_attempt(walk, &world, walk->n);
        bool last = walk->faults->injected() == 0;
        walk_check_faulted(walk, &o);
        reported += o.status != CLGEMM_SUCCESS;
        if (last) {
            walk_rule(walk, walk->faults->by != BY_OPENCL || steer.launches() >= world.launches,
                      "too few kernels");
            walk_check_leaks(walk, &before, true);
            break;
        }
        o = walk_attempt(walk, &world, 0);
        walk_check_recovered(walk, &o);
        walk_check_leaks(walk, &before, true);
        before = holdings_now(); /* so that one leak is not reported for every call after it */
    }
    world_close(&world);
    print_message("%s, %s: %ld calls, %ld failures reported\n", walk->scenario->name,
                  walk->sticky ? "sticky" : "once", walk->n - 1, reported);
    /* The library may do without calls of other kinds, and few may have been drawn. */
    const bool sure = walk->faults->parts == 1 && walk->faults->by == BY_OPENCL;
    assert_true(reported > 0 || !(sure || (drawn.step == 1 && walk->faults->by == BY_LATE)));
    assert_int_equal(walk->broken, 0);
}
