/* SPDX-License-Identifier: Apache-2.0
 * Opens the device as the library does, and keeps the resident matrices. */
#include "bench/device.h"

#include <stdlib.h>

#include "api/handle.h"
#include "base/env.h"
#include "bench/console.h"
#include "device/error.h"
#include "device/select.h"

clgemm_status device_open(struct device *d, const char *request) {
    *d = (struct device){0};
    if (!request)
        request = clg_env("CLGEMM_DEVICE");
    clgemm_status status = clgemm_create(&d->handle, request);
    if (status)
        return status;
    d->open = d->handle->engine.device;
    cl_int code;
    d->queue = clCreateCommandQueue(d->open->context, d->open->id, 0, &code);
    return code ? clg_cl_fail(code, "clCreateCommandQueue") : CLGEMM_SUCCESS;
}

int device_require(struct device *d, const char *request) {
    clgemm_status status = device_open(d, request);
    if (!status)
        return EXIT_FINE;
    complain("%s: %s", clgemm_status_name(status), clgemm_last_error());
    return status == CLGEMM_STATUS_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
}

void device_close(struct device *d) {
    device_unload(d);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->handle)
        clgemm_destroy(d->handle);
    else
        clg_device_close(d->open);
    *d = (struct device){0};
}

cl_device_id device_id(const struct device *d, int i) {
    const clgemm_handle *handle = d->handle;
    for (; handle && i > 0; i--)
        handle = handle->next;
    return handle ? handle->engine.device->id : NULL;
}

int device_list(FILE *out) {
    struct clg_device_list list;
    if (clg_device_list_query(&list))
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        const struct clg_device_entry *e = &list.entries[i];
        const char *unusable = clg_device_unusable(&e->facts);
        unusable = unusable ? unusable : clg_device_distrusted(&e->facts);
        fprintf(out, "%u:%u  %s (%s; %s, driver %s)%s%s\n", e->platform, e->device, e->facts.name,
                clg_device_kind_name(e->facts.kind), e->facts.platform, e->facts.driver,
                unusable ? ": " : "", unusable ? unusable : "");
    }
    int count = (int)list.count;
    clg_device_list_free(&list);
    return count;
}

/* Whether one matrix and all three are within the device's limits. */
static bool fits(const struct device *d, const struct problem *p, char *why, size_t room) {
    const struct clg_facts *facts = &d->open->facts;
    size_t largest = p->a_count > p->b_count ? p->a_count : p->b_count;
    largest = (largest > p->c_count ? largest : p->c_count) * clg_type_size(p->type);
    if (largest > facts->max_allocation) {
        snprintf(why, room,
                 "a matrix of %.1f GiB is larger than the device's largest buffer, %.1f GiB",
                 (double)largest / 0x1p30, (double)facts->max_allocation / 0x1p30);
        return false;
    }
    if (problem_bytes(p) > (double)facts->global_memory) {
        snprintf(why, room, "needs %.1f GiB of device memory, the device has %.1f GiB",
                 problem_bytes(p) / 0x1p30, (double)facts->global_memory / 0x1p30);
        return false;
    }
    return true;
}

/* A buffer with room for at least one element: OpenCL has no empty buffers. */
static cl_int new_matrix(struct device *d, clgemm_type type, const void *host, size_t count,
                         cl_mem *out) {
    cl_int code;
    const size_t bytes = (count ? count : 1) * clg_type_size(type);
    *out = clCreateBuffer(d->open->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!code && host && count)
        code = clEnqueueWriteBuffer(d->queue, *out, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
    return code;
}

bool device_load(struct device *d, const struct problem *p, char *why, size_t room) {
    if (!fits(d, p, why, room))
        return false;
    cl_int code = new_matrix(d, p->type, p->a, p->a_count, &d->a);
    if (!code)
        code = new_matrix(d, p->type, p->b, p->b_count, &d->b);
    if (!code)
        code = new_matrix(d, p->type, NULL, p->c_count, &d->c);
    if (code)
        snprintf(why, room, "no room on the device: %s", clgemm_status_name((clgemm_status)code));
    return !code;
}

static void release(cl_mem *buffer) {
    if (*buffer)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

void device_unload(struct device *d) {
    release(&d->a);
    release(&d->b);
    release(&d->c);
}

cl_int device_start_c(struct device *d, const struct problem *p, void *scratch) {
    if (!p->c_count)
        return CL_SUCCESS;
    problem_start_c(p, scratch);
    return clEnqueueWriteBuffer(d->queue, d->c, CL_TRUE, 0, problem_c_bytes(p), scratch, 0, NULL,
                                NULL);
}

cl_int device_fetch_c(struct device *d, const struct problem *p, void *c) {
    if (!p->c_count)
        return CL_SUCCESS;
    return clEnqueueReadBuffer(d->queue, d->c, CL_TRUE, 0, problem_c_bytes(p), c, 0, NULL, NULL);
}
