/* SPDX-License-Identifier: Apache-2.0
 * What kernels/tensor_pack.cl makes of matrices, on the device under test: the parts of every
 * element are in their places and add up to it as exactly as the mode requires; rows with elements
 * that they cannot hold are marked, and have parts of 0. The sums of the part products that
 * kernels/tensor.cl computes stay within the mode's bound, on data chosen to break it. They are
 * added in double here, so only the splitting is tested. A short run draws half of the packings for
 * places, which are programs of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/buffer.h"
#include "gemm/element.h"
#include "gemm/tensor/tensor.h"
#include "run/exec.h"
#include "support/check.h"
#include "support/device.h"
#include "support/random.h"

static struct clg_test_cl *const cl = &clg_test_fixture.cl;
static struct clg_engine *const engine = &clg_test_fixture.engine;

/* The device under test as if it were Hopper: its steps other than the product run on any
 * device. */
static struct clg_facts pretend(void) {
    struct clg_facts facts = engine->device->facts;
    facts.kind = CLG_DEVICE_GPU;
    facts.tensor_cores = true;
    facts.compute_units = 132;
    facts.max_work_group = 1024;
    facts.max_work_items[0] = 1024;
    return facts;
}

/* The operand that is packed in a step of its own, or -1: one step packs both. */
static int apart = -1;

/* A product with operands of given values, packed. */
struct packing {
    struct clg_plan plan;
    const struct clg_tensor_way *way;
    void *host[2];            /* A and B as stored */
    unsigned char *packed[2]; /* as the kernel left them, for all products */
    int tile[2];
    int64_t rows[2];
};

typedef float value_of(int which, int64_t row, int64_t depth, int64_t product);

static void release(struct packing *p) {
    for (int i = 0; i < 2; i++) {
        free(p->host[i]);
        free(p->packed[i]);
    }
}

