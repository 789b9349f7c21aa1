/* SPDX-License-Identifier: Apache-2.0
 * Calls all shapes of a grid in turn, round after round. Each is called twice: a handle has
 * forgotten its plan by then, and remembers it the next time. */
#include "bench/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/clock.h"
#include "bench/memory.h"
#include "src/common/median.h"

/* Sizes along m, n and k at most; and shapes called back to back: few enough that no runtime makes
 * the host wait for space in the queue, and that all their plans are remembered. */
enum { MOST_M = 25, MOST_N = 20, MOST_K = 20, BLOCK = 32 };

/* One shape of the grid. */
struct item {
    clgemm_desc desc;
    int row;                        /* of the result: its family's */
    double seconds[GROWTH_FIGURES]; /* of its calls in this round */
};

struct work {
    struct device *device;
    struct problem problem; /* the largest: its matrices are everyone's */
    union scalar alpha, beta;
    struct item *items;
    double *seconds; /* room for `count` */
    size_t count;
    struct growth_result *result;
};

static bool fail(struct work *w, enum outcome outcome, const char *why) {
    return mode_fail(&w->result->head, outcome, why);
}

/* The sizes of an axis: all, or as many as there may be, evenly spaced. */
static int64_t sizes(int64_t largest, int most) {
    return largest < most ? largest : most;
}

static int64_t size_at(int64_t largest, int most, int64_t index) {
    const int64_t count = sizes(largest, most), part = index + 1;
    return largest / count * part + largest % count * part / count;
}

static bool list_shapes(struct work *w, const struct options *o) {
    const struct mode_result *head = &w->result->head;
    const struct shape most = head->shape;
    const int64_t m = sizes(most.m, MOST_M), n = sizes(most.n, MOST_N), k = sizes(most.k, MOST_K);
    if (m * n * k <= CLG_ENGINE_PLANS)
        return fail(w, OUTCOME_SKIPPED, "so few shapes that all plans are remembered");
    w->items = calloc((size_t)(m * n * k), sizeof *w->items);
    w->seconds = calloc((size_t)(m * n * k), sizeof *w->seconds);
    if (!w->items || !w->seconds)
        return fail(w, OUTCOME_SKIPPED, "out of host memory");
    for (int64_t i = 0; i < m * n * k; i++) {
        const struct shape shape = {size_at(most.m, MOST_M, i % m),
                                    size_at(most.n, MOST_N, i / m % n),
                                    size_at(most.k, MOST_K, i / m / n)};
        struct problem p;
        char why[256];
        if (!problem_describe(&p, o, shape, head->trans, why, sizeof why))
            return fail(w, OUTCOME_SKIPPED, why);
        w->items[w->count++].desc = problem_desc(&p);
    }
    return true;
}

static bool call(struct work *w, const struct item *item) {
    const struct device *d = w->device;
    return !clgemm_gemm_cl(d->handle, &item->desc, &w->alpha, d->a, 0, d->b, 0, &w->beta, d->c, 0,
                           d->queue, 0, NULL, NULL) ||
           fail(w, OUTCOME_FAILED, clgemm_last_error());
}

static bool finish(struct work *w) {
    const cl_int code = clFinish(w->device->queue);
    return !code || fail(w, OUTCOME_FAILED, clgemm_status_name((clgemm_status)code));
}

/* The family of the plan that was used last. */
static const char *latest_family(struct clg_known_table *plans) {
    const struct clg_known *latest = NULL;
    pthread_mutex_lock(&plans->lock);
    for (int b = 0; b < CLG_KNOWN_BUCKETS; b++)
        for (const struct clg_known *known = plans->buckets[b]; known; known = known->next)
            if (!latest || known->used > latest->used)
                latest = known;
    const struct clg_family *family =
        latest ? ((const struct clg_known_plan *)latest)->prepared.plan.family : NULL;
    pthread_mutex_unlock(&plans->lock);
    return family ? family->name : "none";
}

