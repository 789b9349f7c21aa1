/* SPDX-License-Identifier: Apache-2.0
 * The space of candidates for one problem on one device: each family's tunables with the values
 * worth a look, of which only those points count that the family's why_not and the bounds of
 * tune/space_axes allow. No OpenCL: a space is listed, counted and searched without a device. */
#ifndef CLG_TUNE_SPACE_H
#define CLG_TUNE_SPACE_H

#include "tune/candidate.h"

enum { CLG_AXES_MAX = 19, CLG_AXIS_VALUES = 16, CLG_SPACE_FAMILIES = 3 };

/* How an axis's value becomes a tunable. */
enum clg_axis_kind {
    CLG_AXIS_PLAIN,
    CLG_AXIS_PATCH,  /* LANES_M of a patch of CLG_PATCH work-items; LANES_N follows; 0: no patch */
    CLG_AXIS_PANELS, /* multiples of a panel's 2 * VEC rows */
    CLG_AXIS_CUTS_N, /* even parts of n, in whole panels of REG_N columns */
    CLG_AXIS_CUTS_K  /* even parts of k, in whole vectors */
};

enum { CLG_PATCH = 32 };

struct clg_axis {
    const char *option; /* as CLG_TUNABLES spells it */
    size_t field;       /* its offset in struct clg_params */
    enum clg_axis_kind kind;
    int count, values[CLG_AXIS_VALUES]; /* ascending */
};

/* A family's part of the space. */
struct clg_axes {
    const struct clg_family *family;
    const struct clg_axis *axes;
    int count;
    /* The first of them, which are all that shape_why_not looks at; and those with which a point
     * whose further axes are at their first values is refused only if all others are. By these a
     * walk leaves out whole branches. */
    int shape_axes, core_axes;
    /* NULL, or why these are not worth a try: bounds beside the family's own why_not. The second
     * may be NULL itself. */
    const char *(*shape_why_not)(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *params);
    const char *(*why_not)(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *params);
};

/* A place in the space: which family, and of each axis which value. */
struct clg_point {
    uint8_t family, at[CLG_AXES_MAX];
};

struct clg_space {
    struct clg_problem problem;
    struct clg_facts facts;
    const struct clg_axes *families[CLG_SPACE_FAMILIES];
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

/* The axes of all families, NULL at the end. */
extern const struct clg_axes *const clg_space_families[];

#endif
