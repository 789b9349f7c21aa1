/* SPDX-License-Identifier: Apache-2.0
 * The verbose log. */
#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/format.h"
#include "base/write_signals.h"

enum { LINE_SIZE = 2048 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int wanted_level;
static char path[PATH_MAX]; /* "": stderr */

/* Makes the path absolute, because the program may change its working directory later. */
static void set_path(const char *file) {
    char folder[PATH_MAX] = "";
    if (*file != '/' && !getcwd(folder, sizeof folder))
        return;
    const int wrote = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", file);
    if (wrote < 0 || (size_t)wrote >= sizeof path)
        path[0] = '\0';
}

static void read_environment(void) {
    const char *level = clg_env("CLGEMM_VERBOSE"), *file = clg_env("CLGEMM_LOGFILE");
    wanted_level = level && atoi(level) > 0 ? atoi(level) : CLG_LOG_ALWAYS;
    if (file)
        set_path(file);
}

bool clg_log_on(int level) {
    pthread_once(&once, read_environment);
    return level <= wanted_level;
}

/* A single write(), because stdio would need a lock to keep lines apart. O_NONBLOCK: a FIFO without
 * a reader must not block the call. Cancellation is held off so that a cancelled thread finishes
 * the line. */
static void write_line(const char *line, size_t length) {
    enum { APPENDING = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };
    struct clg_write_signals held;
    int cancel = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    clg_write_signals_hold(&held);
    const int file = *path ? open(path, APPENDING, 0644) : -1;
    const ssize_t ignored = write(file >= 0 ? file : STDERR_FILENO, line, length);
    (void)ignored;
    if (file >= 0)
        close(file);
    clg_write_signals_release(&held);
    pthread_setcancelstate(cancel, NULL);
}

void clg_log(int level, const char *format, ...) {
    const int error = errno;
    if (!clg_log_on(level))
        return;
    char line[LINE_SIZE];
    int used = snprintf(line, sizeof line, "clgemm: ");
    va_list args;
    va_start(args, format);
    int wrote = clg_format_args(line + used, sizeof line - (size_t)used - 1, format, args);
    va_end(args);
    if (wrote < 0)
        return;
    size_t length = (size_t)used + (size_t)wrote;
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    write_line(line, length);
    errno = error;
}
