/* SPDX-License-Identifier: Apache-2.0
 * The space of candidates for one problem on one device. Its points are combinations of the values
 * worth trying of each family's tunables. A point is valid if the family's unsupported_reason and
 * the bounds of gemm/axes allow it. No OpenCL: a space is listed, counted and searched without a
 * device. */
#ifndef CLG_TUNE_SPACE_H
#define CLG_TUNE_SPACE_H

#include "gemm/family.h"

/* A point of the space: the index of the family, and of a value of each axis. */
struct clg_point {
    uint8_t family, at[CLG_AXES_MAX];
};

struct clg_space {
    struct clg_problem problem;
    struct clg_facts facts;
    struct clg_list list; /* what the library would consider without a tuning table */
    const struct clg_family *families[CLG_FAMILIES];
    int count;  /* families that the device can run at all */
    int scheme; /* the only enum clg_scheme that is valid, or -1: all */
};

/* The space of a CLG_WORK_MULTIPLY problem. */
void clg_space_init(struct clg_space *out, const struct clg_problem *problem,
                    const struct clg_facts *facts);

/* Leaves only that scheme in the space; the model's choice may have another. */
void clg_space_keep(struct clg_space *space, enum clg_scheme scheme);

/* The candidate at a point; false if the point is not valid. */
bool clg_space_at(const struct clg_space *space, const struct clg_point *point,
                  struct clg_candidate *out);

/* The first valid point of a family, and the next one after `point` in the same family; false:
 * there is none. */
bool clg_space_first(const struct clg_space *space, int family, struct clg_point *out);
bool clg_space_next(const struct clg_space *space, struct clg_point *point);

/* The point nearest to a candidate's parameters; it may be invalid. False if the family is not in
 * the space. */
bool clg_space_near(const struct clg_space *space, const struct clg_candidate *candidate,
                    struct clg_point *out);

/* Sets the tunables of the point's axes [from, to); those of earlier axes must be set. False if a
 * value has the same effect as the axis's previous one. */
bool clg_space_set_axes(const struct clg_space *space, const struct clg_point *point, int from,
                        int to, struct clg_params *p);

/* The number of candidates of a family, and of each scheme. The same as a walk by clg_space_next()
 * would count, but ten times as fast. */
uint64_t clg_space_count(const struct clg_space *space, int family,
                         uint64_t of_scheme[CLG_SCHEMES]);

/* Moves along one axis to the next valid point, up or down (`step` 1 or -1). */
bool clg_space_step(const struct clg_space *space, struct clg_point *point, int axis, int step);
int clg_space_axes(const struct clg_space *space, const struct clg_point *point);

/* The candidate that the library would use without a tuning table; false if there is none. */
bool clg_space_model_choice(const struct clg_space *space, struct clg_candidate *out);

/* Candidates that are likely to be good, in this order: the model's choice with its variants (other
 * schemes for A and B); the others of the model's list; the variants of those of the same family.
 * All are different, and supported by their families. Returns how many there are, at most `most`.
 */
int clg_space_seeds(const struct clg_space *space, struct clg_candidate *out, int most);

#endif
