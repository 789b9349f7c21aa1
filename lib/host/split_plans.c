/* SPDX-License-Identifier: Apache-2.0
 * Divides a product by the times of the devices' plans, and says how. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/checked.h"
#include "base/format.h"
#include "host/plan.h"
#include "host/split.h"

/* ---- By the devices' plans ---- */

enum { MEMOS = 256 };

struct devices {
    const struct clg_split_device *of;
    int like[CLG_DEVICES_MOST]; /* the first device that takes as long for anything */
    struct clg_pipe_speeds speeds[CLG_DEVICES_MOST]; /* of one alone; of the first of those alike */
    bool has_beta;
    int processors;
    struct memo {
        int like, devices;
        int64_t m, n, k, batch;
        double seconds;
    } memo[MEMOS]; /* the last times; bisections ask for some again and again */
    int memos;
};

static bool are_alike(const struct clg_split_device *x, const struct clg_split_device *y) {
    return x->copies == y->copies && strcmp(x->facts->name, y->facts->name) == 0 &&
           strcmp(x->facts->driver, y->facts->driver) == 0 && x->facts->kind == y->facts->kind &&
           x->facts->compute_units == y->facts->compute_units &&
           x->facts->clock_mhz == y->facts->clock_mhz &&
           x->facts->workspace_max == y->facts->workspace_max;
}

static double plan_seconds(const struct devices *all, const struct clg_problem *problem, int like,
                           int devices) {
    const struct clg_split_device *device = &all->of[like];
    struct clg_pipe_speeds speeds = all->speeds[like];
    if (clg_type_unsupported_reason(problem->type, device->facts))
        return HUGE_VAL;
    clg_pipe_speeds_share(&speeds, device->facts, all->processors, devices);
    if (device->copies) {
        const struct clg_pipe_task task = {problem, all->has_beta, 0};
        struct clg_pipe_plan plan = {0};
        const int64_t products = clg_pipe_make(&plan, &task, device->facts, &speeds);
        const double seconds =
            products ? plan.seconds * (double)clg_ceil_div(problem->batch, products) : HUGE_VAL;
        clg_pipe_plan_free(&plan);
        return seconds;
    }
    return clg_pipe_seconds_in_place(problem, &speeds);
}

static double remembered_seconds(void *user, const struct clg_problem *problem, int device,
                                 int devices) {
    struct devices *all = user;
    const int like = all->like[device];
    for (int i = 0; i < MEMOS && i < all->memos; i++) {
        const struct memo *memo = &all->memo[i];
        if (memo->like == like && memo->devices == devices && memo->m == problem->m &&
            memo->n == problem->n && memo->k == problem->k && memo->batch == problem->batch)
            return memo->seconds;
    }
    const double seconds = plan_seconds(all, problem, like, devices);
    all->memo[all->memos++ % MEMOS] =
        (struct memo){like, devices, problem->m, problem->n, problem->k, problem->batch, seconds};
    return seconds;
}

void clg_split_make(struct clg_split *out, const struct clg_problem *problem, bool has_beta,
                    const struct clg_split_device devices[], int count, int processors) {
    struct devices all = {.of = devices, .has_beta = has_beta, .processors = processors};
    for (int d = 0; d < count; d++) {
        while (!are_alike(&devices[all.like[d]], &devices[d]))
            all.like[d]++;
        if (all.like[d] == d)
            all.speeds[d] =
                clg_pipe_speeds_of(devices[d].tuning, devices[d].facts, problem, processors);
    }
    clg_split_by(out, problem, count, remembered_seconds, &all);
}

/* ---- Words ---- */

/* Appends to text that has used so many bytes of `size`, and counts its own. */
__attribute__((format(printf, 4, 5))) static void append(char *out, size_t size, size_t *used,
                                                         const char *form, ...) {
    va_list arguments;
    if (*used >= size)
        return;
    va_start(arguments, form);
    const int wrote = clg_format_args(out + *used, size - *used, form, arguments);
    va_end(arguments);
    *used += wrote > 0 ? (size_t)wrote : 0;
}

void clg_split_describe(const struct clg_split *split, const struct clg_problem *whole,
                        const char *const places[], char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < split->count; i++) {
        const struct clg_split_share *s = &split->shares[i];
        append(out, size, &used, "%s%s rows %" PRId64 "-%" PRId64 " columns %" PRId64 "-%" PRId64,
               i ? ", " : "", places[s->device], s->row, s->row + s->rows - 1, s->col,
               s->col + s->cols - 1);
        if (whole->batch > 1)
            append(out, size, &used, " products %" PRId64 "-%" PRId64, s->product,
                   s->product + s->products - 1);
        if (s->depth < whole->k)
            append(out, size, &used, " of k %" PRId64 "-%" PRId64, s->k, s->k + s->depth - 1);
    }
}
