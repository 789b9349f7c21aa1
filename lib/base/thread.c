/* SPDX-License-Identifier: Apache-2.0
 * Threads of the library. */
#define _GNU_SOURCE /* pthread_setname_np, pthread_getattr_np, sched_getaffinity, syscall */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
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

int clg_cancel_hold(void) {
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

void clg_cancel_release(int state) {
    pthread_setcancelstate(state, NULL);
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
    char line[64], *at = line, *end = line;
    double number = -1;
    clg_file_line(path, line, sizeof line);
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

/* ---- The stack ---- */

/* The stack's ends; equal until they are known. */
static _Thread_local uintptr_t low, high;

/* The main thread's stack, for when /proc is missing and pthread_getattr_np() fails. Strings from
 * exec() are at the end of the stack, and it can grow to its limit or, without one, far enough. */
static void measure_main(void) {
    static const rlim_t far_enough = 8 << 20;
    struct rlimit limit;
    const uintptr_t end = getauxval(AT_EXECFN);
    if (!end || !clg_thread_is_main() || getrlimit(RLIMIT_STACK, &limit))
        return;
    const rlim_t size = limit.rlim_cur < far_enough ? limit.rlim_cur : far_enough;
    low = end > size ? end - size : 0;
    high = end;
}

static void measure(void) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes)) {
        measure_main();
        return;
    }
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        low = (uintptr_t)start;
        high = low + size;
    }
    pthread_attr_destroy(&attributes);
}

bool clg_thread_has_stack(size_t bytes) {
    const char here = 0;
    const uintptr_t now = (uintptr_t)&here;
    if (low == high)
        measure();
    return now > low && now < high && now - low >= bytes;
}

/* ---- Whether more may be started ---- */

/* Whether so many threads more fit into the groups of this process, up to the root that it sees. */
static bool fit_groups(int count) {
    char line[1024], file[sizeof line + 64];
    bool fit = true;
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups && fit && fgets(line, sizeof line, groups)) {
        char *path = strchr(line, '/');
        const char *kind = strncmp(line, "0::", 3) == 0 ? "" : "/pids";
        if (!path || (*kind && !strstr(line, ":pids:")))
            continue;
        for (char *end = strchr(path, '\n'); end && fit; end = strrchr(path, '/')) {
            *end = '\0';
            snprintf(file, sizeof file, "/sys/fs/cgroup%s%s/pids.max", kind, path);
            const double most = number_in(file, 0);
            snprintf(file, sizeof file, "/sys/fs/cgroup%s%s/pids.current", kind, path);
            fit = most < 0 || number_in(file, 0) + count <= most;
        }
    }
    if (groups)
        fclose(groups);
    return fit;
}

/* The same for the user's limit. The user has at most all threads of the system: the number behind
 * the slash, or 0 where it is not told. */
