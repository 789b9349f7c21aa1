/* SPDX-License-Identifier: Apache-2.0
 * What to run for a problem: a list of steps, decided without any OpenCL call, so that decisions
 * are tested without a device. run/exec executes a plan.
 *
 * In every plan only the last steps write C; the steps before them write workspace. So a call whose
 * commands could not all be enqueued leaves C unchanged: if several steps or portions write C,
 * run/exec lets the first of them wait until all are enqueued.
 *
 * A plan is plain data made from a problem, a device's facts and parameters. Matrices, offsets,
 * alpha and beta are arguments of a call; programs, buffers and queues belong to the code that runs
 * it. */
#ifndef CLG_GEMM_PLAN_H
#define CLG_GEMM_PLAN_H

#include "device/facts.h"
#include "gemm/params.h"
#include "gemm/problem.h"

enum { CLG_MAX_STEPS = 9, CLG_MAX_ARGS = 30, CLG_MAX_WORKSPACES = 7, CLG_MAX_OPTIONS = 512 };

enum clg_arg_kind {
    CLG_ARG_MATRIX,    /* enum clg_matrix_index in .i */
    CLG_ARG_WORKSPACE, /* number in .i */
    CLG_ARG_OFFSET,    /* the call's, of the matrix in .i, in elements */
    CLG_ARG_NUMBERS,   /* the same in numbers, of which an element may have two */
    CLG_ARG_ALPHA,     /* the call's, in the type's scalar; a pair if the type is complex */
    CLG_ARG_BETA,
    CLG_ARG_ONE,        /* instead of alpha */
    CLG_ARG_ALPHA_REAL, /* of a complex alpha that is real: see clg_problem.turns */
    CLG_ARG_BETA_REAL,  /* of a complex beta, for a step of a real product; 1 if C was scaled */
    CLG_ARG_SCALAR,     /* a constant of the plan, .d, in the type's scalar, never a pair */
    CLG_ARG_FIRST,      /* the slab's first column, as an int */
    CLG_ARG_STORED,     /* how many of its columns are stored, as an int */
    CLG_ARG_INT,        /* .i */
    CLG_ARG_LONG        /* .l */
};

struct clg_arg {
    const char *name; /* in the kernel's signature */
    enum clg_arg_kind kind;
    union {
        int32_t i;
        int64_t l;
        double d;
    };
};

/* Whether a step is for a slab of C's columns (see struct clg_portion), or for all of them. */
enum clg_when { CLG_EACH_SLAB, CLG_BEFORE_SLABS, CLG_AFTER_SLABS };

/* One kernel launch: `groups` work-groups of `group_size` work-items for each of `batch` products.
 * It has one dimension, because some devices limit the others. */
struct clg_step {
    const char *source; /* of the program; its kernel is "clg_" + source */
    char options[CLG_MAX_OPTIONS];
    struct clg_arg args[CLG_MAX_ARGS];
    int num_args;
    enum clg_when when;
    uint64_t groups, group_size, batch;
};

struct clg_family;

struct clg_plan {
    struct clg_problem problem;
    const struct clg_family *family; /* NULL where C is only scaled */
    struct clg_params params;
    const char *why; /* why this family, one word, for the verbose line */
    struct clg_step steps[CLG_MAX_STEPS];
    int num_steps;                           /* 0: nothing to do */
    uint64_t workspaces[CLG_MAX_WORKSPACES]; /* bytes; contents undefined except for counters */
    int num_workspaces;
    int counters; /* the workspace that device/workspace.h calls counters, or -1; its size is known
                     there and is 0 here */
    int packed;   /* the workspace of the packed operand, which only the first step writes, or -1 */
    int64_t slab, apart; /* columns of C that the steps compute at a time, n or fewer, and from one
                            such slab to the next */
    bool each;           /* the steps compute one product of the batch */
    bool scales_first;   /* the first step multiplies C by beta; it is left out if beta is real */
};

/* What a plan's steps compute at a time: a product of the batch, or all; and a slab of C's columns.
 * All slabs are as wide, and the last one ends where C does. Columns that two have are stored by
 * the later one. */
struct clg_portion {
    int64_t product, first, stored; /* columns */
};

int64_t clg_slabs(int64_t n, int64_t slab, int64_t apart);

/* Portion `number`, by products and then by slabs; false after the last one. */
bool clg_plan_portion(const struct clg_plan *plan, int64_t number, struct clg_portion *out);

bool clg_step_writes_c(const struct clg_step *step);

/* "tiled", "direct" ..., "scale" or "none". */
const char *clg_plan_family_name(const struct clg_plan *plan);

