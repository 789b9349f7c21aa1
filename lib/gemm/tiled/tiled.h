/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the tiled family share: how a problem meets a row of parameters. */
#ifndef CLG_GEMM_TILED_H
#define CLG_GEMM_TILED_H

#include "gemm/family.h"

/* Slices of a work-group along k, the work-items of one, and of all. */
static inline int clg_tiled_wg_slices(const struct clg_params *p) {
    return p->wg_k > 1 ? p->wg_k : 1;
}

static inline int64_t clg_tiled_slice_size(const struct clg_params *p) {
    return (int64_t)p->wg_m * p->wg_n;
}

static inline int64_t clg_tiled_group_size(const struct clg_params *p) {
    return clg_tiled_slice_size(p) * clg_tiled_wg_slices(p);
}

/* Elements that a work-item reads of local memory at once, of so many that it needs: as
 * kernels/fragments.h has it. */
static inline int clg_tiled_fragment(int reg) {
    return reg % 4 == 0 ? 4 : reg % 2 == 0 ? 2 : 1;
}

/* Elements of local memory by which the group's slices are added up: the sums of half of them, of a
 * fragment's columns at a time. They are to fit the larger operand's tiles. */
int64_t clg_tiled_slices_elements(const struct clg_params *p);

/* Work-items of kernels/pack.cl's groups. */
enum { CLG_TILED_PACK_GROUP = 256 };

/* How the main kernel reads one operand. `outer` is m for A and n for B. */
struct clg_reading {
    bool along_k;    /* consecutive elements run along k */
    int vec, wanted; /* the width that it can be read in, and the row's as far as the type has it */
    int64_t outer, depth, ld, offset, stride;
    int workspace; /* number, or -1: read in place */
};

struct clg_reading clg_tiled_read_a(const struct clg_problem *problem, const struct clg_params *p);
struct clg_reading clg_tiled_read_b(const struct clg_problem *problem, const struct clg_params *p);

/* The width in which C is written: as it can be and its columns are made of whole vectors. */
int clg_tiled_vec_c(const struct clg_problem *problem);

/* A kernel that shares out its work as tiled's does, and takes its options and arguments. */
struct clg_tiled_kernel {
    const char *source, *options; /* beside tiled's */
    int64_t joined;               /* clg_tiled_joins */
    int grain_m, grain_n;         /* its tiles begin at multiples of these: tile_inside.h */
};

/* Adds the steps that multiply operands which are read so, and add up slices. */
void clg_tiled_plan(struct clg_plan *plan, const struct clg_tiled_kernel *kernel,
                    const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_params *p, const struct clg_reading *a,
                    const struct clg_reading *b);

/* What the slices of cut tiles may take of the room for workspace; packed operands have the rest.
 */
#define CLG_TILED_SLICES_SHARE 0.25

/* How C's tiles and k are divided among groups: each of the first `whole` tiles has one, the others
 * are cut along k. */
struct clg_cut {
    int64_t tiles, whole;
    int slices;    /* of each of the others; 1: none is cut */
    int64_t depth; /* of a slice, a multiple of TILE_K */
};

/* The device's compute units; at least one. */
int64_t clg_tiled_units(const struct clg_facts *facts);

struct clg_cut clg_tiled_cut(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_params *p);

/* Whether whole rounds of the units leave some tiles over, so that a tail is worth cutting. */
bool clg_tiled_leaves_tail(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p);

/* Whether the group that ends last adds up a tile's slices, in a kernel that can, so that no step
 * has to: they take `joined` bytes at most, since one group reads them all, and of each work-item
 * whole vectors. */
bool clg_tiled_joins(const struct clg_problem *problem, const struct clg_cut *cut,
                     const struct clg_params *p, int64_t joined);

/* Elements that the slices of a tail take. */
int64_t clg_tiled_tail_elements(const struct clg_cut *cut, const struct clg_params *p);

/* NULL where the kernel can do the problem with these parameters, else the first reason why not;
 * and the parts of it that depend on C's and k's size, on the number of slices, which is one of
 * these, and on packing. */
const char *clg_tiled_unsupported_reason(const struct clg_problem *problem,
                                         const struct clg_facts *facts, const struct clg_params *p);
const char *clg_tiled_size_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p);
const char *clg_tiled_cut_unsupported_reason(const struct clg_problem *problem,
                                             const struct clg_facts *facts,
                                             const struct clg_params *p);
const char *clg_tiled_pack_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts);

/* Modelled microseconds of the problem with the parameters that clg_tiled_choose finds; HUGE_VAL if
 * none fit. */
double clg_tiled_least_us(const struct clg_problem *problem, const struct clg_facts *facts);

/* The parameters that the model (gemm/tiled/model.h) finds quickest; false if none fit. */
bool clg_tiled_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                      struct clg_params *out);

/* The family's `carries_over`: tiles of about the same number are shared out to the compute units
 * in the same way. */
bool clg_tiled_carries_over(const struct clg_problem *problem, const struct clg_params *params,
                            int64_t m, int64_t n);

/* The family's `ranked` (gemm/family.h). */
int clg_tiled_rank(const struct clg_problem *problem, const struct clg_facts *facts,
                   struct clg_params *out, int most);

/* What the tuner asks of the family (gemm/tiled/axes.c). */
extern const struct clg_axes clg_tiled_axes;
const char *clg_tiled_cut_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *params);
enum clg_scheme clg_tiled_scheme(const struct clg_params *params);
void clg_tiled_describe(char text[CLG_DESCRIPTION], const struct clg_params *params);
bool clg_tiled_variant(int number, const struct clg_params *params, struct clg_params *out);

#endif
