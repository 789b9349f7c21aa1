/* SPDX-License-Identifier: Apache-2.0
 * What to run for a problem: a list of steps, decided without one OpenCL call, so that decisions
 * are tested without a device. run/exec carries a plan out.
 *
 * Every plan keeps this promise: only its last steps write C, those before them write workspace. So
 * a call whose commands could not all be enqueued leaves C as it was: where several steps write C,
 * run/exec lets the first of them wait until all are enqueued.
 *
 * A plan is plain data of a problem, a device and parameters. Matrices, alpha and beta are
 * arguments that a call brings; programs, buffers and queues belong to whoever runs it. */
#ifndef CLG_GEMM_PLAN_H
#define CLG_GEMM_PLAN_H

#include "device/facts.h"
#include "gemm/params.h"
#include "gemm/problem.h"

enum { CLG_MAX_STEPS = 4, CLG_MAX_ARGS = 28, CLG_MAX_WORKSPACES = 5, CLG_MAX_OPTIONS = 448 };

enum clg_arg_kind {
    CLG_ARG_MATRIX,    /* enum clg_matrix_index in .i */
    CLG_ARG_WORKSPACE, /* number in .i */
    CLG_ARG_ALPHA,     /* the call's, in the type's scalar */
    CLG_ARG_BETA,
    CLG_ARG_SCALAR, /* the same for a number that the plan knows, .d */
    CLG_ARG_INT,    /* .i */
    CLG_ARG_LONG    /* .l */
};

struct clg_arg {
    enum clg_arg_kind kind;
    union {
        int32_t i;
        int64_t l;
        double d;
    };
};

/* One kernel launch: `groups` work-groups of `group_size` work-items for each of `batch` products,
 * in one dimension, since others are short on some devices. */
struct clg_step {
    const char *source; /* of the program; its kernel is "clg_" + source */
    char options[CLG_MAX_OPTIONS];
    struct clg_arg args[CLG_MAX_ARGS];
    int num_args;
    uint64_t groups, group_size, batch;
};

struct clg_family;

struct clg_plan {
    struct clg_problem problem;
    const struct clg_family *family; /* NULL where C is only scaled */
    struct clg_params params;
    const char *why; /* one word on why this family, for the verbose line */
    struct clg_step steps[CLG_MAX_STEPS];
    int num_steps;                           /* 0: nothing to do */
    uint64_t workspaces[CLG_MAX_WORKSPACES]; /* bytes; contents undefined, but for counters */
    int num_workspaces;
    int counters; /* the workspace that device/workspace.h calls counters, or -1; its size is known
                     there, and 0 here */
    int packed;   /* the workspace of the operand that is packed ahead, which the first step writes
                     and no other; or -1: none is */
};

bool clg_step_writes_c(const struct clg_step *step);

/* "tiled", "direct" ..., "scale" or "none". */
const char *clg_plan_family_name(const struct clg_plan *plan);

/* Plans a problem of CLG_WORK_NOTHING, or of CLG_WORK_SCALE. */
void clg_plan_nothing(struct clg_plan *out, const struct clg_problem *problem);
void clg_plan_scale(struct clg_plan *out, const struct clg_problem *problem,
                    const struct clg_facts *facts);

/* Plans a CLG_WORK_MULTIPLY problem with this family and these parameters, for which the family's
 * unsupported_reason must be NULL. Where an operand is to be packed ahead, out->problem says
 * whether this plan does so. */
void clg_plan_with(struct clg_plan *out, const struct clg_family *family,
                   const struct clg_params *params, const struct clg_problem *problem,
                   const struct clg_facts *facts);

/* Whether family and problem are those of a plan whose operand `which` is packed ahead; while no
 * family is chosen, of one that could. */
bool clg_is_ahead(const struct clg_problem *problem, const struct clg_family *family,
                  enum clg_matrix_index which);

/* For families: adds a step with the options of `params` (may be NULL), `extra` (may be "") and the
 * problem's type, and arguments to it, in the kernel's order. */
struct clg_step *clg_plan_step(struct clg_plan *plan, const char *source,
                               const struct clg_params *params, const char *extra);
void clg_step_matrix(struct clg_step *step, enum clg_matrix_index matrix);
void clg_step_int(struct clg_step *step, int64_t value);
void clg_step_long(struct clg_step *step, int64_t value);
void clg_step_workspace(struct clg_step *step, int number);

/* The workspace, or the matrix where its number is negative: there is none. */
void clg_step_memory(struct clg_step *step, enum clg_matrix_index matrix, int workspace);

/* Where the problem is a batch (kernels/real.h): from one product's matrix to the next one's, and,
 * as the last argument of a launch for each product, its groups. Else nothing. */
void clg_step_stride(struct clg_step *step, const struct clg_problem *problem, int64_t stride);
void clg_step_groups(struct clg_step *step, const struct clg_problem *problem);

/* alpha and beta: the call's where the step writes C's final values; else 1 and 0, since a later
 * step counts them in. */
void clg_step_scalars(struct clg_step *step, bool final);

/* Bytes that a plan's workspaces may take together: all that a call may take, or a quarter where
 * copies of its matrices may have the rest (run/host_blocks.h). */
double clg_workspace_room(const struct clg_problem *problem, const struct clg_facts *facts);

/* Adds a workspace of so many numbers as the problem's type computes with (kernels' `real`), or of
 * elements as it stores them, and returns its number. */
int clg_plan_workspace(struct clg_plan *plan, int64_t reals);
int clg_plan_elements(struct clg_plan *plan, int64_t elements);

/* Adds the one workspace of counters: CLG_COUNTERS ints that are 0 before the steps and that these
 * leave 0. Returns its number. */
enum { CLG_COUNTERS = 1024 };
int clg_plan_counters(struct clg_plan *plan);

#endif
