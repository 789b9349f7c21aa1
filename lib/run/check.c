/* SPDX-License-Identifier: Apache-2.0
 * Checks the programs of a plan. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "device/buffer.h"
#include "device/event.h"
#include "gemm/complex.h"
#include "gemm/element.h"
#include "program/cache.h"

/* Largest integers: in A; in A of 16-bit types, whose sums must stay exact; in the vector x. */
enum { SMALL = 100, NARROW = 2, MOST_OF_X = 4096 };

struct check {
    struct clg_prepared small;
    struct clg_problem problem; /* the same, without gaps between columns in host memory */
    struct clg_problem real;    /* the same; of a complex one, the real one (gemm/complex.h) */
    void *host[CLG_MATRICES];
    double *x, *y;  /* of n and k numbers */
    double *expect; /* C x: m numbers for each product */
    struct clg_memory memory[CLG_MATRICES];
    uint32_t random;
};

/* A random integer from -most to most. */
static double whole(struct check *check, int most) {
    check->random = check->random * 1664525U + 1013904223U;
    return (double)((int)((check->random >> 16) * (2 * (uint32_t)most + 1) >> 16) - most);
}

/* An element of op() of a product's matrix. Of a complex matrix, of the real one that stands for
 * it: pairs run along rows, and each column of A is two. */
static double element(const struct check *check, int which, int64_t product, int64_t row,
                      int64_t col) {
    const struct clg_matrix *matrix = &check->problem.matrix[which];
    if (which != CLG_C && !clg_is_stored(&check->problem, which, row, col)) {
        if (!check->problem.stored.mirrored)
            return 0;
        const int64_t other = row;
        row = col;
        col = other;
    }
    if (check->problem.stored.unit && which == check->problem.stored.which && row == col)
        return 1;
    const int parts = clg_type_parts(check->problem.type);
    const bool turned = which == CLG_A && col % parts; /* times i */
    const int part = (int)(row % parts) ^ turned;
    row /= parts;
    col /= which == CLG_A ? parts : 1;
    const int64_t at = matrix->transposed ? col + row * matrix->ld : row + col * matrix->ld;
    const double number = clg_element(check->real.type, check->host[which],
                                      (product * matrix->stride + at) * parts + part);
    return (part && matrix->conjugated) != (turned && part) ? -number : number;
}

/* ---- Input ---- */

/* The index along k of a number of A or B, in elements. */
static int64_t step_of(const struct clg_problem *problem, int which, int64_t number) {
    const struct clg_matrix *matrix = &problem->matrix[which];
    const int64_t element = number / clg_type_parts(problem->type);
    const int64_t at = matrix->stride > 0 ? element % matrix->stride : element;
    return (which == CLG_A) == matrix->transposed ? at % matrix->ld : at / matrix->ld;
}

/* For modes that split floats into parts: every product of two parts must matter. Numbers with 18
 * significant bits, which need all parts, meet small ones, and numbers with 9 bits meet each other.
 * They are few enough that the sums, of 24 bits, are exact. */
static double with_digits(struct check *check, int which, int64_t step) {
    enum { MOST_STEPS = 64, KINDS = 4, HALF = 300, MOST = 32767 };
    const int64_t every = check->real.k / MOST_STEPS + 1;
    const int64_t kind = step % every ? KINDS - 1 : step / every % KINDS;
    if (kind == which)
        return 8 * whole(check, MOST) + 1;
    if (kind == KINDS - 2)
        return whole(check, HALF);
    return whole(check, kind == KINDS - 1 && which == CLG_A ? SMALL : 1);
}

