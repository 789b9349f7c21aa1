/* SPDX-License-Identifier: Apache-2.0
 * The plots of searches, from made-up histories. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "src/tune/plot.h"
#include "support/check.h"

#define RECORD(of, tile, when, how, seconds)                                              \
    {                                                                                     \
        .candidate = {.family = &clg_family_##of, .params.tile_m = (tile)}, .at = (when), \
        .verdict = CLG_TRIAL_##how, .median = (seconds)                                   \
    }

/* Three good ones, two of which are the best so far in their turn; a slow one; two without
 * times. */
static struct tune_record history[] = {
    RECORD(tiled, 64, 1, GOOD, 2e-3), RECORD(tiled, 64, 2, WRONG, 0),
    RECORD(direct, 8, 3, SLOW, 9e-3), RECORD(tiled, 8, 4, GOOD, 1e-3),
    RECORD(direct, 8, 5, FAILED, 0),  RECORD(tiled, 64, 6, GOOD, 1.5e-3),
};
enum { TRIED = sizeof history / sizeof *history };

static struct tune_result results[] = {
    {.shape = {.m = 100, .n = 100, .k = 100}, .history = history, .num_history = TRIED},
    {.shape = {.m = 50, .n = 60, .k = 70, .ta = true}, .why = "no candidate could be run"}};

/* The text that `draw` writes; free it. */
static char *drawn(void (*draw)(FILE *, const struct tune_job *)) {
    static char command[] = "clgemm tune", option[] = "--report", value[] = "<a & b>.svg";
    char *const argv[] = {command, option, value, NULL};
    struct tune_job job = {.command = command,
                           .argv = argv,
                           .budget = 60,
                           .facts = {.name = "A <b> & \"c\"", .driver = "1 < 2"},
                           .results = results,
                           .count = 2};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    draw(out, &job);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int count(const char *text, const char *what) {
    int found = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        found++;
    return found;
}

static void schemes_have_their_best(void **state) {
    struct tune_scheme schemes[TUNE_SCHEMES];
    (void)state;
    assert_int_equal(tune_schemes(schemes, &results[0]), 2);
    assert_ptr_equal(schemes[0].family, &clg_family_tiled);
    assert_ptr_equal(schemes[0].best, &history[3]);
    assert_int_equal(schemes[0].number, 4);
    assert_ptr_equal(schemes[1].family, &clg_family_direct);
    assert_ptr_equal(schemes[1].best, &history[2]);
    assert_int_equal(schemes[0].scheme, CLG_SCHEME_BOTH);
    assert_int_equal(schemes[1].scheme, CLG_SCHEME_NONE);
    assert_int_equal(tune_schemes(schemes, &results[1]), 0);
}

static void everything_is_in_the_drawing(void **state) {
    char *text = drawn(tune_plot_svg);
    (void)state;
    assert_memory_equal(text, "<svg ", 5);
    assert_int_equal(count(text, "<rect") - 1, 2); /* one is the background */
    assert_int_equal(count(text, "fill-opacity=\"0.4\""), 1);
    assert_int_equal(count(text, "<circle"), 3 + 2); /* the good ones, and again the best so far */
    assert_int_equal(count(text, "<title>"), 2 + 5);
    assert_int_equal(count(text, ">2 GFLOP/s") + count(text, ", 2 GFLOP/s"), 1 + 2);
    assert_int_equal(count(text, "100x100x100 NN"), 1);
    assert_int_equal(count(text, "50x60x70 TN"), 1);
    assert_int_equal(count(text, "A &lt;b&gt; &amp; \"c\""), 1);
    assert_int_equal(count(text, ">clgemm tune --report &lt;a &amp; b&gt;.svg</text>"), 1);
    assert_int_equal(count(text, ", libclgemm " CLG_VERSION ", driver 1 &lt; 2</text>"), 1);
    assert_int_equal(count(text, ">20"), 1);  /* the date */
    assert_int_equal(count(text, "http"), 1); /* the name of the format: nothing is fetched */
    assert_int_equal(count(text, "<text") - count(text, "</text>"), 0);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static void the_page_has_the_drawing_and_the_figures(void **state) {
    char *text = drawn(tune_plot_html), *drawing = drawn(tune_plot_svg);
    (void)state;
    assert_non_null(strstr(text, drawing));
    assert_int_equal(count(text, "<tr>"), 1 + 2);
    assert_int_equal(count(text, "<td>4 of 6"), 1);
    assert_int_equal(count(text, "1 &lt; 2"), 1 + 1);
    assert_int_equal(count(text, "<script"), 0);
    free(drawing);
    free(text);
}

/* Of very many, all that were the best so far are drawn, and some of the others. */
static void long_histories_stay_small(void **state) {
    enum { MANY = 20000 };
    struct tune_record *many = calloc(MANY, sizeof *many);
    const struct tune_result kept = results[0];
    (void)state;
    assert_non_null(many);
    for (int i = 0; i < MANY; i++)
        many[i] = (struct tune_record)RECORD(tiled, 64, i, GOOD, 1e-3 + 1e-4 * (i % 7));
    many[MANY - 1].median = 1e-4;
    results[0].history = many;
    results[0].num_history = MANY;
    char *text = drawn(tune_plot_svg);
    assert_true(count(text, "<circle") < 1600);
    assert_int_equal(count(text, "r=\"4\""), 2);
    results[0] = kept;
    free(text);
    free(many);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes_have_their_best),
        cmocka_unit_test(everything_is_in_the_drawing),
        cmocka_unit_test(the_page_has_the_drawing_and_the_figures),
        cmocka_unit_test(long_histories_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
