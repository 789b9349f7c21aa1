/* SPDX-License-Identifier: Apache-2.0
 * What reports say of threads that keep polling after a call, and of samples in two clusters. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/report/notes.h"
#include "support/check.h"

static void test_restless(void **state) {
    struct context context = {.items = {{"cores", "2"}}, .count = 1};
    (void)state;
    note_restless(&context, "quiet one", 0);
    assert_int_equal(context.count, 1);
    note_restless(&context, "OpenBLAS", 1.04);
    note_restless(&context, "another", 2.96);
    assert_int_equal(context.count, 2);
    assert_string_equal(context.items[0].value, "2");
    assert_string_equal(context.items[1].key, "not_quiet");
    assert_string_equal(context.items[1].value,
                        "cores that the process kept busy for 0.5 s or longer after calls, so "
                        "that the next measurement shared them: OpenBLAS 1.0, another 3.0");
}

/* What note_heaps writes. */
static char *written(const struct heaps *heaps, double flops) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    note_heaps(out, "512x512x512 NN, host", heaps, flops);
    fclose(out);
    return text;
}

static void test_heaps(void **state) {
    const struct heaps heaps = {5, 4, 0.00143, 0.00266, 2}, none = {0};
    static const char said[] =
        "\n512x512x512 NN, host: the samples fall into two clusters, 1.86 times apart on 2 cores: "
        "sometimes the scheduler let threads share a core with one another or with other "
        "processes. The faster 5 have a median of 1.4300 ms";
    char expected[500];
    (void)state;
    char *text = written(&heaps, 2.0 * 512 * 512 * 512);
    snprintf(expected, sizeof expected, "%s, 187.7 GFLOP/s.\n", said);
    assert_string_equal(text, expected);
    free(text);
    text = written(&heaps, 0);
    snprintf(expected, sizeof expected, "%s.\n", said);
    assert_string_equal(text, expected);
    free(text);
    text = written(&none, 1e9);
    assert_string_equal(text, "");
    free(text);
}

static void test_cells(void **state) {
    const struct heaps heaps = {5, 4, 0.00143, 0.00266, 2}, none = {0};
    char cell[16] = "2.660";
    (void)state;
    note_heap_figure(cell, sizeof cell, &none, 3, 1.43);
    assert_string_equal(cell, "2.660");
    note_heap_figure(cell, sizeof cell, &heaps, 3, 1.43);
    assert_string_equal(cell, "2.660 (1.430)");
    note_heap_figure(cell, sizeof cell, &heaps, 3, 1.43);
    assert_string_equal(cell, "2.660 (1.430) (");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_restless),
                                       cmocka_unit_test(test_heaps), cmocka_unit_test(test_cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
