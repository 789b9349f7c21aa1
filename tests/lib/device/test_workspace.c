/* SPDX-License-Identifier: Apache-2.0
 * Workspace and counters: used by one call at a time, reused when it is free; counters are zero
 * then. */
#include "device/workspace.h"
#include "support/check.h"
#include "support/device.h"

struct bench {
    struct clg_test_cl cl;
    struct clg_device *device;
};

static int open_bench(void **state) {
    static struct bench bench;
    clg_test_cl_open(&bench.cl, 0);
    clg_test_assert_success(clg_device_adopt(&bench.device, bench.cl.context, bench.cl.device));
    *state = &bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;
    clg_device_close(bench->device);
    clg_test_cl_close(&bench->cl);
    return 0;
}

/* An event that only the test completes. */
static cl_event open_event(struct bench *bench) {
    cl_int error;
    cl_event event = clCreateUserEvent(bench->cl.context, &error);
    assert_int_equal(error, CL_SUCCESS);
    return event;
}

static void end_event(cl_event event, cl_int status) {
    assert_int_equal(clSetUserEventStatus(event, status), CL_SUCCESS);
    clReleaseEvent(event);
}

static cl_mem take(struct bench *bench) {
    cl_mem counters = NULL;
    clg_test_assert_success(clg_counters_take(bench->device, NULL, &counters));
    assert_non_null(counters);
    return counters;
}

static void counters_are_zero(void **state) {
    struct bench *bench = *state;
    int values[CLG_COUNTERS_BYTES / sizeof(int)];
    cl_mem counters = take(bench);
    assert_int_equal(clEnqueueReadBuffer(bench->cl.queue, counters, CL_TRUE, 0, sizeof values,
                                         values, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(values[i], 0);
    clReleaseMemObject(counters);
}

static void counters_in_use_are_not_lent(void **state) {
    struct bench *bench = *state;
    cl_event first_use = open_event(bench), second_use = open_event(bench);
    cl_mem first = take(bench);
    clg_counters_give(bench->device, first, NULL, first_use);
    cl_mem second = take(bench);
    assert_ptr_not_equal(first, second);
    clg_counters_give(bench->device, second, NULL, second_use);
    end_event(second_use, CL_COMPLETE);
    assert_ptr_equal(take(bench), second);
    end_event(first_use, CL_COMPLETE);
    assert_ptr_equal(take(bench), first);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
}

/* Without an event only the order of one queue says when they are zero again. */
static void counters_without_an_event_stay_in_their_queue(void **state) {
    struct bench *bench = *state;
    const cl_command_queue queue = bench->cl.queue, other = (cl_command_queue)bench;
    cl_mem counters = take(bench), again, stranger;
    clg_counters_give(bench->device, counters, queue, NULL);
    clg_test_assert_success(clg_counters_take(bench->device, other, &stranger));
    assert_ptr_not_equal(stranger, counters);
    clg_test_assert_success(clg_counters_take(bench->device, queue, &again));
    assert_ptr_equal(again, counters);
    clg_counters_give(bench->device, counters, queue, NULL);
    clg_workspace_settle(bench->device, queue);
    clg_test_assert_success(clg_counters_take(bench->device, other, &again));
    assert_ptr_equal(again, counters);
    clReleaseMemObject(counters);
    clReleaseMemObject(stranger);
}

/* After a failed command their values are unknown. */
static void counters_of_a_failed_command_are_not_lent(void **state) {
    struct bench *bench = *state;
    cl_event use = open_event(bench);
    cl_mem spoilt = take(bench);
    clg_counters_give(bench->device, spoilt, NULL, use);
    end_event(use, CL_OUT_OF_RESOURCES);
    cl_mem next = take(bench);
    assert_ptr_not_equal(next, spoilt);
    clReleaseMemObject(next);
}

/* More than a device keeps: the oldest are released, and each one in use is a different one. */
static void many_are_in_flight(void **state) {
    enum { MANY = 3 * CLG_IDLE_WORKSPACES };
    struct bench *bench = *state;
    cl_event uses[MANY];
    for (int i = 0; i < MANY; i++) {
        uses[i] = open_event(bench);
        clg_counters_give(bench->device, take(bench), NULL, uses[i]);
    }
    for (int i = 0; i < MANY; i++)
        end_event(uses[i], CL_COMPLETE);
    cl_mem a = take(bench), b = take(bench);
    assert_ptr_not_equal(a, b);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void workspace_is_lent_again(void **state) {
    struct bench *bench = *state;
    struct clg_workspace first, larger, again;
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 1000, &first));
    const cl_mem buffer = first.buffer;
    clg_workspace_give(bench->device, &first, NULL, true);
    assert_null(first.buffer);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 5000, &larger));
    assert_ptr_not_equal(larger.buffer, buffer);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 400, &again));
    assert_ptr_equal(again.buffer, buffer);
    clg_workspace_give(bench->device, &larger, NULL, true);
    clg_workspace_give(bench->device, &again, NULL, true);
    clg_workspace_clear(bench->device);
}

