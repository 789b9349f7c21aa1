/* SPDX-License-Identifier: Apache-2.0
 * Threads of the library. */
#define _GNU_SOURCE /* pthread_setname_np, sched_getaffinity, syscall */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/format.h"

bool clg_thread_start(pthread_t *out, void *(*run)(void *user), void *user, const char *name) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool started = pthread_create(out, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_setname_np(*out, name);
    return started;
}

bool clg_thread_is_main(void) {
    return syscall(SYS_gettid) == getpid();
}

/* The C library's support for C++ destructors, which not every C library has. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern int __cxa_thread_atexit_impl(void (*run)(void *user), void *user, void *library)
    __attribute__((weak));

bool clg_thread_at_end(void (*end)(void *user), void *user) {
    static char ours; /* an address in this library, which stays loaded until `end` has run */
    return __cxa_thread_atexit_impl && __cxa_thread_atexit_impl(end, user, &ours) == 0;
}

static int bound_to(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); /* the set is too small for all processors */
    return online > 0 ? (int)online : 1;
}

/* The first number in a file, or the second if `skipped` is 1; -1 if there is none ("max"). */
static double number_in(const char *path, int skipped) {
    char line[64] = "", *at = line, *end = line;
    double number = -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (!fgets(line, sizeof line, file))
        *line = '\0';
    fclose(file);
    for (int i = 0; i <= skipped; i++) {
        at = end;
        number = clg_read_number(at, &end);
    }
    return end > at ? number : -1;
}

/* CPU time that the control group may use, in processors. A container sees its own group as the
 * root. */
static double group_share(void) {
    static const char v2[] = "/sys/fs/cgroup/cpu.max";
    static const char quota_v1[] = "/sys/fs/cgroup/cpu/cpu.cfs_quota_us";
    static const char period_v1[] = "/sys/fs/cgroup/cpu/cpu.cfs_period_us";
    double quota = number_in(v2, 0), period = number_in(v2, 1);
    if (quota <= 0) {
        quota = number_in(quota_v1, 0);
        period = number_in(period_v1, 0);
    }
    return quota > 0 && period > 0 ? quota / period : -1;
}

static int processors;

static void count_processors(void) {
    const int most = bound_to();
    const double share = group_share();
    processors = share > 0 && share < most ? (int)(share + 0.5) : most;
    if (processors < 1)
        processors = 1;
}

int clg_thread_processors(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, count_processors);
    return processors;
}
