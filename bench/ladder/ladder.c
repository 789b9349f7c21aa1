/* SPDX-License-Identifier: Apache-2.0
 * Climbs the ladder: builds the steps, measures them beside the usual contenders, and judges
 * them. */
#include "bench/ladder/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console.h"
#include "bench/report/notes.h"
#include "bench/report/outputs.h"

const struct series *ladder_series(const struct ladder_report *r, size_t shape, int contender) {
    return &r->series[shape * (size_t)r->count + (size_t)contender];
}

const struct ladder_step *ladder_step_of(const struct ladder_report *r, int contender) {
    const struct ladder_run *run = r->contenders[contender].state;
    return contender < CONTENDERS ? NULL : &run->step;
}

const char *ladder_title(const struct ladder_report *r, int contender) {
    const struct ladder_step *step = ladder_step_of(r, contender);
    return step ? step->title : r->contenders[contender].ops->title;
}

double ladder_share(const struct ladder_report *r, const struct series *s, int contender) {
    const struct contender *c = &r->contenders[contender];
    const bool host_only = c->ops->host_matrices && contender != OURS_HOST &&
                           c->device->open->facts.kind != CLG_DEVICE_CPU;
    return r->ceiling > 0 && !host_only ? s->gflops / r->ceiling : 0;
}

/* Everything that lives as long as the run. */
struct climb {
    struct device device;
    struct ladder_space space;
    struct ladder_run runs[LADDER_ROWS_MAX];
    struct contender contenders[LADDER_SERIES_MAX];
    struct ladder_report report;
    struct series *series;
    struct outputs outputs;
};

/* Settings may make variants of a step identical. One of them is enough. */
static bool is_repeated(const struct climb *climb, const struct ladder_step *step) {
    char options[LADDER_OPTIONS], others[LADDER_OPTIONS];
    ladder_options(step, "-D", options);
    for (int i = CONTENDERS; i < climb->report.count; i++) {
        const struct ladder_step *other = ladder_step_of(&climb->report, i);
        ladder_options(other, "-D", others);
        if (other->number == step->number && !strcmp(options, others))
            return true;
    }
    return false;
}

/* Adds a step as a contender, and builds it if the device can run it. */
static void add_step(struct climb *climb, const struct ladder_step *row, const struct options *o) {
    struct clg_device *device = climb->device.open;
    const int at = climb->report.count;
    struct ladder_run *run = &climb->runs[at - CONTENDERS];
    struct contender *c = &climb->contenders[at];
    *run = (struct ladder_run){.step = *row, .space = &climb->space};
    ladder_apply(&run->step, &o->ladder.settings);
    if (is_repeated(climb, &run->step))
        return;
    *c = (struct contender){
        .ops = &ladder_ops, .wanted = true, .device = &climb->device, .state = run};
    const char *unsupported_reason =
        ladder_unsupported_reason(&run->step, &device->facts, &run->launch);
    if (unsupported_reason) {
        snprintf(c->why, sizeof c->why, "%s", unsupported_reason);
    } else {
        char options[LADDER_OPTIONS];
        ladder_find_extras(&run->step, device->id, &o->ladder.settings);
        ladder_options(&run->step, "-D", options);
        progress((size_t)run->step.number, LADDER_STEPS, "building", run->step.title);
        c->open = ladder_build(&run->main, device, row->source, options, c->why, sizeof c->why);
        c->why[strcspn(c->why, "\n")] = '\0';
    }
    climb->report.count++;
}

static bool add_steps(struct climb *climb, const struct options *o) {
    char why[512];
    struct clg_device *device = climb->device.open;
    if (!ladder_build(&climb->space.transpose, device, "transpose", "", why, sizeof why) ||
        !ladder_build(&climb->space.pad, device, "pad", "", why, sizeof why) ||
        !ladder_build(&climb->space.unpad, device, "unpad", "", why, sizeof why)) {
        complain("%s", why);
        return false;
    }
    for (int i = 0; i < ladder_step_count; i++)
        if (o->ladder.steps >> ladder_steps[i].number & 1)
            add_step(climb, &ladder_steps[i], o);
    progress(0, 0, NULL, NULL);
    return true;
}

