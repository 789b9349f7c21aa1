/* SPDX-License-Identifier: Apache-2.0
 * The panel family's choice of panels and tiles for a problem. */
#include "gemm/panel/panel.h"

#include "base/checked.h"

/* All of this was measured on two Zen 5 cores, and LARGE_CACHE on two cores of a Xeon (docs/log);
 * flops and elements from which another shape is faster are figures of the costs. What depends on
 * the device follows from its vector width, its caches and its number of units. */

/* Columns of a panel whose accumulators fit 16 vector registers, or 32, beside two of A and one of
 * B. WIDE_COLUMNS fill all 32: that is slightly faster in double, and in single if the L2 cache is
 * large. */
enum { COLUMNS_OF_16 = 6, COLUMNS = 12, WIDE_COLUMNS = 14, LARGE_CACHE = 2 << 20 };

/* Columns of a narrow panel, for an n that wide ones do not suit. */
enum { NARROW = 8 };

/* Steps of a block along k; each block reads and writes C once. */
enum { MOST_DEPTH = 1024 };

/* An A that is used once and does not fit a cache is read in long runs of its columns: in tiles of
 * STREAM_ROWS rows or more and as many columns as a processor prefetches, or twice that, because
 * each block reads and writes C. This starts at STREAM_BYTES, at twice that for more than FEW
 * columns of B, where there is more to compute. Measured on two Zen 4 cores (docs/log). */
enum { STREAM_BYTES = 16 << 20, STREAM_ROWS = 1024, STREAM_DEPTH = 8, FEW = 4, STREAM_COLUMNS = 8 };

/* Tiles for each unit: enough that no unit waits long for the last tile. */
enum { TILES_PER_UNIT = 4 };

/* From FINE_ROWS rows on and up to FINE_DEPTH, tiles may be finer: one panel of A, which the L1
 * cache still holds. There are more of them, because threads do not all wake at the same time. */
enum { FINE_TILES_PER_UNIT = 6, FINE_ROWS = 128, FINE_DEPTH = 560 };

/* Vectors of rows from which on floats with a large L2 cache have a B packed earlier. */
enum { ROWS_LARGE_CACHE = 24 };

enum { HALF_PAGE = 2048, PAGE = 2 * HALF_PAGE, NEARLY = 8 }; /* bytes */

/* With this associativity of the L1 cache, columns nearly half a page apart need no narrow panels.
 * A page's lines fall into different sets, so the associativity is the cache's size in pages. */
enum { WAYS_ENOUGH = 12 };

/* Vectors of rows of floats up to which packing B never pays. */
enum { FEW_ROWS = 8 };

/* Vectors of rows from which on a B with columns half a page apart is packed at any size, unless it
 * has few columns. Columns whole pages apart all fall into one set, and with the prefetched panel
 * they probably exceed its associativity: in single precision packing was measured to pay from
 * ROWS_PAGES on. In double it does not. */
enum { ROWS_HALF_PAGES = 32, ROWS_PAGES = 8, FEW_COLUMNS = 24 };

/* k is split if it is at least SPLIT_DEPTH and C has at most SPLIT_ELEMENTS elements. */
enum { SPLIT_ELEMENTS = 256 * 256, SPLIT_DEPTH = 4096 };

enum { USUAL_CACHE = 512 << 10 }; /* bytes, if the device's is unknown */

/* Bytes from one of B's columns to the next. If they overflow 64 bits, the low bits remain, which
 * suffice for a remainder by pages. A matrix of one column may have any leading dimension. */
static uint64_t column_bytes(const struct clg_problem *problem) {
    return (uint64_t)problem->matrix[CLG_B].ld * clg_type_size(problem->type);
}

static bool lies_badly(const struct clg_problem *problem) {
    return column_bytes(problem) % HALF_PAGE == 0;
}

/* The same but for an element or two, so that a wide panel's columns still share sets. */
static bool nearly_lies_badly(const struct clg_problem *problem, const struct clg_facts *facts) {
    const uint64_t rest = column_bytes(problem) % HALF_PAGE;
    return facts->first_cache / PAGE < WAYS_ENOUGH && rest != 0 &&
           (rest <= NEARLY || rest >= HALF_PAGE - NEARLY);
}

