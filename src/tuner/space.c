/* SPDX-License-Identifier: Apache-2.0
 * Points of the space: their parameters, their validity, and the walk from one to the next. */
#include "src/tuner/space.h"

#include <math.h>

#include "base/checked.h"
#include "run/choose.h"

/* A family without a candidate for the problem may be hopelessly slow. */
static bool has_candidate(const struct clg_list *list, const struct clg_family *family) {
    int i = 0;
    while (i < list->count && list->at[i].family != family)
        i++;
    return i < list->count;
}

void clg_space_init(struct clg_space *out, const struct clg_problem *problem,
                    const struct clg_facts *facts) {
    *out = (struct clg_space){.problem = *problem, .facts = *facts, .scheme = -1};
    clg_choose_list(&out->list, problem, facts, NULL, 0);
    for (size_t i = 0; clg_families[i]; i++)
        if (has_candidate(&out->list, clg_families[i]))
            out->families[out->count++] = clg_families[i];
}

void clg_space_keep(struct clg_space *space, enum clg_scheme scheme) {
    int kept = 0;
    for (int f = 0; f < space->count; f++)
        if (space->families[f]->schemes >> scheme & 1)
            space->families[kept++] = space->families[f];
    space->count = kept;
    space->scheme = (int)scheme;
}

static bool has_scheme(const struct clg_space *space, const struct clg_candidate *candidate) {
    return space->scheme < 0 || (int)clg_candidate_scheme(candidate) == space->scheme;
}

static int *field_of(struct clg_params *params, const struct clg_axis *axis) {
    return (int *)((char *)params + axis->field);
}

/* Rounds up to a multiple of a unit, whose axis precedes. */
static int64_t whole(int64_t size, int unit) {
    return clg_round_up(size, unit > 0 ? unit : 1);
}

/* The tunable for a value of the axis, given the tunables of the axes before it. */
static int tunable_of(const struct clg_space *space, const struct clg_axis *axis,
                      const struct clg_params *p, int value) {
    const struct clg_problem *problem = &space->problem;
    switch (axis->kind) {
    case CLG_AXIS_PANELS:
        return value * 2 * p->vec;
    case CLG_AXIS_CUTS_N:
        return (int)whole(clg_ceil_div(problem->n, value), p->reg_n);
    case CLG_AXIS_CUTS_K:
        return (int)whole(clg_ceil_div(problem->k, value), p->vec);
    default:
        return value;
    }
}

/* Whether the axis's previous value has the same effect. */
static bool is_redundant(const struct clg_space *space, const struct clg_axis *axis,
                         const struct clg_params *p, int at, int tunable) {
    if (axis->kind < CLG_AXIS_PANELS || at == 0)
        return false;
    const int before = tunable_of(space, axis, p, axis->values[at - 1]);
    return axis->kind == CLG_AXIS_PANELS ? before >= space->problem.m : before == tunable;
}

bool clg_space_set_axes(const struct clg_space *space, const struct clg_point *point, int from,
                        int to, struct clg_params *p) {
    const struct clg_axes *axes = space->families[point->family]->axes;
    bool good = true;
    for (int a = from; a < to; a++) {
        const struct clg_axis *axis = &axes->axes[a];
        const int tunable = tunable_of(space, axis, p, axis->values[point->at[a]]);
        good &= !is_redundant(space, axis, p, point->at[a], tunable);
        *field_of(p, axis) = tunable;
        if (axis->kind == CLG_AXIS_PATCH)
            p->lanes_n = tunable ? CLG_PATCH / tunable : 0;
    }
    return good;
}

static bool is_refused(const struct clg_space *space, clg_params_reason *reason,
                       const struct clg_params *p) {
    return reason && reason(&space->problem, &space->facts, p);
}

/* Whether the first shape_axes axes can be part of a valid point. */
static bool is_shape(const struct clg_space *space, const struct clg_point *point) {
    const struct clg_axes *axes = space->families[point->family]->axes;
    struct clg_params p = {0};
    return clg_space_set_axes(space, point, 0, axes->shape_axes, &p) &&
           !is_refused(space, axes->shape_unsupported_reason, &p);
}

bool clg_space_at(const struct clg_space *space, const struct clg_point *point,
                  struct clg_candidate *out) {
    const struct clg_family *family = space->families[point->family];
    const struct clg_axes *axes = family->axes;
    struct clg_params p = {0};
    if (!clg_space_set_axes(space, point, 0, axes->shape_axes, &p) ||
        is_refused(space, axes->shape_unsupported_reason, &p) ||
        !clg_space_set_axes(space, point, axes->shape_axes, axes->count, &p) ||
        is_refused(space, axes->unsupported_reason, &p) ||
        is_refused(space, family->unsupported_reason, &p))
        return false;
    *out = (struct clg_candidate){.family = family, .params = p};
    return has_scheme(space, out);
}

/* The axis whose value a walk changes next: it skips a whole branch if the branch's root is
 * invalid. At a root, all later axes have their first values. */
static int axis_to_turn(const struct clg_space *space, const struct clg_point *point) {
    const struct clg_axes *axes = space->families[point->family]->axes;
    struct clg_candidate core;
    int last = axes->count;
    while (last > 0 && point->at[last - 1] == 0)
        last--;
    if (last <= axes->shape_axes && !is_shape(space, point))
        return axes->shape_axes - 1;
    if (last <= axes->core_axes && !clg_space_at(space, point, &core))
        return axes->core_axes - 1;
    return axes->count - 1;
}

