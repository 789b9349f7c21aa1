/* SPDX-License-Identifier: Apache-2.0
 * The report of --regret as Markdown, CSV and JSON. Times are in milliseconds. */
#include <string.h>

#include "bench/regret.h"
#include "bench/report/mean.h"
#include "bench/report/notes.h"
#include "bench/report/table.h"

enum column {
    SHAPE,
    TRANS,
    CHOSEN,
    CHOSEN_MS,
    BEST,
    BEST_MS,
    REGRET,
    TRIED,
    LEFT_OUT,
    CHECK,
    COLUMNS
};

static const char *const titles[COLUMNS] = {"shape", "trans",  "chosen", "ms",       "best",
                                            "ms",    "regret", "tried",  "left out", "check"};

double regret_of(const struct regret_result *r) {
    return r->head.outcome == OUTCOME_OK
               ? r->finalists[0].timing.min / r->finalists[r->best].timing.min
               : 0;
}

static const struct regret_result *result_at(const struct mode_report *report, size_t index) {
    return (const struct regret_result *)report->results + index;
}

/* Over all measured problems. */
static struct mean summarize(const struct mode_report *report) {
    struct mean mean = {0};
    for (size_t i = 0; i < report->count; i++)
        mean_add(&mean, regret_of(result_at(report, i)), i);
    return mean;
}

static void check_cell(char cell[TABLE_CELL], const struct options *o,
                       const struct regret_result *r) {
    if (r->head.outcome)
        mode_cell(cell, TABLE_CELL, &r->head);
    else
        snprintf(cell, TABLE_CELL, "%s", o->verify ? checked_name(r->checked) : "not checked");
}

/* Only for measured problems. */
static void figure_cell(char cell[TABLE_CELL], const struct regret_result *r, int column) {
    const struct finalist *chosen = &r->finalists[0], *best = &r->finalists[r->best];
    switch (column) {
    case CHOSEN:
        snprintf(cell, TABLE_CELL, "%s", chosen->text);
        break;
    case BEST:
        snprintf(cell, TABLE_CELL, "%s", best->text);
        break;
    case CHOSEN_MS:
        snprintf(cell, TABLE_CELL, "%.4f", 1e3 * chosen->timing.min);
        break;
    case BEST_MS:
        snprintf(cell, TABLE_CELL, "%.4f", 1e3 * best->timing.min);
        break;
    default:
        snprintf(cell, TABLE_CELL, "%.3f", regret_of(r));
    }
}

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    const struct mode_report *report = arg;
    const struct regret_result *r = row ? result_at(report, row - 1) : NULL;
    if (!r)
        snprintf(cell, TABLE_CELL, "%s", titles[column]);
    else if (column == SHAPE)
        shape_text(cell, r->head.shape);
    else if (column == TRANS)
        snprintf(cell, TABLE_CELL, "%s", trans_name(r->head.trans));
    else if (column == TRIED || column == LEFT_OUT)
        snprintf(cell, TABLE_CELL, "%zu", column == TRIED ? r->tried : r->left_out);
    else if (column == CHECK)
        check_cell(cell, report->options, r);
    else if (r->head.outcome == OUTCOME_OK)
        figure_cell(cell, r, column);
    else
        snprintf(cell, TABLE_CELL, "-");
}

/* Where the scheduler affected samples. */
static void write_heaps(FILE *out, const struct mode_report *report) {
    for (size_t i = 0; i < report->count; i++) {
        const struct regret_result *r = result_at(report, i);
        char shape[SHAPE_TEXT], what[SHAPE_TEXT + CLG_DESCRIPTION + 16];
        for (int f = 0; f < r->num_finalists; f++) {
            snprintf(what, sizeof what, "%s %s, %s", shape_text(shape, r->head.shape),
                     trans_name(r->head.trans), r->finalists[f].text);
            note_heaps(out, what, &r->finalists[f].heaps, 0);
        }
    }
}

static void write_md(FILE *out, const struct mode_report *report) {
    const struct mean mean = summarize(report);
    char shape[SHAPE_TEXT];
    context_write(out, &report->context);
    table_write(out, &(struct table){.rows = report->count,
                                     .columns = COLUMNS,
                                     .left = 1u << SHAPE | 1u << TRANS | 1u << CHOSEN | 1u << BEST |
                                             1u << CHECK,
                                     .fill = fill,
                                     .arg = report});
    write_heaps(out, report);
    if (!mean.count)
        return;
    const struct mode_result *worst = &result_at(report, mean.most_at)->head;
    fprintf(out, "\nRegret over %zu problems: geometric mean %.3f, worst %.3f (%s %s).\n",
            mean.count, mean_geometric(&mean), mean.most, shape_text(shape, worst->shape),
            trans_name(worst->trans));
}

static void write_csv(FILE *out, const struct mode_report *report) {
    fputs(CSV_PROBLEM "outcome,check,chosen,chosen_ms,best,best_ms,regret,tried,left_out,why\n",
          out);
    for (size_t i = 0; i < report->count; i++) {
        const struct regret_result *r = result_at(report, i);
        const struct finalist *chosen = &r->finalists[0], *best = &r->finalists[r->best];
        mode_csv(out, report->options, &r->head);
        fprintf(out, "%s,", checked_name(r->checked));
        if (r->head.outcome == OUTCOME_OK) {
            csv_string(out, chosen->text);
            fprintf(out, ",%.6f,", 1e3 * chosen->timing.min);
            csv_string(out, best->text);
            fprintf(out, ",%.6f,%.4f,", 1e3 * best->timing.min, regret_of(r));
        } else {
            fputs(",,,,,", out);
        }
        fprintf(out, "%zu,%zu,", r->tried, r->left_out);
        csv_string(out, r->head.why);
        fputc('\n', out);
    }
}

static void write_finalist(struct clg_json *json, const struct finalist *f) {
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "text", f->text);
    clg_json_text(json, "options", f->options);
    clg_json_digits(json, "median_ms", 1e3 * f->timing.median, JSON_DIGITS);
    clg_json_digits(json, "min_ms", 1e3 * f->timing.min, JSON_DIGITS);
    json_samples(json, "samples_ms", f->timing.seconds, f->timing.samples, 1e3);
    clg_json_close(json, '}');
}

static void write_json_result(struct clg_json *json, const struct options *o,
                              const struct regret_result *r) {
    json_result(json);
    mode_json(json, o, &r->head);
    clg_json_text(json, "check", checked_name(r->checked));
    clg_json_count(json, "tried", r->tried);
    clg_json_count(json, "left_out", r->left_out);
    if (r->head.outcome == OUTCOME_OK) {
        clg_json_decimals(json, "regret", regret_of(r), 4);
        clg_json_count(json, "best", (uint64_t)r->best);
        clg_json_open(json, "timed", '[');
        for (int i = 0; i < r->num_finalists; i++)
            write_finalist(json, &r->finalists[i]);
        clg_json_close(json, ']');
    }
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct mode_report *report) {
    const struct mean mean = summarize(report);
    struct clg_json json = json_begin(out, REGRET_SCHEMA, &report->context);
    if (mean.count) {
        clg_json_decimals(&json, "geometric_mean", mean_geometric(&mean), 4);
        clg_json_decimals(&json, "worst", mean.most, 4);
    }
    json_results(&json);
    for (size_t i = 0; i < report->count; i++)
        write_json_result(&json, report->options, result_at(report, i));
    json_end(&json);
}

void regret_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct mode_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}
