/* SPDX-License-Identifier: Apache-2.0
 * Predicts the time of a pipeline's plan, from the speeds of host, bus and device. */
#include <math.h>
#include <stdlib.h>

#include "base/checked.h"
#include "host/plan.h"
#include "run/choose.h"

/* ---- Speeds ---- */

/* Elements of C that keep a compute unit busy, if k is split when it is long. */
enum { UNIT_ELEMENTS = 64 * 64 };

/* Seconds of the fastest modelled candidate for a large product of the problem's type and mode, of
 * which C has so many columns; 0 if there is none. (A measured one has the time of its own size.)
 */
enum { LARGE = 4096 };
static double chosen_seconds(const struct clg_facts *facts, const struct clg_tuning *tuning,
                             const struct clg_problem *like, int64_t n) {
    const struct clg_matrix square = {.rows = LARGE,
                                      .cols = LARGE,
                                      .ld = LARGE,
                                      .vector = clg_type_vector(like->type),
                                      .bulk = true,
                                      .readable = LARGE};
    struct clg_problem large = {.type = like->type,
                                .math = like->math,
                                .m = LARGE,
                                .n = n,
                                .k = LARGE,
                                .batch = 1,
                                .matrix = {square, square, square},
                                .work = CLG_WORK_MULTIPLY};
    struct clg_list list;
    large.matrix[CLG_B].cols = large.matrix[CLG_C].cols = n;
    clg_choose_list(&list, &large, facts, tuning, 0);
    for (int i = 0; i < list.count; i++)
        if (!clg_candidate_is_measured(&list.at[i]))
            return 1e-6 * list.at[i].us;
    return 0;
}

/* Two products, one with a quarter of the other's columns, tell what each operation takes, and what
 * each element of A and B takes besides, to be packed. Choosing both takes some 50 us, which small
 * problems would not save by better plans. */
static void ask_for_kernels(struct clg_pipe_speeds *speeds, const struct clg_facts *facts,
                            const struct clg_tuning *tuning, const struct clg_problem *problem) {
    const double least = 1e9, square = (double)LARGE * LARGE;
    if (clg_problem_flops(problem) * (double)problem->batch < least)
        return;
    const double all = chosen_seconds(facts, tuning, problem, LARGE);
    const double quarter = chosen_seconds(facts, tuning, problem, LARGE / 4);
    const double factor =
        clg_problem_flops(problem) / ((double)problem->m * (double)problem->n * (double)problem->k);
    const double pack = fmax((4 * quarter - all) / (3 * square), 0);
    const double multiplying = all - 2 * square * pack;
    if (quarter > 0 && multiplying > 0) {
        speeds->pack = pack;
        speeds->operations = factor * square * LARGE / multiplying;
    }
}

static struct clg_pipe_speeds guess(const struct clg_facts *facts, clgemm_type type,
                                    int processors) {
    const double share_of_peak = 0.75;
    return (struct clg_pipe_speeds){
        .up = 55e9,
        .down = 55e9,
        .transfer = 2.5e-6,
        .copy = 10e9,
        .copy_all = 55e9,
        .threads = (int)clg_least(processors, CLG_PIPE_THREADS),
        .more_threads = (int)clg_least(processors, CLG_PIPE_MORE_THREADS),
        .wake = 8e-6, /* two system calls of the caller, and waking up */
        .operations = share_of_peak * clg_type_peak(type, facts),
        .memory = facts->arch.memory_rate,
        .launch = 16e-6, /* mostly a thread that enqueues instead of copying */
        .elements_to_fill = (int64_t)facts->compute_units * UNIT_ELEMENTS};
}

struct clg_pipe_speeds clg_pipe_speeds_of(const struct clg_tuning *measured,
                                          const struct clg_facts *facts,
                                          const struct clg_problem *problem, int processors) {
    struct clg_pipe_speeds speeds = guess(facts, problem->type, processors);
    const struct clg_host_speeds *host = clg_tuning_host_speeds(measured, NULL);
    const double rate = clg_tuning_rate(measured, clg_type_real(problem->type), problem->math);
    if (host) {
        speeds.up = 1e6 * (double)host->up_mb_s;
        speeds.down = 1e6 * (double)host->down_mb_s;
        speeds.transfer = 1e-9 * (double)host->transfer_ns;
        speeds.copy = 1e6 * (double)host->copy_mb_s;
        speeds.copy_all = 1e6 * (double)host->copy_all_mb_s;
    }
    if (rate > 0)
        speeds.operations = rate;
    else
        ask_for_kernels(&speeds, facts, measured, problem);
    return speeds;
}

/* More threads fill slots faster at least as the square root of their number: on a host of 32 cores
 * 8, 16, 24 and 32 of them copied 55, 95, 124 and 135 GB/s through the caches. */
struct clg_pipe_speeds clg_pipe_speeds_with(const struct clg_pipe_speeds *speeds, int threads) {
    struct clg_pipe_speeds out = *speeds;
    out.copy_all *= sqrt((double)threads / speeds->threads);
    out.threads = out.more_threads = threads;
    return out;
}

void clg_pipe_speeds_share(struct clg_pipe_speeds *speeds, const struct clg_facts *facts,
                           int processors, int devices) {
    if (devices < 2)
        return;
    const int part = (int)clg_least(processors / devices, CLG_PIPE_MOST_THREADS);
    const int each = part < 1 ? 1 : part, all = (int)clg_least((int64_t)each * devices, processors);
    *speeds = clg_pipe_speeds_with(speeds, all);
    speeds->threads = speeds->more_threads = each;
    speeds->copy_all /= devices;
    if (speeds->copy > speeds->copy_all)
        speeds->copy = speeds->copy_all;
    if (facts->kind == CLG_DEVICE_CPU) {
        speeds->operations /= devices;
        speeds->memory /= devices;
    }
}

