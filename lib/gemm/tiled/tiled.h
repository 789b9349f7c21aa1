/* SPDX-License-Identifier: Apache-2.0
 * What the families tiled and multistage share: a problem as divided into tiles by a row of
 * parameters. */
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

/* Elements that a work-item reads from local memory at once if it needs `reg` of them, as in
 * kernels/fragments.h. */
static inline int clg_tiled_fragment(int reg) {
    return reg % 4 == 0 ? 4 : reg % 2 == 0 ? 2 : 1;
}

/* Elements of local memory in which the group's slices are added up: the sums of half of the
 * slices, for a fragment's columns at a time. They must fit the tiles of the larger operand. */
int64_t clg_tiled_slices_elements(const struct clg_params *p);

/* Bytes of a group's local tiles, with `pad` elements between their rows. */
uint64_t clg_tiled_local_bytes(const struct clg_params *p, int pad, clgemm_type type);

/* How the main kernel reads one operand. `outer` is m for A and n for B; of an expanded A the
 * lengths are as stored. */
struct clg_reading {
    bool along_k;      /* consecutive elements run along k */
    bool expanded;     /* clg_matrix.expanded */
    int vec, full_vec; /* vector width that is possible, and the row's, bounded by the type's */
    int64_t outer, depth, ld, stride;
    int workspace; /* number, or -1: read in place */
};

struct clg_reading clg_tiled_read_a(const struct clg_problem *problem, const struct clg_params *p);
struct clg_reading clg_tiled_read_b(const struct clg_problem *problem, const struct clg_params *p);

/* The width of the vectors in which C is written: its columns consist of whole vectors. */
int clg_tiled_vec_c(const struct clg_problem *problem);

/* A kernel that divides its work as tiled's does, with the same options and arguments. */
struct clg_tiled_kernel {
    const char *source, *options; /* options in addition to tiled's */
    int64_t joined;               /* clg_tiled_joins */
    int grain_m, grain_n;         /* its tiles begin at multiples of these: tile_inside.h */
};

/* Adds the steps that multiply the operands as *a and *b describe them, and add up slices. */
void clg_tiled_plan(struct clg_plan *plan, const struct clg_tiled_kernel *kernel,
                    const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_params *p, const struct clg_reading *a,
                    const struct clg_reading *b);

/* The share of workspace that the slices of cut tiles may take; packed operands have the rest. */
#define CLG_TILED_SLICES_SHARE 0.25

/* How C's tiles and k are divided among groups: each of the first `whole` tiles has one group, the
 * others are cut along k. */
struct clg_cut {
    int64_t tiles, whole;
    int slices;    /* of each cut tile; 1: none is cut */
    int64_t depth; /* of a slice, a multiple of TILE_K */
};

/* The device's compute units; at least one. */
int64_t clg_tiled_units(const struct clg_facts *facts);

struct clg_cut clg_tiled_cut(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_params *p);

/* Whether the last round leaves units idle, so that cutting the tail may pay. */
bool clg_tiled_leaves_tail(const struct clg_problem *problem, const struct clg_facts *facts,
                           const struct clg_params *p);

/* Whether a tile's last group to finish adds up its slices, so that no further step is needed. One
 * group reads all of them, so they take at most `joined` bytes, and each work-item's part consists
 * of whole vectors. `joined` is 0 if the kernel cannot add up slices. */
bool clg_tiled_joins(const struct clg_problem *problem, const struct clg_cut *cut,
                     const struct clg_params *p, int64_t joined);

/* Elements that the slices of a tail take. */
int64_t clg_tiled_tail_elements(const struct clg_cut *cut, const struct clg_params *p);

/* Why kernels that divide their work so cannot compute the problem, or NULL: what depends on the
 * sizes of C and k, which includes the next; what depends on the number of slices; and, for tiled,
 * what depends on packing. */
const char *clg_tiled_size_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts,
                                              const struct clg_params *p);
const char *clg_tiled_cut_unsupported_reason(const struct clg_problem *problem,
                                             const struct clg_facts *facts,
                                             const struct clg_params *p);
const char *clg_tiled_pack_unsupported_reason(const struct clg_problem *problem,
                                              const struct clg_facts *facts);

/* How multistage reads an operand: in place; see the definition for the width of vectors. */
struct clg_reading clg_multistage_read(const struct clg_problem *problem,
                                       enum clg_matrix_index which, const struct clg_params *p);

/* A tile of multistage that ends where C does may begin at a multiple of this: vectors along m or n
 * must be whole; vectors along k permit any row or column. */
int clg_multistage_grain(const struct clg_reading *reading);

/* Bytes of a tile's slices up to which one group adds them up instead of another kernel; and
 * elements between rows of a local tile. */
enum { CLG_MULTISTAGE_JOINED = 1 << 17, CLG_MULTISTAGE_PAD = 4 };

/* For the tuner: bounds on cuts, and parameters in words. */
const char *clg_tiled_cut_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                 const struct clg_params *params);

#endif
