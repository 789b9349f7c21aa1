/* SPDX-License-Identifier: Apache-2.0
 * What kernels take on a class of devices, as data: its own figures, and a row for each variant of
 * a kernel. Files in kernels/costs and tuning files hold them (tuning/costs.h reads these); the
 * families' models compute times from them. Plain data, which never changes once it is read. */
#ifndef CLG_GEMM_COSTS_H
#define CLG_GEMM_COSTS_H

#include <stddef.h>

#include "gemm/params.h"
#include "gemm/problem.h"

struct clg_family;

/* X(name, meaning). Times are in microseconds (us) or nanoseconds (ns), and rates in bytes per
 * microsecond. A figure that a file leaves out is 0. */
#define CLG_FIGURES(X)                                                                           \
    X(launch_us, "a further kernel of a plan")                                                   \
    X(pack_launch_us, "the kernel that packs operands for tiled")                                \
    X(gate_us, "letting two steps that write C wait for each other's launch")                    \
    X(enqueue_us, "the host's time to enqueue a kernel; calls back to back take no less")        \
    X(enqueue_two_us, "the same for two kernels and their workspace")                            \
    X(hidden, "share of that time which overlaps with earlier work")                             \
    X(copy_rate, "a compute unit's copies between kernels, through the cache")                   \
    X(read_rate, "a compute unit's reads of memory, at best")                                    \
    X(scatter_rate, "a compute unit's writes of single elements to C")                           \
    X(cache_bytes, "an operand beyond this that each group reads once comes from memory")        \
    X(latency_ns, "of a read from memory")                                                       \
    X(ragged_reads, "factor of reads in runs along k from columns not aligned for them")         \
    X(join_us, "the last group of a cut tile: until it knows that it is the last")               \
    X(join_rate, "the same: adding up slices")                                                   \
    X(least_join_us, "the least time of both")                                                   \
    X(crowded_us, "what each further group on a unit waits then")                                \
    X(drift_rounds, "rounds of groups after which units have drifted apart by half of one")      \
    X(batch_round_us, "least time between rounds of a batch in tiled, which share no data")      \
    X(f64_slower, "factor of the rows' steps in tiled for doubles")                              \
    X(f16_slower, "the same for elements of 16 bits, at least 1")                                \
    X(multistage_batch_rounds, "share of a round's time that remains in a batch of floats")      \
    X(multistage_batch_round_f64_us, "least time between rounds of a batch of doubles")          \
    X(multistage_pieces_f64_us, "what slices of cut tiles beside whole tiles add for doubles")   \
    X(thin_fixed_us, "thin: a launch")                                                           \
    X(thin_least_us, "thin: the least time of a call")                                           \
    X(thin_rate, "thin: a compute unit's reads")                                                 \
    X(many_fixed_us, "many: a launch")                                                           \
    X(many_rate, "many: a compute unit's reads and writes")                                      \
    X(many_fmas, "many: multiply-adds of a compute unit in a microsecond")                       \
    X(tensor_fixed_us, "tensor, mma: both launches, with all before and after the sums")         \
    X(tensor_shared_us, "tensor, mma: what a shared tile adds")                                  \
    X(tensor_share_us, "tensor, mma: the same for each of its groups; tensor: of 192 x 128")     \
    X(tensor_copy_row_us, "tensor: 256 bytes of a row that are copied in bulk")                  \
    X(tensor_crooked_row_us, "tensor: the same from lines that begin within 32 bytes")           \
    X(tensor_singly_row_us, "tensor: the same, copied by work-items")                            \
    X(tensor_write_row_us, "tensor: a tile's row of 16-bit elements not written in boxes")       \
    X(tensor_pack_rate, "tensor, skinny: packing on the whole device, reads and writes")         \
    X(tensor_accurate_us, "tensor: a block of k for each row of a tile, in mode accurate")       \
    X(tensor_normwise_us, "tensor: the same in mode normwise")                                   \
    X(tensor_tf32_us, "tensor: the same in mode TF32")                                           \
    X(tensor_half_us, "tensor: the same for 16-bit parts")                                       \
    X(mma_pack_rate, "mma: packing on the whole device")                                         \
    X(mma_products, "mma: products of a compute unit in a clock at most")                        \
    X(mma_reached_1, "mma: share of that with tiles of 64 x 64")                                 \
    X(mma_reached_2, "mma: share of that with tiles of 64 x 128")                                \
    X(mma_reached_4, "mma: share of that with tiles of 128 x 128")                               \
    X(mma_reached_8, "mma: share of that with tiles of 256 x 128")                               \
    X(skinny_fixed_us, "skinny: both launches, with all before and after the sums")              \
    X(skinny_share_row_us, "skinny: for each narrow row, what each group of a shared tile adds") \
    X(skinny_normwise_split_us, "skinny: splitting a block of the wide operand, normwise")       \
    X(skinny_normwise_row_us, "skinny: products of a block for each narrow row, normwise")       \
    X(skinny_accurate_split_us, "skinny: as above, accurate")                                    \
    X(skinny_accurate_row_us, "skinny: as above, accurate")                                      \
    X(skinny_margin, "skinny: it is used below this part of other families' times")              \
    X(residues_fixed_us, "residues, dot: the five launches")                                     \
    X(residues_certificate_us, "residues, dot: a certificate, without its round of tiles")       \
    X(residues_rate, "residues, dot: all but the product on the whole device, reads and writes") \
    X(residues_row_us, "residues: products of a stage for each row of 128 columns")              \
    X(residues_reduce_us, "residues: reducing the sums of such a row")                           \
    X(dot_products, "dot: products of bytes of a compute unit in a microsecond")                 \
    X(panel_fixed_us, "panel: a call")                                                           \
    X(panel_lane_fmas, "panel: multiply-adds of a vector's element in a microsecond")            \
    X(direct_fixed_us, "direct: a launch")                                                       \
    X(direct_step_ns, "direct: a step along k of a group")                                       \
    X(tie, "share by which times of one family must differ, as models are no more exact")        \
    X(panel_alone_flops, "panel: below these flops one thread computes all")                     \
    X(panel_packing_flops, "panel: what packing an element of A counts as for that")             \
    X(panel_fine_flops, "panel: from these flops on, tiles are one panel of A high")             \
    X(panel_fine_unit_flops, "panel: up to these for each unit")                                 \
    X(panel_narrow_slower, "panel: factor of the time if panels have 8 columns")                 \
    X(panel_in_place, "panel: elements of B up to which it is read in place")                    \
    X(panel_in_place_large_cache, "panel: the same for floats with a large L2 cache")            \
    X(panel_in_place_narrow, "panel: the same by 8 columns, if they lie half a page apart")      \
    X(panel_in_sets_bytes, "panel: bytes of such a B that is read by more columns")              \
    X(panel_steps_flops, "panel: flops above which a transposed B is packed")

