/* SPDX-License-Identifier: Apache-2.0
 * Candidates, and lists of them. */
#include "gemm/candidate.h"

#include <math.h>
#include <string.h>

void clg_list_insert(struct clg_list *list, int at, const struct clg_candidate *candidate) {
    if (at == CLG_CANDIDATES)
        return;
    list->count += list->count < CLG_CANDIDATES;
    memmove(&list->at[at + 1], &list->at[at], (size_t)(list->count - at - 1) * sizeof list->at[at]);
    list->at[at] = *candidate;
}

void clg_list_add(struct clg_list *list, const struct clg_family *family,
                  const struct clg_params *params, double us, const char *limit) {
    int at = 0;
    us = (us + list->before_us) * (1 + list->again);
    while (at < list->count &&
           us >= (list->at[at].family == family ? 1 - list->tie : 1) * list->at[at].us)
        at++;
    if (us < HUGE_VAL)
        clg_list_insert(list, at, &(struct clg_candidate){family, *params, us, limit});
}

struct clg_candidate clg_candidate_of(const struct clg_family *family,
                                      const struct clg_params *params) {
    struct clg_candidate out = {.family = family, .params = *params};
    if (out.params.split_k == 1)
        out.params.split_k = 0;
    if (out.params.split_tail == 1)
        out.params.split_tail = 0;
    if (out.params.sharers == 1)
        out.params.sharers = 0;
    return out;
}

bool clg_candidate_is_measured(const struct clg_candidate *candidate) {
    return strcmp(candidate->limit, "measured") == 0;
}

bool clg_candidate_equal(const struct clg_candidate *one, const struct clg_candidate *other) {
    return one->family == other->family && clg_params_equal(&one->params, &other->params);
}

struct clg_variant clg_candidate_variant(const struct clg_candidate *candidate) {
    struct clg_variant out = {candidate->family, candidate->params};
    out.params.split_k = out.params.split_tail = out.params.sharers = 0;
    return out;
}

bool clg_variant_equal(const struct clg_variant *one, const struct clg_variant *other) {
    return one->family == other->family &&
           (!one->family || clg_params_equal(&one->params, &other->params));
}

int clg_list_find(const struct clg_list *list, const struct clg_variant *variant) {
    int i = 0;
    for (; i < list->count; i++) {
        const struct clg_variant other = clg_candidate_variant(&list->at[i]);
        if (clg_variant_equal(&other, variant))
            break;
    }
    return i;
}
