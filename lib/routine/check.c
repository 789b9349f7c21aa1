/* SPDX-License-Identifier: Apache-2.0
 * Checks the steps for triangles before they are used, as run/check does for products: a small one
 * with the same program, on whole numbers, whose results are exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/buffer.h"
#include "device/event.h"
#include "gemm/element.h"
#include "gemm/small.h"
#include "program/finding.h"
#include "routine/routine.h"

/* Sizes that no tile divides, with more than one square, and more columns than a group of a CPU
 * has, or than its widest panel. */
enum { SIDE = 45, COLUMNS = 21, PANEL_COLUMNS = 37, PRODUCTS = 2, MOST = 3 };

struct number {
    double re, im;
};

struct check {
    struct clg_prepared small;
    struct clg_op op; /* the small step */
    clgemm_type type, real;
    int64_t rows, cols; /* of C */
    int64_t ld;
    size_t bytes; /* of each matrix */
    void *host[CLG_MATRICES], *before;
    uint32_t random;
};

static double whole(struct check *check) {
    check->random = check->random * 1664525U + 1013904223U;
    return (double)((int)((check->random >> 16) * (2 * MOST + 1) >> 16) - MOST);
}

/* ---- The small step ---- */

/* Makes matrix `which` one of its own, with the directions of the view that it had. */
static void make_small_view(struct check *check, int which, int64_t rows, int64_t cols) {
    const struct clg_view *like = &check->op.view[which];
    struct clg_view view = {.place = which,
                            .stride = check->ld * check->ld,
                            .conjugated = like->conjugated,
                            .row = check->ld,
                            .col = 1};
    if (llabs(like->row) == 1) {
        view.row = 1;
        view.col = check->ld;
    }
    if (like->row < 0) {
        view.row = -view.row;
        view.offset -= (rows - 1) * view.row;
    }
    if (like->col < 0) {
        view.col = -view.col;
        view.offset -= (cols - 1) * view.col;
    }
    check->op.view[which] = view;
}

/* A step with `side` rows. False if the program is not that of the given step. */
static bool make_small(struct check *check, const struct clg_op *op, int64_t side,
                       const struct clg_prepared *given, const struct clg_facts *facts) {
    const bool is_block = op->kind == CLG_OP_BLOCK;
    const int64_t columns = op->in_panels ? PANEL_COLUMNS : COLUMNS;
    struct clg_op *few = &check->op;
    *few = *op;
    few->m = side;
    few->n = is_block ? columns : side;
    few->k = 0;
    few->batch = op->batch > 1 ? PRODUCTS : 1;
    few->scalars = (struct clg_scalars){.alpha = 2, .beta = 2};
    check->rows = op->kind == CLG_OP_MERGE ? few->n : few->m;
    check->cols = few->n;
    check->ld = side + columns; /* enough for rows of either */
    check->bytes = (size_t)(check->ld * check->ld) * PRODUCTS * clg_type_size(check->type);
    make_small_view(check, CLG_A, check->rows, is_block ? check->rows : check->cols);
    make_small_view(check, CLG_B, check->rows, check->cols);
    make_small_view(check, CLG_C, check->rows, check->cols);
    memcpy(check->small.programs, given->programs, sizeof given->programs);
    /* With few columns it has the program of many as if there were fewer compute units. */
    struct clg_facts fewer = *facts;
    do {
        clg_op_plan(&check->small.plan, few, check->type, &fewer);
        if (clg_plan_is_alike(&check->small.plan, &given->plan, false))
            return true;
        fewer.compute_units = fewer.compute_units > COLUMNS ? COLUMNS : fewer.compute_units - 1;
    } while (fewer.compute_units > 0);
    return false;
}

/* ---- Numbers ---- */

static int64_t place(const struct check *check, int which, int64_t z, int64_t i, int64_t j) {
    const struct clg_view *view = &check->op.view[which];
    return view->offset + z * view->stride + i * view->row + j * view->col;
}

static struct number get(const struct check *check, int which, const void *memory, int64_t z,
                         int64_t i, int64_t j) {
    const int parts = clg_type_parts(check->type);
    const int64_t at = place(check, which, z, i, j) * parts;
    struct number value = {clg_element(check->real, memory, at), 0};
    if (parts > 1)
        value.im = clg_element(check->real, memory, at + 1);
    if (check->op.view[which].conjugated)
        value.im = -value.im;
    return value;
}