/* Stored with gaps and an offset, one operand along k and the other not, or vice versa. */
static struct packing pack(clgemm_type type, clgemm_math math, bool turned, int64_t m, int64_t n,
                           int64_t k, int64_t batch, value_of *value) {
    enum { GAP = 3, OFFSET = 5 };
    const struct clg_facts facts = pretend();
    struct packing p = {.rows = {m, n}};
    const size_t size = clg_type_size(type);
    struct clg_call call = {.type = type,
                            .math = math,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = turned ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = turned ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = m,
                            .n = n,
                            .k = k,
                            .batch = batch,
                            .scalars = {.alpha = 1}};
    const int64_t stored[] = {turned ? k : m, turned ? n : k, m};
    const int64_t columns[] = {turned ? m : k, turned ? k : n, n};
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = (struct clg_operand){.ld = stored[i] + GAP,
                                               .stride = (stored[i] + GAP) * columns[i],
                                               .offset = OFFSET,
                                               .bytes = UINT64_MAX,
                                               .alignment = (unsigned)size};
    struct clg_problem problem;
    clg_test_assert_success(clg_problem_init(&problem, &call));
    p.way = clg_tensor_way(&problem);
    problem.ahead = (struct clg_ahead){.wanted = apart >= 0, .which = apart, .math = problem.math};
    const struct clg_params params = {.tile_m = p.way->promoted ? 160 : 256,
                                      .tile_n = CLG_TENSOR_TILE_N,
                                      .tile_k = clg_tensor_stage_k(p.way),
                                      .stages = p.way->split == 3 ? 3 : 4,
                                      .band_m = 8};
    assert_null(clg_family_tensor.unsupported_reason(&problem, &facts, &params));
    p.tile[0] = params.tile_m;
    p.tile[1] = params.tile_n;
    clg_plan_with(&p.plan, &clg_family_tensor, &params, &problem, &facts);

    struct clg_memory memory[CLG_MATRICES] = {{.offset = OFFSET}, {.offset = OFFSET}};
    cl_mem workspaces[CLG_MAX_WORKSPACES] = {NULL};
    for (int i = 0; i < 2; i++) {
        const int64_t ld = call.operand[i].ld, stride = call.operand[i].stride;
        const size_t count = (size_t)(OFFSET + stride * batch);
        p.host[i] = malloc(count * size);
        for (size_t e = 0; e < count; e++)
            clg_element_set(type, p.host[i], (int64_t)e, NAN); /* gaps hold NaN */
        for (int64_t z = 0; z < batch; z++)
            for (int64_t r = 0; r < p.rows[i]; r++)
                for (int64_t l = 0; l < k; l++) {
                    const bool along_k = (i == 0) == turned;
                    clg_element_set(type, p.host[i],
                                    OFFSET + z * stride + (along_k ? l + r * ld : r + l * ld),
                                    (double)value(i, r, l, z));
                }
        clg_test_assert_success(clg_buffer_create(engine->device, count * size, &memory[i].buffer));
        assert_int_equal(clEnqueueWriteBuffer(cl->queue, memory[i].buffer, CL_TRUE, 0, count * size,
                                              p.host[i], 0, NULL, NULL),
                         CL_SUCCESS);
    }
    for (int w = 0; w < p.plan.num_workspaces; w++)
        clg_test_assert_success(
            clg_buffer_create(engine->device, p.plan.workspaces[w], &workspaces[w]));

    const struct clg_step_arguments arguments = {
        .memory = memory, .workspaces = workspaces, .scalars = {.alpha = 1}, .type = type};
    const struct clg_enqueue where = {cl->queue, 0, NULL};
    assert_int_equal(p.plan.num_steps, apart < 0 ? 2 : 3);
    for (int s = 0; s < p.plan.num_steps - 1; s++) {
        const struct clg_step *step = &p.plan.steps[s];
        struct clg_program *program;
        struct clg_kernel kernel;
        clg_test_assert_success(
            clg_programs_get(engine->programs, step->source, step->options, NULL, &program));
        clg_test_assert_success(clg_kernel_take(program, &kernel));
        clg_test_assert_success(clg_step_enqueue(step, &kernel, &arguments, &where, NULL));
        clg_kernel_give(program, &kernel);
    }
    for (int i = 0; i < 2; i++) {
        p.packed[i] = malloc(p.plan.workspaces[i]);
        assert_int_equal(clEnqueueReadBuffer(cl->queue, workspaces[i], CL_TRUE, 0,
                                             p.plan.workspaces[i], p.packed[i], 0, NULL, NULL),
                         CL_SUCCESS);
    }
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_buffer_release(memory[i].buffer);
    for (int w = 0; w < p.plan.num_workspaces; w++)
        clg_buffer_release(workspaces[w]);
    return p;
}

/* ---- Reading what was packed ---- */

/* The type of parts; TF32 numbers are floats. */
static clgemm_type part_type(const struct clg_tensor_way *way) {
    return strstr(way->options, "-DPART_TYPE=BF16")  ? CLGEMM_BF16
           : strstr(way->options, "-DPART_TYPE=F16") ? CLGEMM_F16
                                                     : CLGEMM_F32;
}

/* Part `part` of an element. Rows past the matrix's end and steps past k are padding. */
static double part_of(const struct packing *p, int which, int64_t product, int64_t row, int64_t l,
                      int part) {
    const int row_bytes = p->way->split == 1 ? 128 : 64; /* each of these has its own swizzle */
    const int bytes = p->way->element_bytes, tile = p->tile[which];
    const int64_t stages = (p->plan.problem.k + clg_tensor_block_k(p->way) - 1) /
                           clg_tensor_block_k(p->way) * p->way->block;
    const int64_t stage = l / clg_tensor_stage_k(p->way);
    const int64_t at = l % clg_tensor_stage_k(p->way) * bytes, r = row % tile;
    const int64_t chunk = (at / 16) ^ (row_bytes == 128 ? r & 7 : r >> 1 & 3);
    const unsigned char *from =
        p->packed[which] +
        product * (int64_t)clg_tensor_packed_bytes(p->way, &p->plan.problem, tile, p->rows[which]) +
        (row / tile * stages + stage) * clg_tensor_stage_bytes(p->way, tile) +
        ((int64_t)part * tile + r) * row_bytes + chunk * 16 + at % 16;
    return clg_element(part_type(p->way), from, 0);
}

