/* SPDX-License-Identifier: Apache-2.0
 * CLGEMM_WORKSPACE_MAX: with any bound, results with every host access are right, and what the
 * device keeps stays below it. */
#include <math.h>
#include <stdlib.h>

#include "device/workspace.h"
#include "support/check.h"
#include "support/host_access.h"

enum { PARTS = 16 };

static const uint64_t bounds[] = {0, 100 << 10, 1 << 20, 7 << 20};

static const int64_t shapes[][3] = {{300, 200, 260}, {64, 64, 5000}, {700, 3, 900},
                                    {1, 1500, 130},  {97, 1, 1},     {40, 30, 0}};

static void check_idle(uint64_t most) {
    const struct clg_device *device = clg_test_host.engine.device;
    uint64_t idle = 0;
    for (int i = 0; i < device->num_idle; i++)
        idle += device->idle[i].bytes;
    assert_true(idle <= most);
    assert_true(device->lent == 0);
}

static void check_shape(enum clg_host_access way, const int64_t shape[3], int form,
                        struct clg_test_random *random) {
    const struct clg_test_problem p = {.type = clg_test_type(form / 2),
                                       .layout = form & 4 ? CLGEMM_ROW_MAJOR : CLGEMM_COL_MAJOR,
                                       .ta = form & 1 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                       .tb = form & 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                       .m = shape[0],
                                       .n = shape[1],
                                       .k = shape[2],
                                       .alpha = -1.5f,
                                       .beta = form % 3 ? 0.7f : 0.0f,
                                       .gap_a = form % 5,
                                       .gap_b = 2,
                                       .gap_c = form & 1 ? 3 : 0,
                                       .offset_b = 1};
    struct clg_test_case test;
    clg_test_case_create(&test, &p, random);
    void *c = clg_test_matrix_data(&test.c);
    if (p.beta == 0) /* is not read, in any block */
        clg_element_set(p.type, c, 0, NAN);
    clg_test_matrix_snapshot(&test.c);
    clg_test_assert_success(clg_test_run_by(way, &p, clg_test_matrix_data(&test.a), test.a.ld,
                                            clg_test_matrix_data(&test.b), test.b.ld, c,
                                            test.c.ld));
    clg_test_assert_no_fault(clg_test_case_fault(&test));
    clg_test_case_destroy(&test);
}

/* Whether the short form runs it: a sixteenth of the combinations. Whichever is drawn, every access
 * meets every shape in one variant with two of the bounds. */
static bool is_drawn(size_t bound, int way, size_t shape, int form) {
    static int drawn = -1;
    if (clg_test_is_long())
        return true;
    if (drawn < 0)
        drawn = clg_test_draw(PARTS);
    return (8 * bound + (size_t)form + 5 * (size_t)way + 3 * shape + (size_t)drawn) % PARTS == 0;
}

static void every_bound_gives_right_results(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    struct clg_device *device = clg_test_host.engine.device;
    (void)state;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        device->facts.workspace_max = bounds[b];
        clg_engine_retune(&clg_test_host.engine, NULL, NULL); /* other facts, other plans */
        clg_workspace_clear(device);
        for (int w = 0; w < clg_test_host.count; w++)
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                for (int form = 0; form < 8; form++) {
                    if (!is_drawn(b, w, s, form))
                        continue;
                    check_shape(clg_test_host.access[w], shapes[s], form, &random);
                    check_idle(bounds[b]);
                }
    }
}

static uint64_t bound_of(const char *text) {
    struct clg_device *device;
    assert_int_equal(setenv("CLGEMM_WORKSPACE_MAX", text, 1), 0);
    clg_test_assert_success(
        clg_device_adopt(&device, clg_test_host.cl.context, clg_test_host.cl.device));
    const uint64_t bound = device->facts.workspace_max;
    clg_device_close(device);
    unsetenv("CLGEMM_WORKSPACE_MAX");
    return bound;
}

static void the_variable_is_the_bound(void **state) {
    const uint64_t memory = clg_test_host.engine.device->facts.global_memory;
    (void)state;
    assert_true(bound_of("100K") == 100 << 10);
    assert_true(bound_of("0") == 0);
    assert_true(bound_of("much") == memory / 4);
    assert_true(bound_of("1000000000G") == memory); /* more than there is */
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_is_the_bound),
        cmocka_unit_test(every_bound_gives_right_results),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, clg_test_host_setup, clg_test_host_teardown);
}
