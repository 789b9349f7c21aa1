/* SPDX-License-Identifier: Apache-2.0
 * Computes costs from facts. The counts are those of the kernels' source; the few constants were
 * fitted to the 63 measured rows of floats of an H200, whose steps they reproduce within 18 % (rms,
 * docs/log). */
#include "gemm/estimate.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "gemm/thin/thin.h"
#include "gemm/tiled/tiled.h"

static bool is_tiled(const struct clg_family *family) {
    return family == &clg_family_tiled || family == &clg_family_multistage;
}

/* What a work-item does in a step of a tile along k. */
struct work {
    double items, sums, depth; /* of a group; of an item; steps along k of an item's slice */
    double multiply_adds;
    double local_loads;   /* of a vector */
    double moved;         /* elements from global to local memory */
    double private_loads; /* vectors from global memory to registers */
};

static struct work work_of(const struct clg_cost_row *row) {
    enum { VECTOR = CLG_WIDEST_VECTOR };
    const struct clg_params *p = &row->params;
    const int slices = p->wg_k > 1 ? p->wg_k : 1;
    const double reg_m = (double)p->tile_m / p->wg_m, reg_n = (double)p->tile_n / p->wg_n;
    struct work w = {.items = (double)p->wg_m * p->wg_n * slices,
                     .sums = reg_m * reg_n,
                     .depth = (double)p->tile_k / slices};
    w.multiply_adds = w.sums * w.depth;
    w.local_loads = w.depth * ((p->private_a ? 0 : ceil(reg_m / VECTOR)) +
                               (p->private_b  ? 0
                                : p->spread_b ? reg_n / p->spread_b / VECTOR
                                              : ceil(reg_n / VECTOR)));
    w.private_loads = w.depth * ((p->private_a ? ceil(reg_m / VECTOR) : 0) +
                                 (p->private_b ? ceil(reg_n / VECTOR) : 0));
    w.moved = ((p->private_a ? 0 : p->tile_m) + (p->private_b ? 0 : p->tile_n)) *
              (double)p->tile_k / w.items;
    return w;
}

/* Elements on their way to local memory, or ahead of their use, stay longer in registers if not
 * everything is unrolled; and addresses. Fitted to clang 19's for gfx1030. */
static const double loop_moved = 2.4, loop_addresses = 13;

static bool is_amd(const struct clg_facts *facts) {
    return strstr(facts->vendor, "AMD") || strstr(facts->vendor, "Advanced Micro Devices");
}

/* Whether the device's compiler is known to keep in registers the addresses of elements that are
 * read one by one (tests/compilers). */
static bool keeps_addresses(const struct clg_facts *facts) {
    return is_amd(facts) || strstr(facts->vendor, "Intel");
}

/* Elements of the wide operand that a work-item of `thin` takes at a time. */
static double wide_elements(const struct clg_params *p) {
    return p->unroll_k *
           (p->tile_m > p->tile_n ? (double)p->tile_m / p->wg_m : (double)p->tile_n / p->wg_n);
}

/* What a work-item of `thin` has in registers: sums, its share of the thin operand's tile, a vector
 * of that, and elements of the wide operand. AMD's compiler loads them ahead even where the kernel
 * does not. */
static double thin_registers(const struct clg_cost_row *row, const struct clg_facts *facts,
                             int words) {
    const struct clg_params *p = &row->params;
    const double few = p->tile_m > p->tile_n ? p->tile_n : p->tile_m;
    const double share = ceil(few * p->tile_k / work_of(row).items);
    const double ahead = row->along_k || is_amd(facts) ? loop_moved : 0;
    return words *
               (work_of(row).sums + share + CLG_WIDEST_VECTOR + wide_elements(p) * (1 + ahead)) +
           loop_addresses;
}

/* Registers for addresses, if vectors of `width` are read. Thin has few along k. In tiled some
 * share a half, but not with SPREAD_B; in many they also tell the product. */
static double address_registers(const struct clg_cost_row *row, int width) {
    static const double of_thin = 2, of_tiled = 1.5, of_many = 3;
    const double moved = work_of(row).moved / width;
    return row->family == &clg_family_many || row->params.spread_b ? of_many * moved
           : row->family != &clg_family_thin                       ? of_tiled * moved
           : row->along_k                                          ? 0
                          : of_thin * wide_elements(&row->params) / width;
}

/* NVIDIA's compilers keep sums, two sets of the fragments that they are made of, elements on their
 * way to local memory, and addresses. Others load the fragments of all unrolled steps first. If not
 * the whole tile is unrolled, they keep elements on their way longer. Their numbers were fitted to
 * clang 19's for gfx1030. */
