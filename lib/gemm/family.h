/* SPDX-License-Identifier: Apache-2.0
 * A family: one method to compute a product. Adding one takes its file (or folder), its kernel and
 * a row in clg_families; docs/contributing.md says how. */
#ifndef CLG_GEMM_FAMILY_H
#define CLG_GEMM_FAMILY_H

#include "gemm/axes.h"
#include "gemm/candidate.h"
#include "gemm/costs.h"
#include "gemm/plan.h"

/* Where a family's candidate has A and B while it multiplies. */
enum clg_scheme {
    CLG_SCHEME_NONE,          /* in place, in global memory */
    CLG_SCHEME_LOCAL,         /* both in local memory */
    CLG_SCHEME_LOCAL_PRIVATE, /* one in local memory, the other in registers */
    CLG_SCHEME_PRIVATE,       /* both in registers */
    CLG_SCHEME_BOTH,          /* both in local memory, and from there in registers */
    CLG_SCHEME_PACKED,        /* in panels in a CPU's caches */
    CLG_SCHEME_TENSOR,        /* split into parts for tensor cores, in local memory */
    CLG_SCHEMES
};
extern const char *const clg_scheme_names[CLG_SCHEMES]; /* "none", "local", "local-private" ... */

/* Sizes along m, n and k: a program depends on the remainder of a problem's size divided by them.
 * 0: the size does not matter. */
struct clg_tile {
    int m, n, k;
};

enum { CLG_DESCRIPTION = 192 };

struct clg_family {
    const char *name;
    const char *chosen_for; /* one word, for the verbose line */
    unsigned
        types;   /* bit t: multiplies clgemm_type t; complex ones also as real (gemm/complex.h) */
    bool strict; /* computes in strict mode, which every mode permits */
    bool soft;   /* computes F64 on devices without FP64 */
    bool triangles; /* computes a triangle of C alone */
    bool stored;    /* multiplies by an operand of which a triangle is stored; real */
    bool pairs;   /* in mode normwise it multiplies parts of complex numbers by pairs, with half of
                     the products of CLG_FORM_PARTS */
    bool expands; /* reads a complex A in place in a real product (CLG_FORM_INSIDE) */
    unsigned schemes; /* bit s: has enum clg_scheme s */
    /* The fact that the family depends on if it uses instructions that no driver documents for
     * OpenCL, as its offset in struct clg_facts (clg_family_premise). It is then used on a device
     * only after a small product was correct there. 0: the family needs no such check. */
    size_t premise;
    /* Whether those instructions are fast enough on the device. With rates NULL, the answer is what
     * the facts tell; else it follows from rates that were measured on the device. NULL: always. */
    bool (*pays)(const struct clg_facts *facts, const struct clg_rates *rates);

    /* NULL if the family can compute the problem on that device with these parameters, else the
     * first reason why not. The choice, the tables and the tests share this one predicate, and call
     * it through clg_family_unsupported_reason. */
    clg_params_reason *unsupported_reason;

    /* Adds the ways to compute the problem that are worth considering, with their times by the
     * family's model, from the costs' rows or from rules of its own. */
    void (*candidates)(const struct clg_problem *problem, const struct clg_facts *facts,
                       const struct clg_costs *costs, struct clg_list *list);

    /* Changes the parameters so that they use operand `which` of the problem packed, and sets *form
     * to the packed layout: those parameters on which it depends. False if the operand is used in
     * place. NULL: it always is. Called through clg_family_form. */
    bool (*form)(const struct clg_problem *problem, const struct clg_facts *facts,
                 enum clg_matrix_index which, struct clg_params *params, struct clg_params *form);

    /* Adds the steps. */
    void (*plan)(struct clg_plan *plan, const struct clg_problem *problem,
                 const struct clg_facts *facts, const struct clg_params *params);

    /* A smaller problem uses the same programs if it has a few of these tiles and the same
     * remainder: for a warm-up launch (run/warm_launch.h). NULL: TILE_M x TILE_N by TILE_K. Called
     * through clg_family_tile. */
    struct clg_tile (*tile)(const struct clg_params *params);

    /* ---- For the tuner ---- */

    const struct clg_axes *axes;
    /* The scheme of these parameters. NULL: the only one that the family has. */
    enum clg_scheme (*scheme)(const struct clg_params *params);