/* In long sums of 16-bit types, most of A is 0 so that the sum stays exact. */
static double filling(struct check *check, int which, int64_t number) {
    enum { WHOLE_SUM = 1024 };
    const struct clg_problem *problem = &check->real;
    const bool narrow = clg_type_is_narrow(problem->type);
    const bool splits =
        problem->math == CLGEMM_MATH_ACCURATE || problem->math == CLGEMM_MATH_NORMWISE;
    if (which == CLG_C)
        return problem->work == CLG_WORK_SCALE ? 4 * whole(check, 1) : (double)NAN;
    if (which == CLG_A && narrow && whole(check, (int)(problem->k / WHOLE_SUM)) != 0)
        return 0;
    if (splits && problem->type == CLGEMM_F32)
        return with_digits(check, which, step_of(&check->problem, which, number));
    return whole(check, which == CLG_B ? 1 : narrow ? NARROW : SMALL);
}

static void fill(struct check *check) {
    const struct clg_problem *problem = &check->real;
    for (int i = 0; i < CLG_MATRICES; i++) {
        const int64_t numbers =
            clg_problem_elements(&check->problem, i) * clg_type_parts(check->problem.type);
        for (int64_t e = 0; e < numbers && check->host[i]; e++)
            clg_element_set(problem->type, check->host[i], e, filling(check, i, e));
    }
    if (problem->work == CLG_WORK_MULTIPLY)
        clg_element_set(problem->type, check->host[CLG_A], 0, HUGE_VAL);
    for (int64_t j = 0; j < problem->n; j++)
        check->x[j] = whole(check, MOST_OF_X);
}

/* The expected C x, row by row. */
static void expect_scaled(struct check *check, int64_t product) {
    const struct clg_problem *problem = &check->real;
    double *expect = check->expect + product * problem->m;
    for (int64_t i = 0; i < problem->m; i++) {
        expect[i] = 0;
        for (int64_t j = 0; j < problem->n; j++)
            expect[i] += element(check, CLG_C, product, i, j) * check->x[j] / 4;
    }
}

/* Adds columns first to end - 1 of B times their part of x to y. */
static void add_columns(struct check *check, int64_t product, int64_t first, int64_t end) {
    for (int64_t l = 0; l < check->real.k; l++)
        for (int64_t j = first; j < end; j++)
            check->y[l] += element(check, CLG_B, product, l, j) * check->x[j];
}

/* From row to row of a triangle one column more is computed, or from pair to pair of rows; in whole
 * products row 0 has all. */
static void expect_product(struct check *check, int64_t product) {
    const struct clg_problem *problem = &check->real;
    const bool upper = problem->triangle == CLG_UPPER;
    double *expect = check->expect + product * problem->m;
    int64_t columns = 0;
    memset(check->y, 0, (size_t)problem->k * sizeof *check->y);
    for (int64_t row = 0; row < problem->m; row++) {
        const int64_t i = upper ? problem->m - 1 - row : row, before = columns;
        columns = problem->triangle == CLG_ALL ? problem->n : row / clg_rows_each(problem) + 1;
        if (upper)
            add_columns(check, product, problem->n - columns, problem->n - before);
        else
            add_columns(check, product, before, columns);
        expect[i] = 0;
        for (int64_t l = 0; l < problem->k; l++)
            expect[i] += element(check, CLG_A, product, i, l) * check->y[l];
    }
}

static bool make_input(struct check *check) {
    const struct clg_problem *problem = &check->real, *given = &check->problem;
    const size_t size = clg_type_size(given->type);
    bool made = (check->x = calloc((size_t)problem->n, sizeof(double))) &&
                (check->y = calloc((size_t)problem->k + 1, sizeof(double))) &&
                (check->expect = calloc((size_t)(problem->m * problem->batch), sizeof(double)));
    for (int i = 0; i < CLG_MATRICES && made; i++)
        if (clg_work_needs(problem->work, i))
            made = (check->host[i] = malloc((size_t)clg_problem_elements(given, i) * size));
    if (!made)
        return false;
    fill(check);
    for (int64_t z = 0; z < problem->batch; z++)
        if (problem->work == CLG_WORK_SCALE)
            expect_scaled(check, z);
        else
            expect_product(check, z);
    return true;
}