double clg_estimated_registers(const struct clg_cost_row *row, const struct clg_facts *facts,
                               int words) {
    static const double addresses = 40, whole_addresses = 5;
    const struct clg_params *p = &row->params;
    const struct work w = work_of(row);
    const double fragments = (double)p->tile_m / p->wg_m + (double)p->tile_n / p->wg_n;
    const double unrolled = p->unroll_k > 0 ? p->unroll_k : w.depth;
    const bool flies = row->family == &clg_family_multistage; /* past the registers */
    if (row->family == &clg_family_thin)
        return thin_registers(row, facts, words);
    if (row->family == &clg_family_many)
        return words * (w.sums + fragments + loop_moved * w.moved) + loop_addresses;
    if (p->spread_b) { /* as ocloc 22.43 does in SIMD groups of the least size (docs/log) */
        const double held = (double)p->tile_m / p->wg_m + (double)p->tile_n / p->wg_n / p->spread_b;
        return words * (w.sums + 2 * held + w.moved) + whole_addresses;
    }
    if (facts->capability)
        return words * (w.sums + 2 * fragments + (flies ? 0 : w.moved)) + addresses;
    if (unrolled >= w.depth)
        return words * (w.sums + unrolled * fragments + w.moved) + whole_addresses;
    return words * (w.sums + unrolled * fragments + loop_moved * w.moved) + loop_addresses;
}

/* Work-items that a unit holds: NVIDIA's by CUDA's guide. Registers limit others first. */
static double most_items(const struct clg_facts *facts) {
    static const struct {
        uint32_t capability;
        double items;
    } changes[] = {{75, 1024},  {80, 2048},  {86, 1536}, {90, 2048},
                   {101, 1536}, {103, 2048}, {110, 1536}};
    double items = 2048;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (changes[i].capability <= facts->capability)
            items = changes[i].items;
    return items;
}

/* Groups that a unit holds; 0: not one. */
static int resident(const struct clg_cost_row *row, const struct clg_facts *facts) {
    enum { MOST = 8, THREAD = 128 }; /* registers of a thread of Intel's, used or not */
    const struct clg_architecture *arch = &facts->arch;
    const struct work w = work_of(row);
    const double registers =
        w.items * (row->params.spread_b
                       ? THREAD
                       : fmin(clg_estimated_registers(row, facts, 1), arch->registers));
    const int pad =
        row->family == &clg_family_multistage ? CLG_MULTISTAGE_PAD : row->params.pad_local;
    const int64_t bytes = (int64_t)clg_tiled_local_bytes(&row->params, pad, CLGEMM_F32);
    double groups =
        fmin(most_items(facts) / w.items, arch->unit_registers * arch->local_units / registers);
    if (bytes > 0)
        groups = fmin(groups, (double)clg_groups_in_local(facts, bytes));
    return (int)fmin(groups, MOST);
}

/* Nanoseconds of a step: what a unit's arithmetic or local memory needs for a group, and the waits
 * of one that is alone on its unit. */
static void step_ns(const struct clg_cost_row *row, const struct clg_facts *facts, double *shared,
                    double *alone) {
    /* Instructions for each element moved; of a vector's bytes those that are not broadcast; all
     * else (barriers, loops); clocks that a step along k waits. */
    static const double moves = 2.5, distinct = 0.75, rest = 1.11, waits = 18;
    const struct clg_architecture *arch = &facts->arch;
    const struct work w = work_of(row);
    const double lanes = (double)arch->lanes * arch->local_units;
    const double rate = (double)arch->local_rate * arch->local_units;
    const double vector = CLG_WIDEST_VECTOR * (double)clg_type_size(CLGEMM_F32);
    const double issue =
        w.items * (w.multiply_adds + w.local_loads + w.private_loads + moves * w.moved) / lanes;
    const double stores = 2 * w.moved / CLG_WIDEST_VECTOR;
    const double loads =
        w.items * vector *
        (distinct * (w.local_loads + stores) + w.private_loads * (arch->local_dedicated + 1)) /
        rate;
    const double clock = 1e-3 * (facts->clock_mhz ? facts->clock_mhz : 1000);
    *shared = rest * fmax(issue, loads) / clock;
    *alone = *shared + waits * w.depth / clock;
}

/* Of a work-item of `dot`: sums, two sets of the words that they are made of, words on their way.
 */
static double dot_registers(const struct clg_cost_row *row) {
    const struct clg_params *p = &row->params;
    const double words = (double)p->tile_m / p->wg_m + (double)p->tile_n / p->wg_n;
    return work_of(row).sums + 2 * words + work_of(row).moved / 4 + loop_addresses;
}

/* The least width in which operands must be read so that a work-item's registers suffice; 0: there
 * is none. */
