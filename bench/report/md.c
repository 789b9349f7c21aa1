/* SPDX-License-Identifier: Apache-2.0
 * The report as a Markdown table, aligned so that it reads well on a terminal. */
#include <stdarg.h>
#include <string.h>

#include "bench/report/baseline.h"
#include "bench/report/mean.h"
#include "bench/report/notes.h"
#include "bench/report/report.h"
#include "bench/report/table.h"

enum kind {
    SHAPE,
    TRANS,
    CORETYPE,
    MS,
    RANGE,
    GFLOPS,
    RATIO,
    GAIN,
    ERROR,
    WORKSPACE,
    RESIDENT,
    CHECK
};

struct column {
    enum kind kind;
    int contender;
    char title[32];
};

enum { COLUMNS_MAX = 32 };

__attribute__((format(printf, 4, 5))) static void
add(struct column *columns, int *count, struct column column, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(column.title, sizeof column.title, format, args);
    va_end(args);
    columns[(*count)++] = column;
}

static const char *short_title(const struct report *r, int contender) {
    if (contender == OURS_HOST)
        return "host";
    return contender == OURS_DEVICE ? "device" : r->contenders[contender].ops->title;
}

/* Whether the process's growth is known, as it is on CPU devices. */
static bool grew(const struct report *r) {
    for (size_t i = 0; i < r->count; i++) {
        const struct series *host = &r->results[i].series[OURS_HOST];
        if (host->outcome == OUTCOME_OK && host->memory.resident >= 0)
            return true;
    }
    return false;
}

/* The columns of this run: missing peers have none. */
static int choose_columns(struct column columns[COLUMNS_MAX], const struct report *r) {
    int count = 0;
    add(columns, &count, (struct column){.kind = SHAPE}, "shape");
    add(columns, &count, (struct column){.kind = TRANS}, "trans");
    if (r->options->coretypes.count)
        add(columns, &count, (struct column){.kind = CORETYPE}, "core type");
    for (int i = OURS_HOST; i <= OURS_DEVICE; i++) {
        const char *title = short_title(r, i);
        add(columns, &count, (struct column){.kind = MS, .contender = i}, "%s ms", title);
        add(columns, &count, (struct column){.kind = RANGE, .contender = i}, "min..p95");
        add(columns, &count, (struct column){.kind = GFLOPS, .contender = i}, "GFLOP/s");
    }
    for (int i = OPENBLAS; i < CONTENDERS; i++)
        if (r->contenders[i].open)
            add(columns, &count, (struct column){.kind = GFLOPS, .contender = i}, "%s",
                short_title(r, i));
    for (int i = OPENBLAS; i < CONTENDERS; i++)
        if (r->contenders[i].open)
            add(columns, &count, (struct column){.kind = RATIO, .contender = i}, "%s/%s",
                short_title(r, report_rival(r, i)), short_title(r, i));
    for (int i = OURS_HOST; r->baseline && i <= OURS_DEVICE; i++)
        add(columns, &count, (struct column){.kind = GAIN, .contender = i}, "%s/baseline",
            short_title(r, i));
    for (int i = OURS_DEVICE; i < CONTENDERS && r->options->math > CLGEMM_MATH_STRICT; i++)
        if (r->contenders[i].open && r->options->verify)
            add(columns, &count, (struct column){.kind = ERROR, .contender = i}, "%s error",
                short_title(r, i));
    for (int i = OURS_HOST; i <= OURS_DEVICE; i++)
        add(columns, &count, (struct column){.kind = WORKSPACE, .contender = i}, "%s MiB",
            short_title(r, i));
    if (grew(r))
        add(columns, &count, (struct column){.kind = RESIDENT, .contender = OURS_HOST}, "RSS MiB");
    add(columns, &count, (struct column){.kind = CHECK}, "check");
    return count;
}

