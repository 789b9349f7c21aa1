/* SPDX-License-Identifier: Apache-2.0
 * Starts and asks the helper, and its side of the desk. */
#define _GNU_SOURCE /* clone, dladdr, memfd_create */
#include "run/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/log.h"
#include "base/process.h"
#include "base/version.h"
#include "gemm/small.h"
#include "program/disk.h"

/* Each start leaves a zombie. */
enum { STARTS = 32, START_LIMIT_S = 20, IDLE_S = 10, STACK = 1 << 14 };
enum { TICK_NS = 5000000 };

enum { EMPTY, FILLING, ASKED, ANSWERED, CLOSED };

/* The shared memory. Either side may close it while it is empty. */
struct clg_desk {
    char version[32];
    size_t size;
    pid_t program;
    pthread_mutex_t alive; /* robust; the helper holds it until it ends, however it ends */
    int state;             /* atomic; who may use the rest */
    int ready;             /* atomic; the helper holds the mutex */
    struct clg_errand errand;
    enum clg_help help;
    clgemm_status status;
    char why[1024];
};

struct clg_helper {
    char path[PATH_MAX];
    pthread_mutex_t lock;  /* guards the rest but `stopped` */
    struct clg_desk *desk; /* NULL: no process runs */
    pid_t process;
    int starts;
    bool unusable;
    bool stopped; /* atomic */
};

static int state_of(struct clg_desk *desk) {
    return __atomic_load_n(&desk->state, __ATOMIC_ACQUIRE);
}

static void pass(struct clg_desk *desk, int state) {
    __atomic_store_n(&desk->state, state, __ATOMIC_RELEASE);
}

