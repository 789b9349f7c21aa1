/* SPDX-License-Identifier: Apache-2.0
 * Files of costs: those in the library, and damaged ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gemm/family.h"
#include "program/source.h"
#include "support/check.h"
#include "support/facts.h"
#include "support/rows.h"
#include "tuning/costs.h"

extern const struct clg_source clg_cost_files[];
extern const size_t clg_cost_file_count;

static const char head[] = "{\"schema\": \"clgemm-costs/1\", \"class\": {\"name\": \"x\"},\n"
                           "\"figures\": {\"launch_us\": 2.5, \"later_us\": 1},\n\"rows\": [\n";
static const char row[] =
    "{\"family\": \"tiled\", \"types\": [\"f32\"], \"use\": \"batches\", \"fixed_us\": 4.5, "
    "\"resident\": 2, \"step_ns\": [1, 2.5, 3], \"params\": {\"TILE_M\": 64, \"TILE_N\": 32}},\n";

/* Each file is read without a fault, and each family has a row for some kind of device, but for
 * `panel`, which has rules. */
static void the_library_s_own_are_good(void **state) {
    static struct clg_costs_file file;
    (void)state;
    assert_true(clg_cost_file_count >= 2);
    for (size_t i = 0; i < clg_cost_file_count; i++) {
        assert_true(clg_costs_read(&file, clg_cost_files[i].name, clg_cost_files[i].text,
                                   clg_cost_files[i].length));
        assert_int_equal(file.faults, 0);
        assert_true(file.costs.count > 0 && file.costs.launch_us > 0);
    }
    for (size_t f = 0; clg_families[f]; f++) {
        const size_t gpu = clg_costs_of(clg_test_costs(&clg_test_gpu), clg_families[f]).count;
        const size_t cpu = clg_costs_of(clg_test_costs(&clg_test_cpu), clg_families[f]).count;
        assert_true(clg_families[f] == &clg_family_panel || gpu + cpu > 0);
    }
}

/* What is written is read again, with the device. */
static void written_costs_are_read(void **state) {
    static struct clg_costs_file file, again;
    const struct clg_costs *costs = &file.costs;
    size_t size;
    file.device = (struct clg_tuning_device){.name = "a \"device\"",
                                             .vendor = "v",
                                             .platform = "p",
                                             .driver = "1.2",
                                             .compute_units = 5};
    file.costs = *clg_test_costs(&clg_test_hopper);
    char *text = clg_costs_format(&file, &size);
    (void)state;
    assert_true(clg_costs_are_in(text, size) && !clg_costs_are_in(text, 10));
    assert_true(clg_costs_read(&again, "a file", text, size));
    assert_int_equal(again.faults, 0);
    assert_true(clg_tuning_same_device(&file.device, &again.device));
    assert_string_equal(again.costs.source, costs->source);
    assert_int_equal(again.costs.count, costs->count);
    assert_true(again.costs.copy_rate == costs->copy_rate && again.costs.hidden == costs->hidden);
    for (size_t i = 0; i < costs->count; i++) {
        const struct clg_cost_row *a = &costs->rows[i], *b = &again.costs.rows[i];
        assert_true(a->family == b->family && a->types == b->types && a->use == b->use &&
                    a->least_k == b->least_k && a->most_k == b->most_k &&
                    a->least_vector == b->least_vector && a->most_vector == b->most_vector &&
                    a->along_k == b->along_k && clg_params_equal(&a->params, &b->params) &&
                    a->resident == b->resident && a->resident_scalars == b->resident_scalars &&
                    fabsf(a->fixed_us - b->fixed_us) <= 1e-4F * a->fixed_us &&
                    fabsf(a->step_ns[1] - b->step_ns[1]) <= 1e-4F * a->step_ns[1]);
    }
    assert_true(clg_costs_read(&again, "a file", text, size - strlen("]}\n")));
    assert_int_equal(again.faults, 1);
    free(text);
}

static size_t read_with(const char *line, struct clg_costs_file *file) {
    char text[4096];
    const int size = snprintf(text, sizeof text, "%s%s%s]}\n", head, line, row);
    assert_true(clg_costs_read(file, "a file", text, (size_t)size));
    return file->faults;
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
    static struct clg_costs_file file;
    (void)state;
    assert_int_equal(read_with("", &file), 0);
    assert_int_equal(file.costs.count, 1);
    assert_true(file.costs.launch_us == 2.5);
    assert_int_equal(file.costs.rows[0].params.tile_m, 64);
    assert_int_equal(file.costs.rows[0].use, CLG_FOR_BATCHES);
    assert_true(file.costs.rows[0].step_ns[1] == 2.5F);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (read_with(lines[i], &file) != 1 || file.costs.count != 1)
            fail_msg("line %zu", i);
    }
}

/* More rows than there is room for are left out, too. */
static void there_is_a_most(void **state) {
    static struct clg_costs_file file;
    static char text[(CLG_COST_ROWS + 10) * sizeof row];
    (void)state;
    strcpy(text, head);
    for (int i = 0; i < CLG_COST_ROWS + 3; i++)
        strcat(text, row);
    strcat(text, "]}\n");
    assert_true(clg_costs_read(&file, "a file", text, strlen(text)));
    assert_int_equal(file.faults, 3);
    assert_int_equal(file.costs.count, CLG_COST_ROWS);
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
    static struct clg_costs_file file;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_false(clg_costs_read(&file, "a file", files[i], strlen(files[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_s_own_are_good), cmocka_unit_test(written_costs_are_read),
        cmocka_unit_test(a_damaged_row_is_left_out),  cmocka_unit_test(there_is_a_most),
        cmocka_unit_test(another_head_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
