/* SPDX-License-Identifier: Apache-2.0
 * The space of candidates for one problem on one device: each family's tunables with the values
 * worth a look, of which only those points count that the family's unsupported_reason and the
 * bounds of gemm/axes allow. No OpenCL: a space is listed, counted and searched without a
 * device. */
#ifndef CLG_TUNE_SPACE_H
#define CLG_TUNE_SPACE_H

#include "tune/candidate.h"

/* A place in the space: which family, and of each axis which value. */
struct clg_point {
    uint8_t family, at[CLG_AXES_MAX];
};

struct clg_space {
    struct clg_problem problem;
    struct clg_facts facts;
    const struct clg_family *families[CLG_FAMILIES];
    int count;  /* families that the device can run at all */
    int scheme; /* the one enum clg_scheme that counts, or -1: all */
};

/* The space of a CLG_WORK_MULTIPLY problem. */
void clg_space_init(struct clg_space *out, const struct clg_problem *problem,
                    const struct clg_facts *facts);

/* Leaves only that scheme in the space; the model's choice may be of another. */
void clg_space_keep(struct clg_space *space, enum clg_scheme scheme);

/* The candidate at a point; false where the point is not one of the space's. */
bool clg_space_at(const struct clg_space *space, const struct clg_point *point,
                  struct clg_candidate *out);

/* The space's first point of a family, and the one after `point` in the same family; false: there
 * is none. */
bool clg_space_first(const struct clg_space *space, int family, struct clg_point *out);
bool clg_space_next(const struct clg_space *space, struct clg_point *point);

/* The point nearest to a candidate's parameters, which may be none of the space's; false where the
 * space has not got the family. */
bool clg_space_near(const struct clg_space *space, const struct clg_candidate *candidate,
                    struct clg_point *out);

/* Sets the tunables of the point's axes [from, to), those before them being set; false where a
 * value does the same as the axis's one before it. */
bool clg_space_set_axes(const struct clg_space *space, const struct clg_point *point, int from,
                        int to, struct clg_params *p);

/* How many candidates of a family there are, and of each scheme; as a walk by clg_space_next finds
 * them, ten times as fast. */
uint64_t clg_space_count(const struct clg_space *space, int family,
                         uint64_t of_scheme[CLG_SCHEMES]);

/* Moves along one axis to the next point of the space, up or down (`step` 1 or -1). */
bool clg_space_step(const struct clg_space *space, struct clg_point *point, int axis, int step);
int clg_space_axes(const struct clg_space *space, const struct clg_point *point);

/* What the library would do without any table of measurements; false if it could not. */
bool clg_space_model_choice(const struct clg_space *space, struct clg_candidate *out);

/* What others have found good: the choice of the model first, if that is tiled with its other ways
 * for A and B, then its family's built-in rows (as its model ranks and cuts them, if it has one),
 * then what the other families have, then the other ways of the ranked rows; all different, none
 * that the family refuses. Returns how many, `most` at most. */
int clg_space_seeds(const struct clg_space *space, struct clg_candidate *out, int most);

#endif