    /* The same parameters with another scheme for A and B: number 0, 1, ... until it returns false.
     * The family may refuse them. NULL: there are none. */
    bool (*variant)(int number, const struct clg_params *params, struct clg_params *out);
};

static inline bool *clg_family_premise(const struct clg_family *family, struct clg_facts *facts) {
    return (bool *)((char *)facts + family->premise);
}

/* Poses the problem as the family takes it (gemm/complex.h). */
struct clg_posed;
void clg_family_pose(struct clg_posed *out, const struct clg_family *family,
                     const struct clg_problem *problem, const struct clg_facts *facts);

/* In elements of the problem's type: a complex one's tile may be that of a real product. */
struct clg_tile clg_family_tile(const struct clg_family *family, const struct clg_problem *problem,
                                const struct clg_params *params);

/* Whether it multiplies the type, itself or as a real one. */
static inline bool clg_family_computes(const struct clg_family *family, clgemm_type type) {
    return family->types >> clg_type_real(type) & 1;
}

/* Whether the plan's family must be checked on the device before use. */
static inline bool clg_plan_is_to_prove(const struct clg_plan *plan) {
    return plan->family && plan->family->premise;
}

extern const struct clg_family clg_family_direct, clg_family_tiled, clg_family_panel,
    clg_family_skinny, clg_family_tensor, clg_family_mma, clg_family_multistage, clg_family_many,
    clg_family_thin, clg_family_residues, clg_family_dot;

/* All families, then NULL. Of equally fast candidates the earlier family's precedes. */
enum { CLG_FAMILIES = 11 };
extern const struct clg_family *const clg_families[CLG_FAMILIES + 1];

/* Bit f, where the family is clg_families[f]: for sets of families. */
unsigned clg_family_bit(const struct clg_family *family);

/* Whether the family has the tunable: as an axis, or LANES_N, which follows an axis. */
bool clg_family_has(const struct clg_family *family, const struct clg_tunable *tunable);

/* The parameters as the family reads them: tunables that it does not have are 0. */
struct clg_params clg_family_own(const struct clg_family *family, const struct clg_params *params);

/* Moves what tuning files up to 0.2.0 have in another tunable to the family's own. */
void clg_family_rename(const struct clg_family *family, struct clg_params *params);

/* The family's unsupported_reason, also for unchecked parameters (from a file or a generator) and
 * for types and modes that the family lacks. */
const char *clg_family_unsupported_reason(const struct clg_family *family,
                                          const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *params);

/* The same without parameters: why the family has nothing for the problem's type or mode there. */
const char *clg_family_kind_unsupported_reason(const struct clg_family *family,
                                               const struct clg_problem *problem,
                                               const struct clg_facts *facts);

/* The family's `form` for the problem's packed operand. If there is none, or the family does not
 * use it packed, returns false and leaves *params unchanged. */
bool clg_family_form(const struct clg_family *family, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *params,
                     struct clg_params *form);

/* Whether the parameters use a packed operand in the layout that it has, if it is packed already
 * by this family. */
bool clg_family_keeps_form(const struct clg_family *family, const struct clg_problem *problem,
                           const struct clg_facts *facts, const struct clg_params *params);

/* Why no family can compute the type on the device, whatever the shape, or NULL. Every mode can be
 * computed, if necessary as strict. */
const char *clg_families_unsupported_reason(clgemm_type type, const struct clg_facts *facts,
                                            char *text, size_t size);

/* Why a work-group of this size cannot run on the device, or NULL. */
const char *clg_group_unsupported_reason(const struct clg_facts *facts, int64_t group_size);

/* Bytes of local memory that a work-group can have on an NVIDIA GPU, by compute capability.
 * CL_DEVICE_LOCAL_MEM_SIZE reports only 48 KiB (CUDA C++ Programming Guide, table of technical
 * specifications). */
int64_t clg_local_bytes(const struct clg_facts *facts);

/* Work-groups that a compute unit's local memory holds at a time, if each has so many bytes, by
 * what is known of the device's architecture; 0: not one. */
int64_t clg_groups_in_local(const struct clg_facts *facts, int64_t bytes);

/* Where the candidate has A and B. */
enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate);

/* Writes for example "tiled 64x64x16, 8x8, split_k 4, pack_a" to `text`, and returns it: the tile,
 * the group, and all other tunables that are not 0. */
const char *clg_candidate_text(char text[CLG_DESCRIPTION], const struct clg_candidate *candidate);

#endif
