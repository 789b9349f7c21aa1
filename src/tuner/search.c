/* SPDX-License-Identifier: Apache-2.0
 * The search: which candidate is next, and the list of those that were named before. */
#include "src/tuner/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

/* While there are seeds, every third candidate is one. They lead out of local minima, but many may
 * be slow on this device. */
enum { SEEDS_MAX = 64, SEED_EVERY = 3, NEIGHBOURS_MAX = 2 * CLG_AXES_MAX };

/* A candidate that was returned or reported. */
struct named {
    struct clg_candidate candidate;
    double cost;            /* INFINITY: not reported, failed, or of a family outside the space */
    struct clg_point point; /* the nearest one, if the cost is finite */
    bool expanded;          /* its neighbours were made to wait */
};

struct clg_search {
    const struct clg_space *space;
    uint64_t random;
    struct clg_candidate seeds[SEEDS_MAX]; /* the first is the model's choice */
    int num_seeds, next_seed;
    unsigned turn;
    struct clg_point waiting[NEIGHBOURS_MAX]; /* neighbours of `centre`, in a random order */
    int num_waiting;
    size_t centre;
    struct clg_point all; /* of the walk through the whole space, when nothing else is left */
    bool in_family;       /* `all` is valid, else its family has yet to begin */
    double least;         /* cost so far */
    struct named *named;
    size_t count, room;
    size_t *slots; /* hash table of 2 * room: 1 + the index in `named`, or 0 if empty */
};

/* ---- The list ---- */

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
           !clg_candidate_equal(&search->named[search->slots[at] - 1].candidate, candidate))
        at = (at + 1) % slots;
    return &search->slots[at];
}

/* Room for one more; false: out of memory. */
static bool make_room(struct clg_search *search) {
    if (search->count < search->room)
        return true;
    const size_t grown = search->room ? 2 * search->room : 256;
    struct named *named = realloc(search->named, grown * sizeof *named);
    if (named)
        search->named = named;
    size_t *slots = calloc(2 * grown, sizeof *slots);
    if (!named || !slots) {
        free(slots);
        return false;
    }
    free(search->slots);
    search->slots = slots;
    search->room = grown;
    for (size_t i = 0; i < search->count; i++)
        *slot_of(search, &search->named[i].candidate) = i + 1;
    return true;
}

/* The candidate's entry, created if necessary; NULL: out of memory. */
static struct named *name(struct clg_search *search, const struct clg_candidate *candidate,
                          bool *is_new) {
    if (!make_room(search))
        return NULL;
    size_t *slot = slot_of(search, candidate);
    *is_new = !*slot;
    if (*is_new) {
        search->named[search->count++] = (struct named){.candidate = *candidate, .cost = INFINITY};
        *slot = search->count;
    }
    return &search->named[*slot - 1];
}

/* ---- The walk ---- */

/* Has the neighbours of the best candidate wait whose neighbours have not; false: there is none. */
static bool expand(struct clg_search *search) {
    const struct clg_space *space = search->space;
    struct named *best = NULL;
    for (size_t i = 0; i < search->count; i++) {
        struct named *named = &search->named[i];
        if (!named->expanded && named->cost < (best ? best->cost : INFINITY))
            best = named;
    }
    if (!best)
        return false;
    search->centre = (size_t)(best - search->named);
    best->expanded = true;
    for (int axis = 0; axis < clg_space_axes(space, &best->point); axis++)
        for (int step = -1; step <= 1; step += 2) {
            struct clg_point point = best->point;
            if (!clg_space_step(space, &point, axis, step))
                continue;
            /* Swaps each with a random earlier one, which gives a random order. */
            const int at =
                (int)(clg_random_next(&search->random) % ((uint64_t)search->num_waiting + 1));
            search->waiting[search->num_waiting++] = search->waiting[at];
            search->waiting[at] = point;
        }
    return true;
}

/* The next candidate of the whole space, in its order; false: that was all. */
static bool go_through_all(struct clg_search *search, struct clg_candidate *out) {
    const struct clg_space *space = search->space;
    struct clg_point *all = &search->all;
    for (; all->family < space->count; *all = (struct clg_point){.family = all->family + 1}) {
        search->in_family = search->in_family ? clg_space_next(space, all)
                                              : clg_space_first(space, all->family, all);
        if (search->in_family)
            return clg_space_at(space, all, out);
    }
    return false;
}

/* A neighbour, a seed, or else the next one of all, which may be a repeat; false: there is none. */
static bool propose(struct clg_search *search, struct clg_candidate *out) {
    while (search->num_waiting == 0 && expand(search)) {
    }
    if (search->next_seed < search->num_seeds &&
        (search->turn++ % SEED_EVERY == 0 || search->num_waiting == 0)) {
        *out = search->seeds[search->next_seed++];
        return true;
    }
    return search->num_waiting > 0
               ? clg_space_at(search->space, &search->waiting[--search->num_waiting], out)
               : go_through_all(search, out);
}

/* ---- What callers see ---- */

struct clg_search *clg_search_create(const struct clg_space *space, uint64_t seed) {
    struct clg_search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    *search = (struct clg_search){.space = space, .random = seed, .least = INFINITY};
    search->num_seeds = clg_space_seeds(space, search->seeds, SEEDS_MAX);
    if (make_room(search))
        return search;
    clg_search_destroy(search);
    return NULL;
}

void clg_search_destroy(struct clg_search *search) {
    if (!search)
        return;
    free(search->named);
    free(search->slots);
    free(search);
}

bool clg_search_next(struct clg_search *search, struct clg_candidate *out) {
    bool is_new = false;
    while (!is_new)
        if (!propose(search, out) || !name(search, out, &is_new))
            return false;
    return true;
}

void clg_search_report(struct clg_search *search, const struct clg_candidate *candidate,
                       double cost) {
    bool is_new;
    struct named *named = name(search, candidate, &is_new);
    if (!named || !isfinite(cost) || !clg_space_near(search->space, candidate, &named->point))
        return;
    named->cost = cost;
    if (cost >= search->least)
        return;
    search->least = cost;
    if (search->num_waiting > 0) /* the former centre's other neighbours are tried later */
        search->named[search->centre].expanded = false;
    search->num_waiting = 0;
}
