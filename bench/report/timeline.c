/* SPDX-License-Identifier: Apache-2.0
 * The drawing and the report of --timeline. Times are in milliseconds from the beginning of the
 * call. */
#include "bench/timeline.h"

#include <math.h>

#include "bench/report/table.h"
#include "src/common/svg.h"

static const char *const lanes[CLG_LANES] = {"up", "device", "down", "thread"};
static const char *const matrices[CLG_MATRICES] = {"A", "B", "C"};

static const struct timeline_result *only(const struct mode_report *report) {
    return report->results;
}

static double since(const struct timeline_result *r, double time) {
    return 1e3 * (time - r->began);
}

static bool is_same_lane(const struct clg_pipe_span *a, const struct clg_pipe_span *b) {
    return a->lane == b->lane && a->thread == b->thread;
}

/* The first span after those of the same lane as span `i`. */
static int end_of_lane(const struct timeline_result *r, int i) {
    int end = i;
    while (end < r->count && is_same_lane(&r->spans[end], &r->spans[i]))
        end++;
    return end;
}

static int count_lanes(const struct timeline_result *r) {
    int count = 0;
    for (int i = 0; i < r->count; i = end_of_lane(r, i))
        count++;
    return count;
}

static void name_lane(char *out, size_t size, const struct clg_pipe_span *span) {
    if (span->lane == CLG_LANE_THREAD)
        snprintf(out, size, "thread %d", span->thread);
    else
        snprintf(out, size, "%s", lanes[span->lane]);
}

static double busy(const struct timeline_result *r, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += 1e3 * (r->spans[i].end - r->spans[i].begin);
    return sum;
}

/* ---- The drawing ---- */

enum { WIDTH = 960, LEFT = 90, RIGHT = 850, TOP = 56, ROW = 24, BAR = 16, BELOW = 36 };

/* Rectangles that are nearer than this, in pixels, are merged, because they look like one. */
static const double GAP = 0.25, THINNEST = 0.4;

struct drawing {
    FILE *out;
    const struct timeline_result *r;
    double scale; /* pixels per millisecond */
};

static const char *colour_of(const struct clg_pipe_span *span) {
    enum { GREY = 7 };
    return svg_colours[span->lane == CLG_LANE_RUN ? GREY : span->matrix];
}

static double x_of(const struct drawing *d, double time) {
    return LEFT + fmin(fmax(since(d->r, time), 0), 1e3 * d->r->seconds) * d->scale;
}

static void draw_lane(const struct drawing *d, int from, int to, int y) {
    const struct clg_pipe_span *spans = d->r->spans;
    char name[32];
    name_lane(name, sizeof name, &spans[from]);
    fprintf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 10,
            y + BAR - 4, name);
    for (int i = from; i < to;) {
        const struct clg_pipe_span *first = &spans[i];
        const double begin = x_of(d, first->begin);
        double end = x_of(d, first->end);
        for (i++; i < to && spans[i].matrix == first->matrix &&
                  x_of(d, spans[i].begin) - end < (first->lane == CLG_LANE_RUN ? 0 : GAP);
             i++)
            end = fmax(end, x_of(d, spans[i].end));
        fprintf(d->out, "<path d=\"M%.1f %dh%.1fv%dh-%.1fz\" fill=\"%s\"%s/>\n", begin, y,
                fmax(end - begin, THINNEST), BAR, fmax(end - begin, THINNEST), colour_of(first),
                first->lane == CLG_LANE_RUN ? " stroke=\"#fff\" stroke-width=\"0.5\"" : "");
    }
}

static void draw_axis(const struct drawing *d, int bottom) {
    const struct svg_field field = {d->out, LEFT, TOP - 8, RIGHT, bottom};
    const double step = svg_step(1e3 * d->r->seconds, 10);
    char label[32];
    fprintf(d->out, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP - 8,
            bottom, RIGHT);
    for (double ms = 0; ms <= 1e3 * d->r->seconds; ms += step) {
        snprintf(label, sizeof label, "%g%s", ms, ms > 0 ? "" : " ms");
        svg_x_tick(&field, LEFT + ms * d->scale, label, false);
    }
}

static void draw_legend(FILE *out) {
    static const char *const words[] = {"A", "B", "C", "products"};
    static const int colours[] = {0, 1, 2, 7};
    for (int i = 0; i < 4; i++)
        fprintf(out,
                "<path d=\"M%d %dh12v12h-12z\" fill=\"%s\"/>\n<text x=\"%d\" y=\"%d\">%s</text>\n",
                RIGHT + 20, TOP + 22 * i, svg_colours[colours[i]], RIGHT + 38, TOP + 10 + 22 * i,
                words[i]);
}