static void put(struct check *check, int which, int64_t z, int64_t i, int64_t j,
                struct number value) {
    const int parts = clg_type_parts(check->type);
    const int64_t at = place(check, which, z, i, j) * parts;
    clg_element_set(check->real, check->host[which], at, value.re);
    if (parts > 1)
        clg_element_set(check->real, check->host[which], at + 1, value.im);
}

static struct number draw(struct check *check) {
    const double re = whole(check), im = whole(check);
    return (struct number){re, clg_type_is_complex(check->type) ? im : 0};
}

static struct number plus_product(struct number sum, struct number x, struct number y) {
    sum.re += x.re * y.re - x.im * y.im;
    sum.im += x.re * y.im + x.im * y.re;
    return sum;
}

/* Whether the step uses A there, or writes C there; in a block whose views are turned A is lower
 * triangular. */
static bool in_triangle(const struct check *check, int64_t i, int64_t j) {
    const bool turned = check->op.kind == CLG_OP_BLOCK && !check->op.in_panels;
    return check->op.diagonal ? i == j : check->op.upper && !turned ? i <= j : i >= j;
}

static bool writes(const struct check *check, int64_t i, int64_t j) {
    return check->op.kind != CLG_OP_MERGE || in_triangle(check, i, j);
}

/* An element of a triangular block; on the diagonal one by which division is exact, of complex ones
 * with either part the larger. */
static struct number triangular(struct check *check, int64_t i, int64_t j) {
    const struct number value = draw(check);
    const bool larger = value.re > 0;
    if (i != j)
        return value;
    return clg_type_is_complex(check->type) ? (struct number){1 + larger, 2 - larger}
                                            : (struct number){larger ? 2 : -1, 0};
}

/* An element of C. A column of a block is so large that steps which divide quickly do not. */
static struct number of_c(struct check *check, int64_t j) {
    const double scale = check->op.kind == CLG_OP_BLOCK && j == 0 ? ldexp(1, 70) : 1;
    const struct number value = draw(check);
    return (struct number){scale * value.re, scale * value.im};
}

static void fill(struct check *check) {
    const bool is_block = check->op.kind == CLG_OP_BLOCK;
    const int64_t width = is_block ? check->rows : check->cols;
    for (int64_t z = 0; z < check->op.batch; z++) {
        for (int64_t i = 0; i < check->rows; i++)
            for (int64_t j = 0; j < width; j++)
                if (check->op.kind == CLG_OP_MERGE ||
                    (in_triangle(check, i, j) && !(is_block && check->op.unit && i == j)))
                    put(check, CLG_A, z, i, j, is_block ? triangular(check, i, j) : draw(check));
        for (int64_t i = 0; i < check->rows; i++)
            for (int64_t j = 0; j < check->cols; j++)
                if (check->op.kind != CLG_OP_FILL)
                    put(check, CLG_C, z, i, j, of_c(check, j));
    }
}

/* ---- What C must be ---- */

static struct number t_of(const struct check *check, int64_t z, int64_t i, int64_t k) {
    return check->op.unit && i == k ? (struct number){1, 0}
                                    : get(check, CLG_A, check->host[CLG_A], z, i, k);
}

static struct number mirrored(const struct check *check, struct number value) {
    return (struct number){value.re, check->op.hermitian ? -value.im : value.im};
}

static struct number expected(const struct check *check, int64_t z, int64_t i, int64_t j) {
    const void *a = check->host[CLG_A];
    struct number value = {0, 0};
    if (check->op.kind == CLG_OP_FILL) {
        value = in_triangle(check, i, j) ? get(check, CLG_A, a, z, i, j)
                                         : mirrored(check, get(check, CLG_A, a, z, j, i));
    } else if (check->op.kind == CLG_OP_MERGE) {
        const struct number old = get(check, CLG_C, check->before, z, i, j), one = {1, 0};
        value = plus_product(value, old, (struct number){2, 0});
        if (check->op.terms)
            value = plus_product(value, get(check, CLG_A, a, z, i, j), one);
        if (check->op.terms > 1)
            value = plus_product(value, mirrored(check, get(check, CLG_A, a, z, j, i)), one);
    } else {
        for (int64_t k = 0; k < check->rows; k++)
            if (in_triangle(check, i, k))
                value = plus_product(value, t_of(check, z, i, k),
                                     get(check, CLG_C, check->before, z, k, j));
        value = (struct number){2 * value.re, 2 * value.im};
    }
    if (check->op.kind != CLG_OP_BLOCK && check->op.hermitian && i == j)
        value.im = 0;
    return value;
}