/* Plans a problem of CLG_WORK_NOTHING, or of CLG_WORK_SCALE. */
void clg_plan_nothing(struct clg_plan *out, const struct clg_problem *problem);
void clg_plan_scale(struct clg_plan *out, const struct clg_problem *problem,
                    const struct clg_facts *facts);

/* Adds the step of that plan. */
void clg_plan_add_scale(struct clg_plan *plan, const struct clg_facts *facts);

/* Adds the size of sub-groups that the compiler must be told, if there is one, to all steps. */
void clg_plan_set_sub_groups(struct clg_plan *plan, const struct clg_facts *facts);

/* Plans a CLG_WORK_MULTIPLY problem with this family and these parameters, for which the family's
 * unsupported_reason must be NULL. If the problem has a packed operand, out->problem says whether
 * this plan uses it. */
void clg_plan_with(struct clg_plan *out, const struct clg_family *family,
                   const struct clg_params *params, const struct clg_problem *problem,
                   const struct clg_facts *facts);

/* Whether a plan of the family uses operand `which` packed; while no family is chosen, whether it
 * could. */
bool clg_is_ahead(const struct clg_problem *problem, const struct clg_family *family,
                  enum clg_matrix_index which);

/* For families: adds a step with the options of `params` (may be NULL), `extra` (may be "") and the
 * problem's type, and arguments to it, in the order and with the names of its kernel
 * (tests/kernels/arguments.sh). */
struct clg_step *clg_plan_step(struct clg_plan *plan, const char *source,
                               const struct clg_params *params, const char *extra);
/* Adds an option that is not a parameter. */
void clg_step_option(struct clg_step *step, const char *option);
/* If only a triangle of C is computed: the options of kernels/triangle.h; and an argument. */
void clg_step_triangle(struct clg_step *step, const struct clg_problem *problem);
void clg_step_tiles(struct clg_step *step, const char *name, const struct clg_problem *problem,
                    int64_t tiles);
void clg_step_matrix(struct clg_step *step, const char *name, enum clg_matrix_index matrix);
void clg_step_int(struct clg_step *step, const char *name, int64_t value);
void clg_step_long(struct clg_step *step, const char *name, int64_t value);
void clg_step_sizes(struct clg_step *step, const struct clg_problem *problem); /* m, n, k */
void clg_step_workspace(struct clg_step *step, const char *name, int number);
/* CLG_ARG_FIRST or CLG_ARG_STORED. */
void clg_step_slab(struct clg_step *step, const char *name, enum clg_arg_kind kind);
void clg_step_offset(struct clg_step *step, const char *name, enum clg_matrix_index matrix);

/* The workspace, or the matrix if `workspace` is negative; and where the matrix begins there. */
void clg_step_memory(struct clg_step *step, const char *name, enum clg_matrix_index matrix,
                     int workspace);
void clg_step_memory_offset(struct clg_step *step, const char *name, enum clg_matrix_index matrix,
                            int workspace);

/* For a batch (kernels/real.h), else nothing: the stride from one product's matrix to the next;
 * and `groups`, those of each product, the last argument of a launch that covers all products. */
void clg_step_stride(struct clg_step *step, const char *name, const struct clg_problem *problem,
                     int64_t stride);
void clg_step_groups(struct clg_step *step, const struct clg_problem *problem);

/* For a complex type, -1 if the matrix is conjugated, else 1; for others nothing. */
void clg_step_sign(struct clg_step *step, const char *name, const struct clg_problem *problem,
                   enum clg_matrix_index which);

/* A matrix where the call has it: for CLG_A `a`, `a_offset`, `lda` and, for a batch, `a_stride`;
 * likewise for others. `as` says whose names the matrix has. */
void clg_step_columns(struct clg_step *step, const struct clg_problem *problem,
                      enum clg_matrix_index as, enum clg_matrix_index matrix);

/* `alpha` and `beta`: the call's if the step writes C's final values, else 1 and 0, because a later
 * step applies them. */
void clg_step_scalars(struct clg_step *step, bool final);

/* Bytes that copies of host matrices may take together, of all that a call may take. */
double clg_copies_room(const struct clg_facts *facts);

/* Bytes that a plan's workspaces may take together: the rest, or all if nothing is copied. */
double clg_workspace_room(const struct clg_problem *problem, const struct clg_facts *facts);

/* Adds a workspace, and returns its number: of `reals` numbers of the type that kernels compute
 * with (`real`), or of `elements` of the type in memory. */
int clg_plan_workspace(struct clg_plan *plan, int64_t reals);
int clg_plan_elements(struct clg_plan *plan, int64_t elements);

/* Adds the one workspace of counters, and returns its number: CLG_COUNTERS ints, which are 0 before
 * and after the steps. */
enum { CLG_COUNTERS = 1024 };
int clg_plan_counters(struct clg_plan *plan);

#endif
