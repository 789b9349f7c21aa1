/* SPDX-License-Identifier: Apache-2.0
 * Searches a space: walks from the best candidate to its neighbours, in which one tunable has its
 * next valid value, with seeds in between. The caller asks for the next candidate, measures it, and
 * reports its cost. It may ask for several before it reports. A cost is just a number, so that the
 * search can be tested on functions. */
#ifndef CLG_TUNE_SEARCH_H
#define CLG_TUNE_SEARCH_H

#include "src/tuner/space.h"

struct clg_search;

/* `space` must outlive the result. Returns NULL if memory is short. The same seed and costs give
 * the same candidates. */
struct clg_search *clg_search_create(const struct clg_space *space, uint64_t seed);
void clg_search_destroy(struct clg_search *search); /* accepts NULL */

/* The next candidate to try: first the model's choice; none twice. False: there are no more. */
bool clg_search_next(struct clg_search *search, struct clg_candidate *out);

/* Reports the cost of a candidate, in any order: INFINITY if it failed. The candidate may be one
 * that clg_search_next() has not returned; it will not be returned any more. */
void clg_search_report(struct clg_search *search, const struct clg_candidate *candidate,
                       double cost);

#endif
