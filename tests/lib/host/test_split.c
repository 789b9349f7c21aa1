/* SPDX-License-Identifier: Apache-2.0
 * How products are divided among devices of drawn speeds, and among made-up ones by their plans. No
 * device is needed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "host/plan.h"
#include "host/split.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/form.h"

/* ---- Drawn devices ---- */

struct speeds {
    double fixed, bus, rate; /* seconds, bytes and operations a second */
};

struct drawn {
    struct speeds of[CLG_DEVICES_MOST];
    double copying; /* bytes a second of the host, for all devices */
};

/* The longest of what a pipeline does at the same time. */
static double seconds_of(void *user, const struct clg_problem *p, int device, int devices) {
    const struct drawn *drawn = user;
    const struct speeds *s = &drawn->of[device];
    const double elements =
        (double)p->m * (double)p->k + (double)p->k * (double)p->n + (double)p->m * (double)p->n;
    const double bytes = 4 * elements * (double)p->batch;
    const double bus = bytes / s->bus, copies = bytes * devices / drawn->copying;
    const double computes = clg_problem_flops(p) * (double)p->batch / s->rate;
    return s->fixed + fmax(computes, fmax(bus, copies));
}

static struct drawn draw(struct clg_test_random *random, int devices, bool alike) {
    struct drawn out = {.copying = 1e9 * (double)(clg_test_range(random, 1, 200))};
    for (int d = 0; d < devices; d++) {
        out.of[d] = (struct speeds){.fixed = 1e-4 * (double)clg_test_range(random, 0, 3),
                                    .bus = 1e9 * (double)(clg_test_range(random, 1, 60)),
                                    .rate = 1e11 * (double)(clg_test_range(random, 1, 99))};
        if (alike)
            out.of[d] = out.of[0];
    }
    return out;
}

/* So that starting threads takes no time. */
static void slow_down(struct drawn *drawn, int devices) {
    const double times = 1e3;
    drawn->copying /= times;
    for (int d = 0; d < devices; d++) {
        drawn->of[d].fixed *= times;
        drawn->of[d].bus /= times;
        drawn->of[d].rate /= times;
    }
}

static struct clg_problem problem(int64_t m, int64_t n, int64_t k, int64_t batch) {
    const struct clg_test_form form = {.m = m, .n = n, .k = k, .batch = batch};
    return clg_test_form_problem(&form, CLGEMM_F32);
}

/* ---- Every element once ---- */

static bool meet(int64_t x, int64_t x_length, int64_t y, int64_t y_length) {
    return x < y + y_length && y < x + x_length;
}

/* Shares that do not meet and have as many elements as C, times k, cover it. */
static void check_cover(const struct clg_split *split, const struct clg_problem *p, int devices) {
    int64_t elements = 0;
    double last = 0;
    assert_in_range(split->count, 1, devices);
    for (int i = 0; i < split->count; i++) {
        const struct clg_split_share *s = &split->shares[i];
        assert_in_range(s->device, 0, devices - 1);
        assert_true(s->rows > 0 && s->cols > 0 && s->products > 0);
        assert_true(s->row >= 0 && s->row + s->rows <= p->m && s->row % CLG_PIPE_SIDE == 0);
        assert_true(s->col >= 0 && s->col + s->cols <= p->n && s->col % CLG_PIPE_SIDE == 0);
        assert_true(s->product >= 0 && s->product + s->products <= p->batch);
        assert_true(s->k >= 0 && s->depth > 0 && s->k + s->depth <= p->k);
        assert_true(clg_split_is_apart(s) == (s->k > 0 && i > 0));
        elements += s->rows * s->cols * s->products * s->depth;
        last = fmax(last, s->seconds);
        for (int j = 0; j < i; j++) {
            const struct clg_split_share *t = &split->shares[j];
            assert_int_not_equal(s->device, t->device);
            assert_false(meet(s->row, s->rows, t->row, t->rows) &&
                         meet(s->col, s->cols, t->col, t->cols) &&
                         meet(s->k, s->depth, t->k, t->depth) &&
                         meet(s->product, s->products, t->product, t->products));
        }
    }
    assert_true(elements == p->m * p->n * p->batch * p->k);
    assert_true(split->seconds >= last && split->seconds <= split->alone);
}

