/* SPDX-License-Identifier: Apache-2.0
 * The report of --growth as Markdown, CSV and JSON: a row for each family. And its gate. */
#include "bench/growth.h"

#include "bench/console.h"
#include "bench/report/baseline.h"
#include "bench/report/table.h"

static const char *const keys[GROWTH_FIGURES] = {[GROWTH_COLD] = "cold", [GROWTH_WARM] = "warm"};

enum column {
    SHAPE,
    TRANS,
    FAMILY,
    SHAPES,
    COLD, /* three columns of times each: the fastest round's, the first's, the last's */
    COLD_FIRST,
    COLD_LAST,
    WARM,
    WARM_FIRST,
    WARM_LAST,
    RESIDENT,
    GROWN,
    CHECK,
    COLD_RATIO, /* these two with a baseline only */
    WARM_RATIO,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [SHAPE] = "shapes up to",
    [TRANS] = "trans",
    [FAMILY] = "family",
    [SHAPES] = "shapes",
    [COLD] = "new plan us",
    [COLD_FIRST] = "first tenth",
    [COLD_LAST] = "last tenth",
    [WARM] = "remembered us",
    [WARM_FIRST] = "first tenth",
    [WARM_LAST] = "last tenth",
    [RESIDENT] = "RSS MiB",
    [GROWN] = "grown KiB",
    [CHECK] = "outcome",
    [COLD_RATIO] = "new/baseline",
    [WARM_RATIO] = "remembered/baseline",
};

double growth_ratio(const struct mode_report *report, const struct growth_result *r,
                    const struct growth_row *row, enum growth_figure figure) {
    const double earlier = baseline_figure(report->baseline, report->options, r->head.shape,
                                           r->head.trans, row->family, BASELINE_COLD + (int)figure);
    return earlier > 0 ? 1 / (earlier * row->figures[figure].min) : 0;
}

static const struct growth_result *result_at(const struct mode_report *report, size_t index) {
    return (const struct growth_result *)report->results + index;
}

/* A result without figures has one line, too. */
static size_t lines_of(const struct growth_result *r) {
    return r->num_rows ? (size_t)r->num_rows : 1;
}

static void write_number(char cell[TABLE_CELL], const struct mode_report *report,
                         const struct growth_result *r, const struct growth_row *row, int column) {
    const bool process = row == r->rows; /* memory is that of all families */
    double value = -1;
    if (column >= COLD && column <= WARM_LAST) {
        const struct timing *t = &row->figures[(column - COLD) / 3];
        const double seconds[] = {t->min, t->seconds[0], t->seconds[GROWTH_ROUNDS - 1]};
        value = 1e6 * seconds[(column - COLD) % 3];
    } else if (column == RESIDENT && process)
        value = r->resident / 0x1p20;
    else if (column == GROWN && process)
        value = r->growth / 0x1p10;
    else if (column == COLD_RATIO || column == WARM_RATIO)
        value = growth_ratio(report, r, row, column == COLD_RATIO ? GROWTH_COLD : GROWTH_WARM);
    snprintf(cell, TABLE_CELL, value < 0 ? "-" : "%.2f", value);
}

static void fill(char cell[TABLE_CELL], const void *arg, size_t line, int column) {
    const struct mode_report *report = arg;
    size_t at = line - 1, i = 0;
    if (!line) {
        snprintf(cell, TABLE_CELL, "%s", titles[column]);
        return;
    }
    while (at >= lines_of(result_at(report, i)))
        at -= lines_of(result_at(report, i++));
    const struct growth_result *r = result_at(report, i);
    const struct growth_row *row = &r->rows[at];
    if (column == SHAPE)
        shape_text(cell, r->head.shape);
    else if (column == TRANS)
        snprintf(cell, TABLE_CELL, "%s", trans_name(r->head.trans));
    else if (column == CHECK && r->head.outcome)
        mode_cell(cell, TABLE_CELL, &r->head);
    else if (column == CHECK || r->head.outcome)
        snprintf(cell, TABLE_CELL, "%s", column == CHECK ? "ok" : "-");
    else if (column == FAMILY)
        snprintf(cell, TABLE_CELL, "%s", row->family);
    else if (column == SHAPES)
        snprintf(cell, TABLE_CELL, "%d", row->shapes);
    else
        write_number(cell, report, r, row, column);
}

static void write_md(FILE *out, const struct mode_report *report) {
    struct table table = {.columns = report->baseline ? COLUMNS : COLD_RATIO,
                          .left = 1u << SHAPE | 1u << TRANS | 1u << FAMILY | 1u << CHECK,
                          .fill = fill,
                          .arg = report};
    for (size_t i = 0; i < report->count; i++)
        table.rows += lines_of(result_at(report, i));
    context_write(out, &report->context);
    table_write(out, &table);
}

static void write_bytes(FILE *out, bool known, double bytes) {
    if (known && bytes >= 0)
        fprintf(out, "%.0f", bytes);
    fputc(',', out);
}

