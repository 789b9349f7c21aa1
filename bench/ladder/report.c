/* SPDX-License-Identifier: Apache-2.0
 * The ladder's report: a table for each size in Markdown, CSV or JSON. */
#include <inttypes.h>
#include <string.h>

#include "bench/ladder/ladder.h"
#include "bench/report/notes.h"
#include "bench/report/table.h"

/* "6", "11 8x4", or the contender's key. */
static void name_of(char *text, size_t room, const struct ladder_report *r, int contender) {
    const struct ladder_step *step = ladder_step_of(r, contender);
    if (step)
        snprintf(text, room, "%d%s%s", step->number, *step->variant ? " " : "", step->variant);
    else
        snprintf(text, room, "%s", r->contenders[contender].ops->key);
}

static bool is_shown(const struct ladder_report *r, int contender) {
    return r->contenders[contender].open || contender >= CONTENDERS;
}

/* ---- Markdown ---- */

enum { STEP, TECHNIQUE, RATE, SHARE, GAIN, TIME, SPREAD, CHECK, SETTINGS, COLUMNS };

struct view {
    const struct ladder_report *report;
    size_t shape;
    int rows[LADDER_SERIES_MAX]; /* contenders: the ladder's, then the others */
    size_t count;
};

static void choose_rows(struct view *view) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < view->report->count; i++)
            if (is_shown(view->report, i) && (i < CONTENDERS) == (pass == 1))
                view->rows[view->count++] = i;
}

/* The rate over that of the previous row, if both are steps with a rate. */
static double gain(const struct view *view, size_t row) {
    const struct ladder_report *r = view->report;
    if (row == 0 || view->rows[row] < CONTENDERS || view->rows[row - 1] < CONTENDERS)
        return 0;
    const struct series *s = ladder_series(r, view->shape, view->rows[row]);
    const struct series *before = ladder_series(r, view->shape, view->rows[row - 1]);
    return before->gflops > 0 ? s->gflops / before->gflops : 0;
}

static void figure_cell(char cell[TABLE_CELL], const struct view *view, size_t row, int column) {
    const int contender = view->rows[row];
    const struct series *s = ladder_series(view->report, view->shape, contender);
    const double value = column == RATE    ? s->gflops
                         : column == SHARE ? ladder_share(view->report, s, contender)
                         : column == GAIN  ? gain(view, row)
                         : column == TIME  ? 1e3 * s->timing.median
                                           : s->timing.spread;
    if (s->outcome == OUTCOME_OK && (value > 0 || column == SPREAD))
        snprintf(cell, TABLE_CELL, "%.*f",
                 column == RATE                   ? (value < 10 ? 2 : 1)
                 : column == TIME                 ? 3
                 : column == SHARE && value < 0.1 ? 4
                                                  : 2,
                 value);
    else
        snprintf(cell, TABLE_CELL, "-");
    if (column == TIME)
        note_heap_figure(cell, TABLE_CELL, &s->heaps, 3, 1e3 * s->heaps.quick);
}

static void check_cell(char cell[TABLE_CELL], const struct series *s) {
    if (s->outcome)
        snprintf(cell, TABLE_CELL, "%s: %s", s->outcome == OUTCOME_FAILED ? "FAIL" : "refused",
                 s->why);
    else if (s->checked == CHECK_WRONG)
        snprintf(cell, TABLE_CELL, "FAIL: %s", s->why);
    else
        snprintf(cell, TABLE_CELL, "%s", s->checked == CHECK_OK ? "ok" : "-");
}

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    static const char *const titles[COLUMNS] = {"step",       "technique", "GFLOP/s",
                                                "of ceiling", "x before",  "ms",
                                                "spread",     "check",     "settings"};
    const struct view *view = arg;
    if (row == 0) {
        snprintf(cell, TABLE_CELL, "%s", titles[column]);
        return;
    }
    const int contender = view->rows[row - 1];
    const struct ladder_step *step = ladder_step_of(view->report, contender);
    char options[LADDER_OPTIONS];
    switch (column) {
    case STEP:
        if (step)
            name_of(cell, TABLE_CELL, view->report, contender);
        else
            *cell = '\0';
        break;
    case TECHNIQUE:
        snprintf(cell, TABLE_CELL, "%s", ladder_title(view->report, contender));
        break;
    case CHECK:
        check_cell(cell, ladder_series(view->report, view->shape, contender));
        break;
    case SETTINGS:
        snprintf(cell, TABLE_CELL, "%s", step ? ladder_options(step, "", options) : "");
        break;
    default:
        figure_cell(cell, view, row - 1, column);
    }
}

