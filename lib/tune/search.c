/* SPDX-License-Identifier: Apache-2.0
 * The list of tried candidates, which strategies share, and the strategies that do not learn. */
#include "tune/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Repeats in a row after which a search ends; the most attempts for a random point. */
enum { REPEATS_MAX = 10000, RANDOM_TRIES = 20000 };

struct tried {
    struct clg_candidate candidate;
    double cost;
    bool reported; /* else it is being measured */
};

struct clg_search {
    const struct clg_strategy *strategy;
    const struct clg_space *space;
    void *state;
    uint64_t random;
    bool begun; /* the model's choice was returned */
    struct tried *tried;
    size_t count, room;
    size_t *slots; /* hash table of 2 * room: 1 + the index in `tried`, or 0 if empty */
};

const struct clg_strategy *const clg_strategies[] = {
    &clg_strategy_neighbours,
    &clg_strategy_annealing,
    &clg_strategy_random,
    &clg_strategy_exhaustive,
    NULL,
};

const struct clg_strategy *clg_strategy_find(const char *name) {
    for (size_t i = 0; clg_strategies[i]; i++)
        if (!strcmp(clg_strategies[i]->name, name))
            return clg_strategies[i];
    return NULL;
}

const struct clg_space *clg_search_space(const struct clg_search *search) {
    return search->space;
}

uint64_t clg_search_random(struct clg_search *search, uint64_t below) {
    return clg_random_next(&search->random) % below;
}

bool clg_search_random_point(struct clg_search *search, struct clg_point *out) {
    const struct clg_space *space = search->space;
    struct clg_candidate candidate;
    if (space->count == 0)
        return false;
    *out = (struct clg_point){.family = (uint8_t)clg_search_random(search, (uint64_t)space->count)};
    const struct clg_axes *axes = space->families[out->family]->axes;
    for (int i = 0; i < RANDOM_TRIES; i++) {
        for (int a = 0; a < axes->count; a++)
            out->at[a] = (uint8_t)clg_search_random(search, (uint64_t)axes->axes[a].count);
        if (clg_space_at(space, out, &candidate))
            return true;
    }
    return clg_space_next(space, out) || clg_space_first(space, out->family, out);
}

static size_t hash_of(const struct clg_candidate *candidate) {
    const unsigned char *bytes = (const unsigned char *)&candidate->params;
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (size_t i = 0; i < sizeof candidate->params; i++)
        hash = (hash ^ bytes[i]) * 1099511628211U;
    for (const char *c = candidate->family->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211U;
    return (size_t)hash;
}

/* The slot of the candidate, or the empty one where it belongs. */
static size_t *slot_of(const struct clg_search *search, const struct clg_candidate *candidate) {
    const size_t slots = 2 * search->room;
    size_t at = hash_of(candidate) % slots;
    while (search->slots[at] &&
           !clg_candidate_equal(&search->tried[search->slots[at] - 1].candidate, candidate))
        at = (at + 1) % slots;
    return &search->slots[at];
}

/* Room for one more; false: out of memory. */
static bool make_room(struct clg_search *search) {
    if (search->count < search->room)
        return true;
    const size_t grown = search->room ? 2 * search->room : 256;
    struct tried *tried = realloc(search->tried, grown * sizeof *tried);
    if (tried)
        search->tried = tried;
    size_t *slots = calloc(2 * grown, sizeof *slots);
    if (!tried || !slots) {
        free(slots);
        return false;
    }
    free(search->slots);
    search->slots = slots;
    search->room = grown;
    for (size_t i = 0; i < search->count; i++)
        *slot_of(search, &search->tried[i].candidate) = i + 1;
    return true;
}

struct clg_search *clg_search_create(const struct clg_strategy *strategy,
                                     const struct clg_space *space, uint64_t seed) {
    struct clg_search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    *search = (struct clg_search){.strategy = strategy, .space = space, .random = seed};
    search->state = calloc(1, strategy->state_size);
    if (search->state && make_room(search) &&
        (!strategy->start || strategy->start(search, search->state)))
        return search;
    clg_search_destroy(search);
    return NULL;
}

void clg_search_destroy(struct clg_search *search) {
    if (!search)
        return;
    if (search->state && search->strategy->end)
        search->strategy->end(search->state);
    free(search->state);
    free(search->tried);
    free(search->slots);
    free(search);
}

/* The candidate's entry, created if necessary; NULL: out of memory. */
static struct tried *reach(struct clg_search *search, const struct clg_candidate *candidate,
                           bool *is_new) {
    if (!make_room(search))
        return NULL;
    size_t *slot = slot_of(search, candidate);
    *is_new = !*slot;
    if (*is_new) {
        search->tried[search->count++] = (struct tried){.candidate = *candidate};
        *slot = search->count;
    }
    return &search->tried[*slot - 1];
}

bool clg_search_next(struct clg_search *search, struct clg_candidate *out) {
    for (int repeats = 0; repeats < REPEATS_MAX; repeats++) {
        const bool found = search->begun ? search->strategy->next(search, search->state, out)
                                         : clg_space_model_choice(search->space, out);
        bool is_new;
        search->begun = true;
        const struct tried *tried = found ? reach(search, out, &is_new) : NULL;
        if (!tried || is_new)
            return tried;
        if (tried->reported && search->strategy->report)
            search->strategy->report(search, search->state, out, tried->cost);
    }
    return false;
}

void clg_search_report(struct clg_search *search, const struct clg_candidate *candidate,
                       double cost) {
    bool is_new;
    struct tried *tried = reach(search, candidate, &is_new);
    if (tried) {
        tried->cost = cost;
        tried->reported = true;
    }
    if (search->strategy->report)
        search->strategy->report(search, search->state, candidate, cost);
}

/* ---- exhaustive ---- */

struct walk {
    bool under_way; /* `point` is valid */
    struct clg_point point;
};

static bool walk_next(struct clg_search *search, void *state, struct clg_candidate *out) {
    struct walk *walk = state;
    const struct clg_space *space = search->space;
    for (int family = walk->point.family; family < space->count; family++) {
        if (walk->under_way ? clg_space_next(space, &walk->point)
                            : clg_space_first(space, family, &walk->point)) {
            walk->under_way = true;
            return clg_space_at(space, &walk->point, out);
        }
        *walk = (struct walk){.point.family = (uint8_t)(family + 1)};
    }
    return false;
}

const struct clg_strategy clg_strategy_exhaustive = {
    "exhaustive",
    "every candidate of the space, in its order",
    sizeof(struct walk),
    NULL,
    NULL,
    walk_next,
    NULL,
};

/* ---- random ---- */

static bool random_next(struct clg_search *search, void *state, struct clg_candidate *out) {
    struct clg_point point;
    (void)state;
    return clg_search_random_point(search, &point) && clg_space_at(search->space, &point, out);
}

const struct clg_strategy clg_strategy_random = {
    "random", "candidates drawn at random, each family as often", 1, NULL, NULL, random_next, NULL,
};
