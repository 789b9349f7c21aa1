/* SPDX-License-Identifier: Apache-2.0
 * The scenarios: host matrices, handles, the caller's buffers and queue, warm-up. */
#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/handle.h"
#include "device/facts.h"
#include "gemm/tiled/model.h"
#include "support/cache.h"
#include "support/check.h"
#include "support/cuda.h"
#include "support/rows.h"
#include "support/tuning.h"

/* The call on host matrices. */
static clgemm_status run(struct world *w, clgemm_handle *handle) {
    return w->routine ? clg_test_level3_run(&w->level3, handle)
                      : clg_test_case_run(&w->test, handle);
}

static clgemm_status call_host(struct world *w) {
    return run(w, NULL);
}

static clgemm_status call_handle(struct world *w) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create(&handle, NULL);
    if (status != CLGEMM_SUCCESS) {
        if (handle)
            w->broken = "clgemm_create failed, but left a handle";
        return status;
    }
    status = run(w, handle);
    clgemm_destroy(handle);
    return status;
}

/* The same with that access, even if the device could use the host's pointers. */
static clgemm_status call_by(struct world *w, enum clg_host_access access) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create(&handle, NULL);
    if (status == CLGEMM_SUCCESS) {
        handle->host.access = access;
        status = run(w, handle);
        clgemm_destroy(handle);
    }
    return status;
}

static clgemm_status call_shared(struct world *w) {
    return call_by(w, CLG_HOST_BUFFER);
}

static clgemm_status call_copied(struct world *w) {
    return call_by(w, CLG_HOST_COPY);
}

static const char pinned_by[1];

static void pin(const struct world *w) {
    const struct clg_test_matrix *all[] = {&w->test.a, &w->test.b, &w->test.c};
    clg_test_cuda_load();
    clg_test_cuda_unpin_all();
    for (int i = 0; i < CLG_MATRICES; i++)
        clg_test_cuda_pin(all[i]->memory, clg_test_matrix_bytes(all[i]), pinned_by);
}

/* The device uses the matrices in place, because CUDA has pinned them. */
static clgemm_status call_pinned(struct world *w) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create(&handle, NULL);
    if (status)
        return status;
    handle->host.access = CLG_HOST_COPY;
    if (!handle->engine.device->facts.capability) { /* else it has its own libcuda */
        pin(w);
        handle->engine.device->facts.capability = 90;
        handle->host.pinned[0] = (struct clg_pinned_owner){pinned_by, true};
        handle->host.num_pinned = 1;
    }
    status = clg_test_case_run(&w->test, handle);
    clgemm_destroy(handle);
    return status;
}

static clgemm_status call_warmup(struct world *w) {
    const clgemm_shape shapes[] = {{33, 29, 31, CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                   {150, 150, 150, CLGEMM_TRANS, CLGEMM_NO_TRANS}};
    clgemm_status status = clgemm_warmup(NULL, shapes, 2);
    return status == CLGEMM_SUCCESS ? clg_test_case_run(&w->test, NULL) : status;
}

/* How the event's command ended. On a lost device there may be no report. */
static clgemm_status await(cl_event event) {
    cl_int state = CL_COMPLETE;
    const cl_int waited = clWaitForEvents(1, &event);
    const cl_int asked =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return (clgemm_status)(asked ? asked : state < 0 ? state : waited);
}

static clgemm_status enqueue_call(struct world *w, clgemm_handle *handle, cl_event *event) {
    const struct clg_test_buffers buffers = {w->buffer[CLG_A], w->buffer[CLG_B], w->buffer[CLG_C]};
    if (w->routine)
        return clg_test_level3_enqueue(&w->level3, handle, w->buffer, w->cl.queue, event);
    return clg_test_enqueue(&w->cl, &w->test, &buffers, handle, 0, NULL, event);
}

static clgemm_status enqueue(struct world *w, clgemm_handle *handle) {
    cl_event event = NULL;
    clgemm_status status = enqueue_call(w, handle, &event);
    if (status != CLGEMM_SUCCESS && event)
        w->broken = "a failed call left an event";
    if (status == CLGEMM_SUCCESS && !event)
        w->broken = "a successful call left no event";
    if (event) {
        status = await(event);
        w->by_event = status != CLGEMM_SUCCESS;
        clReleaseEvent(event);
    }
    return status;
}

static clgemm_status call_cl(struct world *w) {
    return enqueue(w, NULL);
}

static clgemm_status call_handle_cl(struct world *w) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create_cl(&handle, w->cl.context, w->cl.device);
    if (status != CLGEMM_SUCCESS) {
        if (handle)
            w->broken = "clgemm_create_cl failed, but left a handle";
        return status;
    }
    status = enqueue(w, handle);
    clgemm_destroy(handle);
    return status;
}

