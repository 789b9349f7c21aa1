/* SPDX-License-Identifier: Apache-2.0
 * clgemm-bench: measures the library beside others; prints, plots and gates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console.h"
#include "bench/coretype.h"
#include "bench/first_call/first_call.h"
#include "bench/growth.h"
#include "bench/ladder/ladder.h"
#include "bench/overhead.h"
#include "bench/regret.h"
#include "bench/regret_build.h"
#include "bench/report/baseline.h"
#include "bench/report/notes.h"
#include "bench/report/outputs.h"
#include "bench/timeline.h"
#include "src/common/worker.h"

static int list_devices(void) {
    int count = device_list(stdout);
    if (count > 0)
        return EXIT_FINE;
    complain("no OpenCL device: %s", count < 0 ? clgemm_last_error() : "no platform offers one");
    return EXIT_NO_DEVICE;
}

/* Returns the number of results, which is smaller after a signal. */
static size_t measure_all(struct result *results, struct contender *contenders,
                          struct device *device, const struct options *o) {
    const size_t total = o->shapes.count * o->trans.count;
    size_t i = 0;
    for (; i < total && !worker_stop; i++) {
        const struct shape shape = o->shapes.items[i / o->trans.count];
        const struct transposes trans = o->trans.items[i % o->trans.count];
        char text[SHAPE_TEXT];
        progress(i + 1, total, shape_text(text, shape), trans_name(trans));
        measure(&results[i], contenders, device, o, shape, trans);
    }
    progress(0, 0, NULL, NULL);
    return i;
}

/* Whether our rates reach the baseline's. Failures are printed to stderr. */
static bool passes_gate(const struct report *r) {
    bool passed = true, compared = false;
    for (size_t i = 0; i < r->count; i++)
        for (int ours = OURS_HOST; ours <= OURS_DEVICE; ours++) {
            const struct result *row = &r->results[i];
            double ratio = baseline_ratio(r->baseline, r->options, row, ours);
            compared = compared || ratio != 0;
            if (row->is_best || ratio == 0 || ratio >= r->options->fail_below)
                continue;
            char shape[SHAPE_TEXT], rate[32];
            snprintf(rate, sizeof rate, "at %.3f of the baseline", ratio);
            complain("%s %s%s%s, %s: %s", shape_text(shape, row->shape), trans_name(row->trans),
                     *row->coretype ? ", " : "", row->coretype, r->contenders[ours].ops->title,
                     ratio < 0 ? "no longer measured" : rate);
            passed = false;
        }
    if (!compared)
        complain("the baseline has no figure for any of these problems");
    return passed && compared;
}

/* Whether the results are right and, with a gate, fast enough. */
static int judge(const struct report *r) {
    int code = interrupted() ? EXIT_FAILED : EXIT_FINE;
    for (size_t i = 0; i < r->count; i++)
        if (result_failed(&r->results[i]))
            code = EXIT_FAILED;
    if (r->options->fail_below > 0 && !passes_gate(r))
        code = EXIT_FAILED;
    return code;
}

/* The last block: the only one, or the best. */
static void draw(FILE *out, const struct report *report) {
    struct report last = *report;
    last.count = report->count / coretype_blocks(report->options);
    last.results = report->results + (report->count - last.count);
    report_svg(out, &last);
}

/* What the page shows besides rates: the device's ceilings, and how it accesses host matrices. */
static void measure_for_page(struct report *report, struct result *results, struct device *device) {
    const struct options *o = report->options;
    struct ceilings *ceilings = &report->ceilings;
    char why[256];
    ceilings->gflops = ladder_ceiling(device, o->type, why, sizeof why);
    if (ceilings->gflops > 0)
        ceilings->gbytes = ladder_copy_ceiling(device, why, sizeof why);
    if (ceilings->gbytes <= 0)
        complain("note: --report has no roofline: %s", why);
    report->host_access = copies_access(device);
    for (size_t i = 0; i < report->count; i++)
        copies_measure(&results[i].copies, device, o, results[i].shape, results[i].trans);
}

/* Notes contenders after which the process did not become quiet. */
static void note_all_restless(struct report *report) {
    for (int c = 0; c < CONTENDERS; c++) {
        double cores = 0;
        for (size_t i = 0; i < report->count; i++)
            cores = fmax(cores, report->results[i].series[c].timing.restless);
        note_restless(&report->context, report->contenders[c].ops->title, cores);
    }
}

/* Everything after the command line, on an open device. */
static int bench(const struct options *o, struct device *device, const struct baseline *baseline,
                 struct outputs *outputs) {
    struct contender contenders[CONTENDERS];
    const size_t problems = o->shapes.count * o->trans.count;
    const size_t count = problems * coretype_blocks(o);
    struct result *results = calloc(count, sizeof *results);
    if (!results) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    struct report report = {.options = o,
                            .contenders = contenders,
                            .baseline = baseline,
                            .results = results,
                            .count = count};
    contenders_open(contenders, device, o->peers);
    context_fill(&report.context, device, contenders, o);
    if (o->coretype_child)
        coretype_check(&contenders[OPENBLAS]);
    if (count > problems)
        coretype_measure(results, problems, o, &report.context);
    else
        report.count = measure_all(results, contenders, device, o);
    note_all_restless(&report);
    int code;
    if (o->coretype_child) {
        code = interrupted() ? EXIT_FAILED : coretype_answer(results, problems, contenders);
    } else {
        if (outputs->page && !worker_stop)
            measure_for_page(&report, results, device);
        if (outputs->plot)
            draw(outputs->plot, &report);
        code = outputs_write(outputs, o, report_write, &report) ? judge(&report) : EXIT_USAGE;
    }
    contenders_close(contenders);
    free(results);
    return code;
}

static int open_and_bench(const struct options *o) {
    struct baseline baseline = {0};
    struct device device = {0};
    struct outputs outputs = {0};
    worker_watch_signals();
    int code = baseline_open(&baseline, o) ? device_require(&device, o->device) : EXIT_USAGE;
    if (!code && !o->coretype_child && !outputs_open(&outputs, o))
        code = EXIT_USAGE;
    if (!code)
        code = bench(o, &device, baseline_for(&baseline, o, device.open->facts.name), &outputs);
    outputs_release(&outputs);
    device_close(&device);
    baseline_release(&baseline);
    return code;
}

int main(int argc, char **argv) {
    struct options options;
    int code;
    if (options_go_on(options_parse(&options, argc, argv), &code))
        code = options.list_devices       ? list_devices()
               : options.first_call_child ? first_call_child(&options)
               : options.regret_child     ? regret_build_child(&options)
               : options.first_call       ? first_call(&options)
               : options.regret           ? mode_run(&regret_mode, &options)
               : options.overhead         ? mode_run(&overhead_mode, &options)
               : options.growth           ? mode_run(&growth_mode, &options)
               : options.timeline         ? mode_run(&timeline_mode, &options)
               : options.ladder.wanted    ? ladder(&options)
                                          : open_and_bench(&options);
    options_release(&options);
    return code;
}
