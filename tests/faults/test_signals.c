/* SPDX-License-Identifier: Apache-2.0
 * The process's signal handlers and mask are the same after the library's first use as before it,
 * whatever the OpenCL runtime installs meanwhile. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "support/check.h"

static volatile sig_atomic_t caught;

static void note(int number) {
    caught = number;
}

/* Signal dispositions and the calling thread's mask. */
struct picture {
    bool readable[NSIG];
    struct sigaction action[NSIG];
    sigset_t mask;
};

static void take(struct picture *p) {
    memset(p, 0, sizeof *p);
    for (int s = 1; s < NSIG; s++)
        p->readable[s] = sigaction(s, NULL, &p->action[s]) == 0;
    assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &p->mask), 0);
}

/* The C library's own mark on every action that was ever set through it: no change in behaviour. */
enum { RESTORER = 0x04000000 };

static bool same_set(const sigset_t *a, const sigset_t *b) {
    for (int s = 1; s < NSIG; s++)
        if (sigismember(a, s) != sigismember(b, s))
            return false;
    return true;
}

static void assert_unchanged(const struct picture *before, const char *after_what) {
    struct picture now;
    int changed = 0;
    take(&now);
    for (int s = 1; s < NSIG; s++) {
        const struct sigaction *a = &before->action[s], *b = &now.action[s];
        if (!before->readable[s] ||
            (a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & ~RESTORER) == 0 &&
             same_set(&a->sa_mask, &b->sa_mask)))
            continue;
        print_error("%s changed the handler of signal %d (%s)\n", after_what, s, strsignal(s));
        changed++;
    }
    assert_int_equal(changed, 0);
    assert_true(same_set(&before->mask, &now.mask));
}

static clgemm_status multiply(clgemm_handle *handle, int64_t size) {
    static float a[200 * 200], b[200 * 200], c[200 * 200];
    return handle ? clgemm_handle_sgemm(handle, CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS,
                                        size, size, size, 1, a, size, b, size, 0, c, size)
                  : clgemm_sgemm(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, size, size,
                                 size, 1, a, size, b, size, 0, c, size);
}

/* Before anything has touched OpenCL: three handlers, one signal ignored, two blocked. Done in the
 * test itself because the test runner installs handlers of its own before it. */
static void prepare(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigset_t blocked;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGTERM);
    assert_int_equal(sigaction(SIGINT, &action, NULL), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_true(signal(SIGFPE, SIG_IGN) != SIG_ERR);
    assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
}

static bool no_device;

/* One test in the order of a program's life, because only the first use is first. */
static void handlers_survive(void **state) {
    (void)state;
    clgemm_handle *handle = NULL;
    struct picture before;
    prepare();
    take(&before);
    clgemm_status first = multiply(NULL, 33);
    no_device = first == CLGEMM_STATUS_NO_DEVICE;
    if (no_device)
        skip();
    assert_int_equal(first, CLGEMM_SUCCESS);
    assert_unchanged(&before, "the first call");
    assert_int_equal(multiply(NULL, 200), CLGEMM_SUCCESS);
    assert_unchanged(&before, "a call with another program");
    assert_int_equal(clgemm_create(&handle, NULL), CLGEMM_SUCCESS);
    assert_unchanged(&before, "clgemm_create");
    assert_int_equal(multiply(handle, 150), CLGEMM_SUCCESS);
    clgemm_destroy(handle);
    assert_int_equal(clgemm_clear_cache(), CLGEMM_SUCCESS);
    assert_unchanged(&before, "clearing up");
    raise(SIGUSR1);
    assert_int_equal(caught, SIGUSR1);
    raise(SIGINT);
    assert_int_equal(caught, SIGINT);
    raise(SIGSEGV);
    assert_int_equal(caught, SIGSEGV);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(handlers_survive)};
    int failed = cmocka_run_group_tests_name("signals", tests, NULL, NULL);
    return no_device ? CLG_TEST_SKIP : failed;
}
