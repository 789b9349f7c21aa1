/* SPDX-License-Identifier: Apache-2.0
 * Traces calls on host matrices. */
#include "bench/timeline.h"

#include <stdlib.h>

#include "api/handle.h"
#include "base/clock.h"
#include "src/common/median.h"

enum { WARM = 3, SAMPLES = 7 };

/* What lives as long as one problem. */
struct work {
    struct device *device;
    struct problem problem;
    clgemm_desc desc;
    struct timeline_result *result;
};

static int by_lane_and_time(const void *left, const void *right) {
    const struct clg_pipe_span *a = left, *b = right;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static bool call(const struct work *w) {
    const struct problem *p = &w->problem;
    const union scalar alpha = element_scalar(p->type, p->alpha);
    const union scalar beta = element_scalar(p->type, p->beta);
    return !clgemm_gemm(w->device->handle, &w->desc, &alpha, p->a, p->b, &beta, p->c) ||
           mode_fail(&w->result->head, OUTCOME_FAILED, clgemm_last_error());
}

/* `swapped`: the library's A is the caller's B. */
static void keep(struct timeline_result *r, const struct clg_pipe_trace *trace, bool swapped,
                 double began, double seconds) {
    r->count = trace->count < trace->room ? trace->count : trace->room;
    r->lost = trace->count - r->count;
    r->expected = trace->expected;
    r->began = began;
    r->seconds = seconds;
    for (int i = 0; i < r->count; i++) {
        r->spans[i] = trace->spans[i];
        if (swapped && r->spans[i].matrix != CLG_C)
            r->spans[i].matrix = CLG_A + CLG_B - r->spans[i].matrix;
    }
}

static bool trace_calls(struct work *w, struct clg_pipe_trace *trace) {
    struct timeline_result *r = w->result;
    double seconds[SAMPLES];
    for (int i = -WARM; i < SAMPLES; i++) {
        trace->count = 0;
        trace->expected = 0;
        const double began = clg_clock_seconds();
        if (!call(w))
            return false;
        const double took = clg_clock_seconds() - began;
        if (i < 0)
            continue;
        seconds[i] = took;
        if (i == 0 || took < r->seconds)
            keep(r, trace, w->problem.layout == CLGEMM_ROW_MAJOR, began, took);
    }
    r->median = median_sort(seconds, SAMPLES);
    if (r->count == 0)
        return mode_fail(&r->head, OUTCOME_SKIPPED,
                         "a call this small makes one transfer each way and has no pipeline");
    qsort(r->spans, (size_t)r->count, sizeof *r->spans, by_lane_and_time);
    return true;
}

static void measure_timeline(void *result, struct device *device, const struct options *o) {
    struct timeline_result *r = result;
    struct clg_host *host = &device->handle->host;
    struct clg_pipe_trace trace = {.room = TIMELINE_SPANS};
    struct work w = {.device = device, .result = r};
    trace.spans = malloc(TIMELINE_SPANS * sizeof *trace.spans);
    if (!trace.spans) {
        mode_fail(&r->head, OUTCOME_FAILED, "out of memory");
    } else if (mode_load(&r->head, &w.problem, device, o, false)) {
        const enum clg_host_access access = clg_host_access_of(host);
        r->forced = access != CLG_HOST_COPY;
        w.desc = problem_desc(&w.problem);
        problem_start_c(&w.problem, w.problem.c);
        host->access = CLG_HOST_COPY;
        host->trace = &trace;
        trace_calls(&w, &trace);
        host->trace = NULL;
        host->access = access;
    }
    free(trace.spans);
    device_unload(device);
    problem_release(&w.problem);
}

const struct mode timeline_mode = {.result_size = sizeof(struct timeline_result),
                                   .measure = measure_timeline,
                                   .write = timeline_report_write,
                                   .draw = timeline_draw};
