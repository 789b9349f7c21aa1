/* SPDX-License-Identifier: Apache-2.0
 * The families of residues on the device under test. `residues` as if it were Hopper: the products
 * need its tensor cores, so here the host computes them, and multistage's step is left away, so
 * tiles that it would compute must be as before. `dot` runs as it is; test_residues_slabs.c has
 * what only it shows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "device/buffer.h"
#include "gemm/element.h"
#include "gemm/residues/residues.h"
#include "run/exec.h"
#include "support/check.h"
#include "support/doubles.h"
#include "support/judge.h"

enum { STRICT_TILE = 128 }; /* as in lib/gemm/residues/family.c */

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

static const struct clg_params large = {
    .tile_m = 192, .tile_n = 256, .tile_k = 128, .stages = 3, .band_m = 8};
static const struct clg_params small = {
    .tile_m = 256, .tile_n = 128, .tile_k = 128, .stages = 4, .band_m = 8};

static bool is_dot(const struct clg_params *params) {
    return params->wg_m > 0;
}

static struct clg_facts pretend(void) {
    struct clg_facts facts = engine->device->facts;
    facts.kind = CLG_DEVICE_GPU;
    facts.tensor_cores = facts.async_copies = true;
    facts.capability = CLG_HOPPER;
    facts.compute_units = 5;
    facts.max_work_group = facts.max_work_items[0] = 1024;
    return facts;
}

/* ---- A product, of which the host multiplies the residues ---- */

struct product {
    struct clg_plan plan;
    cl_mem workspaces[CLG_MAX_WORKSPACES];
    int first; /* the last ones are those of the family, of which the host has copies: */
    unsigned char *bytes[CLG_MAX_WORKSPACES];
};
enum { SCALES, A_PACKED, B_PACKED, RESIDUES, WORKSPACES };

static const int moduli[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199};
static const int gaussian[] = {241, 233, 229, 221, 205, 197, 193,
                               181, 173, 157, 149, 137, 113, 109};
enum { MODULI = sizeof moduli / sizeof *moduli, PADDING = 768, UNIT = 16, ROW_BYTES = 128 };

_Static_assert(sizeof gaussian == sizeof moduli, "the kernels have as many");

static bool is_complex(const struct clg_plan *plan) {
    return plan->problem.type == CLGEMM_CF64;
}

/* A complex product has two planes for each modulus. Of a real one the last modulus is not used
 * where the others keep the bound. */
static int planes_of(const struct clg_plan *plan) {
    const struct clg_problem *problem = &plan->problem;
    return is_complex(plan)                                            ? 2 * MODULI
           : problem->math == CLGEMM_MATH_NORMWISE && problem->k >= 90 ? MODULI - 1
                                                                       : MODULI;
}

static int64_t stages_of(const struct clg_plan *plan) {
    return clg_ceil_div(plan->problem.k, ROW_BYTES);
}

/* Byte `k` of a row of A or B in a plane. */
static int packed(const struct product *p, int which, int plane, int64_t row, int64_t k) {
    const struct clg_problem *problem = &p->plan.problem;
    const int tile = which == CLG_A ? p->plan.params.tile_m : p->plan.params.tile_n;
    const int64_t tiles = clg_ceil_div(which == CLG_A ? problem->m : problem->n, tile);
    const int64_t at = (plane * tiles + row / tile) * stages_of(&p->plan) + k / ROW_BYTES;
    const int64_t chunk = k % ROW_BYTES / 16 ^ (row & 7);
    return (signed char)p->bytes[which == CLG_A ? A_PACKED : B_PACKED]
                                [(at * tile + row % tile) * ROW_BYTES + chunk * 16 + k % 16];
}

static int64_t sum_of(const struct product *p, int plane, int64_t i, int64_t j) {
    int64_t sum = 0;
    for (int64_t k = 0; k < p->plan.problem.k; k++)
        sum += (int64_t)packed(p, CLG_A, plane, i, k) * packed(p, CLG_B, plane, j, k);
    return sum;
}

