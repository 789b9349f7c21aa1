/* SPDX-License-Identifier: Apache-2.0
 * A family: one way to multiply. Adding one takes its file, its kernel and a row in clg_families.
 */
#ifndef CLG_GEMM_FAMILY_H
#define CLG_GEMM_FAMILY_H

#include "gemm/plan.h"

struct clg_family {
    const char *name;
    const char *chosen_for; /* one word, for the verbose line */

    /* NULL where the family can do the problem on that device with these parameters, else the
     * first reason why not. The one predicate for the choice, the tables and the tests. */
    const char *(*why_not)(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *params);

    /* The built-in parameters, best first for large problems; `count` rows. */
    const struct clg_params *(*rows)(enum clg_device_kind kind, size_t *count);

    /* What to use for this problem; false if no row can do it. */
    bool (*parameters)(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out);

    /* The built-in rows as they would be used for this problem, the quickest by the family's model
     * first, `most` at most; returns how many. NULL where the family models no rows. */
    int (*ranked)(const struct clg_problem *problem, const struct clg_facts *facts,
                  struct clg_params *out, int most);

    /* Whether parameters that were measured for an m x n result suit that of the problem, which is
     * of about the same size. NULL: always. */
    bool (*carries_over)(const struct clg_problem *problem, const struct clg_params *params,
                         int64_t m, int64_t n);

    /* Adds the steps. */
    void (*plan)(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params);
};

extern const struct clg_family clg_family_direct, clg_family_tiled, clg_family_panel;

/* All families, NULL at the end: the first with parameters for a problem gets it. */
extern const struct clg_family *const clg_families[];

/* The family of that name, or NULL. */
const struct clg_family *clg_family_find(const char *name);

/* The family's why_not, also for parameters that nobody has looked at yet: what a file or a
 * generator brings. */
const char *clg_family_why_not(const struct clg_family *family, const struct clg_problem *problem,
                               const struct clg_facts *facts, const struct clg_params *params);

/* Why a work-group of this size cannot run on the device, or NULL. */
const char *clg_group_why_not(const struct clg_facts *facts, int64_t group_size);

#endif