static int least_vector(const struct clg_cost_row *row, const struct clg_facts *facts, int words) {
    const struct clg_family *family = row->family;
    const struct clg_params *p = &row->params;
    const bool counts = keeps_addresses(facts) && (is_tiled(family) || family == &clg_family_thin ||
                                                   family == &clg_family_many);
    const int widest = p->vec_a < p->vec_b ? p->vec_a : p->vec_b;
    const double registers = is_tiled(family) || counts ? clg_estimated_registers(row, facts, words)
                             : family == &clg_family_dot ? dot_registers(row)
                                                         : 0;
    int width = 1;
    while (counts && width <= widest &&
           registers + address_registers(row, width) > facts->arch.registers)
        width *= 2;
    return registers <= facts->arch.registers && (!counts || width <= widest) ? width : 0;
}

/* False if no group fits the device. */
static bool estimate_row(struct clg_cost_row *row, const struct clg_facts *facts) {
    /* Microseconds of a launch and its end; steps in which a group that is alone on its unit, or
     * one of two or three, neither computes nor lets others do so between rounds. */
    static const double launch = 4, pauses[] = {3, 2, 1};
    static const float scalars = 0.25F, scalar_copies = 0.03F; /* as in the rows of costs */
    double shared, alone;
    row->resident = resident(row, facts);
    if (row->resident < 1)
        return false;
    step_ns(row, facts, &shared, &alone);
    row->step_ns[0] = (float)alone;
    row->step_ns[1] = (float)fmax(alone, 2 * shared);
    row->step_ns[2] = (float)fmax(alone, row->resident * shared);
    row->fixed_us = (float)(launch + 1e-3 * alone);
    row->round_us =
        row->resident <= 3 ? (float)(1e-3 * pauses[row->resident - 1] * row->step_ns[2]) : 0;
    row->scalars = row->family == &clg_family_multistage ? scalar_copies : scalars;
    row->resident_scalars =
        row->family == &clg_family_tiled && row->resident > 1 ? row->resident - 1 : row->resident;
    return true;
}

static void estimate_figures(struct clg_costs *costs, const struct clg_facts *facts) {
    /* Shares of the memory's rate and of the peak that kernels reached on an H200. */
    static const double reads = 0.88, thin = 0.82, copies = 0.52, scatters = 0.19, many = 0.39,
                        dots = 0.9, mma_dots = 0.55;
    /* For each byte that the steps beside products of residues read or write, counted. */
    static const double instructions = 8;
    const struct clg_architecture *arch = &facts->arch;
    const double units = (double)clg_tiled_units(facts);
    const double bytes = 1e-6 * arch->memory_rate / units;
    const double lanes = fmax(1, (double)arch->lanes * arch->local_units);
    const double fmas = lanes * (facts->clock_mhz ? facts->clock_mhz : 1000);
    costs->read_rate = reads * bytes;
    costs->copy_rate = copies * bytes;
    costs->scatter_rate = scatters * bytes;
    costs->thin_rate = costs->many_rate = thin * bytes;
    costs->many_fmas = many * fmas;
    costs->dot_products = (facts->mma ? mma_dots : dots) * fmas * facts->dots;
    costs->residues_rate = units / (1 / (copies * bytes) + instructions / fmas);
    costs->f64_slower = arch->doubles > 0 ? fmax(2.5, 1.25 / arch->doubles) : 1e3;
    costs->f16_slower = 1; /* not known elsewhere */
    costs->direct_step_ns *= 128 * 1980 / fmas;
}

/* The row for some of its types, if the device can hold it. */
static void add(struct clg_costs *costs, struct clg_cost_row row, unsigned types, int vector,
                const struct clg_facts *facts) {
    row.types &= types;
    if (vector > 1 && row.least_vector < vector)
        row.least_vector = vector;
    if (row.types && vector && costs->count < CLG_COST_ROWS &&
        (!is_tiled(row.family) || estimate_row(&row, facts)))
        costs->rows[costs->count++] = row;
}

void clg_costs_estimate(struct clg_costs *costs, const struct clg_facts *facts) {
    static const unsigned doubles = 1U << CLGEMM_F64;
    const struct clg_costs all = *costs;
    costs->computed = true;
    costs->count = 0;
    estimate_figures(costs, facts);
    for (size_t i = 0; i < all.count; i++) {
        const int of_floats = least_vector(&all.rows[i], facts, 1);
        const int of_doubles = least_vector(&all.rows[i], facts, 2);
        const bool alike = of_floats == of_doubles;
        add(costs, all.rows[i], alike ? ~0U : ~doubles, of_floats, facts);
        if (!alike)
            add(costs, all.rows[i], doubles, of_doubles, facts);
    }
}