/* Where kernels/residues.cl leaves a residue of C: rows are its tile's `right` rows. */
static size_t place_of(const struct clg_plan *plan, int plane, int64_t i, int64_t j) {
    const struct clg_params *params = &plan->params;
    const int64_t tiles_m = clg_ceil_div(plan->problem.m, params->tile_m);
    const int64_t tiles_n = clg_ceil_div(plan->problem.n, params->tile_n);
    const int64_t tile_m = i / params->tile_m, tile_n = j / params->tile_n;
    const int64_t band = tile_m / params->band_m, left = tiles_m - band * params->band_m;
    const int64_t height = left < params->band_m ? left : params->band_m;
    const int64_t tile =
        band * params->band_m * tiles_n + tile_n * height + tile_m % params->band_m;
    const int64_t row = i % params->tile_m, col = j % params->tile_n;
    const int64_t item = col % 64 / 16 * 32 + col % 8 * 4 + row % 8 / 2;
    const int64_t sum = row / 8 * 4 + col % 16 / 8 * 2 + row % 2;
    const int64_t block = ((plane * tiles_m * tiles_n + tile) * (params->tile_n / 64) + col / 64) *
                          (params->tile_m / 32);
    return (size_t)(((block + sum / 16) * 128 + item) * 16 + sum % 16);
}

static void run_step(struct product *p, const struct clg_step *step,
                     const struct clg_memory memory[], struct clg_scalars scalars) {
    const struct clg_step_arguments arguments = {.memory = memory,
                                                 .workspaces = p->workspaces,
                                                 .scalars = scalars,
                                                 .portion = {.stored = p->plan.slab},
                                                 .type = p->plan.problem.type};
    const struct clg_enqueue where = {cl->queue, 0, NULL};
    struct clg_program *program;
    struct clg_kernel kernel;
    clg_test_assert_success(
        clg_programs_get(engine->programs, step->source, step->options, NULL, &program));
    clg_test_assert_success(clg_kernel_take(program, &kernel));
    clg_test_assert_success(clg_step_enqueue(step, &kernel, &arguments, &where, NULL));
    clg_kernel_give(program, &kernel);
}

static void multiply_residues(struct product *p) {
    for (int plane = 0; plane < planes_of(&p->plan); plane++)
        for (int64_t j = 0; j < p->plan.problem.n; j++)
            for (int64_t i = 0; i < p->plan.problem.m; i++) {
                const int modulus = is_complex(&p->plan) ? gaussian[plane / 2] : moduli[plane];
                int rest = (int)(sum_of(p, plane, i, j) % modulus);
                if (rest < -modulus / 2)
                    rest += modulus;
                if (rest > (modulus - 1) / 2)
                    rest -= modulus;
                p->bytes[RESIDUES][place_of(&p->plan, plane, i, j)] = (unsigned char)(rest + 128);
            }
}

/* Instead of the family's kernel. */
static void run_product(struct product *p) {
    const int residues = p->first + RESIDUES;
    for (int w = 0; w < WORKSPACES; w++)
        assert_int_equal(clEnqueueReadBuffer(cl->queue, p->workspaces[p->first + w], CL_TRUE, 0,
                                             p->plan.workspaces[p->first + w], p->bytes[w], 0, NULL,
                                             NULL),
                         CL_SUCCESS);
    multiply_residues(p);
    assert_int_equal(clEnqueueWriteBuffer(cl->queue, p->workspaces[residues], CL_TRUE, 0,
                                          p->plan.workspaces[residues], p->bytes[RESIDUES], 0, NULL,
                                          NULL),
                     CL_SUCCESS);
}

static void release(struct product *p) {
    for (int w = 0; w < p->plan.num_workspaces; w++)
        clg_buffer_release(p->workspaces[w]);
    for (int w = 0; w < WORKSPACES; w++)
        free(p->bytes[w]);
}

