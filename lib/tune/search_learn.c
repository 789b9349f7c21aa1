/* SPDX-License-Identifier: Apache-2.0
 * The strategies that learn from costs: annealing, and walks from the best candidate to its
 * neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tune/search.h"

/* ---- annealing ---- */

/* A candidate that takes exp(heat) times as long is still accepted with probability 1/e. */
static const double first_heat = 0.5, last_heat = 0.02, cooling = 0.98;

/* One candidate in JUMP_EVERY is random, so that the walk leaves local minima. */
enum { STEP_TRIES = 64, JUMP_EVERY = 32 };

struct annealing {
    bool settled; /* `point` and `cost` are valid */
    struct clg_point point;
    double cost, heat;
};

static bool annealing_start(struct clg_search *search, void *state) {
    struct annealing *walk = state;
    (void)search;
    walk->heat = first_heat;
    return true;
}

static bool annealing_next(struct clg_search *search, void *state, struct clg_candidate *out) {
    const struct annealing *walk = state;
    const struct clg_space *space = clg_search_space(search);
    struct clg_point point = walk->point;
    const bool steps = walk->settled && clg_search_random(search, JUMP_EVERY) != 0;
    for (int i = 0; steps && i < STEP_TRIES; i++) {
        const int axis =
            (int)clg_search_random(search, (uint64_t)clg_space_axes(space, &walk->point));
        if (clg_space_step(space, &point, axis, clg_search_random(search, 2) ? 1 : -1))
            return clg_space_at(space, &point, out);
    }
    return clg_search_random_point(search, &point) && clg_space_at(space, &point, out);
}

static void annealing_report(struct clg_search *search, void *state,
                             const struct clg_candidate *candidate, double cost) {
    struct annealing *walk = state;
    const double chance = (double)clg_search_random(search, 1U << 30) / (1U << 30);
    struct clg_point point;
    if (isfinite(cost) && (!walk->settled || chance < exp(-log(cost / walk->cost) / walk->heat)) &&
        clg_space_near(clg_search_space(search), candidate, &point)) {
        walk->point = point;
        walk->cost = cost;
        walk->settled = true;
    }
    walk->heat = fmax(walk->heat * cooling, last_heat);
}

const struct clg_strategy clg_strategy_annealing = {
    "annealing",
    "a random walk that accepts slower candidates less and less",
    sizeof(struct annealing),
    annealing_start,
    NULL,
    annealing_next,
    annealing_report,
};

/* ---- neighbours ---- */

/* While there are seeds, every third candidate is one. They lead out of local minima, but many may
 * be slow on this device. */
enum { SEEDS_MAX = 64, SEED_EVERY = 3, NEIGHBOURS_MAX = 2 * CLG_AXES_MAX };

struct known {
    struct clg_point point;
    double cost;
    bool expanded;
};

struct neighbours {
    struct clg_candidate seeds[SEEDS_MAX];
    int seeds_left, num_seeds;
    unsigned turn;
    struct clg_point waiting[NEIGHBOURS_MAX]; /* neighbours of `centre` */
    int num_waiting;
    size_t centre;
    struct known *known;
    size_t count, room;
    double best;
};

static bool neighbours_start(struct clg_search *search, void *state) {
    struct neighbours *walk = state;
    walk->num_seeds = clg_space_seeds(clg_search_space(search), walk->seeds, SEEDS_MAX);
    walk->seeds_left = walk->num_seeds;
    walk->best = INFINITY;
    return true;
}

static void neighbours_end(void *state) {
    free(((struct neighbours *)state)->known);
}

/* Moves the centre to the best candidate with untried neighbours; false: there is none. */
static bool move_on(struct clg_search *search, struct neighbours *walk) {
    const struct clg_space *space = clg_search_space(search);
    size_t best = walk->count;
    for (size_t i = 0; i < walk->count; i++)
        if (!walk->known[i].expanded &&
            (best == walk->count || walk->known[i].cost < walk->known[best].cost))
            best = i;
    if (best == walk->count)
        return false;
    walk->centre = best;
    walk->known[best].expanded = true;
    const struct clg_point centre = walk->known[best].point;
    for (int axis = 0; axis < clg_space_axes(space, &centre); axis++)
        for (int step = -1; step <= 1; step += 2) {
            struct clg_point point = centre;
            if (!clg_space_step(space, &point, axis, step))
                continue;
            /* Swaps each with a random earlier one, which gives a random order. */
            const int at = (int)clg_search_random(search, (uint64_t)walk->num_waiting + 1);
            walk->waiting[walk->num_waiting++] = walk->waiting[at];
            walk->waiting[at] = point;
        }
    return true;
}

static bool neighbours_next(struct clg_search *search, void *state, struct clg_candidate *out) {
    struct neighbours *walk = state;
    const struct clg_space *space = clg_search_space(search);
    struct clg_point point;
    while (walk->num_waiting == 0 && move_on(search, walk)) {
    }
    if (walk->seeds_left > 0 && (walk->turn++ % SEED_EVERY == 0 || walk->num_waiting == 0)) {
        *out = walk->seeds[walk->num_seeds - walk->seeds_left--];
        return true;
    }
    if (walk->num_waiting > 0)
        return clg_space_at(space, &walk->waiting[--walk->num_waiting], out);
    return clg_search_random_point(search, &point) && clg_space_at(space, &point, out);
}

static void neighbours_report(struct clg_search *search, void *state,
                              const struct clg_candidate *candidate, double cost) {
    struct neighbours *walk = state;
    struct known known = {.cost = cost};
    if (!isfinite(cost) || !clg_space_near(clg_search_space(search), candidate, &known.point))
        return;
    for (size_t i = 0; i < walk->count; i++) /* a repeat, or another one nearest to this point */
        if (!memcmp(&walk->known[i].point, &known.point, sizeof known.point))
            return;
    if (!clg_array_reserve(&walk->known, &walk->room, walk->count + 1, sizeof known))
        return;              /* only its neighbours are not tried */
    if (cost < walk->best) { /* the former centre's other neighbours are tried later */
        if (walk->num_waiting > 0)
            walk->known[walk->centre].expanded = false;
        walk->num_waiting = 0;
        walk->best = cost;
    }
    walk->known[walk->count++] = known;
}

const struct clg_strategy clg_strategy_neighbours = {
    "neighbours",
    "neighbours of the best in one tunable, and built-in rows among them",
    sizeof(struct neighbours),
    neighbours_start,
    neighbours_end,
    neighbours_next,
    neighbours_report,
};
