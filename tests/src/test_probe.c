/* SPDX-License-Identifier: Apache-2.0
 * Probes: plausible answers, "no" if nothing works, and no lasting changes. */
#define _GNU_SOURCE /* strcasestr, sigaction */
#include <signal.h>
#include <string.h>

#include "device/facts.h"
#include "src/info/probe.h"
#include "support/check.h"
#include "support/device.h"

enum { KIB = 1024, SMALL = 16 * KIB, FULL_PROFILE_LOCAL = 32 * KIB, MOST_TRIED = 224 * KIB };

struct fixture {
    struct clg_test_cl cl;
    struct clg_facts facts;
    struct clg_probes probes;
};

static int open_device(void **state) {
    static struct fixture fixture;
    clg_test_cl_open(&fixture.cl, 0);
    clg_test_assert_success(clg_facts_query(fixture.cl.device, &fixture.facts));
    clg_probes_run(fixture.cl.device, &fixture.facts, &fixture.probes);
    *state = &fixture;
    return 0;
}

static int close_device(void **state) {
    struct fixture *fixture = *state;
    clg_test_cl_close(&fixture->cl);
    return 0;
}

static void assert_same(const struct clg_probes *a, const struct clg_probes *b) {
    assert_int_equal(a->local_static, b->local_static);
    assert_int_equal(a->subgroup, b->subgroup);
    assert_int_equal(a->fast_fma, b->fast_fma);
    assert_int_equal(a->inline_ptx, b->inline_ptx);
}

static void answers_are_plausible(void **state) {
    const struct fixture *fixture = *state;
    assert_true(fixture->probes.local_static >= FULL_PROFILE_LOCAL);
    if (fixture->facts.kind != CLG_DEVICE_GPU)
        assert_true(fixture->probes.local_static <= fixture->facts.local_memory);
    assert_in_range(fixture->probes.subgroup, 1, fixture->facts.max_work_group);
    if (!strcasestr(fixture->facts.vendor, "NVIDIA"))
        assert_false(fixture->probes.inline_ptx);
}

/* A positive rate for each kind, if there are such tensor cores. No value is expected, because the
 * device may be shared. */
static void rates_are_of_devices_that_have_both(void **state) {
    const struct fixture *fixture = *state;
    const struct clg_rates *rates = &fixture->probes.rates;
    assert_int_equal(rates->products > 0, fixture->facts.mma);
    assert_int_equal(rates->multiply_adds > 0, fixture->facts.mma);
}

static void a_second_run_agrees(void **state) {
    const struct fixture *fixture = *state;
    struct clg_probes again;
    memset(&again, 0xff, sizeof again);
    clg_probes_run(fixture->cl.device, &fixture->facts, &again);
    assert_same(&again, &fixture->probes);
}

static void one_work_item_is_enough(void **state) {
    const struct fixture *fixture = *state;
    struct clg_facts facts = fixture->facts;
    struct clg_probes probes;
    facts.max_work_group = 1;
    clg_probes_run(fixture->cl.device, &facts, &probes);
    assert_same(&probes, &fixture->probes);
}

static void only_gpus_are_tried_beyond_what_they_report(void **state) {
    const struct fixture *fixture = *state;
    struct clg_facts facts = fixture->facts;
    struct clg_probes probes;
    if (fixture->probes.local_static < MOST_TRIED)
        skip();
    facts.local_memory = SMALL;
    facts.kind = CLG_DEVICE_CPU;
    clg_probes_run(fixture->cl.device, &facts, &probes);
    assert_int_equal(probes.local_static, SMALL);
    facts.kind = CLG_DEVICE_GPU;
    clg_probes_run(fixture->cl.device, &facts, &probes);
    assert_int_equal(probes.local_static, MOST_TRIED);
}

static void assert_all_no(const struct clg_probes *probes) {
    static const struct clg_probes none;
    assert_same(probes, &none);
    assert_true(probes->rates.products == 0 && probes->rates.multiply_adds == 0);
}

static void an_unusable_device_is_left_alone(void **state) {
    const struct fixture *fixture = *state;
    struct clg_facts facts = fixture->facts;
    struct clg_probes probes;
    memset(&probes, 0xff, sizeof probes);
    facts.has_compiler = false;
    clg_probes_run(fixture->cl.device, &facts, &probes);
    assert_all_no(&probes);
}

static void a_device_that_fails_is_a_no(void **state) {
    const struct fixture *fixture = *state;
    struct clg_probes probes;
    memset(&probes, 0xff, sizeof probes);
    clg_probes_run(NULL, &fixture->facts, &probes);
    assert_all_no(&probes);
}

/* A device without memory for any of the arrays: kernels may build or not, but nothing may count as
 * measured. */
static void no_local_memory_is_a_no(void **state) {
    const struct fixture *fixture = *state;
    struct clg_facts facts = fixture->facts;
    struct clg_probes probes;
    facts.kind = CLG_DEVICE_CPU;
    facts.local_memory = 0;
    clg_probes_run(fixture->cl.device, &facts, &probes);
    assert_int_equal(probes.local_static, 0);
    assert_int_equal(probes.subgroup, fixture->probes.subgroup);
}

static void handler(int number) {
    (void)number;
}

static void signal_handlers_survive(void **state) {
    const struct fixture *fixture = *state;
    static const int numbers[] = {SIGINT, SIGUSR1, SIGFPE};
    enum { COUNT = sizeof numbers / sizeof numbers[0] };
    struct sigaction ours = {.sa_handler = handler}, before[COUNT], after;
    struct clg_probes probes;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(sigaction(numbers[i], &ours, &before[i]), 0);
    clg_probes_run(fixture->cl.device, &fixture->facts, &probes);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(sigaction(numbers[i], &before[i], &after), 0);
        assert_true(after.sa_handler == handler);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_plausible),
        cmocka_unit_test(rates_are_of_devices_that_have_both),
        cmocka_unit_test(a_second_run_agrees),
        cmocka_unit_test(one_work_item_is_enough),
        cmocka_unit_test(only_gpus_are_tried_beyond_what_they_report),
        cmocka_unit_test(an_unusable_device_is_left_alone),
        cmocka_unit_test(a_device_that_fails_is_a_no),
        cmocka_unit_test(no_local_memory_is_a_no),
        cmocka_unit_test(signal_handlers_survive),
    };
    clg_test_require_device();
    return cmocka_run_group_tests(tests, open_device, close_device);
}
