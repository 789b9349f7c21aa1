/* SPDX-License-Identifier: Apache-2.0
 * The method of measuring, on simulated clocks: the wait until the process is idle, the order in
 * which contenders take turns, and samples in two clusters. No real time is judged. Over 300 lines,
 * because all parts of the method run on the same simulated clock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "src/common/heaps.h"
#include "src/common/median.h"
#include "src/common/timing.h"
#include "support/check.h"

/* ---- A simulated process ---- */

/* Its threads poll until `polls_until`. Pauses take as long as requested, and a little CPU time. */
struct process {
    double now, cpu, polls_until;
    int threads;
    int pauses;
    int asleep;    /* during this pause, from 1, they sleep, and at its end too */
    bool no_turns; /* they have no core, but need one */
};

static double now(void *user) {
    return ((struct process *)user)->now;
}

static double cpu(void *user) {
    return ((struct process *)user)->cpu;
}

static bool is_idle(const struct process *p) {
    return p->now >= p->polls_until || p->pauses == p->asleep;
}

static int threads(void *user) {
    const struct process *p = user;
    return is_idle(p) ? 0 : p->threads;
}

static void pause_for(void *user, double seconds) {
    struct process *p = user;
    const double left = p->polls_until - p->now;
    const double polled = left < 0 ? 0 : left < seconds ? left : seconds;
    p->pauses++;
    p->cpu += 0.01 * seconds + (is_idle(p) || p->no_turns ? 0 : polled * p->threads);
    p->now += seconds;
}

static struct quiet_source source_of(struct process *process) {
    return (struct quiet_source){now, cpu, threads, pause_for, process};
}

/* ---- Idle ---- */

static void test_quiet_at_once(void **state) {
    struct process p = {0};
    const struct quiet_source source = source_of(&p);
    (void)state;
    assert_true(quiet_wait(&source, 0.5) == 0);
    assert_int_equal(p.pauses, 2);
}

static void test_quiet_in_time(void **state) {
    struct process p = {.polls_until = 0.03, .threads = 1};
    const struct quiet_source source = source_of(&p);
    (void)state;
    assert_true(quiet_wait(&source, 0.5) == 0);
    assert_true(p.now >= 0.03 && p.now < 0.04);
}

/* One idle pause alone may be a thread that sleeps now and then. */
static void test_quiet_not_by_chance(void **state) {
    struct process p = {.polls_until = 0.03, .threads = 1, .asleep = 3};
    const struct quiet_source source = source_of(&p);
    (void)state;
    assert_true(quiet_wait(&source, 0.5) == 0);
    assert_true(p.now >= 0.03);
}

/* On a busy machine, threads that poll may have no core for a while. */
static void test_quiet_without_turns(void **state) {
    struct process p = {.polls_until = 0.03, .threads = 1, .no_turns = true};
    const struct quiet_source source = source_of(&p);
    (void)state;
    assert_true(quiet_wait(&source, 0.5) == 0);
    assert_true(p.now >= 0.03);
}

static void test_never_quiet(void **state) {
    struct process p = {.polls_until = 1e9, .threads = 3};
    const struct quiet_source source = source_of(&p);
    (void)state;
    const double cores = quiet_wait(&source, 0.5);
    assert_true(cores > 2.9 && cores < 3.1);
    assert_true(p.now >= 0.5 && p.now < 0.51);
}

static atomic_bool stop_polling;

static void *poll_on(void *arg) {
    while (!stop_polling) {
    }
    return arg;
}

/* The process's real clocks and threads: a polling thread is detected, however busy the machine is,
 * and none once it has ended. */
static void test_quiet_for_real(void **state) {
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, poll_on, NULL), 0);
    assert_true(quiet_wait(NULL, 0.01) > 0);
    stop_polling = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(quiet_wait(NULL, 60) == 0);
}

/* ---- Turns ---- */

enum { CONTENDERS = 3, RUNS_MAX = 256 };

/* Calls keep polling for `polls` seconds of the simulated process. */
struct stage {
    struct process process;
    char runs[RUNS_MAX]; /* a letter for each run */
    bool disturbed;      /* a contender began while another's threads were polling */
    int turn;            /* whose, or -1 */
};

struct actor {
    struct stage *stage;
    int number;
    double polls, takes; /* after a run; for it */
    double expected;     /* as in struct timing_entry */
    int fails_at;        /* this run, from 1, fails */
    int runs;
};