/* A step that solves is checked backwards: what it is given is T times whole numbers, which it must
 * find, times alpha. */
static void multiply_first(struct check *check) {
    for (int64_t z = 0; z < check->op.batch; z++)
        for (int64_t i = 0; i < check->rows; i++)
            for (int64_t j = 0; j < check->cols; j++) {
                struct number value = expected(check, z, i, j);
                put(check, CLG_C, z, i, j, (struct number){value.re / 2, value.im / 2});
            }
}

/* What element (i, j) of C must be after the step. */
static struct number result(const struct check *check, int64_t z, int64_t i, int64_t j) {
    const struct number before = get(check, CLG_C, check->before, z, i, j);
    if (check->op.kind == CLG_OP_BLOCK && check->op.solves)
        return (struct number){2 * before.re, 2 * before.im};
    return writes(check, i, j) ? expected(check, z, i, j) : before;
}

static enum clg_finding wrong(const struct check *check, int64_t i, int64_t j) {
    clg_fail(CLGEMM_STATUS_UNSUPPORTED, "element (%lld, %lld) of a small %s is wrong", (long long)i,
             (long long)j, check->small.plan.steps[check->small.plan.num_steps - 1].source);
    return CLG_FINDING_WRONG;
}

static enum clg_finding judge(const struct check *check) {
    for (int64_t z = 0; z < check->op.batch; z++)
        for (int64_t i = 0; i < check->rows; i++)
            for (int64_t j = 0; j < check->cols; j++) {
                const struct number is = get(check, CLG_C, check->host[CLG_C], z, i, j),
                                    want = result(check, z, i, j);
                if (is.re != want.re || is.im != want.im)
                    return wrong(check, i, j);
                if (!check->op.keeps)
                    continue;
                const struct number kept = get(check, CLG_B, check->host[CLG_B], z, i, j),
                                    old = get(check, CLG_C, check->before, z, i, j);
                if (kept.re != old.re || kept.im != old.im)
                    return wrong(check, i, j);
            }
    return CLG_FINDING_RIGHT;
}

/* ---- On the device ---- */

static clgemm_status run(struct check *check, struct clg_device *device, cl_command_queue queue) {
    const size_t bytes = check->bytes;
    const struct clg_enqueue where = {.queue = queue};
    struct clg_arguments arguments = {.scalars = check->op.scalars};
    clgemm_status status = CLGEMM_SUCCESS;
    cl_event done = NULL;
    struct clg_strided all = {.column = bytes, .columns = 1, .pitch = bytes, .host_pitch = bytes};
    for (int i = CLG_A; i < CLG_MATRICES && !status; i++) {
        arguments.memory[i].offset = check->op.view[i].offset;
        if (!check->host[i] ||
            (status = clg_buffer_create(device, bytes, &arguments.memory[i].buffer)))
            continue;
        all.buffer = arguments.memory[i].buffer;
        status = clg_transfer(queue, CLG_TO_DEVICE, &all, check->host[i], NULL, NULL);
    }
    if (!status)
        status = clg_exec(device, &check->small, &arguments, &where, NULL, &done);
    if (!status)
        status = clg_wait(done);
    for (int i = CLG_B; i < CLG_MATRICES && !status; i++) {
        all.buffer = arguments.memory[i].buffer;
        if (all.buffer)
            status = clg_transfer(queue, CLG_TO_HOST, &all, check->host[i], NULL, NULL);
    }
    clg_event_release(done);
    if (status)
        clg_queue_drain(queue);
    for (int i = CLG_A; i < CLG_MATRICES; i++)
        clg_buffer_release(arguments.memory[i].buffer);
    return status;
}

/* All memory is NaN, but for the elements that the step has. */
static bool make_input(struct check *check) {
    for (int i = CLG_A; i < CLG_MATRICES; i++)
        if (i != CLG_B || check->op.keeps) {
            if (!(check->host[i] = malloc(check->bytes)))
                return false;
            memset(check->host[i], 0xff, check->bytes);
        }
    if (!(check->before = malloc(check->bytes)))
        return false;
    fill(check);
    memcpy(check->before, check->host[CLG_C], check->bytes);
    if (check->op.kind == CLG_OP_BLOCK && check->op.solves)
        multiply_first(check);
    return true;
}

