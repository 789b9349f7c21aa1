/* SPDX-License-Identifier: Apache-2.0
 * The device is opened beside the program: not before it can pay, without a call that waits, and
 * whatever else the program does meanwhile, its end among it. What pays is known to the next. */
#define _GNU_SOURCE
#include <cblas.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api/handle.h"
#include "drop_in.h"
#include "support/cache.h"
#include "support/child.h"
#include "support/device.h"
#include "tuning/break_even.h"

/* Tests of what is known set CLGEMM_CACHE. */
static const char *const knowing_nothing[] = {"CLGEMM_CACHE=0", NULL};

/* Roles that open the device end by exit(), as programs do: it joins the opener. */

/* ---- What a program sees of it ------------------------------------------------------------- */

/* Threads of this process; *opener is the one of ours, or 0: the first of its name, as those that a
 * runtime starts in it inherit that. */
static int threads_of_process(int *opener) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    *opener = 0;
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[512], comm[32] = "";
        const int id = atoi(task->d_name);
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = id > 0 ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        count++;
        if (fgets(comm, sizeof comm, file) && strcmp(comm, "clgemm-open\n") == 0)
            *opener = *opener && *opener < id ? *opener : id;
        fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

static int opener(void) {
    int id;
    threads_of_process(&id);
    return id;
}

static bool is_alive(int thread) {
    return thread && syscall(SYS_tgkill, getpid(), thread, 0) == 0;
}

/* To be called once, behind the call that began to open. */
static void wait_until_through(void) {
    const struct timespec pause = {.tv_nsec = 2000000};
    for (const int thread = opener(); is_alive(thread);)
        nanosleep(&pause, NULL);
}

/* The library is what would load OpenCL; this program itself is linked with that. */
static bool anything_started(void) {
    return drop_in_is_mapped("libclgemm.so");
}

/* 1e9 operations: ten of them open the device. */
enum { LONG_N = 500, LONG_K = 2000, LONG_CALLS = 10 };

static void multiply_zeros(int times) {
    static float a[LONG_N * LONG_K], c[LONG_N * LONG_N];
    for (int i = 0; i < times; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, LONG_N, LONG_N, LONG_K, 1, a, LONG_K,
                    a, LONG_K, 0, c, LONG_N);
}

/* ---- Nothing before it can pay, and no call waits ------------------------------------------ */

/* As loaded, after small calls, and after calls that might pay but do not amount to much. */
static int idle(void) {
    int opener;
    const int before = threads_of_process(&opener);
    if (before != 1 || anything_started() || !drop_in_is_mapped("libclgemm_blas.so"))
        return 1;
    drop_in_multiply(40, 1);
    drop_in_multiply(200, 0);
    return threads_of_process(&opener) == before && !anything_started() ? 0 : 1;
}

static void nothing_is_started_before_it_can_pay(void **state) {
    (void)state;
    drop_in_succeed("idle", knowing_nothing);
    drop_in_assert_lines("why=small", 1);
    drop_in_assert_lines("why=little", 1);
}

/* More work opens the device, and asks it. */
static int busy(void) {
    multiply_zeros(LONG_CALLS - 1);
    if (anything_started() || opener())
        return 1;
    multiply_zeros(1);
    wait_until_through();
    drop_in_multiply(180, 0);
    exit(anything_started() ? 0 : 1);
}

static void work_opens_the_device(void **state) {
    (void)state;
    drop_in_succeed("busy", knowing_nothing);
    drop_in_assert_lines("sgemm on=cpu why=little", LONG_CALLS - 1);
    drop_in_assert_lines("sgemm on=cpu why=opening", 1);
    drop_in_assert_lines("gemm break-even=", 2);
    drop_in_assert_lines("gemm on=", LONG_CALLS + 1);
}

/* ---- The program goes on meanwhile --------------------------------------------------------- */

enum { THREADS = 5 };

static void *call_twice(void *start) {
    pthread_barrier_wait(start);
    multiply_zeros(1);
    drop_in_multiply(175, 0.5F);
    return NULL;
}