static bool pass_from(struct clg_desk *desk, int from, int to) {
    return __atomic_compare_exchange_n(&desk->state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool exists(pid_t process) {
    return kill(process, 0) == 0 || errno != ESRCH;
}

/* ---- Finding it ---- */

/* A relative name of the library would depend on the working directory, and the name of a program
 * that has it linked statically is whatever its caller says. */
static bool find(char out[PATH_MAX]) {
    static const char library[] = "libclgemm.so";
    Dl_info own;
    char *real = dladdr(library, &own) && own.dli_fname && *own.dli_fname == '/'
                     ? realpath(own.dli_fname, NULL)
                     : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    const bool found =
        slash && !strncmp(slash + 1, library, strlen(library)) &&
        snprintf(out, PATH_MAX, "%.*s/clgemm/clgemm-build", (int)(slash - real), real) < PATH_MAX &&
        access(out, X_OK) == 0;
    free(real);
    return found;
}

static bool adopts_orphans(void) {
    int reaps = 0;
    return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &reaps) || reaps;
}

/* ---- Starting it ---- */

/* What the new processes use. They share the program's memory until the helper's exec(). */
struct start {
    const char *path;
    char **environment;
    int file, error;
    pid_t process;
    char inner[STACK] __attribute__((aligned(16))), outer[STACK] __attribute__((aligned(16)));
};

static int become_helper(void *user) {
    struct start *s = user;
    char *const words[] = {(char *)s->path, NULL};
    if (dup2(s->file, STDIN_FILENO) == STDIN_FILENO)
        execve(s->path, words, s->environment);
    s->error = errno;
    return 1;
}

/* The intermediate. */
static int start_helper(void *user) {
    struct start *s = user;
    s->process = clone(become_helper, s->inner + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, s);
    if (s->process < 0)
        s->error = errno;
    return 0;
}

/* Handlers of the program must not run in processes that share its memory. Returns 0, or an error.
 */
static int spawn(struct clg_helper *helper, int file) {
    struct start *s = calloc(1, sizeof *s);
    sigset_t all, before;
    if (!s || !(s->environment = clg_env_for_exec())) {
        free(s);
        return ENOMEM;
    }
    s->path = helper->path;
    s->file = file;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (clone(start_helper, s->outer + STACK, CLONE_VM | CLONE_VFORK, s) < 0)
        s->error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    const int error = s->error;
    helper->process = s->process;
    free(s->environment);
    free(s);
    return error;
}

static struct clg_desk *make_desk(int file) {
    pthread_mutexattr_t robust;
    struct clg_desk *desk =
        ftruncate(file, sizeof *desk)
            ? MAP_FAILED
            : mmap(NULL, sizeof *desk, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (desk == MAP_FAILED)
        return NULL;
    madvise(desk, sizeof *desk, MADV_DONTFORK);
    snprintf(desk->version, sizeof desk->version, "%s", CLG_VERSION);
    desk->size = sizeof *desk;
    desk->program = getpid();
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&desk->alive, &robust);
    pthread_mutexattr_destroy(&robust);
    return desk;
}

static bool is_alive(const struct clg_helper *helper) {
    if (!__atomic_load_n(&helper->desk->ready, __ATOMIC_ACQUIRE))
        return exists(helper->process);
    const int got = pthread_mutex_trylock(&helper->desk->alive);
    if (got == 0 || got == EOWNERDEAD)
        pthread_mutex_unlock(&helper->desk->alive); /* the page will be gone */
    return got == EBUSY;
}

static void leave(struct clg_helper *helper) {
    if (helper->desk) {
        pass(helper->desk, CLOSED);
        munmap(helper->desk, sizeof *helper->desk);
    }
    helper->desk = NULL;
}

/* Returns 0 with a process that is ready, or an error. */
static int start(struct clg_helper *helper) {
    const double until = clg_clock_seconds() + START_LIMIT_S;
    helper->starts++;
    if (clg_filters_grew())
        return EPERM;
    const int made = memfd_create("clgemm-build", MFD_CLOEXEC);
    /* Beyond the standard streams, which a program may have closed. */
    const int file = made < 0 ? -1 : fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = file < 0 ? errno : 0;
    if (made >= 0)
        close(made);
    if (!error && !(helper->desk = make_desk(file)))
        error = ENOMEM;
    if (!error)
        error = spawn(helper, file);
    if (file >= 0)
        close(file);
    while (!error && !__atomic_load_n(&helper->desk->ready, __ATOMIC_ACQUIRE)) {
        clg_nap(TICK_NS);
        if (!is_alive(helper) || clg_clock_seconds() > until)
            error = ENOEXEC;
    }
    if (error)
        leave(helper);
    return error;
}

/* ---- Asking it ---- */

struct clg_helper *clg_helper_new(void) {
    struct clg_helper *helper = calloc(1, sizeof *helper);
    if (!helper)
        return NULL;
    if (adopts_orphans() || !find(helper->path)) {
        free(helper);
        return NULL;
    }
    pthread_mutex_init(&helper->lock, NULL);
    return helper;
}

void clg_helper_free(struct clg_helper *helper) {
    if (!helper)
        return;
    leave(helper);
    pthread_mutex_destroy(&helper->lock);
    free(helper);
}

void clg_helper_stop(struct clg_helper *helper) {
    __atomic_store_n(&helper->stopped, true, __ATOMIC_RELEASE);
}

static bool is_stopped(const struct clg_helper *helper) {
    return __atomic_load_n(&helper->stopped, __ATOMIC_ACQUIRE) || clg_is_exiting();
}

static int index_of(const struct clg_family *family) {
    int index = -1;
    while (family && clg_families[++index] != family) {
    }
    return index;
}

/* The caller holds the lock. */
static clgemm_status ask(struct clg_helper *helper, const struct clg_errand *errand) {
    struct clg_desk *desk = helper->desk;
    desk->errand = *errand;
    pass(desk, ASKED);
    while (state_of(desk) != ANSWERED) {
        clg_nap(TICK_NS);
        if (is_stopped(helper))
            return clg_fail(CLGEMM_STATUS_EXITING, "the helper's work is not waited for");
        if (!is_alive(helper) && state_of(desk) != ANSWERED) {
            leave(helper);
            return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the compiler ended the helper's process");
        }
    }
    desk->why[sizeof desk->why - 1] = '\0';
    if (desk->help != CLG_HELP_DONE)
        clg_fail(desk->status, "%s", desk->why);
    helper->unusable = desk->help == CLG_HELP_NONE;
    const clgemm_status status = desk->help == CLG_HELP_FAILED ? desk->status : CLGEMM_SUCCESS;
    pass(desk, EMPTY);
    return status;
}

/* The same, of a process that is started if there is none, or none any more. */
static clgemm_status ask_one(struct clg_helper *helper, const struct clg_errand *errand) {
    if (is_stopped(helper))
        return clg_fail(CLGEMM_STATUS_EXITING, "the helper has been stopped");
    if (helper->desk && (!pass_from(helper->desk, EMPTY, FILLING) || !is_alive(helper)))
        leave(helper);
    if (!helper->desk && helper->starts == STARTS)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the helper has ended too often");
    const int error = helper->desk ? 0 : start(helper);
    if (!error)
        return ask(helper, errand);
    helper->unusable = true;
    clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the helper cannot be started: %s", strerror(error));
    return CLGEMM_SUCCESS;
}

static clgemm_status take_turn(struct clg_helper *helper, const struct clg_errand *errand) {
    clgemm_status status = CLGEMM_SUCCESS;
    pthread_mutex_lock(&helper->lock);
    if (!helper->unusable) {
        const double start = clg_clock_seconds();
        status = ask_one(helper, errand);
        if (helper->unusable)
            clg_log(CLG_LOG_CALLS, "this process builds programs itself: %s", clg_last_error());
        else if (!status)
            clg_log(CLG_LOG_PLANS, "%s by the helper in %.0f ms",
                    errand->opens ? "opened" : "built", 1e3 * (clg_clock_seconds() - start));
    }
    pthread_mutex_unlock(&helper->lock);
    return status;
}

clgemm_status clg_helper_build(struct clg_helper *helper, const struct clg_device *device,
                               const struct clg_plan *plan) {
    struct clg_errand errand;
    if (!*device->place || !clg_disk_is_on())
        return CLGEMM_SUCCESS;
    memset(&errand, 0, sizeof errand);
    memcpy(errand.device, device->place, sizeof device->place);
    errand.workspace_max = device->facts.workspace_max;
    errand.programs = clg_plan_programs(plan, false);
    errand.problem = plan->problem;
    errand.family = index_of(plan->family);
    errand.ahead = index_of(plan->problem.ahead.family);
    errand.problem.common.family = NULL; /* choices alone use it */
    errand.params = plan->params;
    return take_turn(helper, &errand);
}

clgemm_status clg_helper_open(struct clg_helper *helper, const char *request, uint64_t room) {
    struct clg_errand errand;
    memset(&errand, 0, sizeof errand);
    snprintf(errand.device, sizeof errand.device, "%s", request ? request : "");
    errand.opens = true;
    errand.room = room;
    return take_turn(helper, &errand);
}

/* ---- The helper's side ---- */

struct clg_desk *clg_desk_open(int file) {
    struct clg_desk *desk = mmap(NULL, sizeof *desk, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (desk == MAP_FAILED)
        return NULL;
    close(file);
    if (desk->size != sizeof *desk || strcmp(desk->version, CLG_VERSION) != 0 ||
        pthread_mutex_lock(&desk->alive)) {
        munmap(desk, sizeof *desk);
        return NULL;
    }
    __atomic_store_n(&desk->ready, true, __ATOMIC_RELEASE);
    return desk;
}

const struct clg_errand *clg_desk_wait(struct clg_desk *desk) {
    const double until = clg_clock_seconds() + IDLE_S;
    while (state_of(desk) != ASKED) {
        if (state_of(desk) == CLOSED || !exists(desk->program) ||
            (clg_clock_seconds() > until && pass_from(desk, EMPTY, CLOSED)))
            return NULL;
        clg_nap(TICK_NS);
    }
    return &desk->errand;
}

void clg_desk_answer(struct clg_desk *desk, enum clg_help help, clgemm_status status) {
    desk->help = help;
    desk->status = status;
    snprintf(desk->why, sizeof desk->why, "%s", clg_last_error());
    pass_from(desk, ASKED, ANSWERED); /* unless the program has left */
}