/* All but the rest that multistage computes, and the certificate. */
static struct product multiply(struct clg_test_case *test, clgemm_math math,
                               const struct clg_params *params) {
    const struct clg_facts facts = pretend();
    struct product p = {.workspaces = {NULL}};
    struct clg_call call = clg_test_case_call(test);
    struct clg_test_buffers buffers;
    struct clg_problem problem;
    call.math = math;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    assert_null(clg_family_unsupported_reason(&clg_family_residues, &problem, &facts, params));
    clg_plan_with(&p.plan, &clg_family_residues, params, &problem, &facts);
    assert_int_equal(p.plan.slab, problem.n);
    p.first = p.plan.num_workspaces - WORKSPACES;
    assert_true(is_complex(&p.plan) ? p.first > 0 && math == CLGEMM_MATH_NORMWISE : p.first == 0);
    for (int w = 0; w < p.plan.num_workspaces; w++)
        clg_test_assert_success(
            clg_buffer_create(engine->device, p.plan.workspaces[w], &p.workspaces[w]));
    for (int w = 0; w < WORKSPACES; w++)
        p.bytes[w] = clg_test_alloc(p.plan.workspaces[p.first + w]);
    clg_test_buffers_create(cl, test, &buffers);
    const struct clg_memory memory[] = {
        {.buffer = buffers.a, .offset = (int64_t)test->problem.offset_a},
        {.buffer = buffers.b, .offset = (int64_t)test->problem.offset_b},
        {.buffer = buffers.c, .offset = (int64_t)test->problem.offset_c}};
    for (int s = 0; s < p.plan.num_steps; s++) {
        const struct clg_step *step = &p.plan.steps[s];
        if (strcmp(step->source, "residues") == 0 && !strstr(step->options, "CERTIFICATE"))
            run_product(&p);
        else if (strcmp(step->source, "residues") != 0 && strcmp(step->source, "multistage") != 0)
            run_step(&p, step, memory, call.scalars);
    }
    clFinish(cl->queue);
    clg_test_read_back(cl, buffers.c, &test->c, NULL);
    clg_test_buffers_release(&buffers);
    return p;
}

static void run(struct clg_test_case *test, clgemm_math math, const struct clg_params *params) {
    if (is_dot(params)) {
        clg_test_dot_run(engine, cl, math, params, test);
    } else {
        struct product p = multiply(test, math, params);
        release(&p);
    }
}

