/* SPDX-License-Identifier: Apache-2.0
 * The processes of --first-call. Each opens a device, makes its first call, and answers with the
 * times. Matrices are made and touched before any clock runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handle.h"
#include "base/clock.h"
#include "bench/console.h"
#include "bench/first_call/first_call.h"
#include "bench/spawn.h"
#include "bench/verify.h"
#include "gemm/plan.h"
#include "program/build.h"
#include "program/disk.h"
#include "program/finding.h"
#include "program/key.h"

enum { STEADY_SAMPLES = 7, CALLS_ONCE_BUILT = 5 };
static const double BUILD_SECONDS = 60; /* the longest wait for the builder */

struct child {
    const struct options *options;
    struct problem problem;
    struct judge judge;
    struct device device;
    struct contender contender;
    void *kept; /* the first call's C */
    struct first_answer answer;
};

static void fail(struct child *child, enum outcome outcome, const char *why) {
    child->answer.outcome = outcome;
    snprintf(child->answer.why, sizeof child->answer.why, "%s", why);
}

/* Whether the contender's operation succeeded; else the answer has the reason. */
static bool went_well(struct child *child, enum outcome outcome) {
    if (outcome)
        fail(child, outcome, child->contender.why);
    return outcome == OUTCOME_OK;
}

static bool library_went_well(struct child *child, clgemm_status status) {
    return went_well(child, contender_status(&child->contender, status));
}

static bool make_problem(struct child *child) {
    const struct options *o = child->options;
    struct problem *p = &child->problem;
    char *why = child->answer.why;
    const size_t room = sizeof child->answer.why;
    bool made = problem_describe(p, o, o->shapes.items[0], o->trans.items[0], why, room);
    /* Needed besides its own matrices: the library's memory on a device in host memory, a saved C,
     * the judge's memory. */
    made = made && problem_create(p, 2 * problem_bytes(p) + judge_bytes(p), why, room);
    if (made && !(child->kept = calloc(p->c_count + 1, clg_type_size(p->type)))) {
        snprintf(why, room, "out of host memory");
        made = false;
    }
    if (!made)
        child->answer.outcome = OUTCOME_SKIPPED;
    return made;
}

/* Times one call; its result is in `out`. */
static bool time_first(struct child *child, double *seconds, void *out) {
    struct contender *c = &child->contender;
    if (!went_well(child, c->ops->start_c(c, child->problem.c)))
        return false;
    const double start = clg_clock_seconds();
    const enum outcome outcome = c->ops->run(c, 1);
    *seconds = clg_clock_seconds() - start;
    return went_well(child, outcome) && went_well(child, c->ops->fetch_c(c, out));
}

static bool run_contender(void *arg, int calls) {
    struct contender *c = arg;
    return c->ops->run(c, calls) == OUTCOME_OK;
}

static bool time_steady(struct child *child) {
    struct timing timing;
    struct timing_entry entry = {.run = run_contender, .arg = &child->contender, .out = &timing};
    timing_run(&(struct timing_params){
        .entries = &entry, .count = 1, .warm = true, .calls_max = 1, .samples = STEADY_SAMPLES});
    child->answer.steady = timing.median;
    return went_well(child, timing.failed ? OUTCOME_FAILED : OUTCOME_OK);
}

/* Only after all clocks have stopped: the judge's own multiplication would disturb them. */
static void check(struct child *child, const void *c) {
    struct first_answer *answer = &child->answer;
    if (!child->options->verify || answer->checked == CHECK_WRONG)
        return;
    answer->checked =
        judge_accepts(&child->judge, &child->problem, c, NULL, answer->why, sizeof answer->why)
            ? CHECK_OK
            : CHECK_WRONG;
}

static bool make_judge(struct child *child) {
    struct first_answer *answer = &child->answer;
    if (!child->options->verify ||
        judge_create(&child->judge, &child->problem, answer->why, sizeof answer->why))
        return true;
    answer->outcome = OUTCOME_SKIPPED;
    return false;
}

/* OpenBLAS, which is linked into this program, starts its threads when it is loaded, and they poll
 * for a while. */
static void become_quiet(struct child *child) {
    child->answer.restless = fmax(child->answer.restless, quiet_wait(NULL, QUIET_MOST));
}

static void count_programs(const clgemm_handle *handle, unsigned out[CLG_ORIGINS]) {
    for (int origin = 0; origin < CLG_ORIGINS; origin++)
        out[origin] = clg_programs_count(handle->engine.programs, (enum clg_origin)origin);
}

/* Opens a new handle, as a user does, and makes the first call with it. */
static bool open_and_call(struct child *child, double *open, double *first,
                          unsigned programs[CLG_ORIGINS], void *out) {
    struct device *device = &child->device;
    const double start = clg_clock_seconds();
    clgemm_status status = clgemm_create(&device->handle, child->options->device);
    *open = clg_clock_seconds() - start;
    if (!library_went_well(child, status) || !time_first(child, first, out))
        return false;
    count_programs(device->handle, programs);
    return true;
}

static void play_ours(struct child *child) {
    struct first_answer *answer = &child->answer;
    struct device *device = &child->device;
    double open_again;
    child->contender.ops = &ours_host_ops;
    become_quiet(child);
    if (!open_and_call(child, &answer->open, &answer->first, answer->programs, child->kept) ||
        !time_steady(child))
        return;
    clgemm_handle *first_handle = device->handle;
    device->handle = NULL;
    if (open_and_call(child, &open_again, &answer->memory, answer->memory_programs,
                      child->problem.c) &&
        make_judge(child)) {
        check(child, child->kept);
        check(child, child->problem.c);
    }
    clgemm_destroy(first_handle);
}