/* The root of the scale that a row's block has. */
static double root_of(const struct packing *p, int which, int64_t product, int64_t row, int64_t l) {
    const int tile = p->tile[which];
    const int64_t tiles = (p->rows[which] + tile - 1) / tile;
    const int64_t blocks =
        (p->plan.problem.k + clg_tensor_block_k(p->way) - 1) / clg_tensor_block_k(p->way);
    const int64_t scales = tiles * blocks * p->way->block * clg_tensor_stage_bytes(p->way, tile);
    const unsigned char *product_at =
        p->packed[which] +
        product * (int64_t)clg_tensor_packed_bytes(p->way, &p->plan.problem, tile, p->rows[which]);
    return p->way->promoted ? clg_element(CLGEMM_F32, product_at + scales,
                                          l / clg_tensor_block_k(p->way) * tiles * tile + row)
                            : 1;
}

static double scale_of(const struct packing *p, int which, int64_t product, int64_t row,
                       int64_t l) {
    const double root = root_of(p, which, product, row, l);
    return root * root;
}

/* ---- Places ---- */

static const clgemm_math modes[] = {CLGEMM_MATH_ACCURATE, CLGEMM_MATH_NORMWISE, CLGEMM_MATH_TF32,
                                    CLGEMM_MATH_BF16, CLGEMM_MATH_F16};
enum { MODES = sizeof modes / sizeof *modes };

/* A number of few bits that identifies its place. */
static float place_value(int which, int64_t row, int64_t l, int64_t product) {
    const int64_t told = (row * 31 + l * 7 + product * 5 + which * 3) % 199;
    return (float)(told - 99);
}

static void every_element_is_in_its_place(void **state) {
    enum { M = 163, N = 130, K = 150, BATCH = 2 };
    (void)state;
    const int drawn = clg_test_is_long() ? -1 : clg_test_draw(2);
    for (int i = 0; i < MODES + 2; i++) { /* each transpose with every number of parts */
        if (drawn >= 0 && i % 2 != drawn)
            continue;
        const int64_t batch =
            i % 3 == 0 ? BATCH : 1; /* else one operand is packed before the call */
        apart = i % 3 - 1;
        const clgemm_type type = i < MODES ? CLGEMM_F32 : i == MODES ? CLGEMM_F16 : CLGEMM_BF16;
        struct packing p =
            pack(type, modes[i % MODES], i == 1 || i == 3 || i == 5, M, N, K, batch, place_value);
        for (int which = 0; which < 2; which++) {
            const int64_t rows =
                (p.rows[which] + p.tile[which] - 1) / p.tile[which] * p.tile[which];
            const int block = clg_tensor_block_k(p.way);
            for (int64_t z = 0; z < batch; z++)
                for (int64_t r = 0; r < rows; r++)
                    for (int64_t l = 0; l < (K + block - 1) / block * block; l++) {
                        double sum = 0;
                        for (int part = 0; part < p.way->split; part++)
                            sum += part_of(&p, which, z, r, l, part);
                        if (r < p.rows[which] && l < K)
                            assert_true(sum * scale_of(&p, which, z, r, l) ==
                                        (double)place_value(which, r, l, z));
                        else
                            assert_true(sum == 0);
                        assert_int_equal(isnan(scale_of(&p, which, z, r, l)),
                                         p.way->promoted && r >= p.rows[which]);
                    }
        }
        release(&p);
    }
    apart = -1;
}

/* ---- Hostile data ---- */

static int hostile_kind;
static struct clg_test_random hostile_random;

enum { KINDS = 9 };
static float hostile(int which, int64_t row, int64_t l, int64_t product) {
    const double u = (double)clg_test_range(&hostile_random, 0, (1 << 24) - 1) / 0x1p24;
    const double sign = clg_test_range(&hostile_random, 0, 1) ? -1 : 1;
    const int wide = (int)clg_test_range(&hostile_random, -40, 40);
    (void)product;
    switch (hostile_kind) {
    case 0: /* uniform */
        return (float)(u - 0.5);
    case 1: /* all positive */
        return (float)(1 + u);
    case 2: /* wide exponents in a row */
        return (float)ldexp(sign * (1 + u), wide);
    case 3: /* a large element of A meets a small one of B, by 2^-r */
        return (float)ldexp(sign * (1 + u), (which ? -1 : 1) * (int)(l % 41));
    case 4: /* cancelling */
        return (float)(l % 2 && which == 0 ? -1 - 0x1p-23 * (double)l
                                           : 1 + 0x1p-23 * (double)(l / 2));
    case 5: /* near the largest, and the smallest */
        return (float)ldexp(sign * (1 + u), which ? -120 : 100);
    case 6: /* subnormal rows with large columns */
        return (float)(which ? ldexp(1 + u, 60) : ldexp(1 + u, -135));
    case 7: /* one nonzero number in a row */
        return l == row % 40 ? (float)(sign * (1 + u)) : 0;
    default: /* powers of the row */
        return (float)ldexp(sign * (1 + u), (int)(row % 60) - 30);
    }
}