/* Notes contenders after which the process did not become quiet. */
static void note_all_restless(struct ladder_report *r) {
    for (int i = 0; i < r->count; i++) {
        double cores = 0;
        for (size_t s = 0; s < r->options->shapes.count; s++)
            cores = fmax(cores, ladder_series(r, s, i)->timing.restless);
        note_restless(&r->context, ladder_title(r, i), cores);
    }
}

static void measure_sizes(struct climb *climb, const struct options *o) {
    const struct transposes none = {CLGEMM_NO_TRANS, CLGEMM_NO_TRANS};
    for (size_t s = 0; s < o->shapes.count; s++) {
        char text[SHAPE_TEXT];
        progress(s + 1, o->shapes.count, shape_text(text, o->shapes.items[s]), "");
        measure_with(climb->series + s * (size_t)climb->report.count, climb->contenders,
                     climb->report.count, &climb->device, o, o->shapes.items[s], none);
    }
    progress(0, 0, NULL, NULL);
}

/* A wrong result or a failed call, of a step or of ours, is a failure. A size that a step cannot do
 * is reported, and is a failure only if nothing else was requested. */
static int judge(const struct ladder_report *r) {
    bool any = false, failed = false;
    for (size_t s = 0; s < r->options->shapes.count; s++)
        for (int i = 0; i < r->count; i++) {
            const struct series *series = ladder_series(r, s, i);
            const struct ladder_step *step = ladder_step_of(r, i);
            char text[SHAPE_TEXT];
            if (i != OURS_HOST && i != OURS_DEVICE && !step)
                continue;
            failed = failed || series->outcome == OUTCOME_FAILED || series->checked == CHECK_WRONG;
            any = any || (step && series->outcome != OUTCOME_SKIPPED);
            if (step && series->outcome == OUTCOME_SKIPPED)
                complain("step %d, %s: %s", step->number,
                         shape_text(text, r->options->shapes.items[s]), series->why);
        }
    return failed ? EXIT_FAILED : any ? EXIT_FINE : EXIT_USAGE;
}

static int report(struct climb *climb, const struct options *o) {
    struct ladder_report *r = &climb->report;
    if (climb->outputs.plot)
        ladder_report_svg(climb->outputs.plot, r);
    return outputs_write(&climb->outputs, o, ladder_report_write, r) ? judge(r) : EXIT_USAGE;
}

static int run(struct climb *climb, const struct options *o) {
    struct ladder_report *r = &climb->report;
    int code = EXIT_USAGE;
    contenders_open(climb->contenders, &climb->device, o->peers);
    *r = (struct ladder_report){.options = o, .contenders = climb->contenders, .count = CONTENDERS};
    context_fill(&r->context, &climb->device, climb->contenders, o);
    r->ceiling = ladder_ceiling(&climb->device, CLGEMM_F32, r->no_ceiling, sizeof r->no_ceiling);
    if (r->ceiling > 0)
        context_add(&r->context, "fma_ceiling", "%.1f GFLOP/s, measured in this run", r->ceiling);
    else
        context_add(&r->context, "fma_ceiling", "not measured: %s", r->no_ceiling);
    if (add_steps(climb, o)) {
        r->series = climb->series =
            calloc(o->shapes.count * (size_t)r->count, sizeof *climb->series);
        if (climb->series) {
            measure_sizes(climb, o);
            note_all_restless(r);
            code = report(climb, o);
        } else {
            complain("out of memory");
        }
    }
    for (int i = CONTENDERS; i < r->count; i++)
        climb->contenders[i].ops->close(&climb->contenders[i]);
    contenders_close(climb->contenders);
    return code;
}

int ladder(const struct options *o) {
    struct climb *climb = calloc(1, sizeof *climb);
    if (!climb) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    int code = device_require(&climb->device, o->device);
    if (!code)
        code = outputs_open(&climb->outputs, o) ? run(climb, o) : EXIT_USAGE;
    outputs_release(&climb->outputs);
    ladder_kernel_release(&climb->space.transpose);
    ladder_kernel_release(&climb->space.pad);
    ladder_kernel_release(&climb->space.unpad);
    device_close(&climb->device);
    free(climb->series);
    free(climb);
    return code;
}
