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
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "base/format.h"
#include "base/thread.h"

enum { LINE_SIZE = 2048 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int wanted_level;
static char path[PATH_MAX];       /* "": stderr */
static struct clg_log_last *last; /* NULL: nobody asks for it */

/* Makes the path absolute, because the program may change its working directory later. */
static void set_path(const char *file) {
    char folder[PATH_MAX] = "";
    if (*file != '/' && !getcwd(folder, sizeof folder))
        return;
    const int wrote = snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", file);
    if (wrote < 0 || (size_t)wrote >= sizeof path)
        path[0] = '\0';
}

struct clg_log_last *clg_log_map_last(size_t size) {
    const char *file = clg_env(CLG_SUMMARY_VARIABLE);
    const int fd = file ? open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat state;
    struct clg_log_last *mapped = NULL;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &state) == 0 && state.st_size >= (off_t)size) {
        mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED) {
            mapped = NULL;
        } else if (mapped->version != CLG_SUMMARY_VERSION) {
            munmap(mapped, size);
            mapped = NULL;
        }
    }
    close(fd);
    return mapped;
}

static void read_environment(void) {
    const int cancel = clg_cancel_hold();
    const char *level = clg_env("CLGEMM_VERBOSE"), *file = clg_env("CLGEMM_LOGFILE");
    wanted_level = level && atoi(level) > 0 ? atoi(level) : CLG_LOG_ALWAYS;
    if (file)
        set_path(file);
    last = clg_log_map_last(sizeof *last);
    clg_cancel_release(cancel);
}

/* A thread that finds the lock taken leaves its line out: another one is as late. */
static void keep(const char *line, size_t length) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (pthread_mutex_trylock(&lock))
        return;
    length = length < CLG_LAST_LINE - 1 ? length : CLG_LAST_LINE - 1;
    memcpy(last->line, line, length);
    memset(last->line + length, 0, CLG_LAST_LINE - length);
    pthread_mutex_unlock(&lock);
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
    const int cancel = clg_cancel_hold();
    clg_write_signals_hold(&held);
    const int file = *path ? open(path, APPENDING, 0644) : -1;
    const ssize_t ignored = write(file >= 0 ? file : STDERR_FILENO, line, length);
    (void)ignored;
    if (file >= 0)
        close(file);
    clg_write_signals_release(&held);
    clg_cancel_release(cancel);
}

void clg_log(int level, const char *format, ...) {
    const int error = errno;
    const bool on = clg_log_on(level), kept = last && level <= CLG_LOG_PLANS;
    if (!on && !kept)
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
    if (kept)
        keep(line + used, length - (size_t)used);
    line[length++] = '\n';
    if (on)
        write_line(line, length);
    errno = error;
}