static void write_md(FILE *out, const struct ladder_report *r) {
    context_write(out, &r->context);
    for (size_t s = 0; s < r->options->shapes.count; s++) {
        struct view view = {.report = r, .shape = s};
        char text[SHAPE_TEXT];
        choose_rows(&view);
        fprintf(out, "%s## %s\n\n", s ? "\n" : "", shape_text(text, r->options->shapes.items[s]));
        table_write(out, &(struct table){.rows = view.count,
                                         .columns = COLUMNS,
                                         .left = 1u << STEP | 1u << TECHNIQUE | 1u << CHECK |
                                                 1u << SETTINGS,
                                         .fill = fill,
                                         .arg = &view});
        for (int i = 0; i < r->count; i++) {
            const struct series *series = ladder_series(r, s, i);
            note_heaps(out, ladder_title(r, i), &series->heaps,
                       1e9 * series->gflops * series->timing.median);
        }
    }
}

/* ---- CSV ---- */

static void write_line(FILE *out, const struct ladder_report *r, size_t shape, int contender) {
    const struct shape size = r->options->shapes.items[shape];
    const struct series *s = ladder_series(r, shape, contender);
    const struct ladder_step *step = ladder_step_of(r, contender);
    const double share = ladder_share(r, s, contender);
    char name[64], options[LADDER_OPTIONS] = "";
    name_of(name, sizeof name, r, contender);
    fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s,%s,", size.m, size.n, size.k, name,
            outcome_name(s->outcome), checked_name(s->checked));
    if (s->outcome == OUTCOME_OK)
        fprintf(out, "%.6f,%.6f,%.6f,%.4f,%.4f,", 1e3 * s->timing.median, 1e3 * s->timing.min,
                1e3 * s->timing.p95, s->timing.spread, s->gflops);
    else
        fputs(",,,,,", out);
    if (s->outcome == OUTCOME_OK && share > 0)
        fprintf(out, "%.4f", share);
    fputc(',', out);
    csv_string(out, step ? ladder_options(step, "", options) : "");
    fputc(',', out);
    csv_string(out, s->why);
    fputc('\n', out);
}

static void write_csv(FILE *out, const struct ladder_report *r) {
    fputs("m,n,k,series,outcome,check,median_ms,min_ms,p95_ms,spread,gflops,of_ceiling,settings,"
          "why\n",
          out);
    for (size_t s = 0; s < r->options->shapes.count; s++)
        for (int i = 0; i < r->count; i++)
            if (is_shown(r, i))
                write_line(out, r, s, i);
}

/* ---- JSON ---- */

static void write_step(struct clg_json *json, const struct ladder_step *step) {
    clg_json_count(json, "step", (uint64_t)step->number);
    clg_json_text(json, "variant", step->variant);
    clg_json_text(json, "technique", step->title);
    clg_json_open(json, "settings", '{');
    for (const struct ladder_setting *s = step->settings; s->name; s++)
        clg_json_count(json, s->name, (uint64_t)s->value);
    clg_json_close(json, '}');
}

static void write_result(struct clg_json *json, const struct ladder_report *r, size_t shape,
                         int contender) {
    const struct ladder_step *step = ladder_step_of(r, contender);
    const struct series *series = ladder_series(r, shape, contender);
    char name[64], text[SHAPE_TEXT];
    name_of(name, sizeof name, r, contender);
    json_result(json);
    clg_json_text(json, "shape", shape_text(text, r->options->shapes.items[shape]));
    clg_json_text(json, "name", name);
    if (step)
        write_step(json, step);
    clg_json_digits(json, "of_ceiling", ladder_share(r, series, contender), JSON_RATIO_DIGITS);
    json_series(json, "series", series);
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct ladder_report *r) {
    struct clg_json json = json_begin(out, LADDER_SCHEMA, &r->context);
    clg_json_digits(&json, "ceiling_gflops", r->ceiling, JSON_DIGITS);
    json_results(&json);
    for (size_t s = 0; s < r->options->shapes.count; s++)
        for (int i = 0; i < r->count; i++)
            if (is_shown(r, i))
                write_result(&json, r, s, i);
    json_end(&json);
}

void ladder_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct ladder_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}