static int many_threads(void) {
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    multiply_zeros(LONG_CALLS - 1);
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
    drop_in_assert_lines("gemm break-even=", 2);
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

/* Handlers come and go while it is opened, and a timer's signals arrive. */
static int signals(void) {
    static const int numbers[] = {SIGINT, SIGSEGV, SIGUSR1, SIGCHLD, SIGFPE};
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}},
                           never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = note}, now;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    multiply_zeros(LONG_CALLS);
    const int thread = opener();
    for (int i = 0; is_alive(thread); i++) {
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
        alarm(60); /* a child that hangs is a failure, not a hang */
        drop_in_multiply(175, 0.5F);
        exit(0); /* as programs end, with all handlers */
    }
    return clg_test_wait_for(child);
}

/* Before, while it is opened, and after that, as fork() waits for it. */
static int forks(void) {
    multiply_zeros(LONG_CALLS - 1);
    if (fork_and_multiply())
        return 1;
    multiply_zeros(1);
    for (int i = 0; i < 3; i++)
        if (fork_and_multiply())
            return 2;
    exit(0);
}

static void children_stay_on_the_cpu(void **state) {
    (void)state;
    drop_in_succeed("forks", knowing_nothing);
    drop_in_assert_lines("?gemm on=cpu why=forked", 3);
    drop_in_assert_lines("gemm break-even=", 2);
}

/* ---- The end ------------------------------------------------------------------------------- */

static void pause_as_asked(void) {
    const char *text = getenv("PAUSE_MS");
    const struct timespec pause = {.tv_nsec = (text ? atol(text) : 0) * 1000000};
    nanosleep(&pause, NULL);
}

static int ends(void) {
    multiply_zeros(LONG_CALLS);
    pause_as_asked();
    exit(0);
}

static void *multiply_and_stay(void *unused) {
    multiply_zeros(LONG_CALLS);
    for (;;)
        pause();
    return unused;
}

/* The main thread has never multiplied. */
static int ends_beside(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, multiply_and_stay, NULL))
        return 1;
    while (!opener() && !anything_started())
        usleep(1000);
    pause_as_asked();
    exit(0);
}

static void *multiply_and_exit(void *unused) {
    multiply_zeros(LONG_CALLS);
    pause_as_asked();
    exit(0);
    return unused;
}

/* Another thread than the main one ends the program. */
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

/* A thread does so that has never multiplied. */
static int ends_in_a_third(void) {
    pthread_t thread;
    multiply_zeros(LONG_CALLS);
    if (pthread_create(&thread, NULL, pause_and_exit, NULL))
        return 1;
    for (;;)
        pause();
}

/* A program is never ended by a signal, nor hangs, whenever it ends: so many milliseconds after the
 * call that begins to open. */
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

/* ---- What the next process knows ----------------------------------------------------------- */

/* The device's break-even in a file that CLGEMM_TUNING names; `text` is for that. */
static void write_break_evens(const struct clg_test_cache *cache, int64_t flops,
                              char text[CLG_TEST_PATH + 32]) {
    clgemm_handle *handle;
    char path[CLG_TEST_PATH];
    clg_test_join(path, cache->scratch, "tuned.json");
    clg_test_assert_success(clgemm_create(&handle, NULL));
    for (int type = CLGEMM_F32; type <= CLGEMM_F64; type++) {
        struct clg_break_even measured = {
            .type = (clgemm_type)type, .flops = flops, .against = "a BLAS"};
        clg_break_even_stamp(&measured);
        clg_test_assert_success(
            clg_tuning_write_break_even(path, &handle->engine.device->facts, &measured, NULL, 0));
    }
    clgemm_destroy(handle);
    snprintf(text, CLG_TEST_PATH + 32, "CLGEMM_TUNING=%s", path);
}

/* Whether it was opened is the exit status. */
static int asks(void) {
    multiply_zeros(LONG_CALLS);
    wait_until_through();
    multiply_zeros(2);
    drop_in_multiply(180, 0);
    exit(anything_started());
}

static void assert_asks(const char *const *settings, bool expected) {
    assert_int_equal(drop_in_run("asks", settings), expected);
    drop_in_assert_lines("as an earlier process found", expected ? 0 : 2);
}

