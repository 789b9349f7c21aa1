/* SPDX-License-Identifier: Apache-2.0
 * Products on tensor cores, whose operands are split into parts: what the families tensor and
 * skinny (Hopper's wgmma, kernels/tensor.cl and tensor_skinny.cl) and mma (kernels/tensor_mma.cl)
 * share. */
#ifndef CLG_GEMM_TENSOR_H
#define CLG_GEMM_TENSOR_H

#include "gemm/family.h"

/* How elements become the parts that tensor cores multiply, for one type and mode.
 * kernels/tensor_parts.h has the layout, and explains the options. */
struct clg_tensor_way {
    clgemm_type type;
    clgemm_math math; /* CLGEMM_MATH_DEFAULT: any beyond strict */
    const char *options;
    int element_bytes;
    int split;       /* parts of an element */
    int block;       /* stages of a block of k */
    bool promoted;   /* sums leave the tensor cores after each block */
    int least_depth; /* least k for which the error is within the mode's bound (docs/accuracy.md) */
};

/* That of the problem; NULL if its type and mode have none. */
const struct clg_tensor_way *clg_tensor_way(const struct clg_problem *problem);

/* Columns of C that a work-group computes, and its work-items, which are three teams. */
enum { CLG_TENSOR_TILE_N = 128, CLG_TENSOR_TEAM = 128, CLG_TENSOR_GROUP = 3 * CLG_TENSOR_TEAM };

/* Steps along k of a stage, and of a block. */
int clg_tensor_stage_k(const struct clg_tensor_way *way);
int clg_tensor_block_k(const struct clg_tensor_way *way);

/* Bytes of a stage of one operand, with `tile` of its rows. */
int64_t clg_tensor_stage_bytes(const struct clg_tensor_way *way, int tile);

/* Bytes of an operand of `rows` x k when packed, with its scales. */
double clg_tensor_packed_bytes(const struct clg_tensor_way *way, const struct clg_problem *problem,
                               int tile, int64_t rows);

/* How the tiles of all products are divided among work-groups, at most one for each compute unit.
 * Usually each group computes whole tiles in turn. With SHARERS and fewer tiles than units they
 * are streamed: each group has an equal share of the tiles' blocks of k, with at most SHARERS
 * groups for each tile. */
struct clg_tensor_shares {
    int64_t tiles, blocks, groups;
    bool streamed;
};
struct clg_tensor_shares clg_tensor_shares(const struct clg_tensor_way *way,
                                           const struct clg_problem *problem,
                                           const struct clg_facts *facts,
                                           const struct clg_params *p);

/* Blocks that the busiest group computes. */
double clg_tensor_most_blocks(const struct clg_tensor_shares *shares);

/* Floats of workspace in which groups that share a tile exchange their sums. */
int64_t clg_tensor_shared_sums(const struct clg_tensor_shares *shares, const struct clg_params *p);

/* The most groups that can share tiles, with two of the plan's counters each; and the rows that a
 * group packs (kernels/tensor_pack.cl). */
enum { CLG_TENSOR_MOST_GROUPS = (CLG_COUNTERS - 1) / 2, CLG_TENSOR_PACK_SIDE = 32 };

/* How the tensor family's product reads an operand, as numbered in kernels/tensor.cl: packed; or in
 * place, if it has 16-bit elements and PACK_A or PACK_B is 0, with consecutive elements along or
 * across k. Columns aligned for bulk copies are read in boxes, others singly by tiles of 64 rows,
 * and packed for larger ones. */
enum clg_tensor_comes {
    CLG_TENSOR_PACKED,
    CLG_TENSOR_ALONG_K,
    CLG_TENSOR_ACROSS_K,
    CLG_TENSOR_ALONG_K_SINGLY,
    CLG_TENSOR_ACROSS_K_SINGLY
};
enum clg_tensor_comes clg_tensor_comes(const struct clg_problem *problem,
                                       const struct clg_facts *facts, const struct clg_params *p,
                                       enum clg_matrix_index which);