/* Appends to the check cell, with a separator if it is not empty. */
__attribute__((format(printf, 2, 3))) static void append(char cell[TABLE_CELL], const char *format,
                                                         ...) {
    size_t length = strlen(cell);
    if (length && length + 3 < TABLE_CELL) {
        memcpy(cell + length, "; ", 3);
        length += 2;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(cell + length, TABLE_CELL - length, format, args);
    va_end(args);
}

static void check_cell(char cell[TABLE_CELL], const struct report *r, const struct result *row) {
    const struct series *host = &row->series[OURS_HOST], *device = &row->series[OURS_DEVICE];
    cell[0] = '\0';
    if (host->outcome == OUTCOME_SKIPPED && device->outcome == OUTCOME_SKIPPED) {
        append(cell, "skipped: %s", host->why);
        return;
    }
    if (!result_failed(row))
        append(cell, "%s", r->options->verify ? "ok" : "not checked");
    for (int i = 0; i < CONTENDERS; i++) {
        const struct series *s = &row->series[i];
        const char *title = short_title(r, i);
        if (!r->contenders[i].open)
            continue;
        if (s->outcome == OUTCOME_SKIPPED)
            append(cell, "%s skipped: %s", title, s->why);
        else if (s->outcome == OUTCOME_FAILED || s->checked == CHECK_WRONG)
            append(cell, "%s%s%s: %s", is_ours(i) ? "FAIL " : "", title,
                   !is_ours(i) && s->checked == CHECK_WRONG ? " wrong" : "", s->why);
    }
}

static void bytes_cell(char cell[TABLE_CELL], double bytes) {
    if (bytes >= 0)
        snprintf(cell, TABLE_CELL, "%.2f", bytes / 0x1p20);
}

static void number_cell(char cell[TABLE_CELL], const struct column *column,
                        const struct result *row) {
    const struct series *s = &row->series[column->contender];
    const struct timing *t = &s->timing;
    snprintf(cell, TABLE_CELL, "-");
    if (s->outcome != OUTCOME_OK)
        return;
    int digits = t->median < 1e-3 ? 4 : 3;
    if (column->kind == MS) {
        snprintf(cell, TABLE_CELL, "%.*f", digits, 1e3 * t->median);
        note_heap_figure(cell, TABLE_CELL, &s->heaps, digits, 1e3 * s->heaps.quick);
    } else if (column->kind == RANGE)
        snprintf(cell, TABLE_CELL, "%.*f..%.*f", digits, 1e3 * t->min, digits, 1e3 * t->p95);
    else if (column->kind == ERROR)
        snprintf(cell, TABLE_CELL, "%.1e", s->error);
    else if (column->kind == WORKSPACE || column->kind == RESIDENT)
        bytes_cell(cell, column->kind == WORKSPACE ? s->memory.workspace : s->memory.resident);
    else if (s->gflops > 0) {
        const int places = s->gflops < 10 ? 2 : 1;
        snprintf(cell, TABLE_CELL, "%.*f", places, s->gflops);
        note_heap_figure(cell, TABLE_CELL, &s->heaps, places,
                         s->gflops * t->median / s->heaps.quick);
    }
}

static void ratio_cell(char cell[TABLE_CELL], double ratio) {
    snprintf(cell, TABLE_CELL, "-");
    if (ratio > 0)
        snprintf(cell, TABLE_CELL, "%.*f", ratio < 0.1 ? 4 : 2, ratio);
}

static void fill_cell(char cell[TABLE_CELL], const struct report *r, const struct column *column,
                      const struct result *row) {
    switch (column->kind) {
    case SHAPE:
        shape_text(cell, row->shape);
        break;
    case TRANS:
        snprintf(cell, TABLE_CELL, "%s", trans_name(row->trans));
        break;
    case CORETYPE:
        snprintf(cell, TABLE_CELL, row->is_best ? "best: %s" : "%s", row->coretype);
        break;
    case RATIO:
        ratio_cell(cell, result_ratio(row, report_rival(r, column->contender), column->contender));
        break;
    case GAIN:
        ratio_cell(cell, baseline_ratio(r->baseline, r->options, row, column->contender));
        break;
    case CHECK:
        check_cell(cell, r, row);
        break;
    default:
        number_cell(cell, column, row);
    }
}

static bool left_aligned(const struct column *column) {
    return column->kind == SHAPE || column->kind == TRANS || column->kind == CORETYPE ||
           column->kind == CHECK;
}

struct view {
    const struct report *report;
    struct column columns[COLUMNS_MAX];
};

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    const struct view *view = arg;
    if (row == 0)
        snprintf(cell, TABLE_CELL, "%s", view->columns[column].title);
    else
        fill_cell(cell, view->report, &view->columns[column], &view->report->results[row - 1]);
}

/* One line for each peer, over the problems of a block (with --coretype there are several). */
static void write_means(FILE *out, const struct report *r, size_t first, size_t count) {
    char shape[SHAPE_TEXT];
    for (int i = OPENBLAS; i < CONTENDERS; i++) {
        const int rival = report_rival(r, i);
        const struct mean mean = report_mean(r, i, first, count);
        if (mean.count < 2)
            continue;
        const struct result *least = &r->results[mean.least_at];
        const char *coretype = result_coretype(least);
        fprintf(out, "\n%s/%s%s%s: geometric mean %.3f over %zu problems, least %.3f (%s %s)",
                short_title(r, rival), short_title(r, i), *coretype ? ", " : "", coretype,
                mean_geometric(&mean), mean.count, mean.least, shape_text(shape, least->shape),
                trans_name(least->trans));
        for (int line = 0; line < MEAN_LINES; line++)
            fprintf(out, ", %zu below %.2f", mean.below[line], mean_lines[line]);
        fputs(".\n", out);
    }
}

/* Where the scheduler affected the figures. */
static void write_heaps(FILE *out, const struct report *r) {
    for (size_t i = 0; i < r->count; i++)
        for (int c = 0; c < CONTENDERS && !r->results[i].is_best; c++) {
            const struct result *row = &r->results[i];
            const struct series *s = &row->series[c];
            const char *coretype = result_coretype(row);
            char shape[SHAPE_TEXT], what[2 * SHAPE_TEXT + CORETYPE_NAME];
            snprintf(what, sizeof what, "%s %s%s%s, %s", shape_text(shape, row->shape),
                     trans_name(row->trans), *coretype ? ", " : "", coretype, short_title(r, c));
            note_heaps(out, what, &s->heaps, 1e9 * s->gflops * s->timing.median);
        }
}

void report_md(FILE *out, const struct report *r) {
    struct view view = {.report = r};
    struct table table = {.rows = r->count, .fill = fill, .arg = &view};
    table.columns = choose_columns(view.columns, r);
    for (int c = 0; c < table.columns; c++)
        if (left_aligned(&view.columns[c]))
            table.left |= 1u << c;
    context_write(out, &r->context);
    table_write(out, &table);
    const size_t problems = r->options->shapes.count * r->options->trans.count;
    for (size_t first = 0; first < r->count; first += problems)
        write_means(out, r, first, problems);
    write_heaps(out, r);
}
