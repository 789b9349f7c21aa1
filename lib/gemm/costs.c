/* SPDX-License-Identifier: Apache-2.0
 * Finds rows of costs. */
#include "gemm/costs.h"

struct clg_cost_rows clg_costs_of(const struct clg_costs *costs, const struct clg_family *family) {
    size_t first = 0, end;
    while (first < costs->count && costs->rows[first].family != family)
        first++;
    for (end = first; end < costs->count && costs->rows[end].family == family; end++) {
    }
    return (struct clg_cost_rows){&costs->rows[first], end - first};
}

bool clg_cost_row_is_for(const struct clg_cost_row *row, const struct clg_problem *problem) {
    const unsigned a = problem->matrix[CLG_A].vector, b = problem->matrix[CLG_B].vector;
    const int vector = (int)(a < b ? a : b);
    return row->types >> problem->type & 1 && problem->k >= row->least_k &&
           problem->k <= row->most_k && vector >= row->least_vector && vector <= row->most_vector &&
           (row->use == CLG_FOR_ANY || (row->use == CLG_FOR_BATCHES) == (problem->batch > 1));
}

double clg_enqueued_us(const struct clg_costs *costs, bool two, double us) {
    const double least = two ? costs->enqueue_two_us : costs->enqueue_us;
    return us < least ? least - costs->hidden * (least - us) : us;
}