static void each_element_has_one_device(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    (void)state;
    for (int devices = 1; devices <= CLG_DEVICES_MOST; devices++)
        for (int turn = 0; turn < 4; turn++) {
            struct drawn drawn = draw(&random, devices, turn % 2);
            const int64_t batch = turn == 3 ? clg_test_range(&random, 1, 100) : 1;
            const struct clg_problem p =
                problem(clg_test_range(&random, 1, 9000), clg_test_range(&random, 1, 9000),
                        clg_test_range(&random, 1, 5000), batch);
            struct clg_split split, again;
            clg_split_by(&split, &p, devices, seconds_of, &drawn);
            check_cover(&split, &p, devices);
            clg_split_by(&again, &p, devices, seconds_of, &drawn);
            assert_int_equal(again.count, split.count);
            for (int i = 0; i < split.count; i++) {
                assert_int_equal(again.shares[i].device, split.shares[i].device);
                assert_true(again.shares[i].rows == split.shares[i].rows);
                assert_true(again.shares[i].cols == split.shares[i].cols);
            }
        }
}

/* ---- As good as can be ---- */

/* The least time by trying every way to cut C along one side, in units of CLG_PIPE_SIDE. */
struct search {
    const struct clg_problem *p;
    struct drawn *drawn;
    int devices;
    bool rows;
    int64_t units[CLG_DEVICES_MOST];
    double best;
};

static void judge(struct search *s) {
    int active = 0;
    double last = 0;
    for (int d = 0; d < s->devices; d++)
        active += s->units[d] > 0;
    for (int d = 0; d < s->devices; d++) {
        struct clg_split_share share = {
            .rows = s->p->m, .cols = s->p->n, .products = 1, .depth = s->p->k};
        *(s->rows ? &share.rows : &share.cols) = s->units[d] * CLG_PIPE_SIDE;
        const struct clg_problem part = clg_split_problem(s->p, &share);
        if (s->units[d] > 0)
            last = fmax(last, seconds_of(s->drawn, &part, d, active));
    }
    s->best = fmin(s->best, last);
}

static void try_all(struct search *s, int device, int64_t left) {
    if (device == s->devices - 1) {
        s->units[device] = left;
        judge(s);
        return;
    }
    for (int64_t units = 0; units <= left; units++) {
        s->units[device] = units;
        try_all(s, device + 1, left - units);
    }
}

static void no_other_cut_is_much_better(void **state) {
    struct clg_test_random random = clg_test_random_start(2);
    enum { UNITS = 24 };
    double worst = 1;
    int shared = 0;
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        const int devices = 2 + turn % 2;
        struct drawn drawn = draw(&random, devices, turn % 5 == 0);
        slow_down(&drawn, devices);
        const int64_t other = CLG_PIPE_SIDE * (4 + clg_test_range(&random, 0, 2 * UNITS));
        const int64_t cut = CLG_PIPE_SIDE * UNITS, k = 500 + clg_test_range(&random, 0, 5000);
        const bool rows = cut > other;
        const struct clg_problem p = rows ? problem(cut, other, k, 1) : problem(other, cut, k, 1);
        struct clg_split split;
        struct search search = {.p = &p, .drawn = &drawn, .devices = devices, .best = HUGE_VAL};
        clg_split_by(&split, &p, devices, seconds_of, &drawn);
        check_cover(&split, &p, devices);
        for (int side = 0; side < 2; side++) {
            search.rows = side;
            try_all(&search, 0, (side ? p.m : p.n) / CLG_PIPE_SIDE);
        }
        worst = fmax(worst, split.seconds / search.best);
        shared += split.count > 1;
    }
    print_message("%d shared, %.3f of the best at worst\n", shared, worst);
    assert_true(shared > 50);
    assert_true(worst < 1.03);
}

static void devices_that_are_alike_have_all_a_share(void **state) {
    struct drawn drawn;
    (void)state;
    for (int devices = 1; devices <= CLG_DEVICES_MOST; devices++) {
        const struct clg_problem p = problem(8192, 8192, 8192, 1);
        struct clg_split split;
        for (int d = 0; d < devices; d++)
            drawn.of[d] = (struct speeds){0, 1e12, 1e12};
        drawn.copying = 1e15;
        clg_split_by(&split, &p, devices, seconds_of, &drawn);
        check_cover(&split, &p, devices);
        assert_true(split.count >= devices - devices / 8);
        assert_true(split.alone / split.seconds > 0.85 * split.count);
    }
}

