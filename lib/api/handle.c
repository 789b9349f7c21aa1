/* SPDX-License-Identifier: Apache-2.0
 * Handles: clgemm_create, clgemm_create_cl, clgemm_destroy, clgemm_warmup. */
#include "api/handle.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/env.h"
#include "base/process.h"
#include "gemm/host.h"

/* Takes over `device`, also on failure. */
static clgemm_status wrap(clgemm_handle **out, struct clg_device *device) {
    clgemm_handle *handle = calloc(1, sizeof *handle);
    struct clg_binaries *store = clg_shared_binaries();
    clgemm_status status;
    if (!handle || !store) {
        clg_device_close(device);
        status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a handle");
    } else {
        status = clg_programs_open(&handle->programs, device, store);
        if (!status) {
            clg_memo_init(&handle->memo, handle->programs);
            clg_memo_retune(&handle->memo, NULL, clg_tuning_load(&device->facts));
            handle->online = clg_online_open(&handle->memo);
        }
    }
    if (status) {
        free(handle);
        return status;
    }
    *out = handle;
    return CLGEMM_SUCCESS;
}

clgemm_status clg_handle_open(clgemm_handle **out, const char *device) {
    struct clg_device *opened = NULL;
    clgemm_status status = clg_shared_check_fork();
    if (status)
        return status;
    clg_process_note();
    status = clg_device_open(&opened, device ? device : clg_env("CLGEMM_DEVICE"));
    return status ? status : wrap(out, opened);
}

clgemm_status clg_handle_adopt(clgemm_handle **out, cl_context context, cl_device_id device) {
    struct clg_device *adopted = NULL;
    clgemm_status status = clg_shared_check_fork();
    if (status)
        return status;
    clg_process_note();
    status = clg_device_adopt(&adopted, context, device);
    return status ? status : wrap(out, adopted);
}

void clg_handle_close(clgemm_handle *handle) {
    /* In a forked child the runtime's threads are gone and its locks may be held for ever, so
     * there what OpenCL holds is left to the end of the process. */
    if (handle && !clg_process_is_child()) {
        clg_online_close(handle->online);
        clg_memo_destroy(&handle->memo);
        clg_programs_close(handle->programs);
    }
    free(handle);
}

clgemm_status clg_handle_check(const clgemm_handle *handle) {
    if (!handle)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "handle is NULL");
    if (clg_process_is_child())
        return clg_fail(CLGEMM_STATUS_FORKED,
                        "the handle was opened in process %ld, before fork(); OpenCL cannot be "
                        "used in its child",
                        clg_process_noted());
    return CLGEMM_SUCCESS;
}

clgemm_status clgemm_create(clgemm_handle **out, const char *device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    return clg_handle_open(out, device);
}

clgemm_status clgemm_create_cl(clgemm_handle **out, cl_context context, cl_device_id device) {
    if (!out)
        return clg_fail(CLGEMM_STATUS_INVALID_HANDLE, "the place to store the handle is NULL");
    *out = NULL;
    if (!context || !device)
        return clg_fail((clgemm_status)(context ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT),
                        "%s is NULL", context ? "device" : "context");
    return clg_handle_adopt(out, context, device);
}

void clgemm_destroy(clgemm_handle *handle) {
    clg_handle_close(handle);
}

/* The problem of a shape as clgemm_sgemm() has it on the device: in place with columns one after
 * the other and malloc()'s alignment, or copied to aligned columns. */
static clgemm_status shape_problem(struct clg_problem *out, const clgemm_shape *shape,
                                   bool in_place) {
    enum { MALLOC_ALIGNMENT = 16, BUFFER_ALIGNMENT = 64, UNIT = 4 };
    const bool ta = shape->ta != CLGEMM_NO_TRANS, tb = shape->tb != CLGEMM_NO_TRANS;
    const int64_t rows[] = {ta ? shape->k : shape->m, tb ? shape->n : shape->k, shape->m};
    struct clg_operand operands[3];
    for (int i = 0; i < 3; i++) {
        const int64_t least = rows[i] < 1 ? 1 : rows[i];
        operands[i] = (struct clg_operand){
            .present = true,
            .ld = in_place || least > INT64_MAX - UNIT ? least : clg_round_up(least, UNIT),
            .bytes = UINT64_MAX,
            .alignment = in_place ? MALLOC_ALIGNMENT : BUFFER_ALIGNMENT};
    }
    const struct clg_call call = {.layout = CLGEMM_COL_MAJOR,
                                  .ta = shape->ta,
                                  .tb = shape->tb,
                                  .m = shape->m,
                                  .n = shape->n,
                                  .k = shape->k,
                                  .alpha = 1,
                                  .a = operands[0],
                                  .b = operands[1],
                                  .c = operands[2]};
    return clg_problem_init(out, &call);
}

static clgemm_status warm(clgemm_handle *handle, const clgemm_shape *shapes, size_t count) {
    const bool in_place = count > 0 && clg_host_way(&handle->memo) != CLG_WAY_COPY;
    clgemm_status status = CLGEMM_SUCCESS;
    for (size_t i = 0; i < count && !status; i++) {
        struct clg_problem problem;
        struct clg_plan plan;
        if (!(status = shape_problem(&problem, &shapes[i], in_place)))
            status = clg_memo_plan(&handle->memo, &problem, &plan);
    }
    return status;
}

clgemm_status clgemm_warmup(clgemm_handle *handle, const clgemm_shape *shapes, size_t count) {
    if (count > 0 && !shapes)
        return clg_fail((clgemm_status)CL_INVALID_VALUE, "shapes is NULL, count is %zu", count);
    clgemm_handle *used = handle;
    clgemm_status status = handle ? clg_handle_check(handle) : clg_shared_default(&used);
    if (status)
        return status;
    status = warm(used, shapes, count);
    if (!handle)
        clg_shared_release(used, status);
    return status;
}
