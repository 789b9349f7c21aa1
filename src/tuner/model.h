/* SPDX-License-Identifier: Apache-2.0
 * Measures a device's costs: a problem for each number among them, and the value with which the
 * model predicts the time that the problem took. Pure; the caller measures. */
#ifndef CLG_TUNE_MODEL_H
#define CLG_TUNE_MODEL_H

#include "gemm/candidate.h"
#include "gemm/costs.h"
#include "tuning/table.h"

/* A number among the costs, and a problem whose time it decides. */
struct clg_probe {
    const struct clg_family *family;
    int row;       /* the only one of the costs that may compute it; -1: any of the family's */
    bool figure;   /* the number is a double among the figures, else a float in the row */
    size_t offset; /* of the number there */
    struct clg_tuning_shape shape;
    struct clg_candidate candidate; /* what computes it */
    double us;                      /* how long a call took; 0: not measured */
};

/* The numbers to measure, at most `most`: figures, then those of rows, and rows in the order of how
 * often they are the fastest of some hundred drawn problems. Returns how many there are. */
int clg_model_probes(const struct clg_costs *costs, const struct clg_facts *facts,
                     struct clg_probe *out, int most);

/* Sets the numbers of measured probes, and marks their rows. Rows that were not measured change by
 * as much as those of their family that were. */
void clg_model_fit(struct clg_costs *costs, const struct clg_facts *facts,
                   const struct clg_probe *probes, int count);

/* What other costs change for drawn problems: how many there were, for how many another candidate
 * is chosen, and by what factor that is faster there by the new costs (geometric mean). */
struct clg_model_change {
    int problems, chosen;
    double faster;
};
struct clg_model_change clg_model_compare(const struct clg_costs *before,
                                          const struct clg_costs *after,
                                          const struct clg_facts *facts);

#endif
