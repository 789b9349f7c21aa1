/* SPDX-License-Identifier: Apache-2.0
 * A candidate: one way to compute a problem, which is a family with parameters; and lists of them,
 * the fastest first. */
#ifndef CLG_GEMM_CANDIDATE_H
#define CLG_GEMM_CANDIDATE_H

#include "gemm/params.h"

struct clg_family;

struct clg_candidate {
    const struct clg_family *family;
    struct clg_params params;
    double us;         /* modelled, or measured */
    const char *limit; /* of its speed: "multiply-adds", "memory", "launches"; "measured" */
};

/* What candidates of one kernel have in common, however k is cut. */
struct clg_variant {
    const struct clg_family *family; /* NULL: none */
    struct clg_params params;
};

enum { CLG_CANDIDATES = 160 };

struct clg_list {
    double tie;       /* the costs' figure */
    double before_us; /* what candidates that are added take besides their times */
    double again;     /* how often they are repeated */
    int count;
    struct clg_candidate at[CLG_CANDIDATES];
};

/* Inserts a candidate before number `at`. A full list loses its last one. */
void clg_list_insert(struct clg_list *list, int at, const struct clg_candidate *candidate);

/* Adds a candidate behind those that are as fast. Times of one family within the share list->tie
 * are equal, since models are no more exact: rows with large tiles, which depend least on what a
 * model leaves out, stand first in the costs. HUGE_VAL adds nothing. */
void clg_list_add(struct clg_list *list, const struct clg_family *family,
                  const struct clg_params *params, double us, const char *limit);

/* Makes a candidate that can be compared: a single slice of k is always 0. */
struct clg_candidate clg_candidate_of(const struct clg_family *family,
                                      const struct clg_params *params);

/* Whether its time was measured, perhaps for another size than the problem's. */
bool clg_candidate_is_measured(const struct clg_candidate *candidate);

/* Whether family and parameters are equal. */
bool clg_candidate_equal(const struct clg_candidate *one, const struct clg_candidate *other);

struct clg_variant clg_candidate_variant(const struct clg_candidate *candidate);

/* Whether family and parameters are equal, or both are none. */
bool clg_variant_equal(const struct clg_variant *one, const struct clg_variant *other);

/* The list's first candidate with that variant; list->count if there is none. */
int clg_list_find(const struct clg_list *list, const struct clg_variant *variant);

#endif