/* The problems that a row is for: all, single products, products whose tiles are not cut, or
 * batches. It is restricted if it was measured for these only, or if other rows are faster
 * elsewhere although the model does not show it. */
enum clg_row_use { CLG_FOR_ANY, CLG_FOR_SINGLES, CLG_FOR_WHOLE, CLG_FOR_BATCHES };

/* A variant of a family's kernel, and what it takes. */
struct clg_cost_row {
    const struct clg_family *family;
    unsigned types; /* bit t: it is for clgemm_type t */
    enum clg_row_use use;
    int64_t least_k, most_k;
    int least_vector, most_vector; /* the narrower of the vectors in which A and B can be read */
    bool along_k;                  /* thin: the wide operand's columns run along k */
    struct clg_params params;
    /* Families that cut tiles of C: */
    float fixed_us;       /* before and after the steps */
    float round_us;       /* the same for each further round of groups, if it was measured */
    int resident;         /* groups that fit a compute unit */
    float step_ns[3];     /* of a tile along k: with one group on the unit, two, as many as fit */
    float scalars;        /* share of the steps that is added if operands are read in scalars */
    int resident_scalars; /* groups that fit if an operand is read in scalars */
    bool measured;        /* on this very device, by `clgemm tune --model` */
};

enum { CLG_COST_ROWS = 320, CLG_COSTS_TEXT = 64 };

struct clg_costs {
    char source[CLG_COSTS_TEXT]; /* where they come from, as in "measured on 2026-11-27" */
#define CLG_FIGURE_FIELD(name, meaning) double name;
    CLG_FIGURES(CLG_FIGURE_FIELD)
#undef CLG_FIGURE_FIELD
    bool computed; /* from facts, not measured */
    size_t count;
    struct clg_cost_row rows[CLG_COST_ROWS]; /* those of a family together, in the file's order */
};

/* A family's rows. */
struct clg_cost_rows {
    const struct clg_cost_row *rows;
    size_t count;
};
struct clg_cost_rows clg_costs_of(const struct clg_costs *costs, const struct clg_family *family);

/* Whether the row is for such a problem. What the kernel cannot compute, the family's predicate
 * says. */
bool clg_cost_row_is_for(const struct clg_cost_row *row, const struct clg_problem *problem);

/* The time of one kernel, or of two. The host enqueues no faster. What they take below that counts
 * in part, because a single call that the caller waits for is as fast as its kernels. */
double clg_enqueued_us(const struct clg_costs *costs, bool two, double us);

#endif
