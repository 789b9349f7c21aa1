/* SPDX-License-Identifier: Apache-2.0
 * Rows of a tuning table: their class of problems, and whether a device can run them. */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/checked.h"
#include "base/version.h"
#include "gemm/family.h"
#include "tuning/table.h"

enum { ALIGNMENT = 64 }; /* bytes; of a buffer that a runtime allocates */

struct clg_tuning_shape clg_tuning_shape_of(const struct clg_problem *problem) {
    const unsigned widest = clg_type_vector(problem->type);
    return (struct clg_tuning_shape){.m = problem->m,
                                     .n = problem->n,
                                     .k = problem->k,
                                     .ta = problem->matrix[CLG_A].transposed,
                                     .tb = problem->matrix[CLG_B].transposed,
                                     .aligned = problem->matrix[CLG_A].vector == widest &&
                                                problem->matrix[CLG_B].vector == widest,
                                     .type = problem->type,
                                     .math = clg_tuning_math(problem->math),
                                     .batch = clg_tuning_batch(problem->batch)};
}

bool clg_tuning_same_class(const struct clg_tuning_shape *left,
                           const struct clg_tuning_shape *right) {
    return left->m == right->m && left->n == right->n && left->k == right->k &&
           left->ta == right->ta && left->tb == right->tb && left->aligned == right->aligned &&
           left->type == right->type && left->math == right->math && left->batch == right->batch;
}

static struct clg_operand operand(const struct clg_tuning_shape *shape, int64_t rows,
                                  int64_t columns) {
    const int64_t ld = shape->aligned ? clg_round_up(rows, CLG_WIDEST_VECTOR) : rows | 1;
    return (struct clg_operand){.ld = ld,
                                .bytes = UINT64_MAX,
                                .alignment = ALIGNMENT,
                                .stride = shape->batch ? ld * columns : 0};
}

clgemm_status clg_tuning_problem(struct clg_problem *out, const struct clg_tuning_shape *shape) {
    const struct clg_call call = {.type = shape->type,
                                  .math = shape->math,
                                  .layout = CLGEMM_COL_MAJOR,
                                  .ta = shape->ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                  .tb = shape->tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                  .m = shape->m,
                                  .n = shape->n,
                                  .k = shape->k,
                                  .batch = shape->batch,
                                  .scalars = {.alpha = 1},
                                  .operand = {shape->ta ? operand(shape, shape->k, shape->m)
                                                        : operand(shape, shape->m, shape->k),
                                              shape->tb ? operand(shape, shape->n, shape->k)
                                                        : operand(shape, shape->k, shape->n),
                                              operand(shape, shape->m, shape->n)}};
    return clg_problem_init(out, &call);
}

void clg_tuning_stamp(char date[CLG_TUNING_DATE], char version[CLG_TUNING_VERSION]) {
    const time_t now = time(NULL);
    struct tm utc = {0};
    gmtime_r(&now, &utc);
    strftime(date, CLG_TUNING_DATE, "%Y-%m-%d", &utc);
    snprintf(version, CLG_TUNING_VERSION, "%s", CLG_VERSION);
}

const char *clg_tuning_unsupported_reason(const struct clg_tuning_row *row,
                                          const struct clg_facts *facts) {
    struct clg_facts whole = *facts;
    struct clg_problem problem;
    whole.workspace_max = facts->global_memory; /* a limit of this process must not reject a row */
    if (clg_tuning_problem(&problem, &row->shape) || problem.work != CLG_WORK_MULTIPLY)
        return "there is no such problem";
    return clg_family_unsupported_reason(row->family, &problem, &whole, &row->params);
}

bool clg_tuning_supersedes(const struct clg_tuning_row *row, const struct clg_tuning_row *old) {
    const int later = strcmp(row->date, old->date);
    return later ? later > 0 : row->ms < old->ms;
}
