/* SPDX-License-Identifier: Apache-2.0
 * Starts this program anew with posix_spawn. The answer arrives through a pipe, because drivers may
 * write to the standard streams. */
#include "bench/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "src/common/drivers.h"
#include "src/common/self.h"

enum { ANSWER_FD = 3 };

/* Whether two settings have the same name. */
static bool same_name(const char *one, const char *other) {
    const size_t length = strcspn(one, "=");
    return strncmp(one, other, length) == 0 && other[length] == '=';
}

static bool is_set(const char *const *settings, const char *variable) {
    while (*settings && !same_name(*settings, variable))
        settings++;
    return *settings != NULL;
}

/* The environment with the settings. The strings are not copied. Free the array. */
static char **environment_with(const char *const *settings) {
    size_t count = 0, used = 0;
    for (char **variable = environ; *variable; variable++)
        count++;
    for (const char *const *setting = settings; *setting; setting++)
        count++;
    char **out = calloc(count + 1, sizeof *out);
    if (!out)
        return NULL;
    for (char **variable = environ; *variable; variable++)
        if (!is_set(settings, *variable))
            out[used++] = *variable;
    for (const char *const *setting = settings; *setting; setting++)
        if (!strchr(*setting, '=') || strchr(*setting, '=')[1])
            out[used++] = (char *)*setting;
    return out;
}

/* Starts it with the pipe's write end as ANSWER_FD and stdout redirected to stderr. Returns 0 or an
 * errno. */
static int start(pid_t *child, const char *const *arguments, char **environment, int writing) {
    posix_spawn_file_actions_t actions;
    const char *program = self_program();
    int error = program ? posix_spawn_file_actions_init(&actions) : ENOENT;
    if (error)
        return error;
    /* To ANSWER_FD even if it has that number already, because this clears close-on-exec. */
    if (!(error = posix_spawn_file_actions_adddup2(&actions, writing, ANSWER_FD)) &&
        !(error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)))
        error = posix_spawn(child, program, &actions, NULL, (char *const *)arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool spawn_self(const char *const *arguments, const char *const *settings, void *answer,
                size_t size, char *why, size_t room) {
    char **environment = drivers_restore() ? environment_with(settings) : NULL;
    int ends[2], error = 0, status = 0;
    pid_t child = 0;
    if (!environment || pipe2(ends, O_CLOEXEC)) {
        snprintf(why, room, "cannot start a process: %s", strerror(errno));
        free(environment);
        return false;
    }
    error = start(&child, arguments, environment, ends[1]);
    close(ends[1]);
    free(environment);
    const size_t got = error ? 0 : clg_read_all(ends[0], answer, size);
    close(ends[0]);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            error = errno;
    if (error)
        snprintf(why, room, "cannot start a process: %s", strerror(error));
    else if (WIFSIGNALED(status))
        snprintf(why, room, "the process was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 || got != size)
        snprintf(why, room, "the process exited with status %d", WEXITSTATUS(status));
    else
        return true;
    return false;
}

bool spawn_answer(const void *answer, size_t size) {
    return clg_write_all(ANSWER_FD, answer, size);
}