/* All transposes, tiles and modes; sizes off the tile. */
static void ordinary_products_are_right(void **state) {
    static const struct clg_params *const tiles[] = {
        &large, &small, &clg_test_dot, &clg_test_flat_dot, &clg_test_soft_dot, &clg_test_soft_dot};
    (void)state;
    const int drawn = clg_test_draw(2);
    for (int i = 0; i < 12; i++) {
        struct clg_test_problem problem =
            clg_test_doubles(i % 2 ? 259 : 195, i % 2 ? 131 : 130, 150 + i, i & 1, i & 2);
        struct clg_test_case test;
        if (!clg_test_is_long() && i % 2 != drawn)
            continue;
        problem.alpha = -0.5F;
        problem.beta = i & 2 ? 2 : 0;
        clg_test_doubles_create(&test, &problem);
        run(&test, i & 2 ? CLGEMM_MATH_ACCURATE : CLGEMM_MATH_NORMWISE, tiles[i / 4 * 2 + i % 2]);
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
}

/* Sums are exact, so C's bits depend on neither tile nor order, nor on the mode if the moduli are
 * the same; whole numbers put together round as doubles do here. */
static void check_bits(int64_t k, clgemm_math math, clgemm_math other) {
    static const struct clg_params *const tiles[] = {&small, &large, &clg_test_dot,
                                                     &clg_test_flat_dot, &clg_test_soft_dot};
    enum { TILES = sizeof tiles / sizeof *tiles };
    const struct clg_test_problem problem = clg_test_doubles(140, 70, k, false, false);
    struct clg_test_case test[TILES];
    for (int i = 0; i < TILES; i++) {
        clg_test_doubles_create(&test[i], &problem);
        run(&test[i], i % 2 ? other : math, tiles[i]);
        for (int64_t j = 0; j < problem.n; j++)
            assert_memory_equal(clg_test_double_c(&test[0], 0, j),
                                clg_test_double_c(&test[i], 0, j),
                                (size_t)problem.m * sizeof(double));
    }
    /* Hopper's tensor cores themselves */
    if (engine->device->facts.tensor_cores) {
        assert_true(clg_test_family_run(engine, cl, &clg_family_residues, &large, math, &test[1]));
        assert_memory_equal(test[0].c.memory, test[1].c.memory, clg_test_matrix_bytes(&test[0].c));
    }
    for (int i = 0; i < TILES; i++)
        clg_test_case_destroy(&test[i]);
}

static void bits_do_not_depend_on_the_tile(void **state) {
    (void)state;
    check_bits(89, CLGEMM_MATH_ACCURATE, CLGEMM_MATH_NORMWISE);
    check_bits(300, CLGEMM_MATH_NORMWISE, CLGEMM_MATH_NORMWISE);
}

/* Rows at both ends of the range of doubles, of whole numbers, and of zeros. */
static void check_rows_of_all_magnitudes(const struct clg_params *params) {
    static const int exponents[] = {0, -1060, 1010, -520, 530, -900};
    enum { KINDS = sizeof exponents / sizeof *exponents };
    const struct clg_test_problem problem = clg_test_doubles(130, 40, 70, true, true);
    struct clg_test_case test;
    clg_test_doubles_create(&test, &problem);
    for (int64_t i = 0; i < problem.m; i++)
        for (int64_t k = 0; k < problem.k; k++) {
            double *x = clg_test_double_a(&test, i, k);
            *x = i % 8 == 7 ? 0 : i % 8 == 6 ? rint(1000 * *x) : ldexp(*x, exponents[i % 8]);
        }
    for (int64_t j = 0; j < problem.n; j++)
        for (int64_t k = 0; k < problem.k; k++) {
            double *x = clg_test_double_b(&test, k, j);
            *x = j % 2 ? ldexp(*x, -20 * (int)(j % 3)) : rint(1000 * *x);
        }
    clg_test_doubles_keep(&test);
    run(&test, CLGEMM_MATH_NORMWISE, params);
    assert_true(clg_test_doubles_error(&test, 4 * DBL_MIN * DBL_EPSILON * (double)problem.k) <= 1);
    for (int64_t j = 0; j < problem.n; j += 2) /* whole numbers: exact */
        for (int64_t i = 6; i < problem.m; i += 8) {
            double sum = 0;
            for (int64_t k = 0; k < problem.k; k++)
                sum += *clg_test_double_a(&test, i, k) * *clg_test_double_b(&test, k, j);
            assert_true(*clg_test_double_c(&test, i, j) == sum);
        }
    clg_test_case_destroy(&test);
}

static void rows_of_all_magnitudes_are_right(void **state) {
    (void)state;
    check_rows_of_all_magnitudes(&small);
    check_rows_of_all_magnitudes(&clg_test_dot);
    check_rows_of_all_magnitudes(&clg_test_soft_dot);
}

/* Only tiles without an infinity or a NaN in their rows and columns are written. */
static void tiles_with_special_values_are_left_out(void **state) {
    const struct clg_test_problem problem = clg_test_doubles(300, 300, 40, false, true);
    enum { ROW = 135, COLUMN = 299 };
    struct clg_test_case test;
    (void)state;
    clg_test_doubles_create(&test, &problem);
    *clg_test_double_a(&test, ROW, 7) = HUGE_VAL;
    *clg_test_double_b(&test, 39, COLUMN) = (double)NAN;
    clg_test_doubles_keep(&test);
    for (int64_t j = 0; j < problem.n; j++)
        for (int64_t i = 0; i < problem.m; i++)
            *clg_test_double_c(&test, i, j) = 1000;
    run(&test, CLGEMM_MATH_NORMWISE, &large);
    for (int64_t j = 0; j < problem.n; j++)
        for (int64_t i = 0; i < problem.m; i++) {
            double sum = 0;
            /* The last tile ends where C does, and the one before it stores less. */
            const int64_t tile =
                i >= 300 - STRICT_TILE ? 300 - STRICT_TILE : i / STRICT_TILE * STRICT_TILE;
            const bool in_row = ROW >= tile && ROW < tile + STRICT_TILE;
            const bool in_column = j >= 300 - STRICT_TILE;
            for (int64_t k = 0; k < problem.k; k++)
                sum += *clg_test_double_a(&test, i, k) * *clg_test_double_b(&test, k, j);
            const double is = *clg_test_double_c(&test, i, j);
            if (in_row || in_column)
                assert_true(is == 1000);
            else
                assert_true(fabs(is - sum) < 1e-12);
        }
    clg_test_case_destroy(&test);
}

/* In mode normwise a complex product is that of two residues for each modulus, else it is posed as
 * a real one, in three forms; both in slabs of their own. */
static void complex_products_are_right(void **state) {
    static const clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    const uint64_t room = engine->device->facts.workspace_max;
    struct clg_test_random random = clg_test_random_start(3);
    (void)state;
    for (int form = 0; form < 18; form++) {
        struct clg_test_problem problem =
            clg_test_doubles(form % 2 ? 40 : 150, form % 2 ? 300 : 70, 64, false, false);
        struct clg_test_case test;
        problem.type = CLGEMM_CF64;
        problem.ta = transposes[form % 3];
        problem.tb = transposes[form / 3 % 3];
        problem.alpha_imag = 0.5F;
        problem.beta = 1.5F;
        problem.beta_imag = form % 4 ? -0.25F : 0;
        clg_test_case_create(&test, &problem, &random);
        if (form % 4 == 2) { /* tiles are left out */
            ((double *)clg_test_matrix_data(&test.a))[form] = HUGE_VAL;
            ((double *)clg_test_matrix_data(&test.b))[7] = (double)NAN;
            clg_test_doubles_keep(&test);
        }
        engine->device->facts.workspace_max = form < 9 || form % 2 ? room : 8 << 20;
        run(&test, form % 10 ? CLGEMM_MATH_NORMWISE : CLGEMM_MATH_ACCURATE,
            form % 4 == 1   ? &small
            : form % 4 == 3 ? &large
            : form % 3      ? &clg_test_dot
                            : &clg_test_flat_dot);
        clg_test_assert_no_fault(clg_test_case_fault(&test));
        clg_test_case_destroy(&test);
    }
    engine->device->facts.workspace_max = room;
}

/* Where clg_residues would certify an element by the sums of magnitudes and the bounds, its error
 * is within ACCURATE's bound. It does for ordinary data, not where large numbers meet small ones.
 */
static int64_t certified(struct clg_test_case *test, const struct product *p) {
    const struct clg_problem *problem = &p->plan.problem;
    const int64_t m = (problem->m / PADDING + 2) * PADDING;
    const int64_t n = (problem->n / PADDING + 2) * PADDING;
    const float *bounds = (const float *)(p->bytes[SCALES] + (m + n) * 8 + (m + n) / UNIT + 8);
    int64_t count = 0;
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++) {
            struct clg_wide sum = {0};
            double magnitude = 0;
            const float *a = bounds + 2 * i, *b = bounds + 2 * (m + j);
            const float cost = 1.001F * fmaf(a[0], b[1], b[0] * a[1]);
            if (cost > (float)(problem->k - 1) * 0x1p-67F * (float)sum_of(p, MODULI, i, j))
                continue;
            count++;
            for (int64_t k = 0; k < problem->k; k++) {
                clg_wide_add_product(&sum, *clg_test_double_a(test, i, k),
                                     *clg_test_double_b(test, k, j));
                magnitude += fabs(*clg_test_double_a(test, i, k) * *clg_test_double_b(test, k, j));
            }
            const double error = fabs(*clg_test_double_c(test, i, j) - sum.high - sum.low);
            assert_true(error <= (double)(problem->k + 2) * DBL_EPSILON / 2 * magnitude);
        }
    return count;
}