static bool act(void *arg, int calls) {
    struct actor *actor = arg;
    struct stage *stage = actor->stage;
    struct process *p = &stage->process;
    const size_t length = strlen(stage->runs);
    (void)calls;
    if (stage->turn != actor->number && p->now < p->polls_until)
        stage->disturbed = true;
    stage->turn = actor->number;
    assert_true(length + 1 < RUNS_MAX);
    stage->runs[length] = (char)('a' + actor->number);
    p->now += actor->takes;
    p->polls_until = p->now + actor->polls;
    return ++actor->runs != actor->fails_at;
}

/* Simulates samples of one call each with these contenders. */
static void play_as(bool alike, struct stage *stage, struct actor actors[CONTENDERS],
                    struct timing times[CONTENDERS], int samples) {
    struct timing_entry entries[CONTENDERS];
    const struct quiet_source source = source_of(&stage->process);
    *stage = (struct stage){.process.threads = 1, .turn = -1};
    for (int i = 0; i < CONTENDERS; i++) {
        actors[i].stage = stage;
        actors[i].number = i;
        entries[i] = (struct timing_entry){
            .run = act, .arg = &actors[i], .out = &times[i], .expected = actors[i].expected};
    }
    timing_run(&(struct timing_params){.entries = entries,
                                       .count = CONTENDERS,
                                       .warm = true,
                                       .alike = alike,
                                       .calls_max = 1,
                                       .samples = samples,
                                       .clocks = &source});
}

static void play(struct stage *stage, struct actor actors[CONTENDERS],
                 struct timing times[CONTENDERS], int samples) {
    play_as(false, stage, actors, times, samples);
}

