/* SPDX-License-Identifier: Apache-2.0
 * Searches a space. The caller asks for the next candidate, measures it, and reports its cost. It
 * may ask for several before it reports. A cost is just a number, so that strategies can be tested
 * on functions. */
#ifndef CLG_TUNE_SEARCH_H
#define CLG_TUNE_SEARCH_H

#include "tune/space.h"

struct clg_search;

/* A strategy finds the next point. `state` is private to it. */
struct clg_strategy {
    const char *name, *summary;
    size_t state_size;
    bool (*start)(struct clg_search *search, void *state); /* false: out of memory */
    void (*end)(void *state);                              /* NULL: nothing to free */
    /* The next candidate; false: there are no more. It may be a repeat: then its cost, if known, is
     * reported again, and the next one is requested. */
    bool (*next)(struct clg_search *search, void *state, struct clg_candidate *out);
    void (*report)(struct clg_search *search, void *state, const struct clg_candidate *candidate,
                   double cost);
};

extern const struct clg_strategy clg_strategy_exhaustive, clg_strategy_random,
    clg_strategy_annealing, clg_strategy_neighbours;

/* All strategies, NULL at the end; the first is the default. */
extern const struct clg_strategy *const clg_strategies[];

/* Returns NULL if there is none of that name. */
const struct clg_strategy *clg_strategy_find(const char *name);

/* `space` must outlive the result. Returns NULL if memory is short. The same seed and costs give
 * the same candidates. */
struct clg_search *clg_search_create(const struct clg_strategy *strategy,
                                     const struct clg_space *space, uint64_t seed);
void clg_search_destroy(struct clg_search *search);

/* The next candidate to try: first the model's choice; none twice. False: there are no more. */
bool clg_search_next(struct clg_search *search, struct clg_candidate *out);

/* Reports the cost of a candidate, in any order: INFINITY if it failed. The candidate may be one
 * that clg_search_next() has not returned; it will not be returned any more. */
void clg_search_report(struct clg_search *search, const struct clg_candidate *candidate,
                       double cost);

/* For strategies. */
const struct clg_space *clg_search_space(const struct clg_search *search);
uint64_t clg_search_random(struct clg_search *search, uint64_t below);

/* A random point of the space, each family with the same probability; false if there is none. */
bool clg_search_random_point(struct clg_search *search, struct clg_point *out);

#endif
