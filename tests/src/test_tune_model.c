/* SPDX-License-Identifier: Apache-2.0
 * The fit of costs to measured times: costs that predict them are found again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gemm/family.h"
#include "src/tuner/model.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/rows.h"

enum { PROBES = 6 * CLG_COST_ROWS };

static struct clg_costs truth, costs;
static struct clg_probe probes[PROBES];
static const struct clg_facts *device = &clg_test_hopper;

/* What a device with the true costs takes for the probe. */
static double true_us(const struct clg_probe *probe) {
    static struct clg_costs one;
    struct clg_problem problem;
    struct clg_list list = {.count = 0};
    one = truth;
    if (probe->row >= 0) {
        one.rows[0] = truth.rows[probe->row];
        one.count = 1;
        if (one.rows[0].use != CLG_FOR_BATCHES)
            one.rows[0].use = CLG_FOR_WHOLE;
    }
    assert_int_equal(clg_tuning_problem(&problem, &probe->shape), 0);
    probe->family->candidates(&problem, device, &one, &list);
    assert_true(list.count > 0);
    return list.at[0].us;
}

/* Costs that differ from the true ones by up to a factor of 2 in each number that is measured. */
static int start(void) {
    uint64_t state = 7;
    truth = *clg_test_costs(&clg_test_hopper);
    costs = truth;
    for (size_t r = 0; r < costs.count; r++)
        for (int i = 0; i < 3; i++)
            costs.rows[r].step_ns[i] *=
                (float)exp2((double)(clg_random_next(&state) >> 11) * 0x1p-52 - 1);
    costs.thin_rate *= 2;
    costs.read_rate *= 2;
    costs.tensor_tf32_us *= 1.5;
    truth.enqueue_us *= 2; /* another host */
    truth.enqueue_two_us *= 1.5;
    for (size_t r = 0; r < truth.count; r++)
        truth.rows[r].fixed_us *= 1.1F;
    return clg_model_probes(&costs, &clg_test_hopper, probes, PROBES);
}

static double loss(void) {
    const struct clg_model_change change = clg_model_compare(&costs, &truth, &clg_test_hopper);
    assert_true(change.problems > 300);
    return pow(change.faster, (double)change.chosen / change.problems);
}

static void true_costs_are_found(void **state) {
    const int count = start();
    (void)state;
    assert_true(count > 300 && count < PROBES);
    const double before = loss();
    for (int i = 0; i < count; i++)
        probes[i].us = true_us(&probes[i]);
    clg_model_fit(&costs, &clg_test_hopper, probes, count);
    int others = 0; /* rows for which another set of numbers predicts the same times */
    for (size_t r = 0; r < costs.count; r++) {
        const struct clg_cost_row *row = &costs.rows[r], *right = &truth.rows[r];
        assert_int_equal(row->measured, right->step_ns[2] > 0);
        others += fabs(row->step_ns[2] - right->step_ns[2]) > 0.03 * right->step_ns[2] ||
                  fabs(row->fixed_us - right->fixed_us) > 0.1 * right->fixed_us;
    }
    assert_true(others <= 2);
    assert_true(fabs(costs.enqueue_us / truth.enqueue_us - 1) < 0.03);
    assert_true(fabs(costs.enqueue_two_us / truth.enqueue_two_us - 1) < 0.03);
    assert_true(fabs(costs.thin_rate / truth.thin_rate - 1) < 0.03);
    assert_true(fabs(costs.read_rate / truth.read_rate - 1) < 0.03);
    assert_true(fabs(costs.tensor_tf32_us / truth.tensor_tf32_us - 1) < 0.03);
    assert_true(before > 1.02 && loss() < 1.005);
}

/* The most used rows come first, so a part of the measurements is enough for most choices. */
static void the_rest_is_carried_over(void **state) {
    const int count = start();
    (void)state;
    for (size_t r = 0; r < costs.count; r++) /* a device that is three times slower */
        for (int i = 0; i < 3; i++)
            costs.rows[r].step_ns[i] = truth.rows[r].step_ns[i] / 3;
    for (int i = 0; i < count / 2; i++)
        probes[i].us = true_us(&probes[i]);
    clg_model_fit(&costs, &clg_test_hopper, probes, count);
    int carried = 0;
    for (size_t r = 0; r < costs.count; r++)
        if (truth.rows[r].step_ns[2] > 0 && !costs.rows[r].measured) {
            assert_true(fabs(costs.rows[r].step_ns[2] / truth.rows[r].step_ns[2] - 1) < 0.1);
            carried++;
        }
    assert_true(carried > 10);
    assert_true(loss() < 1.025);
}

/* Costs that are right stay, also where kernels take longer than the host. */
static void right_costs_stay(void **state) {
    static struct clg_facts small;
    static const struct clg_facts *const devices[] = {&clg_test_hopper, &clg_test_gpu, &small};
    (void)state;
    small = clg_test_gpu;
    small.compute_units = 8;
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        device = devices[d];
        truth = costs = *clg_test_costs(device);
        const int count = clg_model_probes(&costs, device, probes, PROBES);
        assert_true(count > 10);
        for (int i = 0; i < count; i++)
            probes[i].us = true_us(&probes[i]);
        clg_model_fit(&costs, device, probes, count);
        assert_true(fabs(costs.enqueue_us / truth.enqueue_us - 1) < 0.02);
        assert_true(fabs(costs.enqueue_two_us / truth.enqueue_two_us - 1) < 0.02);
        for (size_t r = 0; r < costs.count; r++)
            assert_true(fabs(costs.rows[r].fixed_us - truth.rows[r].fixed_us) <
                        0.05 * (0.1 + truth.rows[r].fixed_us));
    }
    device = &clg_test_hopper;
}

/* Nothing measured: nothing changes. Measured rows are not measured again. */
static void it_can_go_on(void **state) {
    const int count = start();
    static struct clg_costs same;
    (void)state;
    same = costs;
    clg_model_fit(&costs, &clg_test_hopper, probes, count);
    assert_memory_equal(&same, &costs, sizeof costs);
    for (int i = 0; i < count; i++)
        if (i < count / 2)
            probes[i].us = true_us(&probes[i]);
    clg_model_fit(&costs, &clg_test_hopper, probes, count);
    const int left = clg_model_probes(&costs, &clg_test_hopper, probes, PROBES);
    assert_true(left < count * 3 / 4);
    for (int i = 0; i < left; i++)
        assert_true(probes[i].figure || !costs.rows[probes[i].row].measured);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_costs_are_found),
        cmocka_unit_test(the_rest_is_carried_over),
        cmocka_unit_test(right_costs_stay),
        cmocka_unit_test(it_can_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
