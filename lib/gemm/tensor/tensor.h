/* SPDX-License-Identifier: Apache-2.0
 * Products on tensor cores from operands that are split into what these multiply: what the families
 * tensor and skinny (Hopper's own instructions, kernels/tensor.cl and tensor_skinny.cl) and mma
 * (kernels/tensor_mma.cl) share. */
#ifndef CLG_GEMM_TENSOR_H
#define CLG_GEMM_TENSOR_H

#include "gemm/family.h"

/* How floats become elements of the tensor cores, for a mode of computing. kernels/tensor_parts.h
 * has the layout, and says what the options mean. */
struct clg_tensor_way {
    clgemm_type type;
    clgemm_math math; /* CLGEMM_MATH_DEFAULT: any beyond strict */
    const char *options;
    int element_bytes;
    int split;       /* elements that a float becomes */
    int block;       /* stages of a block of k */
    bool promoted;   /* sums leave the tensor cores after each block */
    float row_us;    /* of a block, for each row of a tile: modelled */
    int least_depth; /* of k, with which the error is within the mode's bound (docs/accuracy.md) */
};

/* The way of the problem's mode; NULL: there is none for its type and mode. */
const struct clg_tensor_way *clg_tensor_way(const struct clg_problem *problem);

/* Columns of C that a work-group computes, and its work-items. */
enum { CLG_TENSOR_TILE_N = 128, CLG_TENSOR_GROUP = 384 };

/* Depth of a stage, and of a block; elements of k. */
int clg_tensor_stage_k(const struct clg_tensor_way *way);
int clg_tensor_block_k(const struct clg_tensor_way *way);

/* Bytes of a stage of one operand, `tile` of its rows. */
int64_t clg_tensor_stage_bytes(const struct clg_tensor_way *way, int tile);

/* Bytes of an operand of `rows` x k when packed, with its scales. */
double clg_tensor_packed_bytes(const struct clg_tensor_way *way, const struct clg_problem *problem,
                               int tile, int64_t rows);

/* How the tiles of all products are shared out to work-groups, of which there is one a compute unit
 * at most: whole, in turn; or, with SPLIT_TAIL where there are fewer tiles than units, streamed:
 * each group has an equal share of the tiles' blocks of k, at most SPLIT_TAIL groups to a tile. */
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

/* Floats by which groups that share a tile tell each other their sums. */
int64_t clg_tensor_shared_sums(const struct clg_tensor_shares *shares, const struct clg_params *p);

/* Groups that can share tiles, each with two of the plan's counters; and rows that a group packs
 * (kernels/tensor_pack.cl). */
enum { CLG_TENSOR_MOST_GROUPS = (CLG_COUNTERS - 1) / 2, CLG_TENSOR_PACK_SIDE = 32 };

/* How the family tensor's product takes an operand, as kernels/tensor.cl numbers it: packed; or, of
 * 16 bits and in columns that bulk copies can take, where it lies, consecutive elements along k or
 * not. */
enum clg_tensor_comes { CLG_TENSOR_PACKED, CLG_TENSOR_ALONG_K, CLG_TENSOR_ACROSS_K };
enum clg_tensor_comes clg_tensor_comes(const struct clg_problem *problem,
                                       const struct clg_facts *facts, enum clg_matrix_index which);

bool clg_tensor_lies(const struct clg_problem *problem, const struct clg_facts *facts,
                     enum clg_matrix_index which);

/* Whether a matrix can be told of by a tensor map (kernels/tensor_map.h), for copies of parts of
 * it. */
bool clg_tensor_is_mapped(const struct clg_problem *problem, const struct clg_facts *facts,
                          enum clg_matrix_index which);

/* Whether C is written by such copies, for which the ring must leave room in local memory. */
bool clg_tensor_has_boxes(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_params *p);

/* ---- Steps (pack.c) ---- */

