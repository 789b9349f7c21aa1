/* SPDX-License-Identifier: Apache-2.0
 * The report of --first-call as Markdown, CSV and JSON. Times are in milliseconds. */
#include <string.h>

#include "bench/first_call/first_call.h"
#include "bench/report/table.h"

enum column {
    SHAPE,
    TRANS,
    DRIVER_CACHE,
    OPEN,
    COLD,
    DISK,
    MEMORY,
    STEADY,
    EXCESS,
    FIND,
    LOAD,
    REST,
    BACKGROUND_OPEN,
    BACKGROUND,
    SLOWEST,
    PROGRAMS,
    CHECK,
    PEER_OPEN,
    PEER_CALL,
    PEER_STEADY,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [SHAPE] = "shape",
    [TRANS] = "trans",
    [DRIVER_CACHE] = "driver's cache",
    [OPEN] = "open",
    [COLD] = "cold",
    [DISK] = "from disk",
    [MEMORY] = "from memory",
    [STEADY] = "steady",
    [EXCESS] = "disk - steady",
    [FIND] = "find",
    [LOAD] = "load",
    [REST] = "rest",
    [BACKGROUND_OPEN] = "open, background",
    [BACKGROUND] = "first, background",
    [SLOWEST] = "slowest later",
    [PROGRAMS] = "programs",
    [CHECK] = "check",
    [PEER_OPEN] = "CLBlast open",
    [PEER_CALL] = "CLBlast first",
    [PEER_STEADY] = "CLBlast steady",
};

const char *const first_figure_keys[FIRST_FIGURES] = {
    [FIRST_OPEN] = "open",
    [FIRST_COLD] = "cold",
    [FIRST_DISK] = "disk",
    [FIRST_MEMORY] = "memory",
    [FIRST_STEADY] = "steady",
    [FIRST_FIND] = "disk_find",
    [FIRST_LOAD] = "disk_load",
    [FIRST_BACKGROUND_OPEN] = "background_open",
    [FIRST_BACKGROUND] = "background_first",
    [FIRST_SLOWEST] = "background_slowest",
    [FIRST_PEER_OPEN] = "clblast_open",
    [FIRST_PEER_CALL] = "clblast_first",
    [FIRST_PEER_STEADY] = "clblast_steady",
};

static bool has_peer(const struct first_report *report) {
    for (size_t i = 0; i < report->count; i++)
        if (report->results[i].figures[FIRST_PEER_CALL].count > 0)
            return true;
    return false;
}

/* The sum of the medians with these signs; "-" if one is missing. */
static void ms_cell(char cell[TABLE_CELL], const struct first_result *r, int plus,
                    const int minus[2]) {
    double seconds = r->figures[plus].median;
    bool whole = r->figures[plus].count > 0;
    for (int i = 0; i < 2 && minus && minus[i] >= 0; i++) {
        seconds -= r->figures[minus[i]].median;
        whole = whole && r->figures[minus[i]].count > 0;
    }
    snprintf(cell, TABLE_CELL, "-");
    if (whole)
        snprintf(cell, TABLE_CELL, "%.2f", 1e3 * seconds);
}

/* "compiled/from disk/from memory" for each of the three kinds of first calls. */
static void programs_cell(char cell[TABLE_CELL], const struct first_result *r) {
    size_t used = 0;
    for (int phase = FIRST_COLD; phase <= FIRST_MEMORY; phase++) {
        const unsigned *programs = r->programs[phase];
        used += (size_t)snprintf(cell + used, TABLE_CELL - used, "%s%u/%u/%u", used ? " " : "",
                                 programs[CLG_FROM_SOURCE], programs[CLG_FROM_DISK],
                                 programs[CLG_FROM_MEMORY]);
    }
}

static void check_cell(char cell[TABLE_CELL], const struct first_report *report,
                       const struct first_result *r) {
    size_t used = 0;
    if (r->outcome)
        used = (size_t)snprintf(cell, TABLE_CELL, "%s %s",
                                r->outcome == OUTCOME_FAILED ? "FAIL" : "skipped:", r->why);
    else
        used = (size_t)snprintf(cell, TABLE_CELL, "%s",
                                report->options->verify ? checked_name(r->checked) : "not checked");
    if (r->peer_why[0] && has_peer(report) && used < TABLE_CELL)
        snprintf(cell + used, TABLE_CELL - used, "; CLBlast: %s", r->peer_why);
}

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    static const int figures[COLUMNS] = {
        [OPEN] = FIRST_OPEN,
        [COLD] = FIRST_COLD,
        [DISK] = FIRST_DISK,
        [MEMORY] = FIRST_MEMORY,
        [STEADY] = FIRST_STEADY,
        [EXCESS] = FIRST_DISK,
        [FIND] = FIRST_FIND,
        [LOAD] = FIRST_LOAD,
        [REST] = FIRST_DISK,
        [BACKGROUND_OPEN] = FIRST_BACKGROUND_OPEN,
        [BACKGROUND] = FIRST_BACKGROUND,
        [SLOWEST] = FIRST_SLOWEST,
        [PEER_OPEN] = FIRST_PEER_OPEN,
        [PEER_CALL] = FIRST_PEER_CALL,
        [PEER_STEADY] = FIRST_PEER_STEADY,
    };
    static const int steady[] = {FIRST_STEADY, -1}, programs[] = {FIRST_FIND, FIRST_LOAD};
    const struct first_report *report = arg;
    const struct first_result *r = row ? &report->results[row - 1] : NULL;
    if (!r)
        snprintf(cell, TABLE_CELL, "%s", titles[column]);
    else if (column == SHAPE)
        shape_text(cell, r->shape);
    else if (column == TRANS)
        snprintf(cell, TABLE_CELL, "%s", trans_name(r->trans));
    else if (column == DRIVER_CACHE)
        snprintf(cell, TABLE_CELL, "%s", r->driver_cache ? "on" : "off");
    else if (column == PROGRAMS)
        programs_cell(cell, r);
    else if (column == CHECK)
        check_cell(cell, report, r);
    else
        ms_cell(cell, r, figures[column],
                column == EXCESS ? steady
                : column == REST ? programs
                                 : NULL);
}