static bool fit_user(int count) {
    struct rlimit limit;
    char line[128];
    if (getrlimit(RLIMIT_NPROC, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return true;
    clg_file_line("/proc/loadavg", line, sizeof line);
    const char *all = strchr(line, '/');
    const rlim_t used = all ? strtoull(all + 1, NULL, 10) : 0;
    return used && used + (rlim_t)count <= limit.rlim_cur;
}

static void *pass_through(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Starts and ends them. */
static bool start_trial(int count) {
    enum { STACK = 512 << 10 }; /* with the program's thread-local variables in it */
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t small;
    pthread_t *threads = calloc((size_t)count, sizeof *threads);
    int started = 0;
    if (!threads)
        return false;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    pthread_mutex_lock(&gate);
    while (started < count && pthread_create(&threads[started], &small, pass_through, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
    free(threads);
    return started == count;
}

bool clg_thread_may_start(int count) {
    return (fit_user(count) && fit_groups(count)) || start_trial(count);
}

/* ---- Helpers of a call ---- */

struct seat {
    struct clg_workers *workers;
    int who;
    pthread_t thread;
    pthread_cond_t wake;
    bool has_thread, called;
};

struct clg_workers {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t done;
    bool busy, ends;
    int wanted;  /* seats called for the current work */
    int running; /* also read without the lock */
    void (*work)(void *user, int who);
    void *user;
    struct seat seats[CLG_WORKERS_MOST];
};

/* Each thread that wakes up wakes two more, so the caller itself makes at most two system calls. */
static void wake_after(struct clg_workers *w, int who, int wanted) {
    for (int next = 2 * who; next <= 2 * who + 1; next++)
        if (next < wanted)
            pthread_cond_signal(&w->seats[next].wake);
}

static void *sit(void *given) {
    struct seat *seat = given;
    struct clg_workers *w = seat->workers;
    pthread_mutex_lock(&w->lock);
    while (!w->ends) {
        if (!seat->called) {
            pthread_cond_wait(&seat->wake, &w->lock);
            continue;
        }
        seat->called = false;
        __atomic_fetch_add(&w->running, 1, __ATOMIC_RELAXED);
        const int wanted = w->wanted;
        pthread_mutex_unlock(&w->lock);
        wake_after(w, seat->who, wanted);
        w->work(w->user, seat->who);
        pthread_mutex_lock(&w->lock);
        if (__atomic_sub_fetch(&w->running, 1, __ATOMIC_RELEASE) == 0)
            pthread_cond_signal(&w->done);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct clg_workers *clg_workers_new(void) {
    struct clg_workers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->done, NULL);
    for (int i = 0; i < CLG_WORKERS_MOST; i++) {
        w->seats[i].workers = w;
        w->seats[i].who = i + 1;
        pthread_cond_init(&w->seats[i].wake, NULL);
    }
    return w;
}

void clg_workers_free(struct clg_workers *w) {
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    for (int i = 0; i < CLG_WORKERS_MOST; i++)
        pthread_cond_signal(&w->seats[i].wake);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < CLG_WORKERS_MOST; i++) {
        if (w->seats[i].has_thread)
            pthread_join(w->seats[i].thread, NULL);
        pthread_cond_destroy(&w->seats[i].wake);
    }
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* Takes the pool for a call and wakes `helpers` threads. False if it is in use by another call. */
static bool call(struct clg_workers *w, int helpers, void (*work)(void *user, int who),
                 void *user) {
    static const char name[] = "clgemm-copy";
    pthread_mutex_lock(&w->lock);
    const bool ours = !w->busy;
    int wanted = 0;
    if (ours) {
        w->busy = true;
        w->work = work;
        w->user = user;
    }
    for (int i = 0; ours && i < helpers && i < CLG_WORKERS_MOST; i++) {
        struct seat *seat = &w->seats[i];
        if (!seat->has_thread && !clg_thread_start(&seat->thread, sit, seat, name))
            break;
        seat->has_thread = seat->called = true;
        wanted = i + 1;
    }
    if (ours)
        w->wanted = wanted;
    pthread_mutex_unlock(&w->lock);
    wake_after(w, 0, wanted);
    return ours;
}

/* Waits for the threads at work. Those that have not started yet are called off. */
static void dismiss(struct clg_workers *w) {
    enum { TURNS = 200 }; /* most threads finish within microseconds of each other */
    pthread_mutex_lock(&w->lock);
    for (int i = 0; i < CLG_WORKERS_MOST; i++)
        w->seats[i].called = false;
    pthread_mutex_unlock(&w->lock);
    for (int turn = 0; turn < TURNS && __atomic_load_n(&w->running, __ATOMIC_ACQUIRE); turn++)
        sched_yield();
    pthread_mutex_lock(&w->lock);
    while (__atomic_load_n(&w->running, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&w->done, &w->lock);
    w->busy = false;
    pthread_mutex_unlock(&w->lock);
}

void clg_workers_run(struct clg_workers *w, int helpers, void (*work)(void *user, int who),
                     void *user) {
    const bool ours = w && helpers > 0 && call(w, helpers, work, user);
    work(user, 0);
    if (ours)
        dismiss(w);
}
