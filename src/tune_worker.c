/* SPDX-License-Identifier: Apache-2.0
 * Starts, asks, watches and ends the processes in which candidates are built and run. */
#define _GNU_SOURCE /* pipe2 */
#include "tune_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { REQUESTS_FD = 3, ANSWERS_FD = 4 };

volatile sig_atomic_t tune_stop;

double tune_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What runtimes print is not for the user's terminal; the process is in a group of its own, so that
 * Ctrl-C does not end it. 0 or an errno. */
static int spawn(struct tune_worker *w, int reading, int writing) {
    char name[] = "clgemm", command[] = "tune", option[] = TUNE_WORKER_OPTION, device[32];
    char *const arguments[] = {name, command, option, device, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    snprintf(device, sizeof device, "%s", w->device);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    if (!(error = posix_spawnattr_init(&attributes))) {
        if (!(error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, reading, REQUESTS_FD)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, writing, ANSWERS_FD)) &&
            !(error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                                       O_WRONLY, 0)) &&
            !(error = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)))
            error = posix_spawn(&w->process, "/proc/self/exe", &actions, &attributes, arguments,
                                environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* A descriptor past those that the process has by number. */
static int lift(int file) {
    const int lifted = fcntl(file, F_DUPFD_CLOEXEC, ANSWERS_FD + 1);
    close(file);
    return lifted;
}

static bool start(struct tune_worker *w, char *why, size_t room) {
    int to[2], from[2], error = 0;
    if (w->process)
        return true;
    w->loaded = false;
    if (pipe2(to, O_CLOEXEC)) {
        snprintf(why, room, "no pipe can be made: %s", strerror(errno));
        return false;
    }
    if (pipe2(from, O_CLOEXEC)) {
        snprintf(why, room, "no pipe can be made: %s", strerror(errno));
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
        return true;
    }
    snprintf(why, room, "no process can be started: %s", strerror(error));
    w->process = 0;
    close(w->requests);
    close(w->answers);
    return false;
}

/* Ends it and says how it ended, where it did by itself. */
static void end(struct tune_worker *w, char *why, size_t room) {
    int status = 0;
    kill(-w->process, SIGKILL);
    kill(w->process, SIGKILL); /* before it has its group */
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR) {
    }
    close(w->requests);
    close(w->answers);
    w->process = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        snprintf(why, room, "its process was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, room, "its process left with status %d",
                 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + SIGKILL);
}

void tune_worker_end(struct tune_worker *w) {
    char why[64];
    if (w->process)
        end(w, why, sizeof why);
    w->busy = w->paused = false;
}

void tune_worker_pause(struct tune_worker *w, bool pause) {
    if (!w->busy || !w->process || w->paused == pause)
        return;
    if (pause)
        w->paused_at = tune_now();
    else
        w->until += tune_now() - w->paused_at;
    w->paused = pause;
    kill(-w->process, pause ? SIGSTOP : SIGCONT);
}

bool tune_is_same_shape(const struct clg_tuning_shape *one, const struct clg_tuning_shape *other) {
    return one->m == other->m && one->n == other->n && one->k == other->k && one->ta == other->ta &&
           one->tb == other->tb && one->aligned == other->aligned;
}

/* The whole of an answer, in place of one that never comes: where there is a process, it ends.
 * `why` or, if that is NULL, how it ended. */
static void fail(struct tune_worker *w, const char *why) {
    char how[sizeof w->answer.trial.why];
    if (w->process)
        end(w, how, sizeof how);
    w->answer = (struct tune_answer){.trial.verdict = CLG_TRIAL_FAILED};
    snprintf(w->answer.trial.why, sizeof w->answer.trial.why, "%s", why ? why : how);
    w->received = sizeof w->answer;
}

void tune_worker_ask(struct tune_worker *w, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, bool build_only, double best) {
    struct tune_request request;
    char why[sizeof w->answer.trial.why];
    memset(&request, 0, sizeof request); /* its padding is written too */
    request.shape = *shape;
    request.params = candidate->params;
    request.build_only = build_only;
    request.best = best;
    while (clg_families[request.family] != candidate->family)
        request.family++;
    w->busy = true;
    w->received = 0;
    if (!start(w, why, sizeof why)) {
        fail(w, why);
        w->answer.unusable = true;
        return;
    }
    const bool loaded = w->loaded && tune_is_same_shape(&w->shape, shape);
    w->until = tune_now() + w->limit + (loaded ? 0 : w->start_limit);
    w->shape = *shape;
    w->loaded = loaded;
    if (!clg_write_all(w->requests, &request, sizeof request))
        fail(w, NULL);
}

/* Reads what there is of the answer. */
static void receive(struct tune_worker *w) {
    const ssize_t got =
        read(w->answers, (char *)&w->answer + w->received, sizeof w->answer - w->received);
    if (got == 0 || (got < 0 && errno != EINTR))
        fail(w, NULL);
    else if (got > 0)
        w->received += (size_t)got;
}

static void overrun(struct tune_worker *w) {
    char why[64];
    snprintf(why, sizeof why, "it took more than %.0f s",
             w->limit + (w->loaded ? 0 : w->start_limit));
    fail(w, why);
}

/* Takes the whole answer. */
static void finish(struct tune_worker *w) {
    w->busy = false;
    w->loaded = w->process != 0;
    if (w->process && w->answer.trial.suspect)
        tune_worker_end(w);
}

struct tune_worker *tune_worker_wait(struct tune_worker *const *workers, int count, double until) {
    enum { POLL_MS = 100 }; /* short, as a signal may come just before */
    for (;;) {
        struct pollfd polls[TUNE_WORKERS_MAX];
        struct tune_worker *waits[TUNE_WORKERS_MAX];
        const double now = tune_now();
        nfds_t waiting = 0;
        for (int i = 0; i < count; i++) {
            struct tune_worker *w = workers[i];
            if (!w->busy || w->paused)
                continue;
            if (w->received < sizeof w->answer && now > w->until)
                overrun(w);
            if (w->received == sizeof w->answer) {
                finish(w);
                return w;
            }
            waits[waiting] = w;
            polls[waiting++] = (struct pollfd){.fd = w->answers, .events = POLLIN};
        }
        if (waiting == 0 || tune_stop || now > until)
            return NULL;
        const int ms = (int)fmin(POLL_MS, 1 + 1e3 * (until - now));
        if (poll(polls, waiting, ms) > 0)
            for (nfds_t i = 0; i < waiting; i++)
                if (polls[i].revents)
                    receive(waits[i]);
    }
}

/* ---- In that process ---- */

bool tune_worker_read(struct tune_request *request) {
    return clg_read_all(REQUESTS_FD, request, sizeof *request) == sizeof *request;
}

bool tune_worker_answer(const struct tune_answer *answer) {
    return clg_write_all(ANSWERS_FD, answer, sizeof *answer);
}