/* ---- Output ---- */

static bool is_right(double is, double expected) {
    return is == expected || (isnan(is) && isnan(expected));
}

/* Compares the row with the infinity to B's first row times infinity, and other rows by their
 * product with x. The real part of a complex infinity is in two rows. */
static bool check_row(const struct check *check, int64_t product, int64_t row) {
    const struct clg_problem *problem = &check->real;
    const bool infinite = problem->work == CLG_WORK_MULTIPLY &&
                          row < clg_type_parts(check->problem.type) &&
                          (product == 0 || problem->matrix[CLG_A].stride == 0) &&
                          isinf(element(check, CLG_A, product, row, row));
    double sum = 0;
    bool right = true;
    for (int64_t j = 0; j < problem->n && right; j++) {
        const double is = element(check, CLG_C, product, row, j);
        if (!clg_is_computed(problem, row, j))
            right = isnan(is);
        else if (infinite && clg_is_trmm(&check->problem) &&
                 !clg_is_stored(&check->problem, CLG_B, 0, j))
            right = isfinite(is);
        else if (infinite)
            right = is_right(is, HUGE_VAL * element(check, CLG_B, product, row, j));
        else
            sum += is * check->x[j];
    }
    return right && (infinite || sum == check->expect[product * problem->m + row]);
}

/* Whether what is between a column's end and the next column of C still is NaN. */
static bool is_kept_between_columns(const struct check *check) {
    const struct clg_matrix *c = &check->problem.matrix[CLG_C];
    const int parts = clg_type_parts(check->problem.type);
    const int64_t elements = clg_problem_elements(&check->problem, CLG_C);
    bool kept = true;
    for (int64_t e = 0; e < elements * parts && kept; e++) /* a batch's stride is whole columns */
        kept = e / parts % c->ld < c->rows ||
               isnan(clg_element(check->real.type, check->host[CLG_C], e));
    return kept;
}

static enum clg_finding judge(const struct check *check) {
    const struct clg_problem *problem = &check->real;
    if (problem->work == CLG_WORK_MULTIPLY && !is_kept_between_columns(check)) {
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "a product %lld x %lld x %lld writes past columns of C",
                 (long long)problem->m, (long long)problem->n, (long long)problem->k);
        return CLG_FINDING_WRONG;
    }
    for (int64_t z = 0; z < problem->batch; z++)
        for (int64_t i = 0; i < problem->m; i++)
            if (!check_row(check, z, i)) {
                clg_fail(CLGEMM_STATUS_UNSUPPORTED,
                         "row %lld of a product %lld x %lld x %lld is wrong", (long long)i,
                         (long long)problem->m, (long long)problem->n, (long long)problem->k);
                return CLG_FINDING_WRONG;
            }
    return CLG_FINDING_RIGHT;
}

/* ---- On the device ---- */

static clgemm_status run(struct check *check, struct clg_device *device, cl_command_queue queue) {
    const struct clg_problem *problem = &check->problem;
    const bool product = problem->work == CLG_WORK_MULTIPLY;
    enum { RUNS = 2 };
    const struct clg_scalars scalars[RUNS] = {{product, product ? 0 : 0.5, 0, 0}, {0.5, 0.5, 0, 0}};
    const struct clg_enqueue where = {queue, 0, NULL};
    struct clg_arguments arguments = {.scalars = {0}};
    struct clg_strided c = {.buffer = NULL}; /* the last matrix */
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        const struct clg_problem *there = &check->small.plan.problem;
        const size_t size = clg_type_size(problem->type);
        const size_t bytes = (size_t)clg_problem_elements(there, i) * size;
        if (check->host[i] &&
            !(status = clg_buffer_create(device, bytes, &check->memory[i].buffer))) {
            const size_t column = (size_t)problem->matrix[i].ld * size;
            c = (struct clg_strided){
                .buffer = check->memory[i].buffer,
                .column = column,
                .columns = (size_t)(problem->matrix[i].cols * clg_problem_matrices(problem, i)),
                .pitch = (size_t)there->matrix[i].ld * size,
                .host_pitch = column};
            status = clg_transfer(queue, CLG_TO_DEVICE, &c, check->host[i], NULL, NULL);
        }
        arguments.memory[i] = check->memory[i];
    }
    cl_event done[RUNS] = {NULL};
    for (int r = 0; r < RUNS && !status; r++) {
        arguments.scalars = scalars[r];
        status = clg_exec(device, &check->small, &arguments, &where, NULL, &done[r]);
    }
    /* If a kernel did not run, its program is not judged, even though reading C may succeed. */
    for (int r = RUNS - 1; r >= 0; r--) {
        if (!status)
            status = clg_wait(done[r]);
        clg_event_release(done[r]);
    }
    return status ? status : clg_transfer(queue, CLG_TO_HOST, &c, check->host[CLG_C], NULL, NULL);
}

