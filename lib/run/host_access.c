/* SPDX-License-Identifier: Apache-2.0
 * Determines how matrices in host memory reach a device, from what it reports or by trying. */
#include "run/host_access.h"

#include <stdlib.h>

#include "base/log.h"
#include "device/host_memory.h"
#include "run/host_pointer.h"

/* Scales a matrix at an odd address of ordinary memory, and checks all of that memory. */
static bool pointers_work(struct clg_engine *engine) {
    enum { FLOATS = 16, FIRST = 3, ROWS = 3, COLS = 2, LD = 5 };
    float *memory = malloc(FLOATS * sizeof *memory);
    if (!memory)
        return false;
    for (int i = 0; i < FLOATS; i++)
        memory[i] = (float)i;
    const struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                  .ta = CLGEMM_NO_TRANS,
                                  .tb = CLGEMM_NO_TRANS,
                                  .m = ROWS,
                                  .n = COLS,
                                  .scalars = {.beta = 2},
                                  .operand = {clg_host_operand(NULL, ROWS, 0),
                                              clg_host_operand(NULL, 1, 0),
                                              clg_host_operand(memory + FIRST, LD, 0)}};
    const struct clg_host_matrices host = {{NULL, NULL, memory + FIRST}};
    struct clg_problem problem;
    bool right = !clg_problem_init(&problem, &call) &&
                 !clg_host_by_pointer(engine, &problem, &call.scalars, &host, NULL);
    for (int i = 0; i < FLOATS; i++) {
        const int at = i - FIRST;
        const bool scaled = at >= 0 && at / LD < COLS && at % LD < ROWS;
        right = right && memory[i] == (float)(scaled ? 2 * i : i);
    }
    free(memory);
    return right;
}

/* Pointers are tried only on CPUs, because a wrong access could lose a GPU's context. */
static enum clg_host_access find_access(struct clg_engine *engine) {
    const struct clg_facts *facts = &engine->device->facts;
    if (!facts->shares_host_memory)
        return CLG_HOST_COPY;
    if (!facts->takes_pointers || !clg_can_set_pointer_args())
        return CLG_HOST_BUFFER;
    if (facts->takes_host_pointers || (facts->kind == CLG_DEVICE_CPU && pointers_work(engine)))
        return CLG_HOST_POINTER;
    return CLG_HOST_BUFFER;
}

enum clg_host_access clg_host_access_of(struct clg_engine *engine) {
    static const char *const words[] = {[CLG_HOST_COPY] = "copies",
                                        [CLG_HOST_BUFFER] = "buffers over them",
                                        [CLG_HOST_POINTER] = "pointers"};
    pthread_mutex_lock(&engine->host_lock);
    if (engine->host_access == CLG_HOST_UNKNOWN) {
        engine->host_access = find_access(engine);
        clg_log(CLG_LOG_PLANS, "host matrices reach device \"%s\" by %s",
                engine->device->facts.name, words[engine->host_access]);
    }
    const enum clg_host_access access = engine->host_access;
    pthread_mutex_unlock(&engine->host_lock);
    return access;
}
