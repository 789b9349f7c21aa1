/* SPDX-License-Identifier: Apache-2.0
 * The report of --overhead as Markdown, CSV and JSON. Times are in microseconds. */
#include <string.h>

#include "bench/overhead.h"
#include "bench/report/table.h"

static const char *const keys[OVERHEAD_FIGURES] = {
    [OVERHEAD_ENQUEUE] = "enqueue", [OVERHEAD_FACTORS] = "factors",
    [OVERHEAD_COLD] = "cold",       [OVERHEAD_BARE_ENQUEUE] = "bare_enqueue",
    [OVERHEAD_FINISH] = "finish",   [OVERHEAD_BARE_FINISH] = "bare_finish",
    [OVERHEAD_HOST] = "host",
};

enum column {
    SHAPE,
    TRANS,
    KERNELS,
    ARGUMENTS,
    ENQUEUE,
    FACTORS,
    COLD,
    BARE_ENQUEUE,
    ENQUEUE_OVER,
    FINISH,
    BARE_FINISH,
    FINISH_OVER,
    HOST,
    HOST_OVER,
    CHECK,
    COLUMNS
};

/* A column shows a figure, or its difference to a bare one. */
static const struct {
    const char *title;
    int figure, bare; /* bare < 0: the figure itself */
} columns[COLUMNS] = {
    [SHAPE] = {"shape", 0, 0},
    [TRANS] = {"trans", 0, 0},
    [KERNELS] = {"kernels", 0, 0},
    [ARGUMENTS] = {"arguments", 0, 0},
    [ENQUEUE] = {"call us", OVERHEAD_ENQUEUE, -1},
    [FACTORS] = {"new alpha us", OVERHEAD_FACTORS, -1},
    [COLD] = {"new plan us", OVERHEAD_COLD, -1},
    [BARE_ENQUEUE] = {"bare us", OVERHEAD_BARE_ENQUEUE, -1},
    [ENQUEUE_OVER] = {"over us", OVERHEAD_ENQUEUE, OVERHEAD_BARE_ENQUEUE},
    [FINISH] = {"call, finish us", OVERHEAD_FINISH, -1},
    [BARE_FINISH] = {"bare, finish us", OVERHEAD_BARE_FINISH, -1},
    [FINISH_OVER] = {"over us", OVERHEAD_FINISH, OVERHEAD_BARE_FINISH},
    [HOST] = {"host us", OVERHEAD_HOST, -1},
    [HOST_OVER] = {"over us", OVERHEAD_HOST, OVERHEAD_BARE_FINISH},
    [CHECK] = {"outcome", 0, 0},
};

static const struct overhead_result *result_at(const struct mode_report *report, size_t index) {
    return (const struct overhead_result *)report->results + index;
}

static double microseconds(const struct overhead_result *r, int figure, int bare) {
    return 1e6 * (r->figures[figure].median - (bare < 0 ? 0 : r->figures[bare].median));
}

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    const struct overhead_result *r = row ? result_at(arg, row - 1) : NULL;
    if (!r)
        snprintf(cell, TABLE_CELL, "%s", columns[column].title);
    else if (column == SHAPE)
        shape_text(cell, r->head.shape);
    else if (column == TRANS)
        snprintf(cell, TABLE_CELL, "%s", trans_name(r->head.trans));
    else if (column == CHECK && r->head.outcome)
        mode_cell(cell, TABLE_CELL, &r->head);
    else if (column == CHECK || r->head.outcome)
        snprintf(cell, TABLE_CELL, "%s", column == CHECK ? "ok" : "-");
    else if (column == KERNELS || column == ARGUMENTS)
        snprintf(cell, TABLE_CELL, "%d", column == KERNELS ? r->kernels : r->arguments);
    else
        snprintf(cell, TABLE_CELL, "%.2f",
                 microseconds(r, columns[column].figure, columns[column].bare));
}

static void write_md(FILE *out, const struct mode_report *report) {
    context_write(out, &report->context);
    table_write(out, &(struct table){.rows = report->count,
                                     .columns = COLUMNS,
                                     .left = 1u << SHAPE | 1u << TRANS | 1u << CHECK,
                                     .fill = fill,
                                     .arg = report});
}

static void write_csv(FILE *out, const struct mode_report *report) {
    fputs(CSV_PROBLEM
          "outcome,kernels,arguments,figure,median_us,min_us,p95_us,samples,calls_per_sample,why\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (int f = 0; f < OVERHEAD_FIGURES; f++) {
            const struct overhead_result *r = result_at(report, i);
            const struct timing *t = &r->figures[f];
            mode_csv(out, report->options, &r->head);
            fprintf(out, "%d,%d,%s,", r->kernels, r->arguments, keys[f]);
            if (r->head.outcome)
                fputs(",,,,,", out);
            else
                fprintf(out, "%.4f,%.4f,%.4f,%d,%d,", 1e6 * t->median, 1e6 * t->min, 1e6 * t->p95,
                        t->samples, t->calls);
            csv_string(out, r->head.why);
            fputc('\n', out);
        }
}

static void write_json_result(struct clg_json *json, const struct options *o,
                              const struct overhead_result *r) {
    json_result(json);
    mode_json(json, o, &r->head);
    clg_json_count(json, "kernels", (uint64_t)r->kernels);
    clg_json_count(json, "arguments", (uint64_t)r->arguments);
    clg_json_open(json, "figures", '{');
    for (int f = 0; f < OVERHEAD_FIGURES && !r->head.outcome; f++)
        json_timing(json, keys[f], &r->figures[f]);
    clg_json_close(json, '}');
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct mode_report *report) {
    struct clg_json json = json_begin(out, OVERHEAD_SCHEMA, &report->context);
    json_results(&json);
    for (size_t i = 0; i < report->count; i++)
        write_json_result(&json, report->options, result_at(report, i));
    json_end(&json);
}

void overhead_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct mode_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}
