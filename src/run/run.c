/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: runs a program with libclgemm_blas.so before its BLAS, and reports its calls. */
#define _GNU_SOURCE /* setenv, O_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "src/common/option_readers.h"
#include "src/common/scratch.h"
#include "src/common/self.h"
#include "src/output.h"
#include "src/run/program.h"
#include "src/run/run.h"
#include "src/tool.h"

/* ---- Options ------------------------------------------------------------------------------- */

struct options {
    const char *device;
    bool quiet;
    struct output output;
    char **program; /* its argv */
};

static const struct option_row rows[] = {
    OPTION_DEVICE(struct options, device),
    {"quiet", 'q', NULL, "print no report at the end", option_on, offsetof(struct options, quiet)},
    OPTION_FORMAT(struct options, output.format),
    OPTION_OUT(struct options, output.path, "write the report to this file, not to standard error"),
    OPTION_END,
};

static enum parsed parse(struct options *options, int argc, char **argv) {
    const struct option_table table = {
        .command = argv[0],
        .usage = "usage: clgemm run [options] PROGRAM [ARGUMENT...]\n"
                 "Runs a program and puts libclgemm_blas.so before its BLAS, so that its calls of\n"
                 "level 3 (products of matrices and the like) run on the device if that pays. At\n"
                 "the end it prints what ran where to standard error, for the program and all\n"
                 "processes that it started.\n",
        .rows = rows,
        .notes = "Signals sent to it are passed on to the program.\n"
                 "\n"
                 "Exit: the program's, 128 plus its number if a signal ended it, 2 usage or file\n"
                 "error, 126 the program cannot be run, 127 the program was not found.\n",
        .stops = true};
    int words;
    const enum parsed parsed = options_read(&table, options, argc, argv, &words);
    if (parsed == PARSED_RUN && words == argc)
        return options_refuse(argv[0], "the program is missing");
    options->program = argv + words;
    return parsed;
}

/* ---- Environment --------------------------------------------------------------------------- */

/* libclgemm_blas.so is beside the tool in the build folder, or both are installed. */
static bool find_library(const char *command, char out[PATH_MAX]) {
    static const char *const folders[] = {RUN_LIBRARY_FOLDER, ".."};
    const char *program = self_program();
    char self[PATH_MAX], path[2 * PATH_MAX];
    if (!program || !realpath(program, self)) {
        fprintf(stderr, "%s: cannot find the path of this program\n", command);
        return false;
    }
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s/libclgemm_blas.so", self, folders[i]);
        if (!realpath(path, out))
            continue;
        if (!strpbrk(out, " :"))
            return true;
        fprintf(stderr, "%s: LD_PRELOAD cannot name \"%s\"\n", command, out);
        return false;
    }
    fprintf(stderr, "%s: libclgemm_blas.so is not beside this program\n", command);
    return false;
}

/* Goes after what is preloaded already: such a library may have to be the first. */
static bool set_environment(const struct options *options, const char *library,
                            const char *summary) {
    const char *others = getenv("LD_PRELOAD");
    const bool alone = !others || !*others;
    const size_t size = strlen(library) + (alone ? 0 : strlen(others)) + 2;
    char *preload = malloc(size);
    if (!preload)
        return false;
    snprintf(preload, size, "%s%s%s", alone ? "" : others, alone ? "" : ":", library);
    const bool done = setenv("LD_PRELOAD", preload, 1) == 0 &&
                      setenv(CLG_SUMMARY_VARIABLE, summary, 1) == 0 &&
                      (!options->device || setenv("CLGEMM_DEVICE", options->device, 1) == 0);
    free(preload);
    return done;
}

/* ---- The counts ---------------------------------------------------------------------------- */

/* Makes the file to which processes add their counts. On failure prints a message and returns NULL.
 * It stays open for its lock. */
static struct clg_summary *make_summary(const char *command, char path[PATH_MAX]) {
    struct clg_summary *summary = MAP_FAILED;
    const int fd = scratch_make_file("run", path);
    /* Allocates its blocks, so that on a full disk this call fails, not the program's writes. */
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *summary);
    if (!error) {
        summary = mmap(NULL, sizeof *summary, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = summary == MAP_FAILED ? errno : 0;
    }
    if (!error) {
        summary->last.version = CLG_SUMMARY_VERSION;
        return summary;
    }
    fprintf(stderr, "%s: %s: %s\n", command, path, strerror(error));
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    return NULL;
}

/* ---- The report ---------------------------------------------------------------------------- */

/* Opens the report's file before the program runs, which may take hours. Its old contents stay
 * until there is a report. On failure prints a message and returns false. */
static bool open_report(const struct options *options, const char *command, FILE **out) {
    const char *path = options->output.path;
    *out = stderr; /* standard output belongs to the program */
    if (options->quiet || !path)
        return true;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (*out)
        return true;
    fprintf(stderr, "%s: cannot write %s: %s\n", command, path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

/* Writes the report, closes its file, and returns an exit code. A closed standard error does not
 * change the exit code of a program that has run. */
static int write_report(const struct options *options, const char *command, FILE *out,
                        const struct run_end *end, const struct clg_summary *summary) {
    const char *path = options->output.path;
    const bool json = options->output.format == FORMAT_JSON;
    struct clg_write_signals held;
    clg_write_signals_hold(&held);
    const bool emptied =
        out == stderr || ftruncate(fileno(out), 0) == 0 || errno == EINVAL; /* a pipe */
    if (!emptied)
        fprintf(stderr, "%s: cannot write %s: %s\n", command, path, strerror(errno));
    run_report(out, json, end, summary);
    const bool written = out == stderr || output_close(&out, path, command);
    clg_write_signals_release(&held);
    return written && emptied ? EXIT_FINE : EXIT_USAGE;
}

/* Runs the program. With a path in `summary`, processes add their counts to that file, which is
 * removed at the end. */
static int run(const struct options *options, const char *command, const char *library,
               const char *summary, int *signal) {
    if (set_environment(options, library, summary))
        return run_program(command, options->program, summary, signal);
    fprintf(stderr, "%s: %s\n", command, strerror(errno));
    if (*summary)
        unlink(summary);
    return EXIT_USAGE;
}

int run_command(int argc, char **argv) {
    struct options options = {0};
    char library[PATH_MAX], path[PATH_MAX];
    FILE *out;
    int code, signal = 0;
    if (!options_go_on(parse(&options, argc, argv), &code))
        return code;
    if (!find_library(argv[0], library) || !open_report(&options, argv[0], &out))
        return EXIT_USAGE;
    if (options.quiet)
        return run(&options, argv[0], library, "", &signal);
    struct clg_summary *summary = make_summary(argv[0], path);
    if (!summary)
        return EXIT_USAGE;
    code = run(&options, argv[0], library, path, &signal);
    if (write_report(&options, argv[0], out, &(struct run_end){code, signal}, summary) !=
            EXIT_FINE &&
        code == 0)
        code = EXIT_USAGE;
    munmap(summary, sizeof *summary);
    return code;
}