static void those_that_do_not_help_are_left_out(void **state) {
    struct drawn drawn = {.of = {{0, 50e9, 1e10}, {0, 50e9, 1e13}, {0, 50e9, 1e13}, {1, 1e9, 1e13}},
                          .copying = 1e12};
    const struct clg_problem p = problem(4096, 4096, 4096, 1), small = problem(64, 64, 64, 1);
    struct clg_split split;
    (void)state;
    clg_split_by(&split, &p, 4, seconds_of, &drawn);
    check_cover(&split, &p, 4);
    assert_int_equal(split.count, 2);
    assert_int_equal(split.shares[0].device, 1);
    assert_int_equal(split.shares[1].device, 2);
    clg_split_by(&split, &small, 4, seconds_of, &drawn);
    assert_int_equal(split.count, 1);
    assert_int_equal(split.shares[0].device, 0); /* the handle's own */
}

/* The host copies no faster for two devices than for one. */
static void the_hosts_memory_is_shared(void **state) {
    struct drawn drawn = {.of = {{0, 50e9, 1e13}, {0, 50e9, 1e13}}, .copying = 20e9};
    const struct clg_problem p = problem(8192, 8192, 64, 1);
    struct clg_split split;
    (void)state;
    clg_split_by(&split, &p, 2, seconds_of, &drawn);
    assert_int_equal(split.count, 1);
    drawn.copying = 100e9;
    clg_split_by(&split, &p, 2, seconds_of, &drawn);
    assert_int_equal(split.count, 2);
}

/* ---- What moves the least ---- */

static void the_long_side_is_cut(void **state) {
    struct drawn drawn = {.copying = 1e15};
    const int64_t sizes[][2] = {{8192, 1000}, {1000, 8192}, {8192, 8192}};
    struct clg_split split;
    (void)state;
    for (int d = 0; d < 4; d++)
        drawn.of[d] = (struct speeds){0, 50e9, 1e12};
    for (int i = 0; i < 3; i++) {
        const struct clg_problem p = problem(sizes[i][0], sizes[i][1], 4096, 1);
        clg_split_by(&split, &p, 4, seconds_of, &drawn);
        check_cover(&split, &p, 4);
        assert_int_equal(split.count, 4);
        assert_int_equal(split.shares[0].rows == p.m, i == 1);
        assert_int_equal(split.shares[0].cols == p.n, i == 0); /* the last is a grid */
    }
}

static void products_of_a_batch_are_dealt(void **state) {
    struct drawn drawn = {.of = {{0, 50e9, 1e12}, {0, 50e9, 2e12}}, .copying = 1e15};
    const struct clg_problem p = problem(300, 300, 300, 3000);
    struct clg_split split;
    (void)state;
    clg_split_by(&split, &p, 2, seconds_of, &drawn);
    check_cover(&split, &p, 2);
    assert_int_equal(split.count, 2);
    assert_true(split.shares[0].rows == 300 && split.shares[0].cols == 300);
    assert_int_equal(split.shares[0].device, 1);
    assert_in_range(split.shares[0].products, 1900, 2100);
}

/* A small C of long sums: slices of k, so that no device needs a whole A or B. */
static void long_sums_are_sliced(void **state) {
    struct drawn drawn = {.of = {{0, 50e9, 1e13}, {0, 50e9, 1e13}, {0, 25e9, 1e13}},
                          .copying = 1e15};
    struct clg_problem p = problem(300, 300, 10000000, 1);
    struct clg_split split;
    (void)state;
    clg_split_by(&split, &p, 3, seconds_of, &drawn);
    check_cover(&split, &p, 3);
    assert_int_equal(split.count, 3);
    for (int i = 0; i < 3; i++)
        assert_in_range(split.shares[i].depth, i < 2 ? 3900000 : 1900000,
                        i < 2 ? 4100000 : 2100000);
    assert_true(split.seconds < 0.41 * split.alone);
    p = clg_test_form_problem(
        &(struct clg_test_form){.m = 300, .n = 300, .k = 10000000, .batch = 1}, CLGEMM_F16);
    clg_split_by(&split, &p, 3, seconds_of, &drawn); /* a sum is rounded to 16 bits once */
    check_cover(&split, &p, 3);
    assert_true(split.shares[0].depth == p.k);
}

/* ---- By plans ---- */

