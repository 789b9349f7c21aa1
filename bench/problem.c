/* SPDX-License-Identifier: Apache-2.0
 * Describes a problem and fills its matrices with reproducible random numbers. */
#include "bench/problem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_A, STREAM_B, STREAM_C };

enum { BUFFER_ALIGNMENT = 64 }; /* of a buffer that a runtime made, at least */

/* In [-0.5, 0.5), a function of the place alone (the mixer of splitmix64), so that the start
 * values of C need no copy. */
static float value_at(uint64_t stream, size_t index) {
    uint64_t z =
        (UINT64_C(4) * PROBLEM_SEED + stream) * 0xd1342543de82ef95u + index * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (float)(z >> 40) / 16777216.0f - 0.5f;
}

static void fill(float *x, size_t count, uint64_t stream) {
    for (size_t i = 0; i < count; i++)
        x[i] = value_at(stream, i);
}

/* rows * columns elements, if their bytes can be counted. */
static bool count_elements(int64_t rows, int64_t columns, size_t *count) {
    if (rows && columns > (int64_t)(PTRDIFF_MAX / sizeof(float)) / rows)
        return false;
    *count = (size_t)rows * (size_t)columns;
    return true;
}

/* The strides of op(X)'s first and second index, and the leading dimension of X stored tightly. */
static void set_strides(clgemm_layout layout, clgemm_transpose trans, int64_t rows, int64_t columns,
                        int64_t *first, int64_t *second, int64_t *ld) {
    bool second_is_dense = (layout == CLGEMM_ROW_MAJOR) == (trans == CLGEMM_NO_TRANS);
    *ld = second_is_dense ? columns : rows;
    if (*ld < 1)
        *ld = 1;
    *first = second_is_dense ? *ld : 1;
    *second = second_is_dense ? 1 : *ld;
}

bool problem_describe(struct problem *p, struct shape s, clgemm_layout layout, clgemm_transpose ta,
                      clgemm_transpose tb, char *why, size_t room) {
    *p = (struct problem){.shape = s, .layout = layout, .ta = ta, .tb = tb};
    if (!count_elements(s.m, s.k, &p->a_count) || !count_elements(s.k, s.n, &p->b_count) ||
        !count_elements(s.m, s.n, &p->c_count)) {
        snprintf(why, room, "a matrix has more bytes than this machine can address");
        return false;
    }
    set_strides(layout, ta, s.m, s.k, &p->a_i, &p->a_l, &p->lda);
    set_strides(layout, tb, s.k, s.n, &p->b_l, &p->b_j, &p->ldb);
    set_strides(layout, CLGEMM_NO_TRANS, s.m, s.n, &p->c_i, &p->c_j, &p->ldc);
    return true;
}

/* Bytes that can be had without swapping; infinity where the system does not tell. */
static double free_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return INFINITY;
    char line[128];
    double bytes = INFINITY;
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "MemAvailable:", 13))
            bytes = strtod(line + 13, NULL) * 1024;
    fclose(file);
    return bytes;
}

double problem_bytes(const struct problem *p) {
    return sizeof(float) * ((double)p->a_count + (double)p->b_count + (double)p->c_count);
}

static struct clg_operand operand(int64_t ld, size_t count) {
    return (struct clg_operand){
        .ld = ld, .bytes = count * sizeof(float), .alignment = BUFFER_ALIGNMENT};
}

struct clg_call problem_call(const struct problem *p, int64_t depth) {
    return (struct clg_call){.layout = p->layout,
                             .ta = p->ta,
                             .tb = p->tb,
                             .m = p->shape.m,
                             .n = p->shape.n,
                             .k = depth,
                             .scalars = {(double)p->alpha, (double)p->beta},
                             .operand = {operand(p->lda, p->a_count), operand(p->ldb, p->b_count),
                                         operand(p->ldc, p->c_count)}};
}

double problem_flops(const struct problem *p) {
    return 2.0 * (double)p->shape.m * (double)p->shape.n * (double)p->shape.k;
}

/* An empty matrix gets memory too: NULL is kept for failure. */
static float *new_matrix(size_t count) {
    return malloc((count ? count : 1) * sizeof(float));
}

bool problem_create(struct problem *p, double extra, char *why, size_t room) {
    double wanted = problem_bytes(p) + extra, available = free_memory();
    if (wanted > available) {
        snprintf(why, room, "needs %.1f GiB of host memory, %.1f GiB are free", wanted / 0x1p30,
                 available / 0x1p30);
        return false;
    }
    p->a = new_matrix(p->a_count);
    p->b = new_matrix(p->b_count);
    p->c = new_matrix(p->c_count);
    if (!p->a || !p->b || !p->c) {
        snprintf(why, room, "out of host memory");
        return false;
    }
    fill(p->a, p->a_count, STREAM_A);
    fill(p->b, p->b_count, STREAM_B);
    return true;
}

void problem_release(struct problem *p) {
    free(p->a);
    free(p->b);
    free(p->c);
    p->a = p->b = p->c = NULL;
}

float problem_c_start(const struct problem *p, size_t index) {
    return p->beta == 0 ? NAN : value_at(STREAM_C, index);
}

void problem_start_c(const struct problem *p, float *c) {
    for (size_t i = 0; i < p->c_count; i++)
        c[i] = problem_c_start(p, i);
}