/* One run to find the number of calls; then blocks, each after an untimed run. */
static void test_blocks_in_turn(void **state) {
    struct actor actors[CONTENDERS] = {{.polls = 0.001}, {.polls = 0.03}, {.polls = 0}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play(&stage, actors, times, 9);
    assert_string_equal(stage.runs, "abc"
                                    "aaaabbbbcccc"
                                    "aaaabbbbcccc"
                                    "aaaabbbbcccc");
    assert_false(stage.disturbed);
    for (int i = 0; i < CONTENDERS; i++) {
        assert_false(times[i].failed);
        assert_int_equal(times[i].samples, 9);
        assert_true(times[i].restless == 0);
    }
}

/* Between calls of one library there is no wait for idleness, except at the beginning and the
 * end. */
static void test_alike(void **state) {
    struct actor actors[CONTENDERS] = {{.polls = 0.03}, {.polls = 0.03}, {.polls = 0}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play_as(true, &stage, actors, times, 3);
    assert_string_equal(stage.runs, "abc"
                                    "aabbcc"
                                    "aabbcc"
                                    "aabbcc");
    assert_true(stage.disturbed);
    assert_int_equal(stage.process.pauses, 4);
    assert_int_equal(times[CONTENDERS - 1].samples, 3);
}

/* A contender whose duration is known needs no run to find the number of calls. */
static void test_expected(void **state) {
    struct actor actors[CONTENDERS] = {{0}, {.expected = 1e-5}, {.expected = 1e-3}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play(&stage, actors, times, 3);
    assert_string_equal(stage.runs, "a"
                                    "aabbcc"
                                    "aabbcc"
                                    "aabbcc");
    assert_int_equal(times[1].calls, 1);
    assert_int_equal(times[1].samples, 3);
}

static void test_uneven_blocks(void **state) {
    struct actor actors[CONTENDERS] = {{0}, {0}, {0}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play(&stage, actors, times, 7);
    assert_string_equal(stage.runs, "abc"
                                    "aaaabbbbcccc"
                                    "aaaabbbbcccc"
                                    "aabbcc");
    play(&stage, actors, times, 2);
    assert_string_equal(stage.runs, "abc"
                                    "aabbcc"
                                    "aabbcc");
    assert_int_equal(times[0].samples, 2);
}

/* Few samples and no untimed runs if a call takes long. */
static void test_slow_contender(void **state) {
    struct actor actors[CONTENDERS] = {{0}, {.takes = 0.2}, {0}};
    struct actor slow[CONTENDERS] = {{0}, {.takes = 3}, {0}};
    struct actor very_slow[CONTENDERS] = {{0}, {.takes = 30}, {0}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play(&stage, actors, times, 7);
    assert_string_equal(stage.runs, "abc"
                                    "aaaabbbcccc"
                                    "aaaabbbcccc"
                                    "aabcc");
    play(&stage, slow, times, 7);
    assert_string_equal(stage.runs, "abc"
                                    "aabcc"
                                    "aabcc"
                                    "aabcc");
    assert_true(times[1].median > 2.99 && times[1].median < 3.01);
    play(&stage, very_slow, times, 7);
    assert_string_equal(stage.runs, "abc"
                                    "aabcc");
}

/* The contender that keeps polling is the one named, and in the end the waits for it are cut
 * short. */
static void test_restless_contender(void **state) {
    struct actor actors[CONTENDERS] = {{0}, {.polls = 1e9}, {0}};
    struct timing times[CONTENDERS];
    struct stage stage;
    (void)state;
    play(&stage, actors, times, 9);
    assert_true(times[0].restless == 0);
    assert_true(times[1].restless > 0.9 && times[1].restless < 1.1);
    assert_true(times[2].restless == 0);
    assert_true(stage.process.now >= QUIET_MOST && stage.process.now < 2 * QUIET_MOST);
    assert_int_equal(times[2].samples, 9);
}

/* A contender that fails in any run is left out; the others continue. */
static void test_failing_contender(void **state) {
    (void)state;
    for (int at = 1; at <= 13; at++) {
        struct actor actors[CONTENDERS] = {{0}, {.fails_at = at}, {0}};
        struct timing times[CONTENDERS];
        struct stage stage;
        play(&stage, actors, times, 9);
        assert_true(times[1].failed);
        assert_int_equal(actors[1].runs, at);
        assert_false(times[2].failed);
        assert_int_equal(times[2].samples, 9);
    }
}

/* ---- Clusters ---- */

#define HEAPS(cores, ...)                             \
    heaps_find(&heaps, (const double[]){__VA_ARGS__}, \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double), cores)

static void test_two_heaps(void **state) {
    struct heaps heaps;
    (void)state;
    assert_true(HEAPS(2, 2.66, 1.43, 1.45, 2.70, 1.41, 2.64, 1.44, 1.42, 2.68));
    assert_int_equal(heaps.quick_count, 5);
    assert_int_equal(heaps.slow_count, 4);
    assert_true(heaps.quick == 1.43 && heaps.slow == (2.66 + 2.68) / 2);
    assert_int_equal(heaps.cores, 2);
    /* One of the slow ones was slow for another reason too. */
    assert_true(HEAPS(2, 1.0, 1.01, 1.02, 1.9, 1.91, 1.92, 4.0));
    assert_int_equal(heaps.quick_count, 3);
    assert_true(HEAPS(8, 1.0, 1.1, 7.9, 8.2));
}

static void test_one_heap(void **state) {
    struct heaps heaps;
    (void)state;
    assert_false(HEAPS(2, 1.43, 1.45, 1.41, 1.44, 1.42, 1.40, 1.43, 1.43, 1.42));
    assert_int_equal(heaps.quick_count, 0);
    /* One sample is no cluster, on either side. */
    assert_false(HEAPS(2, 1.43, 1.45, 1.41, 1.44, 1.42, 1.40, 1.43, 1.43, 2.8));
    assert_false(HEAPS(2, 2.81, 2.82, 2.80, 2.83, 2.84, 1.40));
    assert_false(HEAPS(2, 1.0, 2.0));
    /* Apart, but not by the ratio of the cores. */
    assert_false(HEAPS(2, 1.0, 1.0, 1.0, 5.0, 5.0, 5.0));
    assert_false(HEAPS(16, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0));
    assert_false(HEAPS(1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0));
    assert_false(HEAPS(1, 1.0, 1.0, 2.0, 2.0));
    /* Spread evenly over the same range. */
    assert_false(HEAPS(2, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4, 2.6));
    assert_false(HEAPS(2, 1.0, 1.3, 1.7, 2.2, 2.9));
    assert_false(HEAPS(2, 0, 0, 0, 0));
    assert_true(heaps_cores() >= 1);
}

static void test_medians(void **state) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    (void)state;
    assert_true(median_sort(odd, 3) == 2 && odd[0] == 1 && odd[2] == 3);
    assert_true(median_sort(even, 4) == 2.5);
    assert_true(median_sort(one, 1) == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_at_once),
        cmocka_unit_test(test_quiet_in_time),
        cmocka_unit_test(test_quiet_not_by_chance),
        cmocka_unit_test(test_quiet_without_turns),
        cmocka_unit_test(test_never_quiet),
        cmocka_unit_test(test_quiet_for_real),
        cmocka_unit_test(test_blocks_in_turn),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_uneven_blocks),
        cmocka_unit_test(test_restless_contender),
        cmocka_unit_test(test_failing_contender),
        cmocka_unit_test(test_slow_contender),
        cmocka_unit_test(test_two_heaps),
        cmocka_unit_test(test_one_heap),
        cmocka_unit_test(test_medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
