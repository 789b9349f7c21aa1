/* SPDX-License-Identifier: Apache-2.0
 * What to run for a problem: a list of steps, decided without one OpenCL call, so that decisions
 * are tested without a device. gemm/exec carries a plan out.
 *
 * Every plan keeps this promise: only its last step writes C. The steps before it write workspace.
 * So a call whose commands could not all be enqueued leaves C as it was. */
#ifndef CLG_GEMM_PLAN_H
#define CLG_GEMM_PLAN_H

#include "device/facts.h"
#include "gemm/params.h"
#include "gemm/problem.h"

enum { CLG_MAX_STEPS = 4, CLG_MAX_ARGS = 24, CLG_MAX_WORKSPACES = 4, CLG_MAX_OPTIONS = 320 };

enum clg_arg_kind {
    CLG_ARG_A,
    CLG_ARG_B,
    CLG_ARG_C,
    CLG_ARG_WORKSPACE, /* number in .i */
    CLG_ARG_INT,
    CLG_ARG_LONG,
    CLG_ARG_FLOAT
};

struct clg_arg {
    enum clg_arg_kind kind;
    union {
        int32_t i;
        int64_t l;
        float f;
    };
};

/* One kernel launch, one-dimensional: `groups` work-groups of `group_size` work-items. */
struct clg_step {
    const char *source; /* of the program; its kernel is "clg_" + source */
    char options[CLG_MAX_OPTIONS];
    struct clg_arg args[CLG_MAX_ARGS];
    int num_args;
    uint64_t groups, group_size;
};

struct clg_family;
struct clg_program;
struct clg_tuning;

struct clg_plan {
    struct clg_problem problem;
    const struct clg_family *family; /* NULL where C is only scaled */
    struct clg_params params;
    const char *why; /* one word on why this family, for the verbose line */
    struct clg_step steps[CLG_MAX_STEPS];
    struct clg_program *programs[CLG_MAX_STEPS]; /* NULL until clg_exec_prepare finds them */
    int num_steps;                               /* 0: nothing to do */
    uint64_t workspaces[CLG_MAX_WORKSPACES];     /* bytes; contents undefined, but for counters */
    int num_workspaces;
    int counters; /* the workspace that device/workspace.h calls counters, or -1 */
};

bool clg_step_writes_c(const struct clg_step *step);

/* "tiled", "direct" ..., "scale" or "none". */
const char *clg_plan_family_name(const struct clg_plan *plan);

/* Chooses family and parameters: a row of `tuning` (NULL: there is none), else from shape and
 * facts. Fails where no family can do the problem on this device, with the reasons. */
clgemm_status clg_plan_make(struct clg_plan *out, const struct clg_problem *problem,
                            const struct clg_facts *facts, const struct clg_tuning *tuning);

/* Plans a CLG_WORK_MULTIPLY problem with this family and these parameters, for which the family's
 * why_not must be NULL. */
void clg_plan_with(struct clg_plan *out, const struct clg_family *family,
                   const struct clg_params *params, const struct clg_problem *problem,
                   const struct clg_facts *facts);

/* For families: adds a step with the options of `params` (may be NULL) and `extra` (may be ""),
 * and arguments to it, in the kernel's order. */
struct clg_step *clg_plan_step(struct clg_plan *plan, const char *source,
                               const struct clg_params *params, const char *extra);
void clg_step_arg(struct clg_step *step, enum clg_arg_kind matrix);
void clg_step_int(struct clg_step *step, int64_t value);
void clg_step_long(struct clg_step *step, int64_t value);
void clg_step_float(struct clg_step *step, float value);
void clg_step_workspace(struct clg_step *step, int number);

/* Bytes that a plan's workspaces may take together: all that a call may take, or a quarter where
 * copies of its matrices may have the rest (gemm/host_blocks.h). */
double clg_workspace_room(const struct clg_problem *problem, const struct clg_facts *facts);

/* Adds a workspace of that many bytes and returns its number. */
int clg_plan_workspace(struct clg_plan *plan, uint64_t bytes);

/* Adds the one workspace of counters: ints that are 0 before the steps and that these leave 0.
 * Returns its number. */
int clg_plan_counters(struct clg_plan *plan);

#endif