/* ---- Operands, packed or read in place (operands.c) ---- */

/* A tile's length along the operand's m or n. */
static inline int clg_tensor_tile(const struct clg_params *p, enum clg_matrix_index which) {
    return which == CLG_A ? p->tile_m : p->tile_n;
}

/* Neither A nor B lies in place, or may be packed where it could. */
extern const bool clg_tensor_neither[];

/* A packed operand: its workspace, and the bytes from one product to the next. */
struct clg_tensor_packed {
    int workspace;
    int64_t stride;
};

struct clg_tensor_operand {
    bool lies; /* read in place */
    struct clg_tensor_packed packed;
};

/* Adds the product's last arguments, with their workspace, if groups share tiles. */
void clg_tensor_share(struct clg_plan *plan, struct clg_step *step,
                      const struct clg_tensor_shares *shares, const struct clg_params *p);

/* Adds the arguments of an unpacked operand, with their five names: element (outer, k) of op() is
 * at outer * along_outer + k * along_k. */
void clg_tensor_add_unpacked(struct clg_step *step, const struct clg_problem *problem,
                             enum clg_matrix_index which, const char *const names[]);

/* Why the problem is too large, or k too short, for `family` with supported parameters, or NULL.
 * group_bytes: workspace for each group. */
const char *clg_tensor_size_unsupported_reason(const struct clg_family *family,
                                               const struct clg_tensor_way *way,
                                               const struct clg_problem *problem,
                                               const struct clg_facts *facts,
                                               const struct clg_params *p, const bool lies[],
                                               int64_t group_bytes);

/* Bytes that packing reads and writes. */
double clg_tensor_pack_traffic(const struct clg_family *family, const struct clg_tensor_way *way,
                               const struct clg_problem *problem, const struct clg_params *p,
                               const bool lies[]);

/* The member `form` of such a family: the packed layout depends on the tile along that operand, and
 * on the mode. */
bool clg_tensor_form(const struct clg_problem *problem, const struct clg_facts *facts,
                     enum clg_matrix_index which, struct clg_params *params,
                     struct clg_params *form);

/* Adds the steps that pack the operands that are not read in place; sets operands[].packed. */
void clg_tensor_add_operands(struct clg_plan *plan, const struct clg_family *family,
                             const struct clg_tensor_way *way, const struct clg_params *p,
                             struct clg_tensor_operand operands[]);

/* Adds the product's groups and arguments. */
void clg_tensor_add_arguments(struct clg_plan *plan, struct clg_step *step, int group_size,
                              const struct clg_tensor_shares *shares, const struct clg_params *p,
                              const struct clg_tensor_operand operands[]);

/* For the tuner: bounds on tiles, and parameters in words. */
const char *clg_tensor_tile_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                   const struct clg_params *p);

/* ---- Candidates of all three ---- */

/* Groups for each tile, if there are fewer tiles than units: 0, then others, then 0. */
extern const int clg_tensor_splits[];

/* What groups that share tiles add, in microseconds; a tile has `size` times the sums that
 * the costs are for. */
double clg_tensor_streaming_us(const struct clg_tensor_shares *shares,
                               const struct clg_costs *costs, double size);

/* A family's modelled microseconds. */
typedef double clg_tensor_us(const struct clg_problem *problem, const struct clg_facts *facts,
                             const struct clg_costs *costs, const struct clg_params *p);

/* Adds each of the family's rows, with the number of groups for a tile, of `splits`, and with those
 * operands packed, of two that may be read in place too, that take the least time. */
void clg_tensor_add_rows(const struct clg_family *family, const struct clg_problem *problem,
                         const struct clg_facts *facts, const struct clg_costs *costs,
                         const int splits[], const bool may_pack[], clg_tensor_us *us_of,
                         struct clg_list *list);

#endif
