/* SPDX-License-Identifier: Apache-2.0
 * The strategies, for their table. */
#ifndef CLG_TUNE_STRATEGIES_H
#define CLG_TUNE_STRATEGIES_H

#include "tune/search.h"

extern const struct clg_strategy clg_strategy_exhaustive, clg_strategy_random,
    clg_strategy_annealing, clg_strategy_neighbours;

#endif