static void write_md(FILE *out, const struct first_report *report) {
    context_write(out, &report->context);
    table_write(out, &(struct table){.rows = report->count,
                                     .columns = has_peer(report) ? COLUMNS : PEER_OPEN,
                                     .left = 1u << SHAPE | 1u << TRANS | 1u << DRIVER_CACHE |
                                             1u << PROGRAMS | 1u << CHECK,
                                     .fill = fill,
                                     .arg = report});
}

/* The figures that are reported with program counts: the three kinds of first calls. */
static bool has_programs(int figure) {
    return figure >= FIRST_COLD && figure <= FIRST_MEMORY;
}

static void write_csv_figure(FILE *out, const struct options *o, const struct first_result *r,
                             int figure) {
    const struct first_times *t = &r->figures[figure];
    csv_problem(out, o, r->shape, r->trans);
    fprintf(out, "%s,%s,", r->driver_cache ? "on" : "off", first_figure_keys[figure]);
    if (t->count > 0)
        fprintf(out, "%.6f,%.6f,%.6f,%d,", 1e3 * t->median, 1e3 * t->seconds[0],
                1e3 * t->seconds[t->count - 1], t->count);
    else
        fputs(",,,0,", out);
    if (has_programs(figure))
        fprintf(out, "%u,%u,%u,", r->programs[figure][CLG_FROM_SOURCE],
                r->programs[figure][CLG_FROM_DISK], r->programs[figure][CLG_FROM_MEMORY]);
    else
        fputs(",,,", out);
    const bool peer = figure >= FIRST_PEER_OPEN;
    fprintf(out, "%s,%s,", peer ? (t->count ? "ok" : "skipped") : outcome_name(r->outcome),
            peer ? "" : checked_name(r->checked));
    csv_string(out, peer ? r->peer_why : r->why);
    fputc('\n', out);
}

static void write_csv(FILE *out, const struct first_report *report) {
    fputs(CSV_PROBLEM
          "driver_cache,figure,median_ms,min_ms,max_ms,processes,compiled,from_disk,from_memory,"
          "outcome,check,why\n",
          out);
    for (size_t i = 0; i < report->count; i++)
        for (int figure = 0; figure < FIRST_FIGURES; figure++)
            write_csv_figure(out, report->options, &report->results[i], figure);
}

static void write_json_figure(struct clg_json *json, const struct first_result *r, int figure) {
    const struct first_times *t = &r->figures[figure];
    const unsigned *programs = r->programs[figure];
    clg_json_open(json, first_figure_keys[figure], '{');
    clg_json_digits(json, "median_ms", 1e3 * t->median, JSON_DIGITS);
    json_samples(json, "samples_ms", t->seconds, t->count, 1e3);
    if (has_programs(figure)) {
        clg_json_count(json, "compiled", programs[CLG_FROM_SOURCE]);
        clg_json_count(json, "from_disk", programs[CLG_FROM_DISK]);
        clg_json_count(json, "from_memory", programs[CLG_FROM_MEMORY]);
    }
    clg_json_close(json, '}');
}

static void write_json_result(struct clg_json *json, const struct options *o,
                              const struct first_result *r) {
    json_result(json);
    json_problem(json, o, r->shape, r->trans);
    clg_json_bool(json, "driver_cache", r->driver_cache);
    clg_json_text(json, "outcome", outcome_name(r->outcome));
    clg_json_text(json, "check", checked_name(r->checked));
    clg_json_text(json, "why", r->why);
    clg_json_text(json, "clblast_why", r->peer_why);
    clg_json_open(json, "figures", '{');
    for (int figure = 0; figure < FIRST_FIGURES; figure++)
        if (r->figures[figure].count > 0)
            write_json_figure(json, r, figure);
    clg_json_close(json, '}');
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct first_report *report) {
    struct clg_json json = json_begin(out, FIRST_SCHEMA, &report->context);
    json_results(&json);
    for (size_t i = 0; i < report->count; i++)
        write_json_result(&json, report->options, &report->results[i]);
    json_end(&json);
}

void first_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct first_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}
