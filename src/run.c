/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: a program with libclgemm_blas.so before its BLAS, and what came of it. */
#define _GNU_SOURCE /* setenv, mkostemp */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "tool.h"

static const char help[] =
    "usage: clgemm run [options] PROGRAM [ARGUMENT...]\n"
    "Runs a program with its matrix products (sgemm, ssyrk) through OpenCL where that pays: puts\n"
    "libclgemm_blas.so before the program's BLAS. Says at the end, on standard error, what ran\n"
    "where, for the program and all processes that it started.\n"
    "\n"
    "  -d, --device DEVICE   P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else the "
    "best\n"
    "                        GPU, else an accelerator, else a CPU)\n"
    "  -q, --quiet           say nothing at the end\n"
    "  -o, --output FORMAT   md or json (default md)\n"
    "      --out FILE        say it there, not on standard error\n"
    "  -h, --help            print this and do nothing else\n"
    "\n"
    "Exit: the program's, 128 and its number if a signal ended it; 2 usage or file error, 126 the\n"
    "program cannot be run, 127 it was not found.\n";

enum { CANNOT_RUN = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

/* ---- Options ------------------------------------------------------------------------------- */

struct options {
    const char *device;
    bool quiet;
    struct output output;
    char **program; /* its argv */
};

static enum parsed parse(struct options *options, int argc, char **argv) {
    enum { OPT_OUT = 256 };
    static const struct option names[] = {
        {"device", required_argument, NULL, 'd'}, {"quiet", no_argument, NULL, 'q'},
        {"output", required_argument, NULL, 'o'}, {"out", required_argument, NULL, OPT_OUT},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    int option;
    /* "+": what follows the program's name is its own. */
    while ((option = getopt_long(argc, argv, "+d:qo:h", names, NULL)) != -1) {
        if (option == 'h')
            return PARSED_HELP;
        if (option == 'd')
            options->device = optarg;
        else if (option == 'q')
            options->quiet = true;
        else if (option == OPT_OUT)
            options->output.path = optarg;
        else if (option != 'o' || !output_set_format(&options->output, argv[0], optarg))
            return PARSED_WRONG; /* of anything but -o getopt_long has said so */
    }
    if (optind == argc) {
        fprintf(stderr, "%s: the program is missing\n", argv[0]);
        return PARSED_WRONG;
    }
    options->program = argv + optind;
    return PARSED_RUN;
}

/* ---- Environment --------------------------------------------------------------------------- */

/* libclgemm_blas.so: beside the tool as built, or where both are installed. */
static bool find_library(const char *command, char out[PATH_MAX]) {
    static const char *const folders[] = {RUN_LIBRARY_FOLDER, ".."};
    char self[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof folders / sizeof folders[0]; i++) {
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

/* Behind what is preloaded already: such a library may have to be the first. */
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

/* Makes the file that processes add to; NULL, having said so, where that cannot be. */
static struct clg_summary *make_summary(const char *command, char path[PATH_MAX]) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, PATH_MAX, "%s/clgemm-run-XXXXXX", folder && *folder == '/' ? folder : "/tmp");
    struct clg_summary *summary = MAP_FAILED;
    const int fd = mkostemp(path, O_CLOEXEC);
    /* With its blocks: on a full disk it is this call that fails, not the program's writes. */
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, sizeof *summary);
    if (!error) {
        summary = mmap(NULL, sizeof *summary, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = summary == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0)
        close(fd);
    if (!error) {
        summary->version = CLG_SUMMARY_VERSION;
        return summary;
    }
    fprintf(stderr, "%s: %s: %s\n", command, path, strerror(error));
    if (fd >= 0)
        unlink(path);
    return NULL;
}

/* ---- The program --------------------------------------------------------------------------- */

static pid_t child;

static void pass_on(int signal) {
    kill(child, signal);
}

/* While the program runs, the terminal's signals are its own business, and those that are meant to
 * end us reach it. */
static void set_signals(void) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on};
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTERM, &pass, NULL);
    sigaction(SIGHUP, &pass, NULL);
}

/* Runs the program with the present environment; its exit code as this command's. */
static int run_program(const char *command, char **program) {
    sigset_t held, was;
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &was); /* until there is a child to pass them on to */
    child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &was, NULL);
        execvp(program[0], program);
        const int code = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
        fprintf(stderr, "%s: %s: %s\n", command, program[0], strerror(errno));
        _exit(code);
    }
    if (child < 0) {
        fprintf(stderr, "%s: %s\n", command, strerror(errno));
        return CANNOT_RUN;
    }
    set_signals();
    sigprocmask(SIG_SETMASK, &was, NULL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Runs the program, with what it counts added to `summary`'s file where that has a path. */
static int run(const struct options *options, const char *command, const char *library,
               const char *summary) {
    if (set_environment(options, library, summary))
        return run_program(command, options->program);
    fprintf(stderr, "%s: %s\n", command, strerror(errno));
    return TOOL_USAGE;
}

int run_command(int argc, char **argv) {
    struct options options = {0};
    char library[PATH_MAX], path[PATH_MAX];
    int code;
    if (!tool_goes_on(parse(&options, argc, argv), argv[0], help, &code))
        return code;
    if (!find_library(argv[0], library))
        return TOOL_USAGE;
    if (options.quiet)
        return run(&options, argv[0], library, "");
    struct clg_summary *summary = make_summary(argv[0], path);
    if (!summary)
        return TOOL_USAGE;
    code = run(&options, argv[0], library, path);
    unlink(path);
    if (run_report(&options.output, argv[0], summary) != TOOL_OK && code == 0)
        code = TOOL_USAGE;
    munmap(summary, sizeof *summary);
    return code;
}
