/* SPDX-License-Identifier: Apache-2.0
 * The device is opened in the background: not before it can pay, without making a call wait, and
 * whatever else the program does meanwhile, including its end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drop_in.h"
#include "opening.h"
#include "support/child.h"
#include "support/device.h"
#include "support/threads.h"

static const char *const knowing_nothing[] = {"CLGEMM_CACHE=0", NULL};

/* Roles that open the device end by exit(), which joins the opening thread. */

/* ---- Nothing before it can pay, and no call waits ------------------------------------------ */

/* After loading, after small calls, and after calls that might pay but add up to little. */
static int idle(void) {
    const int before = clg_test_threads(NULL, NULL);
    if (before != 1 || opening_started() || !drop_in_is_mapped("libclgemm_blas.so"))
        return 1;
    drop_in_multiply(40, 1);
    drop_in_multiply(200, 0);
    return clg_test_threads(NULL, NULL) == before && !opening_started() ? 0 : 1;
}

static void nothing_is_started_before_it_can_pay(void **state) {
    (void)state;
    drop_in_succeed("idle", knowing_nothing);
    drop_in_assert_lines("why=small", 1);
    drop_in_assert_lines("why=little", 1);
}

/* More work opens the device and measures it. */
static int busy(void) {
    opening_multiply(OPENING_CALLS - 1);
    if (opening_started() || opening_thread())
        return 1;
    opening_multiply(1);
    opening_wait();
    drop_in_multiply(180, 0);
    exit(opening_started() ? 0 : 1);
}

static void work_opens_the_device(void **state) {
    (void)state;
    drop_in_succeed("busy", knowing_nothing);
    drop_in_assert_lines("sgemm on=cpu why=little", OPENING_CALLS - 1);
    drop_in_assert_lines("sgemm on=cpu why=opening", 1);
    drop_in_assert_lines("gemm break-even=", 4);
    drop_in_assert_lines("gemm on=", OPENING_CALLS + 1);
}

/* ---- The program goes on meanwhile --------------------------------------------------------- */

enum { THREADS = 5 };

static void *call_twice(void *start) {
    pthread_barrier_wait(start);
    opening_multiply(1);
    drop_in_multiply(175, 0.5F);
    return NULL;
}

static int many_threads(void) {
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    opening_multiply(OPENING_CALLS - 1);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, call_twice, &start))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    exit(0);
}

static void threads_go_on_meanwhile(void **state) {
    (void)state;
    drop_in_succeed("many threads", knowing_nothing);
    drop_in_assert_lines("gemm break-even=", 4);
    assert_true(drop_in_lines("gemm on=cpu why=opening") > 0);
}

static volatile sig_atomic_t caught, elsewhere;

static void note(int number) {
    (void)number;
    caught++;
    elsewhere += syscall(SYS_gettid) != getpid();
}

static void note_too(int number) {
    note(number);
}

/* Handlers are changed while it is opened, and a timer's signals arrive. */
static int signals(void) {
    static const int numbers[] = {SIGINT, SIGSEGV, SIGUSR1, SIGCHLD, SIGFPE};
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}},
                           never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = note}, now;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    opening_multiply(OPENING_CALLS);
    const int thread = opening_thread();
    for (int i = 0; opening_is_alive(thread); i++) {
        action.sa_handler = i % 2 ? note : note_too;
        for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++)
            sigaction(numbers[s], &action, NULL);
        usleep(3000);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    if (caught == 0 || elsewhere > 0)
        return 1;
    for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++) {
        caught = 0;
        if (sigaction(numbers[s], NULL, &now) ||
            (now.sa_handler != note && now.sa_handler != note_too))
            return 2;
        raise(numbers[s]);
        if (caught != 1)
            return 3;
    }
    exit(0);
}

static void signals_are_the_programs_meanwhile(void **state) {
    (void)state;
    drop_in_succeed("signals", knowing_nothing);
    drop_in_assert_lines("sgemm on=cpu why=opening", 1);
}

/* ---- fork() -------------------------------------------------------------------------------- */

static int fork_and_multiply(void) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* turns a child that hangs into a failure */
        drop_in_multiply(175, 0.5F);
        exit(0); /* as programs exit, with all handlers */
    }
    return clg_test_wait_for(child);
}

/* Before, while it is opened (fork() waits for that), and afterwards. */
static int forks(void) {
    opening_multiply(OPENING_CALLS - 1);
    if (fork_and_multiply())
        return 1;
    opening_multiply(1);
    for (int i = 0; i < 3; i++)
        if (fork_and_multiply())
            return 2;
    exit(0);
}