static void what_is_certified_is_accurate(void **state) {
    const struct clg_test_problem problem = clg_test_doubles(60, 33, 64, false, false);
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct clg_test_case test;
        clg_test_doubles_create(&test, &problem);
        for (int64_t k = 0; k < problem.k; k++)
            for (int64_t i = 0; i < problem.m; i++) {
                double *x = clg_test_double_a(&test, i, k);
                if (kind > 0)
                    *x = ldexp(*x, kind == 1 ? -(int)(i * k % 128) : k % 2 ? -50 : 0);
                if (kind == 2 && i < problem.n) /* large meets small */
                    *clg_test_double_b(&test, k, i) =
                        ldexp(*clg_test_double_b(&test, k, i), k % 2 ? 0 : -50);
            }
        clg_test_doubles_keep(&test);
        struct product p = multiply(&test, CLGEMM_MATH_ACCURATE, &small);
        const int64_t count = certified(&test, &p), all = problem.m * problem.n;
        assert_true(kind == 0 ? count == all : kind == 1 ? count < all : count == 0);
        release(&p);
        run(&test, CLGEMM_MATH_ACCURATE, kind == 1 ? &clg_test_soft_dot : &clg_test_dot);
        assert_true(clg_test_doubles_error(&test, 0) <= 1);
        clg_test_case_destroy(&test);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_products_are_right),
        cmocka_unit_test(bits_do_not_depend_on_the_tile),
        cmocka_unit_test(rows_of_all_magnitudes_are_right),
        cmocka_unit_test(tiles_with_special_values_are_left_out),
        cmocka_unit_test(complex_products_are_right),
        cmocka_unit_test(what_is_certified_is_accurate),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
