/* SPDX-License-Identifier: Apache-2.0
 * The policy of tuning while a program works. */
#include "tune/online.h"

#include <math.h>
#include <stdlib.h>

/* The estimate for a build before the first one: runtimes take 0.1 to 2 seconds. */
static const double build_guess = 2;

/* The estimate for a pair, in calls: two runs, and the check of C. */
static const double pair_guess = 4;

void clg_online_start(struct clg_online *out, const struct clg_problem *problem,
                      const struct clg_facts *facts, const struct clg_candidate *centre) {
    *out = (struct clg_online){0};
    clg_space_init(&out->space, problem, facts);
    clg_online_move(out, centre);
}

static bool was_tried(const struct clg_online *online, const struct clg_candidate *candidate) {
    for (int i = 0; i < online->num_tried; i++)
        if (clg_candidate_equal(&online->tried[i], candidate))
            return true;
    return false;
}

static void note_tried(struct clg_online *online, const struct clg_candidate *candidate) {
    if (online->num_tried < CLG_ONLINE_TRIED && !was_tried(online, candidate))
        online->tried[online->num_tried++] = *candidate;
}

void clg_online_move(struct clg_online *online, const struct clg_candidate *centre) {
    online->centre = clg_candidate_of(centre->family, &centre->params);
    online->neighbour = 0;
    online->under_way = false;
    online->done = !clg_space_near(&online->space, &online->centre, &online->point);
    note_tried(online, &online->centre);
}

/* Picks the next neighbour that was not tried; false: there is none. */
static bool pick(struct clg_online *online) {
    const int axes = clg_space_axes(&online->space, &online->point);
    while (online->neighbour < 2 * axes && online->num_tried < CLG_ONLINE_TRIED) {
        struct clg_point there = online->point;
        const int axis = online->neighbour / 2, step = online->neighbour % 2 ? -1 : 1;
        online->neighbour++;
        if (clg_space_step(&online->space, &there, axis, step) &&
            clg_space_at(&online->space, &there, &online->candidate) &&
            !was_tried(online, &online->candidate)) {
            note_tried(online, &online->candidate);
            online->under_way = true;
            online->built = false;
            online->pairs = 0;
            return true;
        }
    }
    return false;
}

enum clg_online_step clg_online_next(struct clg_online *online, double call_seconds,
                                     struct clg_candidate *candidate) {
    online->in_calls += call_seconds;
    if (online->done)
        return CLG_ONLINE_REST;
    if (!online->under_way && !pick(online)) {
        online->done = true;
        return CLG_ONLINE_REST;
    }
    const double pair = fmax(online->pair_expected, pair_guess * call_seconds);
    const double build = online->build_expected > 0 ? online->build_expected : build_guess;
    const double expected = online->built ? pair : build + pair;
    if (online->in_trials + expected > CLG_ONLINE_SHARE * online->in_calls)
        return CLG_ONLINE_REST;
    *candidate = online->candidate;
    return online->built ? CLG_ONLINE_COMPARE : CLG_ONLINE_BUILD;
}

void clg_online_built(struct clg_online *online, double seconds) {
    online->in_trials += seconds;
    online->build_expected = fmax(online->build_expected, seconds);
    online->built = true;
}

void clg_online_spent(struct clg_online *online, double seconds) {
    online->in_trials += seconds;
}

void clg_online_failed(struct clg_online *online, double seconds) {
    online->in_trials += seconds;
    if (!online->built)
        online->build_expected = fmax(online->build_expected, seconds);
    online->under_way = false;
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Whether the candidate can no longer win. */
static bool has_lost(const struct clg_online *online) {
    int lost = 0;
    for (int i = 0; i < online->pairs; i++)
        lost += !(online->ratios[i] < 1);
    return lost > 1;
}

bool clg_online_compared(struct clg_online *online, double seconds, double candidate_seconds,
                         double centre_seconds, double *ratio) {
    online->in_trials += seconds;
    online->pair_expected = fmax(online->pair_expected, seconds);
    online->ratios[online->pairs++] = candidate_seconds / centre_seconds;
    if (has_lost(online)) {
        online->under_way = false;
        return false;
    }
    if (online->pairs < CLG_ONLINE_PAIRS)
        return false;
    online->under_way = false;
    qsort(online->ratios, CLG_ONLINE_PAIRS, sizeof *online->ratios, by_value);
    *ratio = online->ratios[CLG_ONLINE_PAIRS / 2];
    if (*ratio > CLG_ONLINE_MARGIN)
        return false;
    const struct clg_candidate winner = online->candidate;
    clg_online_move(online, &winner);
    return true;
}
