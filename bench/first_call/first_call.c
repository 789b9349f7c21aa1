/* SPDX-License-Identifier: Apache-2.0
 * Runs the processes of --first-call in turn, collects their times, and judges them. */
#include "bench/first_call/first_call.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/console.h"
#include "bench/report/notes.h"
#include "bench/report/outputs.h"
#include "bench/spawn.h"
#include "src/common/median.h"
#include "src/common/scratch.h"
#include "src/common/worker.h"

enum { FOLDER = PATH_MAX + 16, SETTING = FOLDER + 32, ARGUMENT = 64 };

/* One problem under one setting of the driver's cache, and where its processes write. */
struct series_of_runs {
    const struct options *options;
    struct first_result *result;
    char programs[FOLDER], driver[FOLDER];
};

/* Runs one part in a new process. If it gives no answer, marks the result as failed and returns
 * false. */
static bool play(const struct series_of_runs *s, const char *part, struct first_answer *answer) {
    const struct options *o = s->options;
    struct first_result *r = s->result;
    char shape[SHAPE_TEXT], type[ARGUMENT], batch[ARGUMENT], alpha[ARGUMENT], beta[ARGUMENT];
    char cache[SETTING], pocl[SETTING], cuda[SETTING];
    snprintf(type, sizeof type, "--type=%s", clg_types[o->type].letters);
    snprintf(batch, sizeof batch, "--batch=%d", o->batch);
    snprintf(alpha, sizeof alpha, "--alpha=%.17g,%.17g", o->alpha.re, o->alpha.im);
    snprintf(beta, sizeof beta, "--beta=%.17g,%.17g", o->beta.re, o->beta.im);
    snprintf(cache, sizeof cache, "CLGEMM_CACHE_DIR=%s", s->programs);
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s", s->driver);
    snprintf(cuda, sizeof cuda, "CUDA_CACHE_PATH=%s", s->driver);
    const char *arguments[16] = {"clgemm-bench",
                                 "--first-call-child",
                                 part,
                                 "--shape",
                                 shape_text(shape, r->shape),
                                 "--trans",
                                 trans_name(r->trans),
                                 o->layout == CLGEMM_ROW_MAJOR ? "--layout=row" : "--layout=col",
                                 type,
                                 batch,
                                 alpha,
                                 beta,
                                 o->verify ? "--peers=none" : "--no-verify",
                                 o->device ? "--device" : NULL,
                                 o->device};
    const char *settings[] = {cache,
                              strcmp(part, PART_BACKGROUND) ? "CLGEMM_BUILD=wait"
                                                            : "CLGEMM_BUILD=background",
                              "CLGEMM_CACHE=",
                              "CLGEMM_CACHE_MAX_SIZE=",
                              pocl,
                              cuda,
                              r->driver_cache ? "POCL_KERNEL_CACHE=1" : "POCL_KERNEL_CACHE=0",
                              r->driver_cache ? "CUDA_CACHE_DISABLE=0" : "CUDA_CACHE_DISABLE=1",
                              NULL};
    char why[256];
    /* A driver whose cache is off may still find what another process left in its folder. */
    if (!r->driver_cache && !scratch_renew(s->driver))
        snprintf(why, sizeof why, "scratch folder: %s", strerror(errno));
    else if (spawn_self(arguments, settings, answer, sizeof *answer, why, sizeof why)) {
        r->restless = fmax(r->restless, answer->restless);
        return true;
    }
    *answer = (struct first_answer){.outcome = OUTCOME_FAILED};
    snprintf(answer->why, sizeof answer->why, "%s", why);
    return false;
}

static void fail(struct first_result *r, enum outcome outcome, const char *phase, const char *why) {
    r->outcome = outcome;
    snprintf(r->why, sizeof r->why, "%s: %.200s", phase, why);
}

/* Copies the answer's outcome and check into the result. Returns false if that ends the
 * measurement. */
static bool accept(struct first_result *r, const struct first_answer *answer, const char *phase) {
    if (answer->outcome || answer->checked == CHECK_WRONG)
        fail(r, answer->outcome ? answer->outcome : OUTCOME_FAILED, phase, answer->why);
    if (answer->checked)
        r->checked = answer->checked;
    return r->outcome == OUTCOME_OK;
}

