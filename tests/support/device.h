/* SPDX-License-Identifier: Apache-2.0
 * The device under test with a context of the test's own, and test cases that run on its
 * buffers. */
#ifndef CLG_TEST_DEVICE_H
#define CLG_TEST_DEVICE_H

#include "clgemm_cl.h"
#include "run/engine.h"
#include "support/gemm.h"

/* Ends the program with CLG_TEST_SKIP if OpenCL has no usable device. It makes no call of the
 * library's API, so that the test's first call is the library's first. */
void clg_test_require_device(void);

/* The types that the device multiplies, in turn: F32 first. Tests that take long alternate.
 * CLGEMM_TEST_TYPES=1 leaves only F32. */
int clg_test_num_types(void);
clgemm_type clg_test_type(int turn);

struct clg_test_cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* The device that CLGEMM_DEVICE names, or the one that the library would choose. The queue gets
 * those of the properties that the device has: some always run commands in order. */
void clg_test_cl_open(struct clg_test_cl *out, cl_command_queue_properties properties);
void clg_test_cl_close(struct clg_test_cl *cl);

/* An engine on that device, without a tuning table, and the store of its programs. */
void clg_test_engine_open(struct clg_engine *engine, struct clg_binaries **store,
                          const struct clg_test_cl *cl);
void clg_test_engine_close(struct clg_engine *engine, struct clg_binaries *store);

/* What the table found or remembered last, which the caller releases; NULL: nothing, or that is
 * forgotten. */
struct clg_known *clg_test_last_known(struct clg_known_table *table);

/* Both for all tests of a program: the set-up and tear-down of its group. */
struct clg_test_fixture {
    struct clg_test_cl cl;
    struct clg_engine engine;
    struct clg_binaries *store;
};
extern struct clg_test_fixture clg_test_fixture;
int clg_test_fixture_open(void **state);
int clg_test_fixture_close(void **state);

/* A buffer with a copy of the matrix's whole memory. */
cl_mem clg_test_buffer(struct clg_test_cl *cl, const struct clg_test_matrix *matrix);

/* Reads a whole buffer back into the matrix's memory; waits for the event first, if not NULL. */
void clg_test_read_back(struct clg_test_cl *cl, cl_mem buffer, struct clg_test_matrix *matrix,
                        cl_event after);

struct clg_test_buffers {
    cl_mem a, b, c;
};
void clg_test_buffers_create(struct clg_test_cl *cl, const struct clg_test_case *test,
                             struct clg_test_buffers *out);
void clg_test_buffers_release(struct clg_test_buffers *buffers);

/* Enqueues the case's multiplication; handle NULL: clgemm_sgemm_cl(). */
clgemm_status clg_test_enqueue(struct clg_test_cl *cl, const struct clg_test_case *test,
                               const struct clg_test_buffers *buffers, clgemm_handle *handle,
                               cl_uint num_wait, const cl_event *wait_list, cl_event *event);

/* Enqueues this plan on the case's buffers; `done` may be NULL. */
void clg_test_plan_enqueue(struct clg_engine *engine, struct clg_prepared *prepared,
                           const struct clg_test_case *test, const struct clg_test_buffers *buffers,
                           const struct clg_enqueue *where, cl_event *done);

/* Multiplies the case's matrices in that mode by this family with these parameters. False if the
 * family declines. */
bool clg_test_family_run(struct clg_engine *engine, struct clg_test_cl *cl,
                         const struct clg_family *family, const struct clg_params *params,
                         clgemm_math math, struct clg_test_case *test);

/* Reads all three buffers back and fails the test on a wrong result. */
void clg_test_buffers_check(struct clg_test_cl *cl, struct clg_test_case *test,
                            const struct clg_test_buffers *buffers, cl_event after);

/* The case on buffers from start to end. */
void clg_test_case_run_and_check_cl(struct clg_test_cl *cl, struct clg_test_case *test,
                                    clgemm_handle *handle);

#endif