/* Idle memory is released for new memory, so that both together never exceed the bound. */
static void all_workspace_keeps_the_bound(void **state) {
    struct bench *bench = *state;
    struct clg_workspace first, second, third;
    const uint64_t before = bench->device->facts.workspace_max;
    clg_workspace_clear(bench->device);
    bench->device->facts.workspace_max = 10000;
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 2000, &first));
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 3000, &second));
    clg_workspace_give(bench->device, &first, NULL, true);
    clg_workspace_give(bench->device, &second, NULL, true);
    assert_int_equal(bench->device->num_idle, 2);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 6000, &first));
    assert_int_equal(bench->device->num_idle, 1); /* the older one is gone */
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 4000, &third));
    assert_int_equal(bench->device->num_idle, 0);
    assert_true(bench->device->lent == 10000);
    clg_workspace_give(bench->device, &third, NULL, false);
    clg_workspace_give(bench->device, &first, NULL, true);
    assert_true(bench->device->lent == 0);
    bench->device->facts.workspace_max = 5000;
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 6000, &first));
    clg_workspace_give(bench->device, &first, NULL, true); /* larger than what may be kept */
    assert_int_equal(bench->device->num_idle, 0);
    bench->device->facts.workspace_max = before;
}

/* Memory that commands in a queue may still use is given only to later commands of that queue. */
static void workspace_in_use_stays_in_its_queue(void **state) {
    struct bench *bench = *state;
    struct clg_workspace first, same, other;
    cl_command_queue queue = NULL;
    clg_test_assert_success(clg_queue_take(bench->device, &queue));
    clg_test_assert_success(clg_workspace_take(bench->device, queue, 1000, &first));
    const cl_mem buffer = first.buffer;
    clg_workspace_give(bench->device, &first, queue, true);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 1000, &other));
    assert_ptr_not_equal(other.buffer, buffer);
    clg_test_assert_success(clg_workspace_take(bench->device, queue, 1000, &same));
    assert_ptr_equal(same.buffer, buffer);
    clg_workspace_give(bench->device, &same, NULL, false);
    clg_workspace_give(bench->device, &other, NULL, false);
    clg_queue_give(bench->device, queue, true);
}

static void workspace_is_counted(void **state) {
    struct bench *bench = *state;
    struct clg_workspace one, two;
    clg_workspace_clear(bench->device);
    clg_workspace_start_peak(bench->device);
    assert_int_equal(clg_workspace_peak(bench->device), 0);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 1000, &one));
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 5000, &two));
    clg_workspace_give(bench->device, &one, NULL, false);
    clg_workspace_give(bench->device, &one, NULL, false); /* is empty now */
    clg_workspace_give(bench->device, &two, NULL, true);
    clg_test_assert_success(clg_workspace_take(bench->device, bench->cl.queue, 500, &one));
    assert_int_equal(clg_workspace_peak(bench->device), 6000);
    clg_workspace_start_peak(bench->device);
    assert_int_equal(clg_workspace_peak(bench->device), 5000);
    clg_workspace_give(bench->device, &one, NULL, true);
    clg_workspace_clear(bench->device);
    clg_workspace_start_peak(bench->device);
    assert_int_equal(clg_workspace_peak(bench->device), 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_zero),
        cmocka_unit_test(counters_in_use_are_not_lent),
        cmocka_unit_test(counters_without_an_event_stay_in_their_queue),
        cmocka_unit_test(counters_of_a_failed_command_are_not_lent),
        cmocka_unit_test(many_are_in_flight),
        cmocka_unit_test(workspace_is_lent_again),
        cmocka_unit_test(workspace_in_use_stays_in_its_queue),
        cmocka_unit_test(workspace_is_counted),
        cmocka_unit_test(all_workspace_keeps_the_bound),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
