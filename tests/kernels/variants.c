/* SPDX-License-Identifier: Apache-2.0
 * Prints "source<TAB>options" for every program that a plan can need: every preset of every family,
 * with its transposes, alignments and edges; with an argument, what support/arguments.h prints.
 * Lines repeat; the reader sorts them. */
#include <stdio.h>

#include "gemm/family.h"
#include "routine/routine.h"
#include "support/arguments.h"
#include "support/rows.h"

static bool prints_arguments;

/* The largest tile of C, in elements, for which other operand placements are compiled too; larger
 * tiles have the same code. */
enum { SMALL_TILE = 16 * 32 };

/* The widest vector for which A, B and C are aligned; the last ones are for tensor, which reads and
 * writes each matrix in ways of its own. */
static const unsigned alignments[][3] = {{1, 1, 1}, {4, 4, 4}, {4, 2, 2}, {1, 4, 4}, {1, 1, 4}};
enum { ALIGNMENTS = sizeof alignments / sizeof *alignments, USUAL_ALIGNMENTS = 3 };

/* A device that accepts every group and tile, and whose compiler gets no option that clang
 * lacks. */
static struct clg_facts generous(enum clg_device_kind kind) {
    struct clg_facts facts = {
        .kind = kind,
        .name = "any",
        .available = true,
        .has_compiler = true,
        .has_fp64 = true,
        .capability = 90,
        .tensor_cores = true,
        .mma = true,
        .tensor_maps = true,
        .async_copies = true,
        .compute_units = 1,
        .float_vector = 4,
        .base_alignment = 128,
        .global_memory = UINT64_C(1) << 40,
        .workspace_max = UINT64_C(1) << 40,
        .local_memory = UINT64_C(1) << 20,
        .max_allocation = UINT64_C(1) << 40,
        .max_work_group = 1 << 16,
        .max_work_items = {1 << 16, 1 << 16, 1 << 16},
        .arch.registers = 1 << 16,
    };
    return facts;
}

static struct clg_matrix matrix(int64_t rows, int64_t cols, bool transposed, unsigned vector) {
    struct clg_matrix result = {
        .transposed = transposed, .vector = vector, .bulk = vector == CLG_WIDEST_VECTOR};
    result.rows = transposed ? cols : rows;
    result.cols = transposed ? rows : cols;
    result.ld = result.rows;
    result.readable = result.rows;
    return result;
}

static void print_steps(const struct clg_plan *plan) {
    if (prints_arguments) {
        clg_test_print_arguments(stdout, plan);
        return;
    }
    for (int i = 0; i < plan->num_steps; i++)
        printf("%s\t%s\n", plan->steps[i].source, plan->steps[i].options);
}

static int print_plan(const struct clg_family *family, const struct clg_params *params,
                      const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_plan plan;
    if (clg_family_unsupported_reason(family, problem, facts, params))
        return 0;
    clg_plan_with(&plan, family, params, problem, facts);
    print_steps(&plan);
    return 1;
}

/* The same with either operand packed before the call. */
static int print_packed(const struct clg_family *family, const struct clg_params *params,
                        const struct clg_problem *problem, const struct clg_facts *facts) {
    int printed = 0;
    for (int which = CLG_A; which <= CLG_B; which++) {
        struct clg_problem ahead = *problem;
        ahead.ahead = (struct clg_ahead){.wanted = true, .which = which, .math = problem->math};
        printed += print_plan(family, params, &ahead, facts);
    }
    return printed;
}

/* The same with operands packed by the call that could be read in place. */
static int print_packings(const struct clg_family *family, const struct clg_params *params,
                          const struct clg_problem *problem, const struct clg_facts *facts) {
    int printed = 0;
    for (int packs = 1; packs < 4; packs++) {
        struct clg_params more = *params;
        more.pack_a = packs & 1;
        more.pack_b = packs >> 1;
        printed += print_plan(family, &more, problem, facts);
    }
    return printed;
}

/* A preset's other placements of A and B. */
static int print_placements(const struct clg_family *family, const struct clg_params *params,
                            const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params other;
    int printed = 0;
    for (int v = 0; family->variant && family->variant(v, params, &other); v++)
        printed += print_plan(family, &other, problem, facts);
    return printed;
}

/* The same for the non-strict modes of a family, also with more units than tiles; dot also without
 * tensor cores. */
static int print_modes(const struct clg_family *family, const struct clg_params *params,
                       const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_facts many = *facts;
    struct clg_params streamed = *params;
    int printed = 0;
    many.compute_units = 100;
    many.mma = family != &clg_family_dot;
    streamed.sharers = 2;
    for (int math = CLGEMM_MATH_STRICT + 1; !family->strict && math <= CLGEMM_MATH_F16; math++) {
        struct clg_problem moded = *problem;
        moded.math = (clgemm_math)math;
        printed += print_plan(family, params, &moded, facts);
        printed += print_plan(family, &streamed, &moded, &many);
        if (family == &clg_family_tensor)
            printed += print_packings(family, params, &moded, facts) +
                       print_packings(family, &streamed, &moded, &many);
    }
    return printed;
}

