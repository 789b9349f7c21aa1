/* SPDX-License-Identifier: Apache-2.0
 * Searching a space: the caller asks for the next candidate, measures it, and reports its cost. He
 * may ask for more before he reports, so that several are under way. Nothing here knows what a cost
 * is, so that strategies are tested on functions. */
#ifndef CLG_TUNE_SEARCH_H
#define CLG_TUNE_SEARCH_H

#include "tune/space.h"

struct clg_search;

/* A strategy: how the next point is found. `state` is its own. */
struct clg_strategy {
    const char *name, *summary;
    size_t state_size;
    bool (*start)(struct clg_search *search, void *state); /* false: out of memory */
    void (*end)(void *state);                              /* NULL: nothing to free */
    /* The next candidate; false: there are no more. May be one that was given before: the next one
     * is then asked for, after its cost was reported again if it is known. */
    bool (*next)(struct clg_search *search, void *state, struct clg_candidate *out);
    void (*report)(struct clg_search *search, void *state, const struct clg_candidate *candidate,
                   double cost);
};

extern const struct clg_strategy clg_strategy_exhaustive, clg_strategy_random,
    clg_strategy_annealing, clg_strategy_neighbours;

/* All strategies, NULL at the end; the first is the default. */
extern const struct clg_strategy *const clg_strategies[];

/* NULL if there is none of that name. */
const struct clg_strategy *clg_strategy_find(const char *name);

/* `space` must outlive the result; NULL where memory is short. The same seed and the same costs
 * give the same candidates. */
struct clg_search *clg_search_create(const struct clg_strategy *strategy,
                                     const struct clg_space *space, uint64_t seed);
void clg_search_destroy(struct clg_search *search);

/* The next candidate to try: the model's choice first, none twice. False: there are no more. */
bool clg_search_next(struct clg_search *search, struct clg_candidate *out);

/* The cost of a candidate, in any order: INFINITY for one that failed. May be one that next did not
 * give, which it then does not give any more. */
void clg_search_report(struct clg_search *search, const struct clg_candidate *candidate,
                       double cost);

/* For strategies. */
const struct clg_space *clg_search_space(const struct clg_search *search);
uint64_t clg_search_random(struct clg_search *search, uint64_t below);

/* A random point of the space, each family as likely; false where there is none. */
bool clg_search_random_point(struct clg_search *search, struct clg_point *out);

#endif
