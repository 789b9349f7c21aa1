/* SPDX-License-Identifier: Apache-2.0
 * The drop-in's lines and counts. */
#define _GNU_SOURCE /* O_CLOEXEC, clock_gettime */
#include "blas/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "blas/config.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int level;
static const char *log_file;        /* NULL: stderr */
static struct clg_summary *summary; /* NULL: nobody asked for it */

static void open_summary(void) {
    const char *file = clg_variable(CLG_SUMMARY_VARIABLE);
    struct stat state;
    const int fd = file ? open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &state) == 0 && state.st_size == (off_t)sizeof *summary) {
        struct clg_summary *mapped =
            mmap(NULL, sizeof *summary, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped != MAP_FAILED && mapped->version == CLG_SUMMARY_VERSION) {
            summary = mapped;
            __atomic_add_fetch(&summary->processes, 1, __ATOMIC_RELAXED);
        }
    }
    close(fd);
}

static void open_all(void) {
    const char *verbose = clg_variable("CLGEMM_VERBOSE"), *file = clg_variable("CLGEMM_LOGFILE");
    level = verbose ? atoi(verbose) : 0;
    log_file = file ? strdup(file) : NULL; /* the program may change its environment */
    open_summary();
}

/* One write, which is whole beside other threads'. The file is opened for it alone: a program that
 * closes all descriptors, as daemons do, would get ours again as a file of its own. */
static void write_log(const char *line, size_t length) {
    const int file =
        log_file ? open(log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    const ssize_t ignored = write(file >= 0 ? file : STDERR_FILENO, line, length);
    (void)ignored;
    if (file >= 0)
        close(file);
}

static void write_line(const char *format, va_list args) {
    char line[2048] = "clgemm: ";
    const size_t before = sizeof "clgemm: " - 1;
    const int wrote = vsnprintf(line + before, sizeof line - before - 1, format, args);
    if (wrote < 0)
        return;
    size_t length = before + (size_t)wrote;
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    write_log(line, length);
}

void clg_trace(int least, const char *format, ...) {
    pthread_once(&once, open_all);
    if (level < least)
        return;
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}

void clg_say(const char *format, ...) {
    pthread_once(&once, open_all);
    va_list args;
    va_start(args, format);
    write_line(format, args);
    va_end(args);
}

bool clg_is_watched(void) {
    pthread_once(&once, open_all);
    return level > 0 || summary;
}

uint64_t clg_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void count(enum clg_routine routine, enum clg_where where, double flops, uint64_t ns) {
    if (!summary)
        return;
    struct clg_count *cell = &summary->counts[routine][where];
    __atomic_add_fetch(&cell->calls, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cell->ns, ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&cell->flops, flops < 1e19 ? (uint64_t)flops : 0, __ATOMIC_RELAXED);
}

static const char *word_of(enum clg_where where) {
    static const char *const words[CLG_WHERES] = {
#define WORD(name, word, sentence) word,
        CLG_BLAS_WHERE(WORD)
#undef WORD
    };
    return words[where];
}

static char letter(int transpose) {
    return transpose == CLGEMM_NO_TRANS || transpose == CLG_CONJ_NO_TRANS ? 'N' : 'T';
}

static const char *layout_word(int layout) {
    return layout == CLGEMM_ROW_MAJOR ? "row" : "col";
}

void clg_note_gemm(const struct clg_gemm *call, enum clg_where where, uint64_t ns) {
    count(CLG_SGEMM, where, 2.0 * (double)call->m * (double)call->n * (double)call->k, ns);
    if (where == CLG_ON_DEVICE || level < 1)
        return;
    clg_trace(CLG_TRACE_CALLS,
              "sgemm on=cpu why=%s ms=%.4f replay=\"clgemm-bench --shape %" PRId64 "x%" PRId64
              "x%" PRId64 " --trans %c%c --layout %s --alpha %.9g --beta %.9g\"",
              word_of(where), (double)ns * 1e-6, call->m, call->n, call->k, letter(call->ta),
              letter(call->tb), layout_word(call->layout), call->alpha, call->beta);
}

void clg_note_syrk(const struct clg_syrk *call, enum clg_where where, uint64_t ns) {
    count(CLG_SSYRK, where, (double)call->n * ((double)call->n + 1) * (double)call->k, ns);
    if (where == CLG_ON_DEVICE || level < 1)
        return;
    clg_trace(CLG_TRACE_CALLS,
              "ssyrk on=cpu why=%s ms=%.4f n=%" PRId64 " k=%" PRId64
              " trans=%c layout=%s alpha=%.9g beta=%.9g",
              word_of(where), (double)ns * 1e-6, call->n, call->k, letter(call->trans),
              layout_word(call->layout), call->alpha, call->beta);
}
