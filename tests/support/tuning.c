/* SPDX-License-Identifier: Apache-2.0
 * Rows and devices for tests of tuning tables. */
#include "support/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cache.h"
#include "support/check.h"
#include "support/matrix.h"

struct clg_facts clg_test_cpu_facts(void) {
    return (struct clg_facts){.kind = CLG_DEVICE_CPU,
                              .name = "test CPU",
                              .vendor = "vendor",
                              .driver = "1.0",
                              .platform = "test platform",
                              .available = true,
                              .has_compiler = true,
                              .fast_fma = true,
                              .has_fp64 = true,
                              .compute_units = 4,
                              .float_vector = 16,
                              .global_memory = 8ULL << 30,
                              .workspace_max = 2ULL << 30,
                              .local_memory = 256 << 10,
                              .max_allocation = 2ULL << 30,
                              .max_work_group = 4096,
                              .max_work_items = {4096, 4096, 4096}};
}

struct clg_tuning_row clg_test_row(int64_t size, int reg_n, double ms) {
    return (struct clg_tuning_row){
        .shape = {.m = size, .n = size, .k = size, .aligned = true},
        .family = &clg_family_panel,
        .params = {.tile_m = 64, .tile_n = 4 * reg_n, .tile_k = 64, .vec = 16, .reg_n = reg_n},
        .ms = ms,
        .date = "2026-01-01",
        .version = "0.1.0"};
}

struct clg_tuning *clg_test_tuning_with(const struct clg_tuning *base,
                                        const struct clg_tuning_row *rows, size_t count) {
    struct clg_tuning *table = clg_tuning_new();
    assert_non_null(table);
    assert_true(clg_tuning_add_all(table, base));
    for (size_t i = 0; i < count; i++)
        assert_true(clg_tuning_add(table, &rows[i], CLG_TUNING_IMPORTED, true, true));
    return table;
}

char *clg_test_tuning_text(const struct clg_facts *facts, const struct clg_tuning_row *rows,
                           size_t count, size_t *size) {
    struct clg_tuning_row *copies = clg_test_alloc(count * sizeof *copies);
    const struct clg_tuning_file file = {
        .device = clg_tuning_device_of(facts), .rows = copies, .count = count};
    if (count > 0)
        memcpy(copies, rows, count * sizeof *rows);
    char *text = clg_tuning_file_format(&file, size);
    free(copies);
    assert_non_null(text);
    return text;
}

void clg_test_tuning_file(const char *path, const struct clg_facts *facts,
                          const struct clg_tuning_row *rows, size_t count) {
    size_t size;
    char *text = clg_test_tuning_text(facts, rows, count, &size);
    clg_test_file_write(path, text, size);
    free(text);
}

bool clg_test_same_row(const struct clg_tuning_row *left, const struct clg_tuning_row *right) {
    return clg_tuning_same_class(&left->shape, &right->shape) && left->family == right->family &&
           clg_params_equal(&left->params, &right->params) && fabs(left->ms - right->ms) < 1e-6 &&
           strcmp(left->date, right->date) == 0 && strcmp(left->version, right->version) == 0;
}
