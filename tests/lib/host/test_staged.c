/* SPDX-License-Identifier: Apache-2.0
 * Transfers through pinned memory: what crosses is what was asked for, and nothing else is written,
 * for pieces of many columns, of one, and of a part of one. */
#include <stdlib.h>
#include <string.h>

#include "device/staging.h"
#include "host/staged.h"
#include "support/check.h"
#include "support/host_access.h"

enum { GAP = 3, ELEMENT = 4, UNTOUCHED = -1 };

static bool is_in(enum clg_part part, int64_t i, int64_t j) {
    return part == CLG_PART_ALL || (part == CLG_PART_FROM_DIAGONAL ? i >= j : i <= j);
}

static int value_at(int64_t i, int64_t j) {
    return (int)(i * 7919 + j * 104729) & 0x7fffffff;
}

static void there_and_back(enum clg_part part, int64_t rows, int64_t cols) {
    struct clg_device *device = clg_test_host.engine.device;
    const int64_t ld = rows + GAP;
    int *host = clg_test_alloc((size_t)(ld * cols) * ELEMENT);
    cl_command_queue queue;
    cl_mem buffer;
    clg_test_assert_success(clg_queue_take(device, &queue));
    clg_test_assert_success(
        clg_buffer_create(device, (size_t)((rows + 1) * cols) * ELEMENT, &buffer));
    const struct clg_strided matrix = {.buffer = buffer,
                                       .column = (size_t)rows * ELEMENT,
                                       .columns = (size_t)cols,
                                       .pitch = (size_t)(rows + 1) * ELEMENT,
                                       .host_pitch = (size_t)ld * ELEMENT};
    for (int64_t at = 0; at < ld * cols; at++)
        host[at] = value_at(at % ld, at / ld);
    clg_test_assert_success(
        clg_staged_transfer(device, queue, CLG_TO_DEVICE, &matrix, ELEMENT, part, host));
    for (int64_t at = 0; at < ld * cols; at++)
        host[at] = UNTOUCHED;
    clg_test_assert_success(
        clg_staged_transfer(device, queue, CLG_TO_HOST, &matrix, ELEMENT, part, host));
    for (int64_t at = 0; at < ld * cols; at++) {
        const int64_t i = at % ld, j = at / ld;
        const int expected = i < rows && is_in(part, i, j) ? value_at(i, j) : UNTOUCHED;
        if (host[at] != expected)
            fail_msg("part %d of %d x %d: (%d, %d) is %d, not %d", (int)part, (int)rows, (int)cols,
                     (int)i, (int)j, host[at], expected);
    }
    clg_buffer_release(buffer);
    clg_queue_give(device, queue, true);
    free(host);
}

static void every_part_crosses(void **state) {
    static const int64_t sizes[][2] = {{1, 1},    {5, 3},     {3, 5},       {300, 301},
                                       {64, 900}, {1500, 40}, {1400, 1500}, {900001, 2}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int part = CLG_PART_ALL; part <= CLG_PART_TO_DIAGONAL; part++)
            there_and_back((enum clg_part)part, sizes[s][0], sizes[s][1]);
}

/* As where no pinned memory can be had. */
static void any_memory_will_do(void **state) {
    struct clg_facts *facts = &clg_test_host.engine.device->facts;
    const uint64_t before = facts->workspace_max;
    (void)state;
    clg_staging_clear(clg_test_host.engine.device);
    facts->workspace_max = 0;
    there_and_back(CLG_PART_FROM_DIAGONAL, 700, 700);
    facts->workspace_max = before;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_part_crosses),
                                       cmocka_unit_test(any_memory_will_do)};
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
