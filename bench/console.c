/* SPDX-License-Identifier: Apache-2.0
 * Messages, progress and output files. */
#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void complain(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "clgemm-bench: %s\n", text);
}

void progress(size_t done, size_t total, const char *text, const char *more) {
    if (!isatty(STDERR_FILENO))
        return;
    if (text)
        fprintf(stderr, "\r\033[K[%zu/%zu] %s %s", done, total, text, more);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

bool output_open(FILE **file, const char *path) {
    if (path && !(*file = fopen(path, "w"))) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

bool output_close(FILE **file, const char *path) {
    if (!*file)
        return true;
    errno = 0;
    bool wrote = !fflush(*file) && !ferror(*file);
    if (*file != stdout && fclose(*file))
        wrote = false;
    *file = NULL;
    if (!wrote)
        complain("%s: %s", path ? path : "standard output",
                 errno ? strerror(errno) : "write error");
    return wrote;
}
