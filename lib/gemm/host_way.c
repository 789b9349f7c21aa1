/* SPDX-License-Identifier: Apache-2.0
 * How matrices in host memory reach a device: from what it reports, or by trying. */
#include <stdlib.h>

#include "base/log.h"
#include "device/host_memory.h"
#include "gemm/host.h"

/* Scales a matrix in plain memory, at an odd place in it, and looks at all that memory. */
static bool pointers_work(struct clg_memo *memo) {
    enum { FLOATS = 16, FIRST = 3, ROWS = 3, COLS = 2, LD = 5 };
    float *memory = malloc(FLOATS * sizeof *memory);
    const struct clg_call call = {
        .layout = CLGEMM_COL_MAJOR,
        .ta = CLGEMM_NO_TRANS,
        .tb = CLGEMM_NO_TRANS,
        .m = ROWS,
        .n = COLS,
        .beta = 2,
        .a = {.ld = ROWS},
        .b = {.ld = 1},
        .c = {.present = true, .ld = LD, .bytes = UINT64_MAX, .alignment = sizeof(float)}};
    struct clg_problem problem;
    struct clg_plan plan;
    if (!memory)
        return false;
    for (int i = 0; i < FLOATS; i++)
        memory[i] = (float)i;
    const struct clg_host_matrices host = {.c = memory + FIRST};
    bool right = !clg_problem_init(&problem, &call) &&
                 !clg_host_gemm_by(CLG_WAY_POINTER, memo, &problem, &host, &plan);
    for (int i = 0; i < FLOATS; i++) {
        const int at = i - FIRST;
        const bool scaled = at >= 0 && at / LD < COLS && at % LD < ROWS;
        right = right && memory[i] == (float)(scaled ? 2 * i : i);
    }
    free(memory);
    return right;
}

/* Pointers are tried on CPUs only: a GPU's context may be lost by a wrong access. */
static enum clg_way find_way(struct clg_memo *memo) {
    const struct clg_facts *facts = &clg_programs_device(memo->programs)->facts;
    if (!facts->shares_host_memory)
        return CLG_WAY_COPY;
    if (!facts->takes_pointers || !clg_can_set_pointer_args())
        return CLG_WAY_BUFFER;
    if (facts->takes_host_pointers || (facts->kind == CLG_DEVICE_CPU && pointers_work(memo)))
        return CLG_WAY_POINTER;
    return CLG_WAY_BUFFER;
}

enum clg_way clg_host_way(struct clg_memo *memo) {
    static const char *const words[] = {[CLG_WAY_COPY] = "copies",
                                        [CLG_WAY_BUFFER] = "buffers over them",
                                        [CLG_WAY_POINTER] = "pointers"};
    struct clg_device *device = clg_programs_device(memo->programs);
    pthread_mutex_lock(&device->way_lock);
    if (device->way == CLG_WAY_UNKNOWN) {
        device->way = find_way(memo);
        clg_log(CLG_LOG_PLANS, "host matrices reach device \"%s\" by %s", device->facts.name,
                words[device->way]);
    }
    const enum clg_way way = device->way;
    pthread_mutex_unlock(&device->way_lock);
    return way;
}