static void children_stay_on_the_cpu(void **state) {
    (void)state;
    drop_in_succeed("forks", knowing_nothing);
    drop_in_assert_lines("?gemm on=cpu why=forked", 3);
    drop_in_assert_lines("gemm break-even=", 4);
}

/* ---- The end ------------------------------------------------------------------------------- */

static void pause_as_asked(void) {
    const char *text = getenv("PAUSE_MS");
    const struct timespec pause = {.tv_nsec = (text ? atol(text) : 0) * 1000000};
    nanosleep(&pause, NULL);
}

static int ends(void) {
    opening_multiply(OPENING_CALLS);
    pause_as_asked();
    exit(0);
}

static void *multiply_and_stay(void *unused) {
    opening_multiply(OPENING_CALLS);
    for (;;)
        pause();
    return unused;
}

/* The main thread has never multiplied. */
static int ends_beside(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply_and_stay, NULL))
        return 1;
    while (!opening_thread() && !opening_started())
        usleep(1000);
    pause_as_asked();
    exit(0);
}

static void *multiply_and_exit(void *unused) {
    opening_multiply(OPENING_CALLS);
    pause_as_asked();
    exit(0);
    return unused;
}

/* Not the main thread but another one ends the program. */
static int ends_elsewhere(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply_and_exit, NULL))
        return 1;
    for (;;)
        pause();
}

static void *pause_and_exit(void *unused) {
    pause_as_asked();
    exit(0);
    return unused;
}

/* A thread that has never multiplied does so. */
static int ends_in_a_third(void) {
    pthread_t thread;
    opening_multiply(OPENING_CALLS);
    if (pthread_create(&thread, NULL, pause_and_exit, NULL))
        return 1;
    for (;;)
        pause();
}

/* A program must not be killed by a signal or hang, whenever it ends: this many milliseconds after
 * the call that starts to open the device. */
static void a_program_may_end_meanwhile(void **state) {
    (void)state;
    enum { STEP_MS = 8, PARTS = 32 };
    static const char *const roles[] = {"ends", "ends beside", "ends elsewhere", "ends in a third"};
    enum { ROLES = sizeof roles / sizeof roles[0] };
    const int step = clg_test_is_long() ? 1 : PARTS / 2, first = clg_test_draw(step);
    for (int i = first; i < PARTS; i += step) {
        char pause[32];
        snprintf(pause, sizeof pause, "PAUSE_MS=%d", i * STEP_MS);
        const char *const settings[] = {pause, "CLGEMM_CACHE=0", NULL};
        drop_in_succeed(roles[(i / step + i) % ROLES], settings);
    }
}

/* The clock that users and servers set, for the whole program. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out) {
    const char *jump = clock == CLOCK_REALTIME ? getenv("CLOCK_JUMP_S") : NULL;
    const int error = (int)syscall(SYS_clock_gettime, clock, out);
    out->tv_sec += jump ? atol(jump) : 0;
    return error;
}

/* To timed waits of the C library, which read the kernel's clock, all limits are long past, or an
 * hour away. */
static void a_clock_that_is_set_does_not_matter(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *const settings[] = {i ? "CLOCK_JUMP_S=3600" : "CLOCK_JUMP_S=-3600",
                                        "CLGEMM_CACHE=0", NULL};
        drop_in_succeed("ends", settings);
        drop_in_assert_lines("still being opened", 0);
        drop_in_succeed("forks", settings);
        drop_in_assert_lines("?gemm on=cpu why=forked", 3);
    }
}

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_started_before_it_can_pay),
        cmocka_unit_test(work_opens_the_device),
        cmocka_unit_test(threads_go_on_meanwhile),
        cmocka_unit_test(signals_are_the_programs_meanwhile),
        cmocka_unit_test(children_stay_on_the_cpu),
        cmocka_unit_test(a_program_may_end_meanwhile),
        cmocka_unit_test(a_clock_that_is_set_does_not_matter),
    };
    return cmocka_run_group_tests_name("blas: opening", tests, NULL, NULL);
}

int main(int argc, char **argv) {
    static const struct role roles[] = {{"idle", idle},
                                        {"busy", busy},
                                        {"many threads", many_threads},
                                        {"signals", signals},
                                        {"forks", forks},
                                        {"ends", ends},
                                        {"ends beside", ends_beside},
                                        {"ends elsewhere", ends_elsewhere},
                                        {"ends in a third", ends_in_a_third}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