static clgemm_status call_tuned(struct world *w, bool exports) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create_cl(&handle, w->cl.context, w->cl.device);
    if (!status)
        status = clgemm_tuning_import(handle, w->tuning);
    if (!status && exports)
        status = clgemm_tuning_export(handle, w->exported);
    if (!status)
        status = enqueue(w, handle);
    clgemm_destroy(handle);
    return status;
}

static clgemm_status call_tail(struct world *w) {
    return call_tuned(w, false);
}

static clgemm_status call_export(struct world *w) {
    return call_tuned(w, true);
}

static clgemm_status call_with(struct world *w, clgemm_option option, int64_t value) {
    clgemm_handle *handle = NULL;
    clgemm_status status = clgemm_create(&handle, NULL);
    if (!status)
        status = clgemm_set_option(handle, option, value);
    if (!status)
        status = clg_test_case_run(&w->test, handle);
    if (handle && handle->engine.builder)
        clg_builder_wait(handle->engine.builder);
    clgemm_destroy(handle);
    return status;
}

static clgemm_status call_checked(struct world *w) {
    return call_with(w, CLGEMM_OPTION_VERIFY, CLGEMM_VERIFY_ALWAYS);
}

static clgemm_status call_background(struct world *w) {
    return call_with(w, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_BACKGROUND);
}

/* The small size uses one plain kernel, the larger one tiles. The deep one has k split, and a
 * second kernel adds the slices. The wide one, with its odd offsets and leading dimensions, may
 * have A packed first. One has a tail. The one in panels is copied by two threads if there are two
 * processors, and its C returns in parts. */
#define SMALL 32, 30, 31, 1
#define LARGER 70, 300, 70, 1
#define WIDE 70, 1030, 70, 1
#define DEEP 33, 31, 4200, 2
#define TAIL 70, 70, 70, 2
#define PANELS 200, 600, 130, 2
#define PINNED 200, 600, 130, 1
/* Products between triangular blocks, or after a symmetric matrix was written to workspace. Updates
 * write C in blocks on its diagonal and beside it. */