static int row_of(struct growth_result *r, const char *family) {
    int row = 0;
    while (row < r->num_rows && strcmp(r->rows[row].family, family) != 0)
        row++;
    if (row == r->num_rows)
        r->rows[r->num_rows++].family = family;
    r->rows[row].shapes++;
    return row;
}

/* A first call of each shape, which builds what programs are missing. */
static bool build_all(struct work *w) {
    struct growth_result *r = w->result;
    for (size_t i = 0; i < w->count; i++) {
        struct item *item = &w->items[i];
        if (!call(w, item) || !finish(w))
            return false;
        row_of(r, "all");
        item->row = row_of(r, latest_family(&w->device->handle->engine.plans));
    }
    return true;
}

/* Calls a block of shapes once. The queue is empty before and after. */
static bool call_block(struct work *w, enum growth_figure figure, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        struct item *item = &w->items[i];
        const double start = clg_clock_seconds();
        if (!call(w, item))
            return false;
        item->seconds[figure] = clg_clock_seconds() - start;
    }
    return finish(w);
}

/* Adds the sample of this round to a row: the median of its calls, because the system may take the
 * core away during some. */
static void add_sample(struct work *w, int row, enum growth_figure figure) {
    struct timing *t = &w->result->rows[row].figures[figure];
    t->calls = 0;
    for (size_t i = 0; i < w->count; i++)
        if (row == 0 || w->items[i].row == row)
            w->seconds[t->calls++] = w->items[i].seconds[figure];
    t->seconds[t->samples++] = median_sort(w->seconds, t->calls);
}

static bool call_round(struct work *w) {
    for (size_t first = 0; first < w->count; first += BLOCK) {
        const size_t end = first + BLOCK < w->count ? first + BLOCK : w->count;
        for (int f = 0; f < GROWTH_FIGURES; f++)
            if (!call_block(w, (enum growth_figure)f, first, end))
                return false;
    }
    for (int row = 0; row < w->result->num_rows; row++)
        for (int f = 0; f < GROWTH_FIGURES; f++)
            add_sample(w, row, (enum growth_figure)f);
    return true;
}

static void call_all(struct work *w) {
    struct growth_result *r = w->result;
    const struct clg_known_table *plans = &w->device->handle->engine.plans;
    double start = -1;
    if (!build_all(w))
        return;
    r->head.restless = quiet_wait(NULL, QUIET_MOST);
    const uint64_t missed = plans->missed;
    for (int round = 0; round < GROWTH_ROUNDS; round++) {
        if (!call_round(w))
            return;
        if (round == 0)
            start = memory_resident();
    }
    r->resident = memory_resident();
    r->growth = start < 0 || r->resident < 0 ? -1 : fmax(r->resident - start, 0);
    if (plans->missed - missed < GROWTH_ROUNDS * w->count)
        fail(w, OUTCOME_FAILED, "plans were remembered that should have been replaced");
    for (int row = 0; row < r->num_rows; row++)
        for (int f = 0; f < GROWTH_FIGURES; f++)
            timing_summarize(&r->rows[row].figures[f]);
}

static void measure_growth(void *result, struct device *device, const struct options *o) {
    struct growth_result *r = result;
    struct work w = {.device = device, .result = r};
    if (list_shapes(&w, o) && mode_load(&r->head, &w.problem, device, o, false)) {
        w.alpha = element_scalar(o->type, o->alpha);
        w.beta = element_scalar(o->type, o->beta);
        const cl_int code = device_start_c(device, &w.problem, w.problem.c);
        if (code)
            fail(&w, OUTCOME_FAILED, clgemm_status_name((clgemm_status)code));
        else
            call_all(&w);
    }
    if (r->head.outcome)
        r->num_rows = 0;
    free(w.items);
    free(w.seconds);
    device_unload(device);
    problem_release(&w.problem);
}

const struct mode growth_mode = {.result_size = sizeof(struct growth_result),
                                 .measure = measure_growth,
                                 .write = growth_report_write,
                                 .passes = growth_passes};