static struct clg_facts gpu(uint32_t units) {
    struct clg_facts facts = clg_test_hopper;
    snprintf(facts.vendor, sizeof facts.vendor, "NVIDIA Corporation");
    facts.compute_units = units;
    facts.shares_host_memory = false;
    facts.global_memory = 80ULL << 30;
    facts.max_allocation = 20ULL << 30;
    facts.workspace_max = 40ULL << 30;
    facts.arch = clg_facts_architecture(&facts, 0);
    return facts;
}

static void plans_of_devices_end_together(void **state) {
    const struct clg_facts fast = gpu(132), slow = gpu(66);
    const struct clg_split_device devices[] = {
        {&slow, NULL, true}, {&fast, NULL, true}, {&fast, NULL, true}};
    const struct clg_problem p = problem(16384, 16384, 16384, 1);
    struct clg_split split;
    (void)state;
    clg_split_make(&split, &p, false, devices, 3, 32);
    check_cover(&split, &p, 3);
    assert_int_equal(split.count, 3);
    assert_int_equal(split.shares[2].device, 0);
    for (int i = 0; i < 3; i++)
        assert_true(split.shares[i].seconds > 0.9 * split.seconds);
    assert_true(split.shares[0].cols * split.shares[0].rows >
                split.shares[2].cols * split.shares[2].rows * 3 / 2);
    const struct clg_problem cube = problem(512, 512, 512, 1);
    clg_split_make(&split, &cube, false, devices, 3, 32);
    assert_int_equal(split.count, 1);
}

/* One device cannot compute the type; the other is a CPU, whose threads the copies need. */
static void some_cannot_or_would_be_in_the_way(void **state) {
    struct clg_facts old = gpu(132), fast = gpu(132), cpu = clg_test_cpu;
    const struct clg_split_device devices[] = {
        {&old, NULL, true}, {&fast, NULL, true}, {&cpu, NULL, false}};
    const struct clg_test_form form = {.m = 8192, .n = 8192, .k = 4096, .batch = 1};
    const struct clg_problem p = clg_test_form_problem(&form, CLGEMM_CF64);
    struct clg_split split;
    (void)state;
    snprintf(old.name, sizeof old.name, "old");
    old.has_fp64 = false;
    fast.has_fp64 = cpu.has_fp64 = true;
    clg_split_make(&split, &p, true, devices, 3, 8);
    check_cover(&split, &p, 3);
    assert_int_equal(split.count, 1);
    assert_int_equal(split.shares[0].device, 1);
    clg_split_make(&split, &p, true, devices, 1, 8); /* none can: the call will say so */
    assert_int_equal(split.count, 1);
}

static void shares_are_named(void **state) {
    const struct clg_split split = {
        .count = 2,
        .shares = {{.device = 1, .rows = 64, .cols = 50, .products = 2, .depth = 10},
                   {.device = 0,
                    .row = 64,
                    .rows = 6,
                    .cols = 50,
                    .product = 2,
                    .products = 1,
                    .k = 4,
                    .depth = 6}}};
    const char *const places[] = {"0:0", "1:2"};
    struct clg_problem p = problem(70, 50, 10, 1);
    char text[256], cut[10];
    (void)state;
    clg_split_describe(&split, &p, places, text, sizeof text);
    assert_string_equal(text, "1:2 rows 0-63 columns 0-49, 0:0 rows 64-69 columns 0-49 of k 4-9");
    p.batch = 3;
    clg_split_describe(&split, &p, places, text, sizeof text);
    assert_non_null(strstr(text, "columns 0-49 products 0-1, 0:0"));
    clg_split_describe(&split, &p, places, cut, sizeof cut);
    assert_string_equal(cut, "1:2 rows ");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_element_has_one_device),
        cmocka_unit_test(no_other_cut_is_much_better),
        cmocka_unit_test(devices_that_are_alike_have_all_a_share),
        cmocka_unit_test(those_that_do_not_help_are_left_out),
        cmocka_unit_test(the_hosts_memory_is_shared),
        cmocka_unit_test(the_long_side_is_cut),
        cmocka_unit_test(products_of_a_batch_are_dealt),
        cmocka_unit_test(plans_of_devices_end_together),
        cmocka_unit_test(some_cannot_or_would_be_in_the_way),
        cmocka_unit_test(long_sums_are_sliced),
        cmocka_unit_test(shares_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