void timeline_draw(FILE *out, const struct mode_report *report) {
    const struct timeline_result *r = only(report);
    const int rows = r->head.outcome ? 0 : count_lanes(r);
    const int bottom = TOP + (rows > 4 ? rows : 4) * ROW;
    const int height = bottom + BELOW + SVG_CAPTION;
    const struct drawing d = {out, r, (RIGHT - LEFT) / fmax(1e3 * r->seconds, 1e-6)};
    char shape[SHAPE_TEXT];
    svg_open(out, WIDTH, height, LEFT);
    fprintf(out, "%s %s from host to host", element_of(report->options->type)->routine,
            shape_text(shape, r->head.shape));
    if (r->head.outcome)
        fputs(": not traced", out);
    else
        fprintf(out, ", %.3g ms%s, on ", 1e3 * r->seconds, r->forced ? ", copies forced" : "");
    if (!r->head.outcome)
        svg_text(out, context_value(&report->context, "device"));
    fputs("</text>\n", out);
    for (int i = 0, y = TOP; i < r->count && !r->head.outcome; y += ROW) {
        const int end = end_of_lane(r, i);
        draw_lane(&d, i, end, y);
        i = end;
    }
    if (!r->head.outcome)
        draw_axis(&d, bottom);
    draw_legend(out);
    context_caption(out, &report->context, report->options, height, LEFT);
    fputs("</svg>\n", out);
}

/* ---- The report ---- */

enum column { LANE, SPANS, BUSY, FIRST, LAST, COLUMNS };

static void fill(char cell[TABLE_CELL], const void *arg, size_t row, int column) {
    static const char *const titles[COLUMNS] = {"lane", "spans", "busy ms", "from ms", "to ms"};
    const struct timeline_result *r = arg;
    int from = 0;
    if (!row) {
        snprintf(cell, TABLE_CELL, "%s", titles[column]);
        return;
    }
    for (size_t i = 1; i < row; i++)
        from = end_of_lane(r, from);
    const int to = end_of_lane(r, from);
    double last = 0;
    for (int i = from; i < to; i++)
        last = fmax(last, since(r, r->spans[i].end));
    if (column == LANE)
        name_lane(cell, TABLE_CELL, &r->spans[from]);
    else if (column == SPANS)
        snprintf(cell, TABLE_CELL, "%d", to - from);
    else
        snprintf(cell, TABLE_CELL, "%.3f",
                 column == BUSY    ? busy(r, from, to)
                 : column == FIRST ? since(r, r->spans[from].begin)
                                   : last);
}

static void write_md(FILE *out, const struct mode_report *report) {
    const struct timeline_result *r = only(report);
    char cell[TABLE_CELL], shape[SHAPE_TEXT];
    context_write(out, &report->context);
    fprintf(out, "%s %s: ", shape_text(shape, r->head.shape), trans_name(r->head.trans));
    if (r->head.outcome) {
        mode_cell(cell, sizeof cell, &r->head);
        fprintf(out, "%s\n", cell);
        return;
    }
    fprintf(out, "%.3f ms, the fastest call; median %.3f, expected %.3f%s\n\n", 1e3 * r->seconds,
            1e3 * r->median, 1e3 * r->expected,
            r->forced ? "; copies are forced, as the device shares the host's memory" : "");
    if (r->lost)
        fprintf(out, "%d spans were dropped for lack of room.\n\n", r->lost);
    table_write(out, &(struct table){.rows = (size_t)count_lanes(r),
                                     .columns = COLUMNS,
                                     .left = 1u << LANE,
                                     .fill = fill,
                                     .arg = r});
}

static void write_csv(FILE *out, const struct mode_report *report) {
    const struct timeline_result *r = only(report);
    fputs(CSV_PROBLEM "outcome,lane,thread,matrix,begin_ms,end_ms\n", out);
    for (int i = 0; i < r->count && !r->head.outcome; i++) {
        const struct clg_pipe_span *span = &r->spans[i];
        mode_csv(out, report->options, &r->head);
        fprintf(out, "%s,%d,%s,%.6f,%.6f\n", lanes[span->lane], span->thread,
                matrices[span->matrix], since(r, span->begin), since(r, span->end));
    }
}

static void write_span(struct clg_json *json, const struct timeline_result *r,
                       const struct clg_pipe_span *span) {
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "lane", lanes[span->lane]);
    if (span->lane == CLG_LANE_THREAD)
        clg_json_count(json, "thread", (uint64_t)span->thread);
    clg_json_text(json, "matrix", matrices[span->matrix]);
    clg_json_digits(json, "begin_ms", since(r, span->begin), JSON_DIGITS);
    clg_json_digits(json, "end_ms", since(r, span->end), JSON_DIGITS);
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct mode_report *report) {
    const struct timeline_result *r = only(report);
    struct clg_json json = json_begin(out, TIMELINE_SCHEMA, &report->context);
    json_results(&json);
    json_result(&json);
    mode_json(&json, report->options, &r->head);
    if (!r->head.outcome) {
        clg_json_bool(&json, "forced_copies", r->forced);
        clg_json_digits(&json, "ms", 1e3 * r->seconds, JSON_DIGITS);
        clg_json_digits(&json, "median_ms", 1e3 * r->median, JSON_DIGITS);
        clg_json_digits(&json, "expected_ms", 1e3 * r->expected, JSON_DIGITS);
        clg_json_count(&json, "lost", (uint64_t)r->lost);
    }
    clg_json_open(&json, "spans", '[');
    for (int i = 0; i < r->count && !r->head.outcome; i++)
        write_span(&json, r, &r->spans[i]);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
    json_end(&json);
}

void timeline_report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct mode_report *) = {
        [FORMAT_MD] = write_md, [FORMAT_CSV] = write_csv, [FORMAT_JSON] = write_json};
    writers[format](out, report);
}