static void that_nothing_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    const char *const another[] = {tuning, "CLGEMM_DEVICE=0:0", NULL};
    const char *const forgetful[] = {tuning, "CLGEMM_CACHE=0", NULL};
    write_break_evens(*state, INT64_MAX, tuning);
    assert_asks(forgetful, true);
    assert_asks(settings, true);
    drop_in_assert_lines("gemm break-even=", 2);
    assert_asks(settings, false);
    drop_in_assert_lines("sgemm on=cpu why=small", 2 + (drop_in_type == CLGEMM_F32));
    assert_asks(settings, false);
    if (!getenv("CLGEMM_DEVICE"))
        assert_asks(another, true);
    /* A file that says otherwise, or the same anew, is a reason to ask. */
    write_break_evens(*state, INT64_MAX, tuning);
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static void damage(const char *folder, size_t length) {
    DIR *files = opendir(folder);
    int damaged = 0;
    assert_non_null(files);
    for (const struct dirent *file; (file = readdir(files));) {
        char path[2 * CLG_TEST_PATH];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (strncmp(file->d_name, "break-even-", 11) == 0)
            damaged += truncate(path, (off_t)length) == 0;
    }
    closedir(files);
    assert_int_equal(damaged, 1);
}

static void a_damaged_note_is_none(void **state) {
    const struct clg_test_cache *cache = *state;
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(cache, INT64_MAX, tuning);
    assert_asks(settings, true);
    damage(cache->place, (size_t)clg_test_draw(60));
    assert_asks(settings, true);
    assert_asks(settings, false);
}

static int pays(void) {
    multiply_zeros(LONG_CALLS);
    wait_until_through();
    drop_in_multiply(150, 0.5F); /* less than pays */
    drop_in_multiply(180, 0.5F);
    exit(0);
}

/* Both processes open the device; the second knew before from where on calls count. */
static void what_pays_is_known_to_the_next(void **state) {
    char tuning[CLG_TEST_PATH + 32];
    const char *const settings[] = {tuning, NULL};
    write_break_evens(*state, 10000000, tuning);
    for (int process = 0; process < 2; process++) {
        drop_in_succeed("pays", settings);
        drop_in_assert_lines("as an earlier process found", 2 * process);
        drop_in_assert_lines("gemm break-even=1e+07", 2 + 2 * process);
        drop_in_assert_lines("?gemm on=device", 1);
        drop_in_assert_lines("?gemm on=cpu why=small", 1);
    }
}

/* Of these, which take several processes each, the seed draws one. */
static const struct CMUnitTest known[] = {
    cmocka_unit_test_setup_teardown(that_nothing_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(a_damaged_note_is_none, clg_test_cache_setup,
                                    clg_test_cache_teardown),
    cmocka_unit_test_setup_teardown(what_pays_is_known_to_the_next, clg_test_cache_setup,
                                    clg_test_cache_teardown),
};
enum { KNOWN = sizeof known / sizeof known[0] };

static int own_tests(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_started_before_it_can_pay),
        cmocka_unit_test(work_opens_the_device),
        cmocka_unit_test(threads_go_on_meanwhile),
        cmocka_unit_test(signals_are_the_programs_meanwhile),
        cmocka_unit_test(children_stay_on_the_cpu),
        cmocka_unit_test(a_program_may_end_meanwhile),
    };
    const int code = cmocka_run_group_tests_name("blas: opening", tests, NULL, NULL);
    if (code)
        return code;
    if (clg_test_is_long())
        return cmocka_run_group_tests_name("blas: known", known, NULL, NULL);
    const struct CMUnitTest drawn[] = {known[clg_test_draw(KNOWN)]};
    return cmocka_run_group_tests_name("blas: known", drawn, NULL, NULL);
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
                                        {"ends in a third", ends_in_a_third},
                                        {"asks", asks},
                                        {"pays", pays}};
    return drop_in_main(argc, argv, ONE_TYPE, roles, sizeof roles / sizeof roles[0], own_tests);
}
