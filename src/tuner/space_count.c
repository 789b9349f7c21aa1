/* SPDX-License-Identifier: Apache-2.0
 * Counts the space without walking from point to point: keeps the parameters of the axes so far,
 * and at every axis from core_axes on skips branches whose root is invalid. */
#include "src/tuner/space.h"

struct count {
    const struct clg_space *space;
    const struct clg_family *family;
    const struct clg_axes *axes; /* the family's */
    struct clg_point point;
    uint64_t *of_scheme;
};

/* Whether a point is valid whose axes from `axis` on have their first values; `made` has the
 * parameters of those before. */
static bool counts(const struct count *c, int axis, const struct clg_params *made) {
    struct clg_params p = *made;
    const struct clg_problem *problem = &c->space->problem;
    const struct clg_facts *facts = &c->space->facts;
    return clg_space_set_axes(c->space, &c->point, axis, c->axes->count, &p) &&
           !(c->axes->unsupported_reason && c->axes->unsupported_reason(problem, facts, &p)) &&
           !c->family->unsupported_reason(problem, facts, &p);
}

static void add(const struct count *c, const struct clg_params *p) {
    const struct clg_candidate candidate = clg_candidate_of(c->family, p);
    const enum clg_scheme scheme = clg_candidate_scheme(&candidate);
    c->of_scheme[scheme] += c->space->scheme < 0 || c->space->scheme == (int)scheme;
}

/* Counts the points that share the values of the axes before `axis`. `known`: the one with all
 * other axes at their first values is valid. The recursion is as deep as there are axes. */
static void count_from(struct count *c, int axis, const struct clg_params *made, bool known) {
    if (axis == c->axes->shape_axes &&
        c->axes->shape_unsupported_reason(&c->space->problem, &c->space->facts, made))
        return;
    if (axis >= c->axes->core_axes && !known && !counts(c, axis, made))
        return;
    if (axis == c->axes->count) {
        add(c, made);
        return;
    }
    for (int at = 0; at < c->axes->axes[axis].count; at++) {
        struct clg_params next = *made;
        c->point.at[axis] = (uint8_t)at;
        if (clg_space_set_axes(c->space, &c->point, axis, axis + 1, &next))
            count_from(c, axis + 1, &next, axis >= c->axes->core_axes && at == 0);
    }
    c->point.at[axis] = 0;
}

uint64_t clg_space_count(const struct clg_space *space, int family,
                         uint64_t of_scheme[CLG_SCHEMES]) {
    struct count count = {.space = space,
                          .family = space->families[family],
                          .axes = space->families[family]->axes,
                          .point = {.family = (uint8_t)family},
                          .of_scheme = of_scheme};
    const struct clg_params none = {0};
    uint64_t all = 0;
    for (int s = 0; s < CLG_SCHEMES; s++)
        of_scheme[s] = 0;
    count_from(&count, 0, &none, false);
    for (int s = 0; s < CLG_SCHEMES; s++)
        all += of_scheme[s];
    return all;
}
