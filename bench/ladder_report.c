/* SPDX-License-Identifier: Apache-2.0
 * The ladder's report: a table for each size in Markdown, CSV or JSON. */
#include <inttypes.h>
#include <string.h>

#include "ladder.h"
#include "table.h"

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

/* The rate over that of the row before, where both are steps and have one. */
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
        snprintf(cell, TABLE_CELL, "%s",
                 step ? step->title : view->report->contenders[contender].ops->title);
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

static void json_step(FILE *out, const struct ladder_step *step) {
    fprintf(out, "\"step\": %d, \"variant\": ", step->number);
    json_string(out, step->variant);
    fputs(", \"technique\": ", out);
    json_string(out, step->title);
    fputs(", \"settings\": {", out);
    for (const struct ladder_setting *s = step->settings; s->name; s++)
        fprintf(out, "%s\"%s\": %d", s == step->settings ? "" : ", ", s->name, s->value);
    fputs("}, ", out);
}

static void write_json(FILE *out, const struct ladder_report *r) {
    fputs("{\"schema\": \"" LADDER_SCHEMA "\",\n", out);
    json_context(out, &r->context);
    fprintf(out, "\"ceiling_gflops\": %.6g,\n\"results\": [", r->ceiling);
    const char *comma = "";
    for (size_t s = 0; s < r->options->shapes.count; s++)
        for (int i = 0; i < r->count; i++) {
            const struct ladder_step *step = ladder_step_of(r, i);
            const struct series *series = ladder_series(r, s, i);
            char name[64], text[SHAPE_TEXT];
            if (!is_shown(r, i))
                continue;
            name_of(name, sizeof name, r, i);
            fprintf(out, "%s\n  {\"shape\": \"%s\", \"name\": \"%s\", ", comma,
                    shape_text(text, r->options->shapes.items[s]), name);
            if (step)
                json_step(out, step);
            fprintf(out, "\"of_ceiling\": %.4g, \"series\": ", ladder_share(r, series, i));
            json_series(out, series);
            fputc('}', out);
            comma = ",";
        }
    fputs("\n]}\n", out);
}

void ladder_report_write(FILE *out, const struct ladder_report *r) {
    static void (*const writers[])(FILE *, const struct ladder_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[r->options->format](out, r);
}