/* Whether B's columns conflict in a cache's sets, and enough rows use them that packing pays. */
static bool fights_for_sets(const struct clg_problem *problem, int vec) {
    const bool pages = column_bytes(problem) % PAGE == 0 && problem->type == CLGEMM_F32;
    const int rows = pages ? ROWS_PAGES : ROWS_HALF_PAGES;
    return lies_badly(problem) && !problem->matrix[CLG_B].transposed && problem->n > FEW_COLUMNS &&
           problem->m >= (int64_t)rows * vec;
}

static bool has_large_cache(const struct clg_facts *facts) {
    return facts->core_cache >= LARGE_CACHE;
}

/* Elements of B that wide panels still read in place if its columns share sets of the L1 cache. */
static double most_in_sets(const struct clg_problem *problem, const struct clg_costs *costs) {
    return costs->panel_in_sets_bytes / (double)clg_type_size(problem->type);
}

/* Elements of B up to which it is faster to read it in place. */
static double most_in_place(const struct clg_problem *problem, const struct clg_facts *facts,
                            const struct clg_costs *costs, int vec) {
    if (lies_badly(problem))
        return most_in_sets(problem, costs);
    return problem->type == CLGEMM_F32 && has_large_cache(facts) &&
                   problem->m >= (int64_t)ROWS_LARGE_CACHE * vec
               ? costs->panel_in_place_large_cache
               : costs->panel_in_place;
}

/* Eight columns whose spacing is bad, or nearly so, still fit the L1 cache: narrow panels save the
 * packing of a B that is not large. */
static bool is_narrow_in_place(const struct clg_problem *problem, const struct clg_facts *facts,
                               const struct clg_costs *costs, int vec) {
    if (clg_panel_must_pack(problem, CLG_B) || problem->matrix[CLG_B].transposed)
        return false;
    const double size = (double)problem->n * (double)problem->k;
    if (size <= most_in_sets(problem, costs))
        return false;
    if (nearly_lies_badly(problem, facts))
        return size <= most_in_place(problem, facts, costs, vec);
    return lies_badly(problem) && !fights_for_sets(problem, vec) &&
           size <= costs->panel_in_place_narrow;
}

/* Whether B is read in place: few rows use it, or it is not large. The limit in rows is the same in
 * double and single, because elements of twice the size take twice as long to pack and to use. */
static bool is_in_place(const struct clg_problem *problem, const struct clg_facts *facts,
                        const struct clg_costs *costs, int vec) {
    if (clg_panel_must_pack(problem, CLG_B)) /* packing costs nothing, or there is no choice */
        return false;
    const int64_t floats = (int64_t)(clg_type_size(problem->type) / clg_type_size(CLGEMM_F32));
    if (clg_type_is_narrow(problem->type)) /* packing converts them to floats once */
        return false;
    if (fights_for_sets(problem, vec))
        return false;
    if (problem->m <= floats * FEW_ROWS * vec || is_narrow_in_place(problem, facts, costs, vec))
        return true;
    /* Each step along k is on another page, and the first-level TLB does not hold all of them. */
    if (problem->matrix[CLG_B].transposed && clg_problem_flops(problem) > costs->panel_steps_flops)
        return false;
    return (double)problem->n * (double)problem->k <= most_in_place(problem, facts, costs, vec);
}

struct clg_panel_registers clg_panel_registers_of(clgemm_type type, const struct clg_facts *facts) {
    const size_t reported = facts->float_vector * clg_type_real_size(CLGEMM_F32);
    const size_t bytes = reported >= 64 ? 64 : reported >= 32 ? 32 : 16;
    return (struct clg_panel_registers){(int)(bytes / clg_type_real_size(type)),
                                        bytes == 32 ? 16 : 32,
                                        bytes == 32 ? COLUMNS_OF_16 : COLUMNS};
}

const struct clg_params *clg_panel_form(const struct clg_problem *problem) {
    static const struct clg_params none;
    const struct clg_ahead *ahead = &problem->ahead;
    return ahead->family &&
                   clg_is_ahead(problem, &clg_family_panel, (enum clg_matrix_index)ahead->which)
               ? &ahead->form
               : &none;
}

