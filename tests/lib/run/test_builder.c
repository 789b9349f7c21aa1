/* SPDX-License-Identifier: Apache-2.0
 * The builder's thread: what it builds and in which order, its signals and its end. No device is
 * needed: a function of the test builds. */
#define _GNU_SOURCE
#include "run/builder.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/child.h"

enum { MOST = 64 };

struct world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char built[MOST][CLG_MAX_OPTIONS]; /* options of the first step, in the order of builds */
    int count;
    bool held; /* builds wait */
    sigset_t mask;
};

static void build(void *user, const struct clg_plan *plan) {
    struct world *w = user;
    pthread_mutex_lock(&w->lock);
    while (w->held)
        pthread_cond_wait(&w->changed, &w->lock);
    snprintf(w->built[w->count++], CLG_MAX_OPTIONS, "%s", plan->steps[0].options);
    pthread_sigmask(SIG_SETMASK, NULL, &w->mask);
    pthread_mutex_unlock(&w->lock);
}

static void no_end(void *user) {
    (void)user;
}

static void hold(struct world *w, bool held) {
    pthread_mutex_lock(&w->lock);
    w->held = held;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static struct clg_plan plan_of(const char *options) {
    struct clg_plan plan = {.num_steps = 1};
    plan.steps[0].source = "tiled";
    snprintf(plan.steps[0].options, sizeof plan.steps[0].options, "%s", options);
    return plan;
}

static enum clg_wish wish(struct clg_builder *builder, const char *options) {
    const struct clg_plan plan = plan_of(options);
    return clg_builder_wish(builder, &plan);
}

static struct clg_builder *open(struct world *w) {
    *w = (struct world){.count = 0};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    struct clg_builder *builder = clg_builder_new(build, no_end, w);
    assert_non_null(builder);
    return builder;
}

static void wishes_are_built_once_and_in_order(void **state) {
    struct world w;
    struct clg_builder *builder = open(&w);
    (void)state;
    hold(&w, true);
    assert_int_equal(wish(builder, "first"), CLG_WISH_GRANTED);
    assert_int_equal(wish(builder, "second"), CLG_WISH_GRANTED);
    assert_int_equal(wish(builder, "first"), CLG_WISH_GRANTED);
    assert_int_equal(wish(builder, "second"), CLG_WISH_GRANTED);
    assert_int_equal(wish(builder, "third"), CLG_WISH_GRANTED);
    hold(&w, false);
    clg_builder_wait(builder);
    assert_int_equal(w.count, 3);
    assert_string_equal(w.built[0], "first");
    assert_string_equal(w.built[1], "second");
    assert_string_equal(w.built[2], "third");
    clg_builder_free(builder);
}

static void too_many_are_asked_to_come_again(void **state) {
    struct world w;
    struct clg_builder *builder = open(&w);
    char options[32];
    int granted = 0;
    (void)state;
    hold(&w, true);
    for (int i = 0; i < 2 * CLG_BUILDER_WISHES; i++) {
        snprintf(options, sizeof options, "number %d", i);
        const enum clg_wish answer = wish(builder, options);
        assert_true(answer == CLG_WISH_GRANTED || answer == CLG_WISH_LATER);
        granted += answer == CLG_WISH_GRANTED;
    }
    assert_in_range(granted, CLG_BUILDER_WISHES, CLG_BUILDER_WISHES + 1); /* one may be under way */
    hold(&w, false);
    clg_builder_wait(builder);
    assert_int_equal(w.count, granted);
    assert_int_equal(wish(builder, "number 31"), CLG_WISH_GRANTED);
    clg_builder_free(builder);
}

/* The program's handlers do not run in the thread; its own faults are not blocked. */
static void signals_stay_off_the_thread(void **state) {
    struct world w;
    struct clg_builder *builder = open(&w);
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(wish(builder, "x"), CLG_WISH_GRANTED);
    clg_builder_wait(builder);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_true(sigismember(&w.mask, SIGINT) && sigismember(&w.mask, SIGTERM) &&
                sigismember(&w.mask, SIGUSR1) && sigismember(&w.mask, SIGCHLD));
    assert_false(sigismember(&w.mask, SIGSEGV) || sigismember(&w.mask, SIGFPE));
    for (int s = 1; s < NSIG; s++)
        assert_int_equal(sigismember(&before, s), sigismember(&after, s));
    clg_builder_free(builder);
}

/* Frees it while one build is under way and others wait. */
static void freeing_waits_for_the_build_alone(void **state) {
    struct world w;
    struct clg_builder *builder = open(&w);
    (void)state;
    clg_builder_free(NULL);
    for (int i = 0; i < 8; i++) {
        char options[32];
        snprintf(options, sizeof options, "number %d", i);
        assert_int_equal(wish(builder, options), CLG_WISH_GRANTED);
    }
    clg_builder_free(builder);
    assert_true(w.count <= 8);
}

/* Child: exits while the thread builds. Its output shows that the build ends first, before the
 * handlers run that a compiler registered at its first use. */
static bool say(const char *text) {
    return write(STDOUT_FILENO, text, strlen(text)) > 0;
}

static void take_down(void) {
    say("taken down\n");
}

static void build_slowly(void *user, const struct clg_plan *plan) {
    (void)user;
    (void)plan;
    atexit(take_down);
    usleep(200000);
    say("built\n");
}

static int exit_while_building(void) {
    struct clg_builder *builder = clg_builder_new(build_slowly, no_end, NULL);
    if (!builder || wish(builder, "a") != CLG_WISH_GRANTED)
        return 1;
    usleep(50000);
    wish(builder, "b");
    exit(7);
}

static void exit_waits_for_the_build_alone(void **state) {
    char output[256];
    (void)state;
    assert_int_equal(clg_test_run_self("exit", NULL, output, sizeof output), 7);
    assert_string_equal(output, "built\ntaken down\n");
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(wishes_are_built_once_and_in_order),
        cmocka_unit_test(too_many_are_asked_to_come_again),
        cmocka_unit_test(signals_stay_off_the_thread),
        cmocka_unit_test(freeing_waits_for_the_build_alone),
        cmocka_unit_test(exit_waits_for_the_build_alone),
    };
    if (argc == 2 && strcmp(argv[1], "exit") == 0)
        return exit_while_building();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
