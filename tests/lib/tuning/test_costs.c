/* SPDX-License-Identifier: Apache-2.0
 * Files of costs: those in the library, and damaged ones. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "gemm/family.h"
#include "program/source.h"
#include "support/check.h"
#include "support/facts.h"
#include "tuning/costs.h"

extern const struct clg_source clg_cost_files[];
extern const size_t clg_cost_file_count;

static const char head[] = "{\"schema\": \"clgemm-costs/1\", \"device\": {\"name\": \"x\"},\n"
                           "\"figures\": {\"launch_us\": 2.5, \"later_us\": 1},\n\"rows\": [\n";
static const char row[] =
    "{\"family\": \"tiled\", \"types\": [\"f32\"], \"use\": \"batches\", \"fixed_us\": 4.5, "
    "\"resident\": 2, \"step_ns\": [1, 2.5, 3], \"params\": {\"TILE_M\": 64, \"TILE_N\": 32}},\n";

/* Each file is read without a fault, and each family has a row for some kind of device, but for
 * `panel`, which has rules. */
static void the_library_s_own_are_good(void **state) {
    static struct clg_costs costs;
    size_t faults;
    (void)state;
    assert_true(clg_cost_file_count >= 2);
    for (size_t i = 0; i < clg_cost_file_count; i++) {
        assert_true(clg_costs_read(&costs, clg_cost_files[i].name, clg_cost_files[i].text,
                                   clg_cost_files[i].length, &faults));
        assert_int_equal(faults, 0);
        assert_true(costs.launch_us > 0 && costs.copy_rate > 0);
    }
    for (size_t f = 0; clg_families[f]; f++) {
        const size_t gpu = clg_costs_of(clg_costs_for(&clg_test_gpu), clg_families[f]).count;
        const size_t cpu = clg_costs_of(clg_costs_for(&clg_test_cpu), clg_families[f]).count;
        assert_true(clg_families[f] == &clg_family_panel || gpu + cpu > 0);
    }
}

static size_t read_with(const char *line, struct clg_costs *costs) {
    char text[4096];
    size_t faults;
    const int size = snprintf(text, sizeof text, "%s%s%s]}\n", head, line, row);
    assert_true(clg_costs_read(costs, "a file", text, (size_t)size, &faults));
    return faults;
}

/* A damaged row loses its line. */
static void a_damaged_row_is_left_out(void **state) {
    static const char *const lines[] = {
        "{\"family\": \"none\", \"params\": {}},\n",
        "{\"family\": \"tiled\"},\n",
        "{\"family\": \"tiled\", \"params\": {\"TILE_X\": 1}},\n",
        "{\"family\": \"tiled\", \"params\": {\"WG_M\": 5000}},\n",
        "{\"family\": \"tiled\", \"params\": {}, \"fixed_us\": -1},\n",
        "{\"family\": \"tiled\", \"params\": {}, \"step_ns\": [1, 2]},\n",
        "{\"family\": \"tiled\", \"params\": {}, \"resident\": 0},\n",
        "{\"family\": \"tiled\", \"params\": {}, \"types\": [\"f31\"]},\n",
        "{\"family\": \"tiled\", \"params\": {}, \"use\": \"never\"},\n",
        "{\"family\": \"tiled\", \"params\": {}} x\n",
        "\x01\xff\n",
    };
    static struct clg_costs costs;
    (void)state;
    assert_int_equal(read_with("", &costs), 0);
    assert_int_equal(costs.count, 1);
    assert_true(costs.launch_us == 2.5);
    assert_int_equal(costs.rows[0].params.tile_m, 64);
    assert_int_equal(costs.rows[0].use, CLG_FOR_BATCHES);
    assert_true(costs.rows[0].step_ns[1] == 2.5F);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (read_with(lines[i], &costs) != 1 || costs.count != 1)
            fail_msg("line %zu", i);
    }
}

/* More rows than there is room for are left out, too. */
static void there_is_a_most(void **state) {
    static struct clg_costs costs;
    static char text[(CLG_COST_ROWS + 10) * sizeof row];
    size_t faults;
    (void)state;
    strcpy(text, head);
    for (int i = 0; i < CLG_COST_ROWS + 3; i++)
        strcat(text, row);
    strcat(text, "]}\n");
    assert_true(clg_costs_read(&costs, "a file", text, strlen(text), &faults));
    assert_int_equal(faults, 3);
    assert_int_equal(costs.count, CLG_COST_ROWS);
}

/* A file with another head is refused whole. */
static void another_head_is_refused(void **state) {
    static const char *const files[] = {
        "",
        "{\"schema\": \"clgemm-costs/2\", \"figures\": {\"launch_us\": 1},\n\"rows\": [\n]}\n",
        "{\"schema\": \"clgemm-costs/1\", \"figures\": {\"launch_us\": -1},\n\"rows\": [\n]}\n",
        "{\"schema\": \"clgemm-costs/1\", \"figures\": {\"launch_us\": \"1\"},\n\"rows\": [\n]}\n",
        "{\"schema\": \"clgemm-costs/1\", \"figures\": {",
        "{\"rows\": [\n]}\n",
    };
    static struct clg_costs costs;
    size_t faults;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_false(clg_costs_read(&costs, "a file", files[i], strlen(files[i]), &faults));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_s_own_are_good),
        cmocka_unit_test(a_damaged_row_is_left_out),
        cmocka_unit_test(there_is_a_most),
        cmocka_unit_test(another_head_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