/* Empties a folder. On failure marks the result as failed and returns false. */
static bool empty(struct first_result *r, const char *folder) {
    const bool emptied = scratch_renew(folder);
    if (!emptied)
        fail(r, OUTCOME_FAILED, "scratch folder", strerror(errno));
    return emptied;
}

static void add(struct first_result *r, enum first_figure figure, double seconds) {
    struct first_times *times = &r->figures[figure];
    times->seconds[times->count++] = seconds;
}

/* Whether the `count` programs that the call needs all have the origin that the phase requires. */
static bool came_from(struct first_result *r, enum first_figure phase, enum clg_origin origin,
                      unsigned count, const unsigned programs[CLG_ORIGINS]) {
    memcpy(r->programs[phase], programs, sizeof r->programs[phase]);
    unsigned all = 0;
    for (int i = 0; i < CLG_ORIGINS; i++)
        all += programs[i];
    if (programs[origin] == count && all == count)
        return true;
    char why[160];
    snprintf(why, sizeof why,
             "%u programs compiled, %u loaded from disk and %u from memory, where %u were needed",
             programs[CLG_FROM_SOURCE], programs[CLG_FROM_DISK], programs[CLG_FROM_MEMORY], count);
    fail(r, OUTCOME_FAILED, first_figure_keys[phase], why);
    return false;
}

/* One process of each kind. */
static bool run_ours(const struct series_of_runs *s) {
    struct first_result *r = s->result;
    struct first_answer cold, disk, programs;
    if (!empty(r, s->programs))
        return false;
    play(s, PART_OURS, &cold);
    if (!accept(r, &cold, "cold"))
        return false;
    const unsigned needed = cold.programs[CLG_FROM_SOURCE];
    play(s, PART_OURS, &disk);
    if (!came_from(r, FIRST_COLD, CLG_FROM_SOURCE, needed, cold.programs) ||
        !accept(r, &disk, "from disk") ||
        !came_from(r, FIRST_DISK, CLG_FROM_DISK, needed, disk.programs) ||
        !came_from(r, FIRST_MEMORY, CLG_FROM_MEMORY, needed, disk.memory_programs))
        return false;
    play(s, PART_PROGRAMS, &programs);
    programs.checked = r->checked; /* it makes no call */
    if (needed > 0 && !accept(r, &programs, "steps"))
        return false;
    add(r, FIRST_OPEN, disk.open);
    add(r, FIRST_COLD, cold.first);
    add(r, FIRST_DISK, disk.first);
    add(r, FIRST_MEMORY, disk.memory);
    add(r, FIRST_STEADY, disk.steady);
    add(r, FIRST_FIND, programs.find);
    add(r, FIRST_LOAD, programs.load);
    return true;
}

/* The first call that does not wait for a compiler. The cache is empty again. */
static bool run_in_background(const struct series_of_runs *s) {
    struct first_result *r = s->result;
    struct first_answer answer;
    if (!empty(r, s->programs))
        return false;
    play(s, PART_BACKGROUND, &answer);
    if (!accept(r, &answer, "in the background"))
        return false;
    add(r, FIRST_BACKGROUND_OPEN, answer.open);
    add(r, FIRST_BACKGROUND, answer.first);
    add(r, FIRST_SLOWEST, answer.slowest);
    return true;
}

static void run_clblast(const struct series_of_runs *s) {
    struct first_result *r = s->result;
    struct first_answer peer;
    if (r->peer_why[0])
        return;
    play(s, PART_CLBLAST, &peer);
    if (peer.outcome || peer.checked == CHECK_WRONG) {
        snprintf(r->peer_why, sizeof r->peer_why, "%s", peer.why);
        return;
    }
    add(r, FIRST_PEER_OPEN, peer.open);
    add(r, FIRST_PEER_CALL, peer.first);
    add(r, FIRST_PEER_STEADY, peer.steady);
}

static void summarize(struct first_times *t) {
    if (t->count > 0)
        t->median = median_sort(t->seconds, t->count);
}