/* Advances that axis by one, with carry, and resets later axes; false: all were at their ends. */
static bool turn(const struct clg_space *space, struct clg_point *point, int axis) {
    const struct clg_axes *axes = space->families[point->family]->axes;
    for (int a = axis + 1; a < axes->count; a++)
        point->at[a] = 0;
    for (; axis >= 0; axis--) {
        if (point->at[axis] + 1 < axes->axes[axis].count) {
            point->at[axis]++;
            return true;
        }
        point->at[axis] = 0;
    }
    return false;
}

bool clg_space_next(const struct clg_space *space, struct clg_point *point) {
    struct clg_candidate candidate;
    while (turn(space, point, axis_to_turn(space, point)))
        if (clg_space_at(space, point, &candidate))
            return true;
    return false;
}

bool clg_space_first(const struct clg_space *space, int family, struct clg_point *out) {
    struct clg_candidate candidate;
    *out = (struct clg_point){.family = (uint8_t)family};
    return clg_space_at(space, out, &candidate) || clg_space_next(space, out);
}

bool clg_space_step(const struct clg_space *space, struct clg_point *point, int axis, int step) {
    const int count = space->families[point->family]->axes->axes[axis].count;
    struct clg_point there = *point;
    struct clg_candidate candidate;
    for (int at = point->at[axis] + step; at >= 0 && at < count; at += step) {
        there.at[axis] = (uint8_t)at;
        if (clg_space_at(space, &there, &candidate)) {
            *point = there;
            return true;
        }
    }
    return false;
}

int clg_space_axes(const struct clg_space *space, const struct clg_point *point) {
    return space->families[point->family]->axes->count;
}

/* The axis's value, perhaps not an integer, that corresponds to the tunable. */
static double value_of(const struct clg_space *space, const struct clg_axis *axis,
                       const struct clg_params *p) {
    const int tunable = *(const int *)((const char *)p + axis->field);
    switch (axis->kind) {
    case CLG_AXIS_PANELS:
        return (double)tunable / (2 * p->vec);
    case CLG_AXIS_CUTS_N:
        return (double)clg_ceil_div(space->problem.n, tunable);
    case CLG_AXIS_CUTS_K:
        return (double)clg_ceil_div(space->problem.k, tunable);
    case CLG_AXIS_PATCH:
        return tunable * p->lanes_n == CLG_PATCH ? tunable : 0;
    default:
        return tunable;
    }
}

bool clg_space_near(const struct clg_space *space, const struct clg_candidate *candidate,
                    struct clg_point *out) {
    int family = 0;
    while (family < space->count && space->families[family] != candidate->family)
        family++;
    if (family == space->count)
        return false;
    *out = (struct clg_point){.family = (uint8_t)family};
    for (int a = 0; a < space->families[family]->axes->count; a++) {
        const struct clg_axis *axis = &space->families[family]->axes->axes[a];
        const double wanted = value_of(space, axis, &candidate->params) + 1;
        for (int at = 1; at < axis->count; at++)
            if (fabs(log((axis->values[at] + 1) / wanted)) <
                fabs(log((axis->values[out->at[a]] + 1) / wanted)))
                out->at[a] = (uint8_t)at;
    }
    return true;
}

bool clg_space_model_choice(const struct clg_space *space, struct clg_candidate *out) {
    if (space->list.count > 0)
        *out = clg_candidate_of(space->list.at[0].family, &space->list.at[0].params);
    return space->list.count > 0;
}

/* Adds a seed unless it is already there, has another scheme, or is refused by the family. */
static int add_seed(const struct clg_space *space, struct clg_candidate *seeds, int count, int most,
                    const struct clg_candidate *seed) {
    if (count == most || !has_scheme(space, seed) ||
        seed->family->unsupported_reason(&space->problem, &space->facts, &seed->params))
        return count;
    for (int i = 0; i < count; i++)
        if (clg_candidate_equal(&seeds[i], seed))
            return count;
    seeds[count] = *seed;
    return count + 1;
}

/* Adds the candidate's variants, which keep A and B elsewhere. */
static int add_variants(const struct clg_space *space, const struct clg_candidate *candidate,
                        struct clg_candidate *out, int count, int most) {
    const struct clg_family *family = candidate->family;
    struct clg_candidate seed = {.family = family};
    for (int v = 0; family->variant && family->variant(v, &candidate->params, &seed.params); v++)
        count = add_seed(space, out, count, most, &seed);
    return count;
}

int clg_space_seeds(const struct clg_space *space, struct clg_candidate *out, int most) {
    int count = 0;
    if (most < 1 || !clg_space_model_choice(space, out))
        return 0;
    count = add_variants(space, &out[0], out, 1, most);
    for (int i = 0; i < space->list.count; i++) {
        const struct clg_candidate seed =
            clg_candidate_of(space->list.at[i].family, &space->list.at[i].params);
        count = add_seed(space, out, count, most, &seed);
    }
    for (int i = 0; i < space->list.count; i++)
        if (space->list.at[i].family == out[0].family)
            count = add_variants(space, &space->list.at[i], out, count, most);
    return count;
}
