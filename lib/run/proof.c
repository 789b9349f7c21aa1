/* SPDX-License-Identifier: Apache-2.0
 * A family's proof. */
#include "run/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/buffer.h"
#include "gemm/element.h"
#include "gemm/family.h"

/* Two tiles along m and n, the second of them cut; all of k that a few blocks take. */
enum { MORE = 5, DEPTH = 300, LARGE = 10007, SMALL = 100 };

struct proof {
    struct clg_prepared prepared;
    int64_t rows[CLG_MATRICES], cols[CLG_MATRICES];
    void *host[CLG_MATRICES];
    struct clg_memory memory[CLG_MATRICES];
};

/* As the plan's problem is, but small: of its type, mode and transposes, its C's columns as
 * aligned. */
static clgemm_status describe(struct proof *proof, const struct clg_plan *plan) {
    const struct clg_tile tile = plan->family->tile(&plan->params);
    const bool ta = plan->problem.matrix[CLG_A].transposed;
    const bool tb = plan->problem.matrix[CLG_B].transposed;
    struct clg_call call = {.type = plan->problem.type,
                            .math = plan->problem.math,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = ta ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .tb = tb ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                            .m = tile.m + MORE,
                            .n = tile.n + MORE,
                            .k = DEPTH,
                            .scalars = {1, 0}};
    const int64_t rows[] = {ta ? call.k : call.m, tb ? call.n : call.k, call.m};
    const int64_t cols[] = {ta ? call.m : call.k, tb ? call.k : call.n, call.n};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const bool odd = plan->problem.matrix[i].vector == 1;
        proof->rows[i] = rows[i] + (rows[i] % 2 == 0 && odd) + (rows[i] % 2 && !odd);
        proof->cols[i] = cols[i];
        call.operand[i] = (struct clg_operand){.ld = proof->rows[i],
                                               .bytes = UINT64_MAX,
                                               .alignment = (unsigned)clg_type_size(call.type) * 2};
    }
    return clg_problem_init(&proof->prepared.plan.problem, &call);
}

/* Whole numbers, of A larger ones where type and mode keep them; one of A is infinite. */
static bool fill(struct proof *proof) {
    const struct clg_problem *problem = &proof->prepared.plan.problem;
    const bool keeps_large =
        problem->type == CLGEMM_F32 &&
        (problem->math == CLGEMM_MATH_ACCURATE || problem->math == CLGEMM_MATH_NORMWISE);
    const int most[] = {keeps_large ? LARGE : SMALL, 1, 0};
    uint32_t state = 1;
    for (int i = 0; i < CLG_MATRICES; i++) {
        const size_t count = (size_t)(proof->rows[i] * proof->cols[i]);
        if (!(proof->host[i] = malloc(count * clg_type_size(problem->type))))
            return false;
        for (size_t e = 0; e < count; e++) {
            state = state * 1664525U + 1013904223U;
            clg_element_set(problem->type, proof->host[i], e,
                            (double)((int)(state >> 8) % (2 * most[i] + 1) - most[i]));
        }
    }
    clg_element_set(problem->type, proof->host[CLG_A], 0, HUGE_VAL);
    return true;
}

static double element(const struct proof *proof, int which, int64_t row, int64_t col) {
    const struct clg_problem *problem = &proof->prepared.plan.problem;
    const bool swapped = problem->matrix[which].transposed;
    const int64_t ld = problem->matrix[which].ld;
    return clg_element(problem->type, proof->host[which],
                       swapped ? col + row * ld : row + col * ld);
}

static clgemm_status check(const struct proof *proof) {
    const struct clg_problem *problem = &proof->prepared.plan.problem;
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++) {
            double expected = 0;
            for (int64_t l = 0; l < problem->k; l++)
                expected += element(proof, CLG_A, i, l) * element(proof, CLG_B, l, j);
            double is = 0; /* as C's type has it */
            clg_element_set(problem->type, &is, 0, expected);
            expected = clg_element(problem->type, &is, 0);
            is = element(proof, CLG_C, i, j);
            if (is != expected && !(isnan(is) && isnan(expected)))
                return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "a small product is wrong: %g, not %g",
                                is, expected);
        }
    return CLGEMM_SUCCESS;
}

static struct clg_rectangle whole(const struct proof *proof, int i) {
    return (struct clg_rectangle){.host_ld = proof->rows[i],
                                  .buffer_ld = proof->rows[i],
                                  .rows = proof->rows[i],
                                  .cols = proof->cols[i],
                                  .size = clg_type_size(proof->prepared.plan.problem.type)};
}

static clgemm_status multiply(struct proof *proof, struct clg_device *device,
                              cl_command_queue queue) {
    struct clg_arguments arguments = {.scalars = {1, 0}};
    const struct clg_enqueue where = {queue, 0, NULL};
    clgemm_status status = CLGEMM_SUCCESS;
    for (int i = 0; i < CLG_MATRICES && !status; i++) {
        const struct clg_rectangle what = whole(proof, i);
        const size_t bytes = (size_t)(what.rows * what.cols) * what.size;
        if (!(status = clg_buffer_create(device, bytes, &proof->memory[i].buffer)))
            status = clg_upload(queue, proof->memory[i].buffer, proof->host[i], &what);
        arguments.memory[i] = proof->memory[i];
    }
    const struct clg_rectangle c = whole(proof, CLG_C);
    if (!status)
        status = clg_exec(device, &proof->prepared, &arguments, &where, NULL, NULL);
    return status ? status
                  : clg_download(queue, proof->memory[CLG_C].buffer, proof->host[CLG_C], &c);
}

static clgemm_status prove(struct proof *proof, struct clg_device *device,
                           struct clg_programs *programs, const struct clg_plan *plan) {
    clgemm_status status = describe(proof, plan);
    if (status)
        return status;
    const struct clg_problem problem = proof->prepared.plan.problem;
    const char *why =
        clg_family_unsupported_reason(plan->family, &problem, &device->facts, &plan->params);
    if (why)
        return clg_fail(CLGEMM_STATUS_UNSUPPORTED, "no small product: %s", why);
    clg_plan_with(&proof->prepared.plan, plan->family, &plan->params, &problem, &device->facts);
    if (!fill(proof))
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a small product");
    cl_command_queue queue = NULL;
    status = clg_exec_prepare(device, programs, &proof->prepared);
    if (!status && !(status = clg_queue_take(device, &queue))) {
        status = multiply(proof, device, queue);
        clg_queue_give(device, queue, status == CLGEMM_SUCCESS);
    }
    return status ? status : check(proof);
}

clgemm_status clg_proof(struct clg_device *device, struct clg_programs *programs,
                        const struct clg_plan *plan) {
    struct proof proof = {.host = {NULL}};
    const clgemm_status status = prove(&proof, device, programs, plan);
    for (int i = 0; i < CLG_MATRICES; i++) {
        clg_buffer_release(proof.memory[i].buffer);
        free(proof.host[i]);
    }
    return status;
}