/* Fills `result`, whose shape, transposes and driver_cache are set. */
static void measure_first(struct first_result *r, const struct options *o, const char *scratch) {
    struct series_of_runs s = {.options = o, .result = r};
    snprintf(s.programs, sizeof s.programs, "%s/programs", scratch);
    snprintf(s.driver, sizeof s.driver, "%s/driver", scratch);
    if (!(o->peers & PEER_CLBLAST))
        snprintf(r->peer_why, sizeof r->peer_why, "not requested");
    /* If the driver's cache is on, an uncounted round fills it. */
    bool good = empty(r, s.driver);
    for (int round = r->driver_cache ? -1 : 0; round < o->repeat && good && !worker_stop; round++) {
        good = run_ours(&s) && run_in_background(&s);
        if (good)
            run_clblast(&s);
        for (int f = 0; f < FIRST_FIGURES && round < 0; f++)
            r->figures[f].count = 0;
    }
    if (worker_stop && !r->outcome)
        fail(r, OUTCOME_FAILED, "signal", "interrupted");
    for (int f = 0; f < FIRST_FIGURES; f++)
        summarize(&r->figures[f]);
}

/* Returns the number of results, which is smaller after a signal. */
static size_t measure_all(struct first_result *results, const struct options *o,
                          const char *scratch) {
    const size_t total = o->shapes.count * o->trans.count * 2;
    size_t i = 0;
    for (; i < total && !worker_stop; i++) {
        struct first_result *r = &results[i];
        char text[SHAPE_TEXT];
        r->shape = o->shapes.items[i / 2 / o->trans.count];
        r->trans = o->trans.items[i / 2 % o->trans.count];
        r->driver_cache = i % 2;
        progress(i + 1, total, shape_text(text, r->shape), trans_name(r->trans));
        measure_first(r, o, scratch);
    }
    progress(0, 0, NULL, NULL);
    return i;
}

/* Failures are also printed to stderr, in case nobody reads the report. */
static int judge(const struct first_report *report) {
    int code = interrupted() ? EXIT_FAILED : EXIT_FINE;
    for (size_t i = 0; i < report->count; i++) {
        const struct first_result *r = &report->results[i];
        char shape[SHAPE_TEXT];
        if (r->outcome != OUTCOME_FAILED)
            continue;
        complain("FAIL: %s %s, driver's cache %s: %s", shape_text(shape, r->shape),
                 trans_name(r->trans), r->driver_cache ? "on" : "off", r->why);
        code = EXIT_FAILED;
    }
    return code;
}

/* Opens the device for its name, and closes it: while it is open in one process, others open it
 * faster. */
static int describe(struct first_report *report, const char *scratch) {
    const struct options *o = report->options;
    struct device device = {0};
    const int code = context_open(&report->context, &device, o);
    device_close(&device);
    if (code)
        return code;
    context_add(&report->context, "repeat", "%d", o->repeat);
    context_add(&report->context, "scratch", "%.*s", (int)(strrchr(scratch, '/') - scratch),
                scratch);
    return EXIT_FINE;
}

int first_call(const struct options *o) {
    const size_t count = o->shapes.count * o->trans.count * 2;
    struct first_result *results = calloc(count, sizeof *results);
    struct first_report report = {.options = o, .results = results};
    struct outputs outputs = {0};
    char scratch[PATH_MAX] = "";
    const int lock = results ? scratch_make_folder("bench", scratch) : -1;
    if (lock < 0) {
        complain("no scratch folder %s: %s", scratch, strerror(errno));
        free(results);
        return EXIT_USAGE;
    }
    worker_watch_signals(); /* so that this process removes its folder when one ends it */
    int code = describe(&report, scratch);
    if (!code && !outputs_open(&outputs, o))
        code = EXIT_USAGE;
    if (!code) {
        report.count = measure_all(results, o, scratch);
        if (report.count > 0 && o->peers & PEER_CLBLAST && results[0].peer_why[0])
            context_add(&report.context, "clblast", "%s", results[0].peer_why);
        double restless = 0;
        for (size_t i = 0; i < report.count; i++)
            restless = fmax(restless, results[i].restless);
        note_restless(&report.context, "a process before its first call", restless);
        code =
            outputs_write(&outputs, o, first_report_write, &report) ? judge(&report) : EXIT_USAGE;
    }
    outputs_release(&outputs);
    scratch_remove(scratch);
    close(lock);
    free(results);
    return code;
}
