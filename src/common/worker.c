/* SPDX-License-Identifier: Apache-2.0
 * Starts, asks, watches and ends worker processes. */
#define _GNU_SOURCE /* pipe2, sched_getaffinity */
#include "src/common/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "src/common/drivers.h"
#include "src/common/self.h"

enum { REQUESTS_FD = 3, ANSWERS_FD = 4, MOST_WORDS = 6 };

static const uint64_t memory_a_worker = UINT64_C(2) << 30;

volatile sig_atomic_t worker_stop;

static void stop(int signal_number) {
    worker_stop = signal_number;
}

void worker_watch_signals(void) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESETHAND}, hangup;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* The shell and the system may both report a lost terminal. The second report must not end the
     * program. */
    action.sa_flags = 0;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    action = (struct sigaction){.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
}

int worker_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

int workers_that_fit(const struct clg_facts *facts, int cores) {
    const uint64_t room = facts->global_memory / memory_a_worker;
    const int most = room < WORKERS_MAX - 1 ? (int)room : WORKERS_MAX - 1;
    const int workers = cores < most ? cores : most;
    return workers < 1 ? 1 : workers;
}

/* Output of runtimes is not for the user's terminal. The process is in its own group, so that
 * Ctrl-C does not end it. Returns 0 or an errno. */
static int spawn(struct worker *w, int reading, int writing) {
    char name[] = "clgemm";
    char *arguments[MOST_WORDS + 2] = {name};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    for (int i = 0; i < MOST_WORDS && w->words[i]; i++)
        arguments[1 + i] = (char *)w->words[i];
    const char *program = self_program();
    if (!drivers_restore())
        return ENOMEM;
    int error = program ? posix_spawn_file_actions_init(&actions) : ENOENT;
    if (error)
        return error;
    if (!(error = posix_spawnattr_init(&attributes))) {
        if (!(error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, reading, REQUESTS_FD)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, writing, ANSWERS_FD)) &&
            !(error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                                       O_WRONLY, 0)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)))
            error = posix_spawn(&w->process, program, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* A descriptor beyond those with fixed numbers. */
static int lift(int file) {
    const int lifted = fcntl(file, F_DUPFD_CLOEXEC, ANSWERS_FD + 1);
    close(file);
    return lifted;
}

static bool start(struct worker *w) {
    int to[2], from[2], error = 0;
    if (w->process)
        return true;
    if (pipe2(to, O_CLOEXEC)) {
        snprintf(w->why, sizeof w->why, "cannot make a pipe: %s", strerror(errno));
        return false;
    }
    if (pipe2(from, O_CLOEXEC)) {
        snprintf(w->why, sizeof w->why, "cannot make a pipe: %s", strerror(errno));
        close(to[0]);
        close(to[1]);
        return false;
    }
    const int reading = lift(to[0]), writing = lift(from[1]);
    w->requests = lift(to[1]);
    w->answers = lift(from[0]);
    error = spawn(w, reading, writing);
    close(reading);
    close(writing);
    if (!error) {
        w->started++;
        w->last = w->process;
        return true;
    }
    snprintf(w->why, sizeof w->why, "cannot start a process: %s", strerror(error));
    w->process = 0;
    close(w->requests);
    close(w->answers);
    return false;
}

/* Ends the process, and says how it ended if it ended by itself. */
static void end(struct worker *w, char *why, size_t room) {
    int status = 0;
    kill(-w->process, SIGKILL);
    kill(w->process, SIGKILL); /* in case it has no group yet */
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR) {
    }
    close(w->requests);
    close(w->answers);
    w->process = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        snprintf(why, room, "its process was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, room, "its process exited with status %d",
                 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + SIGKILL);
}

void worker_end(struct worker *w) {
    char why[64];
    if (w->process)
        end(w, why, sizeof why);
    w->busy = w->paused = false;
}

void worker_pause(struct worker *w, bool pause) {
    if (!w->busy || !w->process || w->paused == pause)
        return;
    if (pause)
        w->paused_at = clg_clock_seconds();
    else
        w->until += clg_clock_seconds() - w->paused_at;
    w->paused = pause;
    kill(-w->process, pause ? SIGSTOP : SIGCONT);
}

/* There is no answer: the reason is `why` or, if that is NULL, how the process ended. Ends the
 * process if it still runs. */
static void fail(struct worker *w, const char *why) {
    char how[sizeof w->why] = "";
    if (w->process)
        end(w, how, sizeof how);
    snprintf(w->why, sizeof w->why, "%s", why ? why : how);
    w->failed = true;
}

void worker_ask(struct worker *w, const void *request, size_t size, double limit) {
    w->busy = true;
    w->failed = w->unstartable = false;
    w->received = 0;
    w->limit = limit;
    if (!start(w)) {
        w->failed = w->unstartable = true;
        return;
    }
    w->until = clg_clock_seconds() + limit;
    if (!clg_write_all(w->requests, request, size))
        fail(w, NULL);
}

/* Reads the available part of the answer. */
static void receive(struct worker *w) {
    const ssize_t got =
        read(w->answers, (char *)w->answer + w->received, w->answer_size - w->received);
    if (got == 0 || (got < 0 && errno != EINTR))
        fail(w, NULL);
    else if (got > 0)
        w->received += (size_t)got;
}

static void overrun(struct worker *w) {
    char why[64];
    snprintf(why, sizeof why, "it took more than %.0f s", w->limit);
    fail(w, why);
}

/* Whether the answer is complete, or cannot arrive any more. */
static bool is_done(struct worker *w) {
    if (!w->failed && w->received < w->answer_size && clg_clock_seconds() > w->until)
        overrun(w);
    return w->failed || w->received == w->answer_size;
}

int worker_wait(struct worker *const *workers, int count, double until) {
    enum { POLL_MS = 100 }; /* short, because a signal may arrive just before */
    for (;;) {
        struct pollfd polls[WORKERS_MAX];
        struct worker *waits[WORKERS_MAX];
        nfds_t waiting = 0;
        for (int i = 0; i < count; i++) {
            struct worker *w = workers[i];
            if (!w->busy || w->paused)
                continue;
            if (is_done(w)) {
                w->busy = false;
                return i;
            }
            waits[waiting] = w;
            polls[waiting++] = (struct pollfd){.fd = w->answers, .events = POLLIN};
        }
        const double left = until - clg_clock_seconds();
        if (waiting == 0 || worker_stop || left < 0)
            return -1;
        if (poll(polls, waiting, (int)fmin(POLL_MS, 1 + 1e3 * left)) > 0)
            for (nfds_t i = 0; i < waiting; i++)
                if (polls[i].revents)
                    receive(waits[i]);
    }
}

/* ---- In the worker process ---- */

void worker_begin(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool worker_read(void *request, size_t size) {
    return clg_read_all(REQUESTS_FD, request, size) == size;
}

bool worker_answer(const void *answer, size_t size) {
    return clg_write_all(ANSWERS_FD, answer, size);
}