/* Makes calls while the library builds, and some more with what it built. */
static bool time_later(struct child *child) {
    struct contender *c = &child->contender;
    struct clg_builder *builder = child->device.handle->engine.builder;
    const double begin = clg_clock_seconds();
    double start, end = begin;
    for (int once_built = 0; once_built < CALLS_ONCE_BUILT;
         once_built += clg_builder_rests(builder)) {
        if (end - begin > BUILD_SECONDS) {
            fail(child, OUTCOME_FAILED, "the background build does not end");
            return false;
        }
        start = clg_clock_seconds();
        const enum outcome outcome = c->ops->run(c, 1);
        end = clg_clock_seconds();
        child->answer.slowest = fmax(child->answer.slowest, end - start);
        if (!went_well(child, outcome))
            return false;
    }
    return true;
}

/* Checks the results of the plan that stood in, and of the one that was built. */
static void play_in_background(struct child *child) {
    struct first_answer *answer = &child->answer;
    double built;
    child->contender.ops = &ours_host_ops;
    become_quiet(child);
    if (open_and_call(child, &answer->open, &answer->first, answer->programs, child->kept) &&
        time_later(child) && time_first(child, &built, child->problem.c) && make_judge(child)) {
        check(child, child->kept);
        check(child, child->problem.c);
    }
}

/* The peer multiplies matrices that are already on the device. */
static void play_clblast(struct child *child) {
    struct first_answer *answer = &child->answer;
    struct contender *c = &child->contender;
    c->ops = &clblast_ops;
    if (went_well(child, c->ops->open(c))) {
        c->open = true;
        become_quiet(child);
        const double start = clg_clock_seconds();
        clgemm_status status = device_open(&child->device, child->options->device);
        answer->open = clg_clock_seconds() - start;
        if (library_went_well(child, status) &&
            !device_load(&child->device, &child->problem, answer->why, sizeof answer->why))
            answer->outcome = OUTCOME_SKIPPED;
        if (!answer->outcome && went_well(child, c->ops->start(c)) &&
            time_first(child, &answer->first, child->kept) && time_steady(child) &&
            make_judge(child))
            check(child, child->kept);
        c->ops->finish(c);
    }
    c->ops->close(c);
}

/* Times finding and loading one program, as the library does it. */
static bool time_program(struct child *child, const char *key) {
    char options[CLG_MAX_OPTIONS], name[64] = "clg_";
    cl_program program = NULL;
    cl_int error;
    size_t size = 0;
    clg_key_field(key, "options", options, sizeof options);
    clg_key_field(key, "kernel", name + strlen(name), sizeof name - strlen(name));
    const double start = clg_clock_seconds();
    unsigned char *binary = clg_disk_find(key, &size);
    const double found = clg_clock_seconds();
    clgemm_status status =
        binary ? clg_build_binary(child->device.open, binary, size, options, &program)
               : (clgemm_status)CL_INVALID_BINARY;
    cl_kernel kernel = program ? clCreateKernel(program, name, &error) : NULL;
    child->answer.load += clg_clock_seconds() - found;
    child->answer.find += found - start;
    const bool loaded = status == CLGEMM_SUCCESS && kernel;
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    free(binary);
    if (!loaded)
        fail(child, OUTCOME_FAILED, "a program in the cache cannot be loaded");
    return loaded;
}

/* The cache holds exactly what one call needs, so all its programs are loaded. */
static void play_programs(struct child *child) {
    const char *why = NULL;
    struct clg_file_info *files = NULL;
    size_t count = 0;
    become_quiet(child);
    int folder = clg_disk_open(false, &why);
    if (folder < 0 || !clg_folder_list(folder, &files, &count))
        fail(child, OUTCOME_FAILED, "the program cache cannot be read");
    if (!child->answer.outcome)
        library_went_well(child, clg_device_open(&child->device.open, child->options->device));
    for (size_t i = 0; i < count && !child->answer.outcome; i++) {
        struct clg_entry entry;
        unsigned char *bytes = NULL;
        if (!clg_disk_is_entry(files[i].name) ||
            clg_disk_read(folder, files[i].name, &entry, &bytes))
            continue;
        char *key = strndup(entry.key, entry.key_size);
        if (key && !clg_key_is_checks(key))
            time_program(child, key);
        free(key);
        free(bytes);
    }
    free(files);
    if (folder >= 0)
        close(folder);
}

int first_call_child(const struct options *o) {
    struct child child = {.options = o};
    child.contender.device = &child.device;
    child.contender.problem = &child.problem;
    if (!strcmp(o->first_call_child, PART_PROGRAMS))
        play_programs(&child);
    else if (make_problem(&child))
        (!strcmp(o->first_call_child, PART_CLBLAST)      ? play_clblast
         : !strcmp(o->first_call_child, PART_BACKGROUND) ? play_in_background
                                                         : play_ours)(&child);
    device_close(&child.device);
    judge_release(&child.judge);
    problem_release(&child.problem);
    free(child.kept);
    if (spawn_answer(&child.answer, sizeof child.answer))
        return EXIT_FINE;
    complain("--first-call-child is for --first-call only");
    return EXIT_USAGE;
}