static double stored(const struct packing *p, int which, int64_t row, int64_t l) {
    const struct clg_matrix *matrix = &p->plan.problem.matrix[which];
    const bool along_k = matrix->transposed == (which == 0);
    return clg_element(p->plan.problem.type, p->host[which],
                       matrix->offset + (along_k ? l + row * matrix->ld : row + l * matrix->ld));
}

/* An element of C from the parts. *allowed: the mode's bound for it, minus what the additions in
 * FP32 may use. */
static double from_parts(const struct packing *p, int64_t i, int64_t j, double *allowed) {
    const int64_t k = p->plan.problem.k, block = clg_tensor_block_k(p->way);
    double sum = 0, magnitude = 0, norms = 0;
    for (int64_t first = 0; first < k; first += block) {
        double most[2] = {0, 0};
        for (int64_t l = first; l < k && l < first + block; l++) {
            const double a = stored(p, 0, i, l), b = stored(p, 1, j, l);
            const double scale = scale_of(p, 0, 0, i, l) * scale_of(p, 1, 0, j, l);
            for (int s = 0; s < p->way->split; s++)
                for (int t = 0; s + t < p->way->split; t++)
                    sum += part_of(p, 0, 0, i, l, s) * part_of(p, 1, 0, j, l, t) * scale;
            magnitude += fabs(a * b);
            most[0] = fmax(most[0], fabs(a));
            most[1] = fmax(most[1], fabs(b));
        }
        norms += most[0] * most[1];
    }
    const double u = 0x1p-24;
    *allowed = p->way->math == CLGEMM_MATH_NORMWISE ? 12 * u * magnitude + u / 128 * norms
                                                    : 3 * u * magnitude;
    return sum;
}

static void parts_keep_the_mode_s_bound(void **state) {
    enum { M = 20, N = 24, K = 200 };
    (void)state;
    for (int mode = 0; mode < 2; mode++)
        for (hostile_kind = 0; hostile_kind < KINDS; hostile_kind++) {
            int held = 0;
            hostile_random = clg_test_random_start(7 + (uint64_t)hostile_kind);
            struct packing p = pack(CLGEMM_F32, modes[mode], hostile_kind % 2, M, N, K, 1, hostile);
            for (int64_t e = 0; e < M * N; e++) {
                double expected = 0, allowed;
                for (int64_t l = 0; l < K; l++)
                    expected += stored(&p, 0, e % M, l) * stored(&p, 1, e / M, l);
                const double is = from_parts(&p, e % M, e / M, &allowed);
                assert_true(isnan(is) || fabs(is - expected) <= allowed);
                held += !isnan(is);
            }
            assert_int_equal(held, M * N); /* none of these ranges is too wide for a block */
            release(&p);
        }
}

/* ---- What cannot be held ---- */

static float odd_values(int which, int64_t row, int64_t l, int64_t product) {
    (void)product;
    if (which == 0 && row == 3 && l == 7)
        return INFINITY;
    if (which == 0 && row == 5 && l == 60)
        return NAN;
    if (which == 0 && row == 9 && l == 2)
        return 0x1p-120F; /* next to ones: too small for ACCURATE, negligible in NORMWISE */
    if (which == 0 && (row == 12 || row == 13))
        return row == 12 ? -0x1.fffffep127F : 0x1.fffffep127F;
    return which == 0 && row == 11 ? 0x1p-149F : 1.0F;
}

