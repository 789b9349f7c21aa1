/* SPDX-License-Identifier: Apache-2.0
 * The verbose log. */
#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC */
#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"

enum { LINE_SIZE = 2048 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int wanted_level;
static int log_fd = STDERR_FILENO;

static void read_environment(void) {
    const char *level = clg_env("CLGEMM_VERBOSE");
    wanted_level = level ? atoi(level) : 0;
    const char *file = clg_env("CLGEMM_LOGFILE");
    if (wanted_level <= 0 || !file)
        return;
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd >= 0)
        log_fd = fd;
}

bool clg_log_on(int level) {
    pthread_once(&once, read_environment);
    return level <= wanted_level;
}

void clg_log(int level, const char *format, ...) {
    if (!clg_log_on(level))
        return;
    char line[LINE_SIZE];
    int used = snprintf(line, sizeof line, "clgemm: ");
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, args);
    va_end(args);
    if (wrote < 0)
        return;
    size_t length = (size_t)used + (size_t)wrote;
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    /* One write(2): stdio would need a lock of ours against interleaving. A log that cannot be
     * written must not fail the call, so the result is looked at and dropped. */
    ssize_t ignored = write(log_fd, line, length);
    (void)ignored;
}