static void write_csv_line(FILE *out, const struct options *o, const struct growth_result *r,
                           size_t line, int figure) {
    const struct growth_row *row = &r->rows[line];
    const struct timing *t = &row->figures[figure];
    const bool good = r->head.outcome == OUTCOME_OK;
    mode_csv(out, o, &r->head);
    if (good)
        fprintf(out, "%s,%d,%s,%.4f,%.4f,%.4f,%.4f,%.4f,", row->family, row->shapes, keys[figure],
                1e6 * t->seconds[0], 1e6 * t->seconds[GROWTH_ROUNDS - 1], 1e6 * t->median,
                1e6 * t->min, 1e6 * t->p95);
    else
        fprintf(out, ",,%s,,,,,,", keys[figure]);
    write_bytes(out, good && line == 0, r->resident);
    write_bytes(out, good && line == 0, r->growth);
    csv_string(out, r->head.why);
    fputc('\n', out);
}

static void write_csv(FILE *out, const struct mode_report *report) {
    fputs(CSV_PROBLEM "outcome,family,shapes,figure,first_us,last_us,median_us,min_us,p95_us,"
                      "resident_bytes,growth_bytes,why\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (size_t line = 0; line < lines_of(result_at(report, i)); line++)
            for (int f = 0; f < GROWTH_FIGURES; f++)
                write_csv_line(out, report->options, result_at(report, i), line, f);
}

static void write_json_row(struct clg_json *json, const struct options *o,
                           const struct growth_result *r, size_t line) {
    const struct growth_row *row = &r->rows[line];
    const bool good = r->head.outcome == OUTCOME_OK;
    json_result(json);
    mode_json(json, o, &r->head);
    if (good) {
        clg_json_text(json, "family", row->family);
        clg_json_count(json, "shapes", (uint64_t)row->shapes);
    }
    clg_json_open(json, "figures", '{');
    for (int f = 0; f < GROWTH_FIGURES && good; f++)
        json_timing(json, keys[f], &row->figures[f]);
    clg_json_close(json, '}');
    if (good && line == 0 && r->growth >= 0) {
        clg_json_decimals(json, "resident_bytes", r->resident, 0);
        clg_json_decimals(json, "growth_bytes", r->growth, 0);
    }
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct mode_report *report) {
    struct clg_json json = json_begin(out, GROWTH_SCHEMA, &report->context);
    json_results(&json);
    for (size_t i = 0; i < report->count; i++)
        for (size_t line = 0; line < lines_of(result_at(report, i)); line++)
            write_json_row(&json, report->options, result_at(report, i), line);
    json_end(&json);
}

void growth_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct mode_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}

/* ---- The gate ---- */

/* What the allocators of the library and the runtime keep, or give back late. */
enum { GROWTH_ALLOWED = 8 << 20 };

/* The growth that the baseline permits. */
static double growth_permitted(const struct mode_report *report, const struct growth_result *r) {
    const double earlier = baseline_figure(report->baseline, report->options, r->head.shape,
                                           r->head.trans, r->rows[0].family, BASELINE_GROWTH) /
                           report->options->fail_below;
    return earlier > GROWTH_ALLOWED ? earlier : GROWTH_ALLOWED;
}

static bool passes(const struct mode_report *report, const struct growth_result *r,
                   bool *compared) {
    static const char *const figures[GROWTH_FIGURES] = {"new plan", "remembered plan"};
    bool passed = true;
    char shape[SHAPE_TEXT];
    shape_text(shape, r->head.shape);
    for (int i = 0; i < r->num_rows * GROWTH_FIGURES; i++) {
        const struct growth_row *row = &r->rows[i / GROWTH_FIGURES];
        const int figure = i % GROWTH_FIGURES;
        const double ratio = growth_ratio(report, r, row, (enum growth_figure)figure);
        *compared = *compared || ratio > 0;
        if (ratio == 0 || ratio >= report->options->fail_below)
            continue;
        complain("up to %s %s, %s, %s: at %.3f of the baseline", shape, trans_name(r->head.trans),
                 row->family, figures[figure], ratio);
        passed = false;
    }
    if (!r->num_rows && baseline_figure(report->baseline, report->options, r->head.shape,
                                        r->head.trans, "all", BASELINE_COLD) > 0) {
        complain("up to %s %s: no longer measured", shape, trans_name(r->head.trans));
        passed = false;
    }
    if (r->num_rows && r->growth > growth_permitted(report, r)) {
        complain("up to %s %s: the process grew by %.1f MiB, more than %.1f MiB", shape,
                 trans_name(r->head.trans), r->growth / 0x1p20,
                 growth_permitted(report, r) / 0x1p20);
        passed = false;
    }
    return passed;
}

bool growth_passes(const struct mode_report *report) {
    bool passed = true, compared = false;
    for (size_t i = 0; i < report->count; i++)
        passed = passes(report, result_at(report, i), &compared) && passed;
    if (!compared)
        complain("the baseline has no figure for any of these problems");
    return passed && compared;
}
