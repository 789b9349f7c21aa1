/* SPDX-License-Identifier: Apache-2.0
 * Running a part of a test in a fresh process. */
#define _GNU_SOURCE
#include "support/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/common/drivers.h"
#include "support/check.h"

enum { LONGEST_CHILD_S = 120, EXEC_FAILED = 126 };

bool clg_test_become_nobody(void) {
    enum { ID = CLG_TEST_NOBODY };
    return geteuid() != 0 || (!setresgid(ID, ID, ID) && !setresuid(ID, ID, ID));
}

static void become(const char *role, const char *const *environment, int output) {
    if (!drivers_restore())
        _exit(EXEC_FAILED);
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        char name[64];
        size_t length = equals ? (size_t)(equals - *environment) : strlen(*environment);
        if (length >= sizeof name)
            _exit(EXEC_FAILED);
        memcpy(name, *environment, length);
        name[length] = '\0';
        if (equals ? setenv(name, equals + 1, 1) : unsetenv(name))
            _exit(EXEC_FAILED);
    }
    if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0))
        _exit(EXEC_FAILED);
    alarm(LONGEST_CHILD_S); /* survives exec; it turns a child that hangs into a failure */
    execl("/proc/self/exe", "test", role, (char *)NULL);
    _exit(EXEC_FAILED);
}

void clg_test_forks_beside_threads(void) {
#ifdef CLG_TEST_ASAN
    skip();
#endif
}

int clg_test_wait_for(int pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads to the end, so that the child never blocks, and keeps what fits. */
static void drain(int from, char *output, size_t size) {
    char rest[512];
    size_t used = 0;
    ssize_t got;
    do {
        char *to = used + 1 < size ? output + used : rest;
        got = read(from, to, to == rest ? sizeof rest : size - used - 1);
        if (got > 0 && to != rest)
            used += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    output[used] = '\0';
}

int clg_test_run_self(const char *role, const char *const *environment, char *output, size_t size) {
    int ends[2] = {-1, -1};
    if (output && pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        if (output)
            close(ends[0]);
        become(role, environment, ends[1]);
    }
    if (output) {
        close(ends[1]);
        drain(ends[0], output, size);
        close(ends[0]);
    }
    return pid > 0 ? clg_test_wait_for(pid) : -1;
}

void clg_test_end_child(int code) {
    fflush(NULL);
    _exit(code);
}