#define BLOCKS 150, 20, 0, 2
#define SIDES 40, 30, 0, 2
#define UPDATE 0, 150, 40, 2
const struct scenario scenarios[] = {
    {"host", SMALL, .by = BY_ALL, .call = call_host},
    {"host, larger", LARGER, .by = BY_OPENCL | BY_LATE, .call = call_host},
    {"host, wide", WIDE, .piped = true, .by = BY_OPENCL | BY_LATE, .call = call_host},
    {"handle", SMALL, .by = BY_OPENCL | BY_LATE, .call = call_handle},
    {"handle, checked", SMALL, .by = BY_MEMORY | BY_LATE, .call = call_checked},
    {"handle, shared memory", LARGER, .by = BY_OPENCL | BY_LATE, .call = call_shared},
    {"handle, copies", LARGER, .late_parts = true, .by = BY_OPENCL | BY_LATE, .call = call_copied},
    {"handle, copies in panels", PANELS, .in_parts = true, .piped = true, .by = BY_ALL,
     .call = call_copied},
    {"handle, pinned", PINNED, .piped = true, .by = BY_OPENCL, .call = call_pinned},
    {"warmup", SMALL, .by = BY_OPENCL | BY_MEMORY | BY_LATE, .call = call_warmup},
    {"buffers", SMALL, .on_buffers = true, .by = BY_OPENCL | BY_MEMORY | BY_LATE, .call = call_cl},
    {"buffers, wide", WIDE, .on_buffers = true, .by = BY_OPENCL | BY_LATE, .call = call_cl},
    {"handle, buffers, split", DEEP, .joined = true, .on_buffers = true, .by = BY_OPENCL | BY_LATE,
     .call = call_handle_cl},
    {"handle, buffers, tail", TAIL, .on_buffers = true, .late_parts = true, .tuned = true,
     .by = BY_OPENCL | BY_LATE, .call = call_tail},
    {"handle, buffers, split, out of order", DEEP, .on_buffers = true, .unordered = true,
     .by = BY_LATE, .call = call_handle_cl},
    {"handle, buffers, tail, out of order", TAIL, .on_buffers = true, .late_parts = true,
     .unordered = true, .tuned = true, .by = BY_LATE, .call = call_tail},
    {"host, trsm", BLOCKS, .routine = CLGEMM_TRSM, .in_parts = true, .by = BY_ALL,
     .call = call_host},
    {"handle, copies, syr2k", UPDATE, .routine = CLGEMM_SYR2K, .late_parts = true,
     .by = BY_OPENCL | BY_MEMORY | BY_LATE, .call = call_copied},
    {"buffers, symm", SIDES, .routine = CLGEMM_SYMM, .on_buffers = true,
     .by = BY_OPENCL | BY_MEMORY | BY_LATE, .call = call_cl},
    {"buffers, trmm, out of order", BLOCKS, .routine = CLGEMM_TRMM, .on_buffers = true,
     .unordered = true, .in_parts = true, .by = BY_OPENCL | BY_LATE, .call = call_handle_cl},
    {"tuning files", TAIL, .on_buffers = true, .tuned = true, .by = BY_MEMORY | BY_SYSTEM,
     .call = call_export},
};
const int scenario_count = sizeof scenarios / sizeof *scenarios;

const struct scenario scenario_host = {"host", SMALL, .call = call_host};
const struct scenario scenario_background = {"background", SMALL, .call = call_background};

/* Names a file with a row that splits the tail of the scenario's tiles, so that two kernels write
 * C. */
static void prefer_tail(struct world *w, const struct scenario *s) {
    struct clg_facts facts;
    struct clg_tuning_row row = {.shape = {.m = s->m, .n = s->n, .k = s->k, .tb = true}, .ms = 1};
    size_t count;
    const struct clg_params *rows = clg_test_rows(&clg_family_tiled, CLG_DEVICE_CPU, &count);
    clg_test_assert_success(clg_facts_query(w->cl.device, &facts));
    row.family = &clg_family_tiled;
    row.params = rows[count - 1];
    row.params.split_tail = 2;
    clg_tuning_stamp(row.date, row.version);
    snprintf(w->tuning, sizeof w->tuning, "/tmp/clg-tail-XXXXXX.json");
    close(mkstemps(w->tuning, 5));
    clg_test_tuning_file(w->tuning, &facts, &row, 1);
    snprintf(w->exported, sizeof w->exported, "/tmp/clg-tail-%ld-exported.json", (long)getpid());
}

static struct clg_facts facts_of_device(void) {
    struct clg_test_cl cl;
    struct clg_facts facts;
    clg_test_cl_open(&cl, 0);
    clg_test_assert_success(clg_facts_query(cl.device, &facts));
    clg_test_cl_close(&cl);
    return facts;
}