static void what_cannot_be_held_is_marked(void **state) {
    enum { M = 16, N = 16, K = 64 };
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        struct packing p = pack(CLGEMM_F32, modes[mode], mode, M, N, K, 1, odd_values);
        for (int64_t i = 0; i < M; i++) {
            double allowed;
            const double root = root_of(&p, 0, 0, i, 0);
            const bool is_exceptional = i == 3 || (i == 9 && modes[mode] == CLGEMM_MATH_ACCURATE);
            assert_int_equal(root < 0, is_exceptional);
            assert_int_equal(isnan(root), i == 5);
            if (is_exceptional || i == 5)
                for (int64_t l = 0; l < K; l++)
                    for (int part = 0; part < p.way->split; part++)
                        assert_true(part_of(&p, 0, 0, i, l, part) == 0);
            if (i == 11)
                assert_true(from_parts(&p, i, 0, &allowed) == K * 0x1p-149);
            if (i == 13)
                assert_true(fabs(from_parts(&p, i, 0, &allowed) / (K * 0x1.fffffep127) - 1) <=
                            0x1p-22);
        }
        release(&p);
    }
}

/* TF32 and BF16 have the range of floats, so that tensor cores may compute with all of them. */
static void one_part_keeps_the_range_of_floats(void **state) {
    enum { M = 16, N = 16, K = 64 };
    static const clgemm_math rounding[] = {CLGEMM_MATH_TF32, CLGEMM_MATH_BF16};
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        const double r = rounding[mode] == CLGEMM_MATH_TF32 ? 0x1p-11 : 0x1p-8;
        struct packing p = pack(CLGEMM_F32, rounding[mode], mode, M, N, K, 1, odd_values);
        assert_true(part_of(&p, 0, 0, 3, 7, 0) == HUGE_VAL);
        assert_true(isnan(part_of(&p, 0, 0, 5, 60, 0)));
        assert_true(part_of(&p, 0, 0, 9, 2, 0) == 0x1p-120);
        for (int64_t l = 0; l < K; l++)
            for (int row = 12; row <= 13; row++)
                assert_true(fabs(part_of(&p, 0, 0, row, l, 0) / stored(&p, 0, row, l) - 1) <= r);
        release(&p);
    }
}

/* Rounding up must not make FP16 parts infinite, nor may a row of zeros have the scale 0. With even
 * exponents these numbers would be scaled by 1: the largest FP16 number, the next float, the first
 * one that rounds to infinity, and the largest float below 2^16. */
static const float large[] = {0x1.ffcp15F, 0x1.ffc002p15F, 0x1.ffep15F, 0x1.fffffep15F};
enum { LARGE = sizeof large / sizeof *large };

static float large_values(int which, int64_t row, int64_t l, int64_t product) {
    (void)product;
    if (which || row == 2 * LARGE)
        return which ? 1.0F : 0.0F;
    return l == 7 ? large[row % LARGE] * (row < LARGE ? 1 : 2) : 0x1p-10F;
}

static void parts_of_large_numbers_are_finite(void **state) {
    enum { N = 1, K = 64 };
    (void)state;
    struct packing p =
        pack(CLGEMM_F32, CLGEMM_MATH_NORMWISE, false, 2 * LARGE + 1, N, K, 1, large_values);
    for (int64_t i = 0; i <= 2 * LARGE; i++) {
        const double scale = scale_of(&p, 0, 0, i, 0), value = (double)large_values(0, i, 7, 0);
        const double high = part_of(&p, 0, 0, i, 7, 0), low = part_of(&p, 0, 0, i, 7, 1);
        assert_true(scale > 0 && isfinite(high) && fabs(high) <= 65504);
        assert_true(fabs((high + low) * scale - value) <= 0x1p-22 * value);
        assert_true(i == 2 * LARGE || high >= 0x1.ffp13);
    }
    release(&p);
}

int main(void) {
    clg_test_require_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_in_its_place),
        cmocka_unit_test(parts_keep_the_mode_s_bound),
        cmocka_unit_test(what_cannot_be_held_is_marked),
        cmocka_unit_test(one_part_keeps_the_range_of_floats),
        cmocka_unit_test(parts_of_large_numbers_are_finite),
    };
    return cmocka_run_group_tests(tests, clg_test_fixture_open, clg_test_fixture_close);
}
