/* SPDX-License-Identifier: Apache-2.0
 * Messages and progress. */
#include "bench/console.h"

#include <stdarg.h>
#include <unistd.h>

#include "bench/options.h"
#include "src/common/worker.h"

void complain(const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", PROGRAM, text);
}

bool interrupted(void) {
    if (worker_stop)
        complain("interrupted: the report has what was measured before");
    return worker_stop;
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