/* Whether one panel holds all columns, so that A's columns are multiplied as they are read and not
 * stored as panels. An operand that is packed before the call has its own panels. */
static bool uses_a_once(const struct clg_problem *problem, int columns) {
    return problem->n <= columns && !problem->matrix[CLG_A].transposed && !problem->ahead.wanted &&
           problem->stored.triangle == CLG_ALL && !clg_type_is_narrow(problem->type);
}

static void choose_panels(const struct clg_problem *problem, const struct clg_facts *facts,
                          const struct clg_costs *costs, struct clg_params *p) {
    const struct clg_panel_registers registers = clg_panel_registers_of(problem->type, facts);
    p->vec = registers.elements;
    const bool wide = problem->type == CLGEMM_F64 || has_large_cache(facts);
    p->reg_n = registers.count > 16 && wide ? WIDE_COLUMNS : registers.columns;
    if (uses_a_once(problem, p->reg_n))
        p->reg_n = (int)problem->n;
    else if (p->reg_n > NARROW &&
             ((double)clg_round_up(problem->n, NARROW) * costs->panel_narrow_slower <
                  (double)clg_round_up(problem->n, p->reg_n) ||
              is_narrow_in_place(problem, facts, costs, p->vec)))
        p->reg_n = NARROW;
    p->pack_b = !is_in_place(problem, facts, costs, p->vec);
    if (clg_panel_form(problem)->reg_n)
        p->reg_n = clg_panel_form(problem)->reg_n;
}

/* Whether waking a second thread does not pay. */
static bool is_alone(const struct clg_problem *problem, const struct clg_costs *costs) {
    const bool is_packed = clg_is_ahead(problem, &clg_family_panel, CLG_A);
    const double packing =
        is_packed ? 0 : costs->panel_packing_flops * (double)problem->m * (double)problem->k;
    return problem->m <= MOST_DEPTH &&
           clg_problem_flops(problem) + packing < costs->panel_alone_flops;
}

static bool is_fine(const struct clg_problem *problem, const struct clg_facts *facts,
                    const struct clg_costs *costs) {
    const double flops = clg_problem_flops(problem);
    return problem->batch == 1 && problem->m >= FINE_ROWS && problem->k <= FINE_DEPTH &&
           flops >= costs->panel_fine_flops &&
           flops <= costs->panel_fine_unit_flops * facts->compute_units;
}

static bool is_split(const struct clg_problem *problem) {
    return !clg_is_trmm(problem) && problem->k >= SPLIT_DEPTH &&
           problem->m * problem->n * problem->batch <= SPLIT_ELEMENTS;
}

/* Chooses even blocks along k, and even tiles along m whose rows of A stay in the L2 cache beside
 * the other data. Returns the number of tiles along m. */
static int64_t choose_rows(const struct clg_problem *problem, const struct clg_facts *facts,
                           bool fine, int64_t wanted, struct clg_params *p) {
    const int64_t panel = 2 * (int64_t)p->vec, fewest = fine ? panel : 2 * panel;
    const int64_t cache = facts->core_cache ? (int64_t)facts->core_cache : USUAL_CACHE;
    const int64_t cuts = (problem->k + MOST_DEPTH / 2) / MOST_DEPTH;
    p->tile_k = (int)clg_round_up(clg_ceil_div(problem->k, cuts ? cuts : 1), p->vec);
    if (clg_panel_form(problem)->tile_k)
        p->tile_k = clg_panel_form(problem)->tile_k;
    int64_t rows =
        cache * 3 / 4 / (int64_t)clg_type_real_size(problem->type) / p->tile_k / panel * panel;
    rows = rows < 2 * panel ? 2 * panel : rows > 4 * panel ? 4 * panel : rows;
    int64_t tiles = clg_ceil_div(problem->m, rows);
    if (!is_split(problem)) {
        tiles = clg_round_up(tiles < wanted ? wanted : tiles, facts->compute_units);
        if (clg_ceil_div(problem->m, tiles) < fewest)
            tiles = clg_ceil_div(problem->m, fewest);
    }
    p->tile_m = (int)clg_round_up(clg_ceil_div(problem->m, tiles), panel);
    return clg_ceil_div(problem->m, p->tile_m);
}