/* A packed operand: its workspace, and bytes from one product's to the next's. */
struct clg_tensor_packed {
    int workspace;
    int64_t stride;
};
struct clg_tensor_packed clg_tensor_add_packed(struct clg_plan *plan,
                                               const struct clg_tensor_way *way,
                                               const struct clg_params *p,
                                               enum clg_matrix_index which);

/* Adds the packing of A, of B, or of both, to packed[CLG_A] and packed[CLG_B]. */
void clg_tensor_add_pack(struct clg_plan *plan, const struct clg_tensor_way *way,
                         const struct clg_params *p, const struct clg_tensor_packed packed[],
                         bool packs_a, bool packs_b);

/* Adds workspace for tiles of several groups, if there are any, and the product's last arguments.
 */
void clg_tensor_share(struct clg_plan *plan, struct clg_step *step,
                      const struct clg_tensor_shares *shares, const struct clg_params *p);

/* Arguments of an operand as it is: element (outer, k) of op() lies at outer * along_outer + k *
 * along_k. */
void clg_tensor_add_unpacked(struct clg_step *step, const struct clg_problem *problem,
                             enum clg_matrix_index which);

/* Whether consecutive elements run along k. */
bool clg_tensor_is_along_k(const struct clg_problem *problem, enum clg_matrix_index which);

/* ---- Families whose operands are both packed, or taken as they lie (operands.c) ---- */

struct clg_tensor_operand {
    bool lies; /* is not packed */
    struct clg_tensor_packed packed;
};

/* Why there is too much of something, or too little k: reasons of `family` for what is left when
 * its parameters are right. group_bytes: of workspace for each group. */
const char *clg_tensor_size_unsupported_reason(const struct clg_family *family,
                                               const struct clg_tensor_way *way,
                                               const struct clg_problem *problem,
                                               const struct clg_facts *facts,
                                               const struct clg_params *p, const bool lies[],
                                               int64_t group_bytes);

/* Bytes that a Hopper GPU reads and writes in a microsecond of packing (docs/kernels.md). */
enum { CLG_TENSOR_PACK_BYTES = 3400000 };

/* Bytes that packing reads and writes. */
double clg_tensor_pack_traffic(const struct clg_family *family, const struct clg_tensor_way *way,
                               const struct clg_problem *problem, const struct clg_params *p,
                               const bool lies[]);

/* The member `form` of such a family: how an operand lies when it is packed depends on its tiles,
 * and, by the mode, on the way. */
bool clg_tensor_form(const struct clg_problem *problem, const struct clg_facts *facts,
                     enum clg_matrix_index which, struct clg_params *params,
                     struct clg_params *form);

/* Adds the packing of what does not lie, to operands[CLG_A] and [CLG_B]. */
void clg_tensor_add_operands(struct clg_plan *plan, const struct clg_family *family,
                             const struct clg_tensor_way *way, const struct clg_params *p,
                             struct clg_tensor_operand operands[]);

/* The product's groups and arguments. */
void clg_tensor_add_arguments(struct clg_plan *plan, struct clg_step *step, int group_size,
                              const struct clg_tensor_shares *shares, const struct clg_params *p,
                              const struct clg_tensor_operand operands[]);

/* For the tuner: which tiles suit a shape; and parameters in words. */
const char *clg_tensor_tile_bounds(const struct clg_problem *problem, const struct clg_facts *facts,
                                   const struct clg_params *p);
void clg_tensor_describe(char text[CLG_DESCRIPTION], const struct clg_params *p);

/* ---- The family tensor ---- */

/* Its predicate, rows, and choice, which is none where the strict families are quicker. */
const char *clg_tensor_unsupported_reason(const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *p);
const struct clg_params *clg_tensor_rows(enum clg_device_kind kind, size_t *count);
bool clg_tensor_choose(const struct clg_problem *problem, const struct clg_facts *facts,
                       struct clg_params *out);

/* The time of its quickest row, which *out becomes, if that is below `least`; else `least`. */
double clg_tensor_quickest(const struct clg_problem *problem, const struct clg_facts *facts,
                           double least, struct clg_params *out);

/* Modelled microseconds. */
double clg_tensor_us(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_params *p);

#endif