/* ---- Seconds ---- */

/* When each resource ends its work so far, in seconds. */
struct clocks {
    double copied, up, run, down, stored;
};

static const double TIE = 0.02;

static double bytes_of(const struct clg_pipe_plan *plan, const struct clg_pipe_piece *piece) {
    const double size = (double)clg_type_size(plan->steps[0].problem.type);
    return size * (double)clg_pipe_elements(piece);
}

/* Bytes of a piece that pass through slots, and those in its last slot. */
struct staging {
    double bytes, last;
};

static struct staging staging_of(const struct clg_pipe_plan *plan,
                                 const struct clg_pipe_piece *piece, double bytes) {
    const double slot = (double)plan->slot;
    if (clg_pipe_is_direct(plan, piece))
        return (struct staging){0, 0};
    return (struct staging){bytes, bytes < slot ? bytes : slot};
}

static double transfer(const struct clg_pipe_plan *plan, const struct clg_pipe_speeds *speeds,
                       double bytes, struct staging staging, double rate) {
    const double slots = staging.bytes > 0 ? (double)(long)(staging.bytes / (double)plan->slot) : 0;
    return bytes / rate + speeds->transfer * (1 + slots);
}

/* Seconds of a step, limited by the compute units and by access to C. */
static double product(const struct clg_problem *p, bool first,
                      const struct clg_pipe_speeds *speeds) {
    enum { LONG = 512 }; /* length of k that can be split among units */
    const double elements = (double)p->m * (double)p->n * (double)p->batch;
    const double parts = p->k > LONG ? (double)p->k / LONG : 1;
    const double busy = elements * parts / (double)speeds->elements_to_fill;
    const double operations = clg_problem_flops(p) * (double)p->batch;
    const double passes = first ? 1 : 2;
    const double operands = (double)p->k * ((double)p->m + (double)p->n) * (double)p->batch;
    return speeds->launch + operations / (speeds->operations * (busy < 1 ? busy : 1)) +
           speeds->pack * operands +
           passes * elements * (double)clg_type_size(p->type) / speeds->memory;
}

double clg_pipe_seconds(const struct clg_pipe_plan *plan, const struct clg_pipe_speeds *speeds) {
    const double copying = fmax(speeds->copy, fmin(speeds->copy * plan->threads, speeds->copy_all));
    struct clocks t = {0};
    int up = 0, down = 0;
    double *ran = calloc((size_t)plan->num_steps + 1, sizeof *ran), total = 0;
    if (!ran)
        return 0;
    for (int s = 0; s < plan->num_steps; s++) {
        const struct clg_pipe_step *step = &plan->steps[s];
        for (; up < step->needs; up++) {
            const struct clg_pipe_piece *piece = &plan->up[up];
            const double bytes = bytes_of(plan, piece);
            const struct staging staging = staging_of(plan, piece, bytes);
            const double left = piece->step >= 0 ? ran[piece->step] : 0;
            t.copied += staging.bytes / copying;
            t.up = fmax(t.up, fmax(left, piece->after ? t.down : 0)) +
                   transfer(plan, speeds, bytes, staging, speeds->up);
            total += staging.bytes;
            t.up = fmax(t.up, t.copied + staging.last / speeds->copy + staging.last / speeds->up);
        }
        t.run = fmax(t.run, fmax(t.up, step->after ? t.down : 0)) +
                product(&step->problem, step->first, speeds);
        ran[s] = t.run;
        for (; down < plan->num_down && plan->down[down].step == s; down++) {
            const double bytes = bytes_of(plan, &plan->down[down]);
            const struct staging staging = staging_of(plan, &plan->down[down], bytes);
            t.down = fmax(t.down, t.run) + transfer(plan, speeds, bytes, staging, speeds->down);
            t.stored = fmax(fmax(t.stored, t.run) + staging.bytes / copying,
                            t.down + staging.last / speeds->copy);
            total += staging.bytes;
        }
    }
    free(ran);
    /* Filling and emptying slots compete for the threads. Of two plans that keep the threads
     * equally busy, the one that would be faster with more threads waits less. */
    const double busy = total / copying;
    const double waking = plan->threads > 1 ? speeds->wake : 0;
    return waking + (t.stored > busy ? t.stored : busy + (t.stored - busy / 2) * TIE);
}

double clg_pipe_joint_seconds(const struct clg_pipe_plan *plan,
                              const struct clg_pipe_speeds *speeds) {
    const struct clg_problem *problem = &plan->steps[0].problem;
    const double size = (double)clg_type_size(problem->type);
    const double up = (double)clg_pipe_joint_up(plan) * size;
    const double down = (double)(plan->down[0].ld * plan->down[0].cols) * size;
    return (up + down) / speeds->copy + up / speeds->up + down / speeds->down +
           speeds->transfer * ((up > 0) + (down > 0)) + product(problem, true, speeds);
}

double clg_pipe_seconds_in_place(const struct clg_problem *problem,
                                 const struct clg_pipe_speeds *speeds) {
    return product(problem, true, speeds);
}

double clg_pipe_adding_seconds(const struct clg_problem *problem) {
    const double rate = 4e9; /* bytes of C a second: two are read and one is written */
    return (double)problem->m * (double)problem->n * (double)clg_type_size(problem->type) / rate;
}