/* The width of tiles that keeps the units busiest in the last round, with one to two times `wanted`
 * tiles in all. */
static int64_t choose_columns(const struct clg_problem *problem, int64_t units, int64_t tiles,
                              int64_t wanted, int reg_n) {
    int64_t best = problem->n;
    double least = -1;
    for (int64_t cuts = clg_ceil_div(wanted, tiles); cuts <= clg_ceil_div(2 * wanted, tiles);
         cuts++) {
        const int64_t width = clg_round_up(clg_ceil_div(problem->n, cuts), reg_n);
        const double rounds =
            (double)clg_ceil_div(clg_ceil_div(problem->n, width) * tiles, units) * (double)width;
        if (least < 0 || rounds < least) {
            least = rounds;
            best = width;
        }
    }
    return best;
}

static bool is_streamed(const struct clg_problem *problem, const struct clg_params *p) {
    const double bytes =
        (double)problem->m * (double)problem->k * (double)clg_type_size(problem->type);
    return uses_a_once(problem, p->reg_n) && bytes >= STREAM_BYTES * (problem->n > FEW ? 2 : 1);
}

/* Tall tiles of few steps; if there are too few of them, k is split. */
static void choose_runs(const struct clg_problem *problem, int64_t wanted, struct clg_params *p) {
    const int64_t tall = problem->m / STREAM_ROWS;
    const int64_t tiles = tall < 1 ? 1 : tall < wanted ? tall : wanted;
    p->tile_k = problem->n <= STREAM_COLUMNS ? STREAM_DEPTH : 2 * STREAM_DEPTH;
    p->tile_m = (int)clg_round_up(clg_ceil_div(problem->m, tiles), 2 * (int64_t)p->vec);
    p->tile_n = p->reg_n;
    if (tiles < wanted)
        p->split_k = (int)clg_ceil_div(wanted, tiles);
}

static void choose_tiles(const struct clg_problem *problem, const struct clg_facts *facts,
                         const struct clg_costs *costs, struct clg_params *p) {
    const int64_t units = facts->compute_units;
    const bool fine = is_fine(problem, facts, costs);
    const int64_t all = (fine ? FINE_TILES_PER_UNIT : TILES_PER_UNIT) * units;
    const int64_t wanted = clg_ceil_div(all, problem->batch); /* of each product */
    if (is_streamed(problem, p)) {
        choose_runs(problem, wanted, p);
        return;
    }
    int64_t tiles = choose_rows(problem, facts, fine, wanted, p), width = problem->n;
    if (tiles < wanted && is_split(problem)) {
        const int64_t blocks = clg_ceil_div(problem->k, p->tile_k);
        const int64_t slices = clg_ceil_div(wanted, tiles);
        p->split_k = (int)(blocks < slices ? blocks : slices);
        tiles *= p->split_k;
    }
    if (tiles < wanted)
        width = choose_columns(problem, units, tiles, wanted, p->reg_n);
    p->tile_n =
        (int)clg_round_up(clg_ceil_div(problem->n, clg_ceil_div(problem->n, width)), p->reg_n);
}

bool clg_panel_shape(const struct clg_problem *problem, const struct clg_facts *facts,
                     const struct clg_costs *costs, struct clg_params *out) {
    const int64_t most = 1 << 30;
    if (facts->kind != CLG_DEVICE_CPU || !facts->fast_fma || !facts->compute_units)
        return false;
    if (problem->m > most || problem->n > most || problem->k > most)
        return false;
    *out = (struct clg_params){0};
    choose_panels(problem, facts, costs, out);
    choose_tiles(problem, facts, costs, out);
    if (is_alone(problem, costs)) { /* one tile */
        out->tile_m = (int)clg_round_up(problem->m, 2 * (int64_t)out->vec);
        out->tile_n = (int)clg_round_up(problem->n, out->reg_n);
        out->split_k = 0;
    }
    return true;
}