/* Slices that the last group adds, and slices that a step adds. */
static int print_split(const struct clg_params *params, const struct clg_problem *problem,
                       const struct clg_facts *facts) {
    struct clg_params split = *params;
    struct clg_problem deep = *problem;
    struct clg_facts other = *facts;
    deep.k = 2 * (int64_t)params->wg_k * params->unroll_k;
    other.capability = 0;
    split.split_k = 2;
    return print_plan(&clg_family_thin, &split, &deep, facts) +
           print_plan(&clg_family_thin, &split, &deep, &other);
}

/* Products of a triangle of C, of which the last is a batch; whole, and with k cut. */
static int print_triangles(const struct clg_family *family, const struct clg_params *params,
                           const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params cut = *params, tail = *params;
    struct clg_problem triangle = *problem;
    int printed = 0;
    cut.split_k = tail.split_tail = 2;
    for (int which = CLG_LOWER; which <= CLG_UPPER && family->triangles; which++) {
        triangle.triangle = (enum clg_triangle)which;
        triangle.batch = which;
        printed += print_plan(family, params, &triangle, facts);
        if (family != &clg_family_direct)
            printed += print_plan(family, &cut, &triangle, facts);
        if (family != &clg_family_direct && family != &clg_family_panel)
            printed += print_plan(family, &tail, &triangle, facts);
    }
    return printed;
}

static struct clg_problem complex_of(const struct clg_problem *problem) {
    struct clg_problem complex = *problem;
    complex.type = problem->type == CLGEMM_F64 ? CLGEMM_CF64 : CLGEMM_CF32;
    return complex;
}

/* Complex products whose A the kernel expands, as it is and conjugated. */
static int print_expanded(const struct clg_family *family, const struct clg_params *params,
                          const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_problem complex = complex_of(problem);
    const int printed = print_plan(family, params, &complex, facts);
    complex.matrix[CLG_A].conjugated = true;
    return printed + print_plan(family, params, &complex, facts);
}

/* Products of which A or B is a triangle, or is mirrored; those with B are batches. */
static int print_stored(const struct clg_family *family, const struct clg_params *params,
                        const struct clg_problem *problem, const struct clg_facts *facts) {
    struct clg_params packed = *params;
    struct clg_problem stored = *problem;
    int printed = 0;
    packed.pack_b = 1;
    for (int i = 0; i < 4; i++) {
        stored.stored =
            (struct clg_stored){.triangle = CLG_LOWER, .which = i % 2, .mirrored = i / 2};
        stored.batch = i % 2 + 1;
        printed += print_plan(family, params, &stored, facts);
        printed += print_plan(family, &packed, &stored, facts);
    }
    return printed;
}

/* As long as `size`; for the thin family all of the few rows that a group computes. */
static int64_t side(const struct clg_family *family, int64_t size, int tile, int other) {
    return family == &clg_family_thin && tile < other ? tile : size;
}

/* One preset, at `size` cubed, in all transposes and alignments. */
static int print_row(const struct clg_family *family, const struct clg_params *params,
                     const struct clg_facts *facts, clgemm_type type, int64_t size) {
    const int64_t m = side(family, size, params->tile_m, params->tile_n);
    const int64_t n = side(family, size, params->tile_n, params->tile_m);
    const int last = family == &clg_family_tensor ? ALIGNMENTS : USUAL_ALIGNMENTS;
    int printed = 0;
    for (int trans = 0; trans < 4; trans++)
        for (int i = 0; i < last; i++) {
            struct clg_problem problem = {
                .type = type,
                .m = m,
                .n = n,
                .k = size,
                .batch = 1,
                .matrix = {matrix(m, size, trans & 1, alignments[i][0]),
                           matrix(size, n, trans & 2, alignments[i][1]),
                           matrix(m, n, false, alignments[i][2])},
                .work = CLG_WORK_MULTIPLY,
            };
            printed += print_modes(family, params, &problem, facts);
            printed += print_plan(family, params, &problem, facts);
            if (family == &clg_family_panel)
                printed += print_packed(family, params, &problem, facts);
            if (params->tile_m * params->tile_n <= SMALL_TILE)
                printed += print_placements(family, params, &problem, facts);
            if (i == 0 || trans == 1) /* aligned and not */
                printed += print_triangles(family, params, &problem, facts) +
                           print_stored(family, params, &problem, facts);
            if (family->expands && !(trans & 2))
                printed += print_expanded(family, params, &problem, facts);
            if (i == 0 && (trans == 1 || trans == 2) && type <= CLGEMM_F64) { /* syrk's */
                struct clg_problem complex = complex_of(&problem);
                printed += print_triangles(family, params, &complex, facts);
                complex.matrix[CLG_B].conjugated = trans == 2;
                if (family->pairs)
                    printed += print_modes(family, params, &complex, facts);
            }
            problem.batch = 2;
            printed += print_plan(family, params, &problem, facts);
            problem.batch = 1;
            const bool multistage = family == &clg_family_multistage;
            if (family == &clg_family_thin)
                printed += print_split(params, &problem, facts);
            if ((family != &clg_family_tiled && !multistage) || i > 0)
                continue;
            struct clg_params more = *params; /* the steps before and after the main kernel */
            more.pack_a = more.pack_b = !multistage;
            more.split_k = 2;
            printed += print_plan(family, &more, &problem, facts);
            problem.batch = 2;
            printed += print_plan(family, &more, &problem, facts);
            problem.batch = 1;
            more.split_k = 0;
            more.split_tail = 2;
            printed += print_plan(family, &more, &problem, facts);
            problem.matrix[CLG_A].ld = problem.matrix[CLG_B].ld =
                INT64_C(1) << 31; /* more tiles than an int counts */
            printed += print_plan(family, params, &problem, facts);
        }
    return printed;
}

