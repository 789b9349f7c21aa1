/* SPDX-License-Identifier: Apache-2.0
 * Starts, asks, watches and ends the process in which candidates run. */
#define _GNU_SOURCE /* pipe2 */
#include "tune_worker.h"

#include <errno.h>
#include <fcntl.h>
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
}

enum waited { WAITED_ANSWER, WAITED_DEAD, WAITED_LONG, WAITED_STOP };

/* The answer, until the time of the clock; a poll is short, as a signal may come just before it. */
static enum waited wait_for(const struct tune_worker *w, double until, struct tune_answer *answer) {
    enum { POLL_MS = 100 };
    char *bytes = (char *)answer;
    size_t done = 0;
    while (done < sizeof *answer) {
        struct pollfd poll_for = {.fd = w->answers, .events = POLLIN};
        if (tune_stop)
            return WAITED_STOP;
        if (tune_now() > until)
            return WAITED_LONG;
        if (poll(&poll_for, 1, POLL_MS) <= 0)
            continue;
        const ssize_t got = read(w->answers, bytes + done, sizeof *answer - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return WAITED_DEAD;
        done += got > 0 ? (size_t)got : 0;
    }
    return WAITED_ANSWER;
}

bool tune_is_same_shape(const struct clg_tuning_shape *one, const struct clg_tuning_shape *other) {
    return one->m == other->m && one->n == other->n && one->k == other->k && one->ta == other->ta &&
           one->tb == other->tb && one->aligned == other->aligned;
}

bool tune_worker_try(struct tune_worker *w, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, double best,
                     struct tune_answer *answer) {
    struct tune_request request;
    memset(&request, 0, sizeof request); /* its padding is written too */
    request.shape = *shape;
    request.params = candidate->params;
    request.best = best;
    while (clg_families[request.family] != candidate->family)
        request.family++;
    *answer = (struct tune_answer){.trial.verdict = CLG_TRIAL_FAILED};
    char *why = answer->trial.why;
    const size_t room = sizeof answer->trial.why;
    if (!start(w, why, room)) {
        answer->unusable = true;
        return true;
    }
    const bool loaded = w->loaded && tune_is_same_shape(&w->shape, shape);
    const double limit = w->limit + (loaded ? 0 : w->start_limit);
    struct tune_answer got;
    const enum waited waited = clg_write_all(w->requests, &request, sizeof request)
                                   ? wait_for(w, tune_now() + limit, &got)
                                   : WAITED_DEAD;
    w->shape = *shape;
    w->loaded = waited == WAITED_ANSWER;
    if (waited == WAITED_ANSWER) {
        *answer = got;
        if (got.trial.suspect)
            tune_worker_end(w);
        return true;
    }
    end(w, why, room);
    if (waited == WAITED_LONG)
        snprintf(why, room, "it took more than %.0f s", limit);
    return waited != WAITED_STOP;
}

/* ---- In that process ---- */

bool tune_worker_read(struct tune_request *request) {
    return clg_read_all(REQUESTS_FD, request, sizeof *request) == sizeof *request;
}

bool tune_worker_answer(const struct tune_answer *answer) {
    return clg_write_all(ANSWERS_FD, answer, sizeof *answer);
}
