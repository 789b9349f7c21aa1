/* SPDX-License-Identifier: Apache-2.0
 * clgemm-build, the helper of run/helper.h: builds programs for another process. The library starts
 * it; it takes no arguments and prints nothing. */
#define _GNU_SOURCE /* RLIM_NLIMITS, syscall */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "gemm/small.h"
#include "program/disk.h"
#include "program/key.h"
#include "run/engine.h"
#include "run/helper.h"

/* Behind what the program computes, but not behind all that is idle: a call may be waiting. */
enum { NICENESS = 10 };

/* Replaces what the program has left of itself: descriptors, signals, terminal, and limits as far
 * as it may. */
static void settle(void) {
    struct rlimit limit;
    sigset_t none;
    const int nothing = open("/dev/null", O_RDWR);
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        dup2(nothing, file);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0))
#endif
        for (int file = STDERR_FILENO + 1; file < sysconf(_SC_OPEN_MAX); file++)
            close(file);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    setpriority(PRIO_PROCESS, 0, NICENESS);
    for (int i = 0; i < (int)RLIM_NLIMITS; i++)
        if (getrlimit(i, &limit) == 0) {
            limit.rlim_cur = i == RLIMIT_CORE ? 0 : limit.rlim_max;
            setrlimit(i, &limit);
        }
}

/* An engine on the device of the first errand; a program asks for one device only. */
struct opened {
    struct clg_device *device; /* NULL: not open */
    struct clg_binaries *store;
    struct clg_engine engine;
};

static clgemm_status open_engine(struct opened *o, const char *place) {
    struct clg_device *device;
    clgemm_status status = clg_device_open(&device, place);
    if (status)
        return status;
    if (!(o->store = clg_binaries_new()))
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for programs");
    device->is_helpers = true;
    status = clg_engine_open(&o->engine, device, o->store);
    o->device = status ? NULL : device;
    /* Nothing keeps a file system busy that the program may unmount. */
    if (chdir("/"))
        clg_log(CLG_LOG_PLANS, "the helper stays where the program was");
    return status;
}

/* The plan that the program has. False if it is another one here. */
static bool make_plan(struct clg_plan *out, const struct clg_errand *errand,
                      const struct clg_facts *facts) {
    struct clg_problem problem = errand->problem;
    problem.ahead.family = errand->ahead < 0 ? NULL : clg_families[errand->ahead];
    if (errand->family < 0)
        clg_plan_scale(out, &problem, facts);
    else
        clg_plan_with(out, clg_families[errand->family], &errand->params, &problem, facts);
    const struct clg_hash programs = clg_plan_programs(out, false);
    return memcmp(&programs, &errand->programs, sizeof programs) == 0;
}

static bool is_kept(const struct clg_step *step, const struct clg_facts *facts) {
    size_t size = 0;
    char *key = clg_key_make(facts, clg_source_find(step->source), step->options, NULL);
    unsigned char *program = key ? clg_disk_find(key, &size) : NULL;
    const bool kept = program;
    free(program);
    free(key);
    return kept;
}

static enum clg_help open_only(struct opened *o, const struct clg_errand *errand,
                               clgemm_status *status) {
    struct rlimit limit;
    if (errand->room && getrlimit(RLIMIT_AS, &limit) == 0) {
        limit.rlim_cur = clg_process_address_space() + errand->room;
        setrlimit(RLIMIT_AS, &limit);
    }
    *status = open_engine(o, *errand->device ? errand->device : NULL);
    if (!*status) {
        *status = clg_engine_set_mode(&o->engine, CLGEMM_BUILD_BACKGROUND);
        /* The program opens it next, and only one process may have one in exclusive mode. */
        clg_engine_close(&o->engine);
        clg_binaries_free(o->store);
        o->device = NULL;
    }
    return *status ? CLG_HELP_FAILED : CLG_HELP_DONE;
}

static enum clg_help build(struct opened *o, const struct clg_errand *errand,
                           clgemm_status *status) {
    static struct clg_plan plan;
    if (!o->device)
        *status = open_engine(o, errand->device);
    if (!o->device)
        return CLG_HELP_NONE;
    o->device->facts.workspace_max = errand->workspace_max;
    if (!make_plan(&plan, errand, &o->device->facts)) {
        *status = clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the helper has another plan");
        return CLG_HELP_NONE;
    }
    if ((*status = clg_engine_build(&o->engine, &plan)))
        return CLG_HELP_FAILED;
    for (int s = 0; s < plan.num_steps; s++)
        if (!is_kept(&plan.steps[s], &o->device->facts)) {
            *status = clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the cache keeps no programs");
            return CLG_HELP_NONE;
        }
    return CLG_HELP_DONE;
}

int main(void) {
    struct opened opened = {.device = NULL};
    const struct clg_errand *errand;
    struct clg_desk *desk = clg_desk_open(STDIN_FILENO);
    if (!desk)
        return 1;
    settle();
    while ((errand = clg_desk_wait(desk))) {
        clgemm_status status = CLGEMM_SUCCESS;
        const enum clg_help help =
            errand->opens ? open_only(&opened, errand, &status) : build(&opened, errand, &status);
        clg_desk_answer(desk, help, status);
    }
    return 0;
}
