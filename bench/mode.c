/* SPDX-License-Identifier: Apache-2.0
 * Measures with reports of their own, from the command line to the exit code. */
#include "bench/mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console.h"
#include "bench/report/baseline.h"
#include "bench/report/notes.h"
#include "bench/report/outputs.h"
#include "bench/verify.h"
#include "src/common/worker.h"

static struct mode_result *result_at(const struct mode *mode, void *results, size_t index) {
    return (struct mode_result *)((char *)results + index * mode->result_size);
}

/* Returns the number of results, which is smaller after a signal. */
static size_t measure_all(const struct mode *mode, void *results, struct device *device,
                          const struct options *o, struct context *context) {
    const size_t total = o->shapes.count * o->trans.count;
    size_t done = 0;
    for (size_t i = 0; i < total; i++) {
        struct mode_result *r = result_at(mode, results, i);
        r->shape = o->shapes.items[i / o->trans.count];
        r->trans = o->trans.items[i % o->trans.count];
    }
    if (mode->begin)
        mode->begin(results, total, device, o, context);
    for (; done < total && !worker_stop; done++) {
        struct mode_result *r = result_at(mode, results, done);
        char text[SHAPE_TEXT];
        progress(done + 1, total, shape_text(text, r->shape), trans_name(r->trans));
        mode->measure(r, device, o);
    }
    progress(0, 0, NULL, NULL);
    return done;
}

int mode_run(const struct mode *mode, const struct options *o) {
    void *results = calloc(o->shapes.count * o->trans.count, mode->result_size);
    struct mode_report report = {.options = o, .results = results};
    struct baseline baseline = {0};
    struct device device = {0};
    struct outputs outputs = {0};
    worker_watch_signals();
    int code = results && baseline_open(&baseline, o) ? EXIT_FINE : EXIT_USAGE;
    if (!code)
        code = context_open(&report.context, &device, o);
    if (!code && !outputs_open(&outputs, o))
        code = EXIT_USAGE;
    if (!code) {
        report.baseline = baseline_for(&baseline, o, device.open->facts.name);
        report.count = measure_all(mode, results, &device, o, &report.context);
        double restless = 0;
        for (size_t i = 0; i < report.count; i++)
            restless = fmax(restless, result_at(mode, results, i)->restless);
        note_restless(&report.context, "this process", restless);
        if (mode->draw && outputs.plot)
            mode->draw(outputs.plot, &report);
        if (!outputs_write(&outputs, o, mode->write, &report))
            code = EXIT_USAGE;
    }
    for (size_t i = 0; i < report.count && !code; i++)
        if (result_at(mode, results, i)->outcome == OUTCOME_FAILED)
            code = EXIT_FAILED;
    if (interrupted() && !code)
        code = EXIT_FAILED;
    if (!code && o->fail_below > 0 && !mode->passes(&report))
        code = EXIT_FAILED;
    outputs_release(&outputs);
    device_close(&device);
    baseline_release(&baseline);
    free(results);
    return code;
}

bool mode_fail(struct mode_result *r, enum outcome outcome, const char *why) {
    r->outcome = outcome;
    snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(why, "\n"), why);
    return false;
}

bool mode_load(struct mode_result *r, struct problem *p, struct device *device,
               const struct options *o, bool judged) {
    char why[256] = "";
    const char *unsupported_reason = clg_type_unsupported_reason(o->type, &device->open->facts);
    if (unsupported_reason)
        return mode_fail(r, OUTCOME_SKIPPED, unsupported_reason);
    bool made = problem_describe(p, o, r->shape, r->trans, why, sizeof why);
    if (made)
        made = problem_create(p, problem_bytes(p) + (judged ? judge_bytes(p) : 0), why, sizeof why);
    made = made && device_load(device, p, why, sizeof why);
    return made || mode_fail(r, OUTCOME_SKIPPED, why);
}

void mode_csv(FILE *out, const struct options *o, const struct mode_result *r) {
    csv_problem(out, o, r->shape, r->trans);
    fprintf(out, "%s,", outcome_name(r->outcome));
}

void mode_json(struct clg_json *json, const struct options *o, const struct mode_result *r) {
    json_problem(json, o, r->shape, r->trans);
    clg_json_text(json, "outcome", outcome_name(r->outcome));
    clg_json_text(json, "why", r->why);
}

void mode_cell(char *cell, size_t size, const struct mode_result *r) {
    snprintf(cell, size, "%s %s", r->outcome == OUTCOME_FAILED ? "FAIL" : "skipped:", r->why);
}