static enum clg_finding carry_out(struct check *check, struct clg_device *device) {
    cl_command_queue queue = NULL;
    if (!make_input(check)) {
        clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a small product");
        return CLG_FINDING_NONE;
    }
    clgemm_status status = clg_queue_take(device, &queue);
    if (!status) {
        status = run(check, device, queue);
        clg_queue_give(device, queue, status == CLGEMM_SUCCESS);
    }
    /* A compiled kernel may support only smaller work-groups than the device. It can then never
     * run. */
    if (status == (clgemm_status)CL_INVALID_WORK_GROUP_SIZE)
        return CLG_FINDING_WRONG;
    return status ? CLG_FINDING_NONE : judge(check);
}

static void close_gaps(struct clg_problem *problem) {
    for (int i = 0; i < CLG_MATRICES; i++) {
        struct clg_matrix *matrix = &problem->matrix[i];
        const int64_t ld = clg_round_up(matrix->readable, CLG_WIDEST_VECTOR);
        matrix->ld = ld < matrix->ld ? ld : matrix->ld;
        if (matrix->stride)
            matrix->stride = matrix->ld * matrix->cols;
    }
}

/* Runtimes on the host may end the process for lack of memory (PoCL), even if it stays untouched;
 * and so may the malloc() of a sanitizer, which is not asked here. */
static bool has_room(const struct clg_device *device, const struct clg_problem *problem) {
    size_t bytes = 0;
    if (!device->facts.shares_host_memory)
        return true;
    for (int i = 0; i < CLG_MATRICES; i++)
        bytes += (size_t)clg_problem_elements(problem, i) * clg_type_size(problem->type);
    void *trial = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED)
        return false;
    munmap(trial, bytes);
    return true;
}

enum clg_finding clg_check(struct clg_device *device, const struct clg_prepared *prepared,
                           enum clg_kind kind, bool patient) {
    struct check check = {.random = 1};
    const bool widths = clg_compiles_at_launch(device);
    if (!clg_plan_twin_of_kind(&check.small.plan, &prepared->plan, &device->facts, widths, kind,
                               patient)) {
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "no small product can check these programs");
        return CLG_FINDING_NONE;
    }
    check.problem = check.small.plan.problem;
    if (kind == CLG_KIND_LARGE)
        close_gaps(&check.problem);
    if (kind && !has_room(device, &check.small.plan.problem)) {
        clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no room for the matrices of a check");
        return CLG_FINDING_NONE;
    }
    for (int s = 0; s < prepared->plan.num_steps; s++)
        check.small.programs[s] = prepared->programs[s];
    check.real = clg_real_problem(&check.problem);
    const enum clg_finding finding = carry_out(&check, device);
    for (int i = 0; i < CLG_MATRICES; i++) {
        clg_buffer_release(check.memory[i].buffer);
        free(check.host[i]);
    }
    free(check.x);
    free(check.y);
    free(check.expect);
    return finding;
}