static enum clg_finding check_size(struct clg_engine *engine, const struct clg_op *op, int64_t side,
                                   const struct clg_prepared *given) {
    const clgemm_type type = given->plan.problem.type;
    struct check *check = calloc(1, sizeof *check);
    enum clg_finding finding = CLG_FINDING_NONE;
    cl_command_queue queue = NULL;
    if (!check)
        return finding;
    check->type = type;
    check->real = clg_type_real(type);
    if (make_small(check, op, side, given, &engine->device->facts) && make_input(check) &&
        !clg_queue_take(engine->device, &queue)) {
        const clgemm_status status = run(check, engine->device, queue);
        clg_queue_give(engine->device, queue, status == CLGEMM_SUCCESS);
        if (!status)
            finding = judge(check);
    }
    for (int i = CLG_A; i < CLG_MATRICES; i++)
        free(check->host[i]);
    free(check->before);
    free(check);
    return finding;
}

/* One program solves by either triangle, whatever the diagonal is. */
static enum clg_finding check_panels(struct clg_engine *engine, const struct clg_op *op,
                                     const struct clg_prepared *given) {
    enum clg_finding finding = CLG_FINDING_RIGHT;
    for (int form = 0; form < 4 && finding == CLG_FINDING_RIGHT; form++) {
        struct clg_op one = *op;
        one.upper = form & 1;
        one.unit = form & 2;
        finding = check_size(engine, &one, SIDE, given);
    }
    return finding;
}

/* A block also with all rows that its kernel has, which takes its loops through their last turns;
 * panels have no such number. */
static enum clg_finding check_now(struct clg_engine *engine, const struct clg_op *op,
                                  const struct clg_prepared *given) {
    if (op->in_panels)
        return check_panels(engine, op, given);
    if (op->kind != CLG_OP_BLOCK)
        return check_size(engine, op, SIDE, given);
    const int64_t all =
        clg_block_side(given->plan.problem.type, op->solves, &engine->device->facts);
    const enum clg_finding finding = check_size(engine, op, all, given);
    return finding == CLG_FINDING_RIGHT ? check_size(engine, op, all > SIDE ? SIDE : all - 1, given)
                                        : finding;
}

clgemm_status clg_op_check(struct clg_engine *engine, const struct clg_op *op,
                           const struct clg_prepared *prepared) {
    const struct clg_plan *plan = &prepared->plan;
    const struct clg_step *step = &plan->steps[plan->num_steps - 1];
    const int verify = __atomic_load_n(&engine->trust.verify, __ATOMIC_RELAXED);
    struct clg_checked what[CLG_MAX_STEPS];
    uint64_t spills;
    if (verify == CLGEMM_VERIFY_OFF)
        return CLGEMM_SUCCESS;
    for (int s = 0; s < plan->num_steps; s++)
        what[s] = (struct clg_checked){plan->steps[s].source, plan->steps[s].options, ""};
    char *key = clg_finding_key(&engine->device->facts, what, plan->num_steps);
    if (!key)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the key of a check");
    enum clg_finding finding = clg_finding_find(engine->trust.store, key, &spills);
    if (finding == CLG_FINDING_NONE ||
        (finding == CLG_FINDING_RIGHT && verify == CLGEMM_VERIFY_ALWAYS)) {
        finding = check_now(engine, op, prepared);
        clg_log(finding == CLG_FINDING_WRONG ? CLG_LOG_CALLS : CLG_LOG_PLANS, "step %s [%s] %s",
                step->source, step->options,
                finding == CLG_FINDING_RIGHT   ? "checked"
                : finding == CLG_FINDING_WRONG ? "gives wrong results here and is not used"
                                               : "could not be checked");
        if (finding != CLG_FINDING_NONE)
            clg_finding_keep(engine->trust.store, key, finding, 0);
    }
    free(key);
    return finding == CLG_FINDING_WRONG
               ? clg_fail(CLGEMM_STATUS_UNSUPPORTED, "step %s was wrong when it was checked",
                          step->source)
               : CLGEMM_SUCCESS;
}