void world_open(struct world *w, const struct scenario *s) {
    *w = (struct world){.routine = s->routine, .in_parts = s->in_parts, .launches = s->launches};
    if (s->piped)
        w->in_parts |= !facts_of_device().shares_host_memory;
    if (s->joined)
        w->launches -= facts_of_device().async_copies;
    if (s->on_buffers)
        clg_test_cl_open(&w->cl, s->unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    if (s->tuned)
        prefer_tail(w, s);
}

void world_close(struct world *w) {
    if (*w->tuning)
        unlink(w->tuning);
    if (w->cl.context)
        clg_test_cl_close(&w->cl);
}

static struct clg_test_matrix *matrix_of(struct world *w, int which) {
    struct clg_test_matrix *const of_product[] = {&w->test.a, &w->test.b, &w->test.c};
    return w->routine ? &w->level3.matrix[which] : of_product[which];
}

static void create_level3(struct clg_test_level3 *out, const struct scenario *s,
                          struct clg_test_random *random) {
    *out = (struct clg_test_level3){.desc = {.routine = s->routine,
                                             .layout = CLGEMM_COL_MAJOR,
                                             .side = CLGEMM_LEFT,
                                             .uplo = CLGEMM_LOWER,
                                             .trans = CLGEMM_NO_TRANS,
                                             .diag = CLGEMM_NON_UNIT,
                                             .m = s->m,
                                             .n = s->n,
                                             .k = s->k},
                                    .alpha = {0.75},
                                    .beta = {-0.5}};
    clg_test_level3_create(out, random);
}

static void create_product(struct clg_test_case *out, const struct scenario *s,
                           struct clg_test_random *random) {
    const struct clg_test_problem problem = {
        .layout = CLGEMM_COL_MAJOR,
        .ta = CLGEMM_NO_TRANS,
        .tb = CLGEMM_TRANS,
        .m = s->m,
        .n = s->n,
        .k = s->k,
        .alpha = 0.75f,
        .beta = -0.7f,
        .gap_a = 3,
        .gap_b = 1,
        .gap_c = 5,
        .offset_a = 3,
        .offset_b = 1,
        .offset_c = 7,
    };
    clg_test_case_create(out, &problem, random);
}

void world_fill(struct world *w, const struct scenario *s) {
    struct clg_test_random random = clg_test_random_start(1);
    w->broken = NULL;
    w->by_event = false;
    if (s->routine)
        create_level3(&w->level3, s, &random);
    else
        create_product(&w->test, s, &random);
    for (int i = 0; i < CLG_MATRICES && s->on_buffers; i++)
        w->buffer[i] = clg_test_buffer(&w->cl, matrix_of(w, i));
}

/* An exported file is whole or missing. */
static void check_exported(struct world *w) {
    size_t size;
    struct clg_tuning_file file;
    if (!*w->exported || access(w->exported, F_OK))
        return;
    unsigned char *text = clg_test_file_read(w->exported, &size);
    if (!clg_tuning_file_parse(&file, w->exported, (const char *)text, size, NULL) ||
        file.count != 1)
        w->broken = "a tuning file was left in parts";
    clg_tuning_file_release(&file);
    free(text);
    unlink(w->exported);
}

enum verdict world_judge(struct world *w, const struct scenario *s) {
    enum verdict verdict = UNTOUCHED;
    check_exported(w);
    if (s->on_buffers) {
        clFinish(w->cl.queue);
        clg_test_read_back(&w->cl, w->buffer[CLG_C], matrix_of(w, CLG_C), NULL);
        for (int i = 0; i < CLG_MATRICES; i++)
            clReleaseMemObject(w->buffer[i]);
    }
    if (!clg_test_matrix_unchanged(matrix_of(w, CLG_C)))
        verdict = (w->routine ? clg_test_level3_fault(&w->level3) : clg_test_case_fault(&w->test))
                      ? WRONG
                      : RIGHT;
    if (w->routine)
        clg_test_level3_destroy(&w->level3);
    else
        clg_test_case_destroy(&w->test);
    return verdict;
}
