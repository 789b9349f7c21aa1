/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: starts the program, passes signals on to it, and waits. */
#define _GNU_SOURCE /* NSIG, SI_KERNEL */
#include "src/run/program.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, NOT_FOUND = 127, BY_SIGNAL = 128 };

static pid_t child;

/* The terminal sends these to all processes of its job, and so to the program too. */
static bool is_terminals(int signal, const siginfo_t *info) {
    return (signal == SIGINT || signal == SIGQUIT || signal == SIGWINCH) &&
           info->si_code == SI_KERNEL;
}

static void pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    const int error = errno;
    if (info->si_code == SI_QUEUE)
        sigqueue(child, signal, info->si_value);
    else if (!is_terminals(signal, info))
        kill(child, signal);
    errno = error;
}

/* All signals but those that cannot be caught, that report our own faults or children, or that stop
 * or continue a process: a job is stopped as a whole. */
static sigset_t passed_on(void) {
    static const int kept[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGTRAP,
                               SIGSYS,  SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        sigdelset(&set, kept[i]);
    return set;
}

/* A signal that is ignored here stays ignored, and so the program ignores it too. No SA_RESTART:
 * ThreadSanitizer calls a handler only after waitid() has returned. */
static void catch_all(const sigset_t *signals, struct sigaction was[NSIG]) {
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    sigfillset(&pass.sa_mask);
    for (int s = 1; s < NSIG; s++)
        if (sigismember(signals, s) == 1 && sigaction(s, NULL, &was[s]) == 0 &&
            was[s].sa_handler != SIG_IGN)
            sigaction(s, &pass, NULL);
}

static void catch_no_more(const sigset_t *signals, const struct sigaction was[NSIG]) {
    for (int s = 1; s < NSIG; s++)
        if (sigismember(signals, s) == 1)
            sigaction(s, &was[s], NULL);
}

_Noreturn static void become(const char *command, char **program) {
    execvp(program[0], program);
    const int code = errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
    fprintf(stderr, "%s: %s: %s\n", command, program[0], strerror(errno));
    _exit(code);
}

/* The child's exit code. Signals are blocked before its number can be reused for another
 * process. */
static int wait_for_child(const sigset_t *signals, int *signal) {
    siginfo_t info;
    int status = 0;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR) {
    }
    sigprocmask(SIG_BLOCK, signals, NULL);
    if (waitpid(child, &status, 0) != child)
        return CANNOT_RUN;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return *signal ? BY_SIGNAL + *signal : WEXITSTATUS(status);
}

int run_program(const char *command, char **program, const char *file, int *signal) {
    static struct sigaction was[NSIG];
    const sigset_t signals = passed_on();
    /* A process that ignores SIGCHLD does not get its children's codes. */
    struct sigaction told = {.sa_handler = SIG_DFL}, chld_was;
    sigset_t mask;
    int code = CANNOT_RUN;
    *signal = 0;
    sigaction(SIGCHLD, &told, &chld_was);
    sigprocmask(SIG_BLOCK, &signals, &mask); /* until there is a child to pass them on to */
    child = fork();
    if (child == 0) {
        sigaction(SIGCHLD, &chld_was, NULL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        become(command, program);
    }
    if (child > 0) {
        catch_all(&signals, was);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        code = wait_for_child(&signals, signal);
        catch_no_more(&signals, was);
    } else {
        fprintf(stderr, "%s: %s\n", command, strerror(errno));
    }
    if (*file)
        unlink(file);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return code;
}
