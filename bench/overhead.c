/* SPDX-License-Identifier: Apache-2.0
 * Times calls and bare kernels in turn. */
#include "bench/overhead.h"

#include "api/handle.h"
#include "base/clock.h"
#include "bench/peers/bare.h"
#include "run/choose.h"

/* Calls back to back in one sample: few enough that no runtime makes the host wait for space in the
 * queue. */
enum { BACK_TO_BACK = 64, SAMPLES = 15 };

/* What lives as long as one problem. */
struct work {
    struct device *device;
    struct problem problem;
    clgemm_desc desc;
    union scalar beta;
    struct bare bare;
    struct overhead_result *result;
};

static bool fail(struct work *w, enum outcome outcome, const char *why) {
    return mode_fail(&w->result->head, outcome, why);
}

static clgemm_status call(const struct work *w, clgemm_handle *handle, struct factor factor) {
    const struct problem *p = &w->problem;
    const struct device *d = w->device;
    const union scalar alpha = element_scalar(p->type, factor);
    return clgemm_gemm_cl(handle, &w->desc, &alpha, d->a, 0, d->b, 0, &w->beta, d->c, 0, d->queue,
                          0, NULL, NULL);
}

static clgemm_status call_host(const struct work *w) {
    const struct problem *p = &w->problem;
    const union scalar alpha = element_scalar(p->type, p->alpha);
    return clgemm_gemm(w->device->handle, &w->desc, &alpha, p->a, p->b, &w->beta, p->c);
}

/* A call whose plan has to be made: on the device's handle, whose plans can be forgotten. */
static clgemm_status call_cold(const struct work *w) {
    clg_known_forget(&w->device->handle->engine.plans, true);
    return call(w, w->device->handle, w->problem.alpha);
}

/* One step of a figure: a call or a bare kernel, with or without a wait. */
static int step(const struct work *w, enum overhead_figure figure, int number) {
    const cl_command_queue queue = w->device->queue;
    int code = 0;
    if (figure == OVERHEAD_HOST)
        return (int)call_host(w);
    if (figure == OVERHEAD_ENQUEUE || figure == OVERHEAD_FINISH)
        code = (int)call(w, NULL, w->problem.alpha);
    else if (figure == OVERHEAD_FACTORS)
        code = (int)call(w, NULL, (struct factor){w->problem.alpha.re + 1 + number, 0});
    else if (figure == OVERHEAD_COLD)
        code = (int)call_cold(w);
    else
        code = bare_enqueue(&w->bare, queue);
    if (!code && (figure == OVERHEAD_FINISH || figure == OVERHEAD_BARE_FINISH))
        code = clFinish(queue);
    return code;
}

/* Seconds of one of many steps, or negative. The queue is empty before and after; emptying it is
 * not timed. */
static double sample(const struct work *w, enum overhead_figure figure) {
    int code = 0;
    const double start = clg_clock_seconds();
    for (int i = 0; i < BACK_TO_BACK && !code; i++)
        code = step(w, figure, i);
    const double seconds = clg_clock_seconds() - start;
    const cl_int finished = clFinish(w->device->queue);
    return code || finished ? -1 : seconds / BACK_TO_BACK;
}

/* Figures take turns. The first round is a warm-up. */
static void time_figures(struct work *w) {
    struct timing *figures = w->result->figures;
    w->result->head.restless = quiet_wait(NULL, QUIET_MOST);
    for (int round = -1; round < SAMPLES; round++)
        for (int f = 0; f < OVERHEAD_FIGURES; f++) {
            const double seconds = sample(w, (enum overhead_figure)f);
            if (seconds < 0) {
                fail(w, OUTCOME_FAILED, clgemm_last_error());
                return;
            }
            if (round >= 0)
                figures[f].seconds[figures[f].samples++] = seconds;
        }
    for (int f = 0; f < OVERHEAD_FIGURES; f++) {
        figures[f].calls = BACK_TO_BACK;
        timing_summarize(&figures[f]);
    }
}

/* The call's plan, for its number of kernels and arguments. */
static bool look_at_plan(struct work *w, struct clg_plan *plan) {
    const clgemm_handle *handle = w->device->handle;
    const struct clg_facts *facts = &handle->engine.device->facts;
    const struct clg_call description = problem_call(&w->problem, w->problem.shape.k);
    struct clg_problem problem;
    if (clg_problem_init(&problem, &description) ||
        clg_choose_plan(plan, &problem, facts, handle->engine.tuning))
        return fail(w, OUTCOME_FAILED, clgemm_last_error());
    if (plan->num_steps == 0)
        return fail(w, OUTCOME_SKIPPED, "nothing to do");
    w->result->kernels = plan->num_steps;
    w->result->arguments = plan->steps[plan->num_steps - 1].num_args;
    return true;
}

static void measure_overhead(void *result, struct device *device, const struct options *o) {
    struct overhead_result *r = result;
    struct clg_plan plan = {0};
    struct work w = {.device = device, .result = r};
    if (mode_load(&r->head, &w.problem, device, o, false) && look_at_plan(&w, &plan)) {
        w.desc = problem_desc(&w.problem);
        w.beta = element_scalar(w.problem.type, w.problem.beta);
        problem_start_c(&w.problem, w.problem.c);
        cl_int code = device_start_c(device, &w.problem, w.problem.c);
        if (!code)
            code = bare_create(&w.bare, device, w.problem.type, &plan.steps[plan.num_steps - 1]);
        if (code)
            fail(&w, OUTCOME_FAILED, clgemm_status_name((clgemm_status)code));
        else
            time_figures(&w);
    }
    bare_release(&w.bare);
    clgemm_clear_cache(); /* the handle of calls without a handle */
    device_unload(device);
    problem_release(&w.problem);
}

const struct mode overhead_mode = {.result_size = sizeof(struct overhead_result),
                                   .measure = measure_overhead,
                                   .write = overhead_report_write};
