/* SPDX-License-Identifier: Apache-2.0
 * A family: one way to multiply. Adding one takes its file (or folder), its kernel and a row in
 * clg_families; docs/design.md says how. */
#ifndef CLG_GEMM_FAMILY_H
#define CLG_GEMM_FAMILY_H

#include "gemm/axes.h"
#include "gemm/plan.h"

/* Where a family's candidate has A and B while it multiplies. */
enum clg_scheme {
    CLG_SCHEME_NONE,          /* where they lie */
    CLG_SCHEME_LOCAL,         /* both in local memory */
    CLG_SCHEME_LOCAL_PRIVATE, /* one in local memory, the other in registers */
    CLG_SCHEME_PRIVATE,       /* both in registers */
    CLG_SCHEME_BOTH,          /* both in local memory, and from there in registers */
    CLG_SCHEME_PACKED,        /* in panels in a CPU's caches */
    CLG_SCHEME_TENSOR,        /* split into parts for tensor cores, in local memory */
    CLG_SCHEMES
};
extern const char *const clg_scheme_names[CLG_SCHEMES]; /* "none", "local", "local-private" ... */

/* A size of which a problem's rest matters to a program, along m, n and k; 0: any length is alike.
 */
struct clg_tile {
    int m, n, k;
};

enum { CLG_DESCRIPTION = 128 };

struct clg_family {
    const char *name;
    const char *chosen_for; /* one word, for the verbose line */
    unsigned types;         /* bit t: multiplies clgemm_type t */
    bool strict;            /* computes in strict mode, which is right in any */
    unsigned schemes;       /* bit s: has enum clg_scheme s */
    /* The fact that the family rests on where no driver promises what it needs: then it is used on
     * a device only once a small product was right there. NULL: the family needs no proof. */
    bool *(*premise)(struct clg_facts *facts);
    /* Whether what the premise gives is quick enough to be used: as far as is known of the device
     * (rates NULL), and at rates that were measured on it, where that is not known. NULL: always.
     */
    bool (*pays)(const struct clg_facts *facts, const struct clg_rates *rates);

    /* NULL where the family can do the problem on that device with these parameters, else the
     * first reason why not. The one predicate for the choice, the tables and the tests, which ask
     * it through clg_family_unsupported_reason. */
    const char *(*unsupported_reason)(const struct clg_problem *problem,
                                      const struct clg_facts *facts,
                                      const struct clg_params *params);

    /* The built-in parameters, best first for large problems; `count` rows. */
    const struct clg_params *(*rows)(enum clg_device_kind kind, size_t *count);
    /* Whether the row of that number was made for elements of the type. NULL: all rows were, for
     * all types. */
    bool (*row_is_for)(size_t row, clgemm_type type);

    /* What to use for this problem; false if no row can do it. Asked through
     * clg_family_parameters. */
    bool (*parameters)(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out);

    /* The built-in rows as they would be used for this problem, the quickest by the family's model
     * first, `most` at most; returns how many. NULL where the family models no rows. */
    int (*ranked)(const struct clg_problem *problem, const struct clg_facts *facts,
                  struct clg_params *out, int most);

    /* Whether parameters that were measured for an m x n result suit that of the problem, which is
     * of about the same size. NULL: always. */
    bool (*carries_over)(const struct clg_problem *problem, const struct clg_params *params,
                         int64_t m, int64_t n);

    /* Sets what makes the parameters pack operand `which` of the problem ahead, and *form to what
     * of them the layout then depends on. False where it would be used as it lies. NULL: so it
     * always is. Asked through clg_family_form. */
    bool (*form)(const struct clg_problem *problem, const struct clg_facts *facts,
                 enum clg_matrix_index which, struct clg_params *params, struct clg_params *form);

    /* Adds the steps. */
    void (*plan)(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params);

    /* The tiles of which a smaller problem needs a few, and the same rest, to use the same
     * programs: for a launch in advance (run/warm_launch.h). */
    struct clg_tile (*tile)(const struct clg_params *params);

    /* ---- For the tuner ---- */

    const struct clg_axes *axes;
    /* That of these parameters. NULL: the one that the family has. */
    enum clg_scheme (*scheme)(const struct clg_params *params);

    /* "64x64x16, 8x8, split 4, pack A" into text, without the family's name. */
    void (*describe)(char text[CLG_DESCRIPTION], const struct clg_params *params);

    /* The same parameters with A and B elsewhere while they are multiplied, which the family may
     * refuse; number 0, 1, ... until false. NULL: there are none. */
    bool (*variant)(int number, const struct clg_params *params, struct clg_params *out);
};

/* Whether the plan's family is one to be proven. */
static inline bool clg_plan_is_to_prove(const struct clg_plan *plan) {
    return plan->family && plan->family->premise;
}

extern const struct clg_family clg_family_direct, clg_family_tiled, clg_family_panel,
    clg_family_skinny, clg_family_tensor, clg_family_mma, clg_family_multistage, clg_family_many,
    clg_family_thin;

/* All families, NULL at the end: the first with parameters for a problem gets it. */
enum { CLG_FAMILIES = 9 };
extern const struct clg_family *const clg_families[CLG_FAMILIES + 1];

/* The family of that name, or NULL. */
const struct clg_family *clg_family_find(const char *name);

/* The family's unsupported_reason, also for parameters that nobody has looked at yet (what a file
 * or a generator brings), and for types and modes that it lacks. */
const char *clg_family_unsupported_reason(const struct clg_family *family,
                                          const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *params);

/* The family's parameters for a problem of its types and modes. */
bool clg_family_parameters(const struct clg_family *family, const struct clg_problem *problem,
                           const struct clg_facts *facts, struct clg_params *out);

/* The family's `form` for the operand that the problem has ahead; false, and all is as it was,
 * where there is none, or none that the family uses packed. */
bool clg_family_form(const struct clg_family *family, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *params,
                     struct clg_params *form);

/* Why no family can compute such a problem on the device whatever its shape, or NULL: its type,
 * named. Any mode is computed, if need be as strict. */
const char *clg_families_unsupported_reason(clgemm_type type, const struct clg_facts *facts,
                                            char *text, size_t size);

/* Why a work-group of this size cannot run on the device, or NULL. */
const char *clg_group_unsupported_reason(const struct clg_facts *facts, int64_t group_size);

/* Bytes of local memory that a group of NVIDIA's can have, by compute capability, though
 * CL_DEVICE_LOCAL_MEM_SIZE says 48 KiB (CUDA C++ Programming Guide, table of technical
 * specifications). */
int64_t clg_local_bytes(const struct clg_facts *facts);

/* Appends to a description. */
void clg_describe(char text[CLG_DESCRIPTION], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