/* Floats stand for all types whose variants have the same text. */
static int last_type(const struct clg_family *family) {
    return family == &clg_family_multistage || family == &clg_family_residues ||
                   family == &clg_family_dot
               ? CLGEMM_F64
           : family == &clg_family_tensor || family == &clg_family_mma ? CLGEMM_BF16
                                                                       : CLGEMM_F32;
}

/* 0, unless a preset suits no problem. Sizes: whole tiles, and edges. */
static int print_family(const struct clg_family *family, enum clg_device_kind kind) {
    static const int64_t large[] = {256, 131, 0}, small[] = {32, 16, 8, 7, 0};
    const int64_t *sizes = family == &clg_family_many ? small : large;
    const struct clg_facts facts = generous(kind);
    int useless = 0;
    size_t count;
    const struct clg_params *rows = clg_test_rows(family, kind, &count);
    for (size_t row = 0; row < count; row++) {
        int printed = 0;
        for (int i = 0; sizes[i]; i++)
            for (int type = CLGEMM_F32; type <= last_type(family); type++)
                printed += print_row(family, &rows[row], &facts, (clgemm_type)type, sizes[i]);
        if (printed == 0)
            fprintf(stderr, "%s: row %zu of device kind %d suits no problem\n", family->name, row,
                    (int)kind);
        useless += printed == 0;
    }
    return useless;
}

/* One call of a routine; its products are printed with their families. */
static int print_routine(const struct clg_routine *routine, const struct clg_facts *facts) {
    struct clg_ops ops;
    struct clg_plan plan;
    const int failed = clg_routine_plan(&ops, routine, facts) != CLGEMM_SUCCESS;
    for (size_t i = 0; i < ops.count; i++)
        if (ops.list[i].kind != CLG_OP_PRODUCT) {
            clg_op_plan(&plan, &ops.list[i], routine->call.type, facts);
            print_steps(&plan);
        }
    clg_ops_free(&ops);
    return failed;
}

/* The steps of all routines, for both layouts, both sides and triangles, and batches. */
static int print_routines(enum clg_device_kind kind, bool fast_fma) {
    enum { FORMS = 32, SIZE = 100 };
    static const clgemm_type types[] = {CLGEMM_F32, CLGEMM_F64, CLGEMM_CF64};
    struct clg_facts facts = generous(kind);
    int failed = 0;
    facts.fast_fma = fast_fma; /* without it CPUs have fewer panels */
    for (int routine = CLGEMM_SYMM; routine <= CLGEMM_TRSM; routine++)
        for (int i = 0; i < 3 * FORMS; i++) {
            const int form = i % FORMS;
            const struct clg_operand operand = {
                .ld = SIZE, .stride = SIZE * SIZE, .bytes = UINT64_MAX, .alignment = 64};
            const struct clg_routine call = {
                .routine = (clgemm_routine)routine,
                .call = {.type = types[i / FORMS],
                         .layout = form & 1 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                         .ta = CLGEMM_NO_TRANS,
                         .m = SIZE,
                         .n = SIZE,
                         .k = SIZE,
                         .batch = form & 2 ? 2 : 1,
                         .scalars = {.alpha = form < FORMS - 1, .beta = 2},
                         .operand = {operand, operand, operand}},
                .left = form & 4,
                .upper = form & 8,
                .unit = form & 16};
            failed += print_routine(&call, &facts);
        }
    return failed;
}

int main(int argc, char **argv) {
    int useless = 0;
    (void)argv;
    prints_arguments = argc > 1;
    for (int i = 0; clg_families[i]; i++)
        for (int kind = CLG_DEVICE_CPU; kind <= CLG_DEVICE_ACCELERATOR; kind++)
            useless += print_family(clg_families[i], (enum clg_device_kind)kind);
    useless += print_routines(CLG_DEVICE_CPU, false) + print_routines(CLG_DEVICE_CPU, true) +
               print_routines(CLG_DEVICE_GPU, true);
    return useless ? 1 : 0;
}
