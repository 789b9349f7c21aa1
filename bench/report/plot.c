/* SPDX-License-Identifier: Apache-2.0
 * The report as an SVG chart: GFLOP/s over size, a line for every library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/colours.h"
#include "bench/report/report.h"
#include "src/common/svg.h"

/* In user units of the drawing. The legend is right of the field. */
enum { WIDTH = 940, HEIGHT = 460 + SVG_CAPTION, LEFT = 70, TOP = 48, RIGHT = 700, BOTTOM = 380 };

/* A dash pattern for each position in the list of --trans. */
static const char *const dashes[] = {"none", "8 4", "2 4", "8 4 2 4"};

struct chart {
    FILE *out;
    struct svg_field field;
    const struct report *report;
    const struct result **rows; /* by size, as drawn */
    bool by_size;               /* all square: a numeric axis, else one position for each shape */
    bool logarithmic;
    double first, last; /* of the numeric axis, after the logarithm */
    double top;         /* GFLOP/s at the upper edge */
    double step;        /* between its ticks */
};

static int by_work(const void *left, const void *right) {
    const struct shape *a = &(*(const struct result *const *)left)->shape;
    const struct shape *b = &(*(const struct result *const *)right)->shape;
    double x = (double)a->m * (double)a->n * (double)a->k;
    double y = (double)b->m * (double)b->n * (double)b->k;
    return (x > y) - (x < y);
}

static bool is_square(struct shape s) {
    return s.m == s.n && s.n == s.k && s.m > 0;
}

/* Squares get a numeric axis of sizes. Other shapes have no single size, so each gets its own
 * position, in the order measured. */
static void choose_axis(struct chart *c) {
    const struct report *r = c->report;
    c->by_size = r->count > 0;
    for (size_t i = 0; i < r->count; i++) {
        c->rows[i] = &r->results[i];
        c->by_size = c->by_size && is_square(r->results[i].shape);
    }
    size_t shapes = r->count / r->options->trans.count;
    c->first = 0;
    c->last = shapes > 1 ? (double)(shapes - 1) : 1;
    if (!c->by_size)
        return;
    qsort(c->rows, r->count, sizeof *c->rows, by_work);
    double least = (double)c->rows[0]->shape.n, most = (double)c->rows[r->count - 1]->shape.n;
    c->logarithmic = most >= 4 * least;
    c->first = c->logarithmic ? log2(least) : least;
    c->last = c->logarithmic ? log2(most) : most;
    if (c->first == c->last) { /* one point: in the middle */
        c->first -= 1;
        c->last += 1;
    }
}

static void choose_scale(struct chart *c) {
    double most = 0;
    for (size_t i = 0; i < c->report->count; i++)
        for (int s = 0; s < CONTENDERS; s++)
            most = fmax(most, c->report->results[i].series[s].gflops);
    c->step = svg_step(most > 0 ? most : 1, 6);
    c->top = c->step * fmax(1, ceil(most / c->step));
}

static double x_of(const struct chart *c, double value) {
    return LEFT + (RIGHT - LEFT) * (value - c->first) / (c->last - c->first);
}

static double y_of(const struct chart *c, double gflops) {
    return BOTTOM - (BOTTOM - TOP) * gflops / c->top;
}

/* Results are in the order of shapes, each with all its transposes. */
static double row_x(const struct chart *c, size_t i) {
    double size = (double)c->rows[i]->shape.n;
    size_t shape = i / c->report->options->trans.count;
    if (!c->by_size)
        return x_of(c, (double)shape);
    return x_of(c, c->logarithmic ? log2(size) : size);
}

static void draw_size_ticks(struct chart *c) {
    char label[32];
    double step = c->logarithmic ? 1 : svg_step(c->last - c->first, 7);
    for (double at = step * ceil(c->first / step); at <= c->last + 1e-9; at += step) {
        snprintf(label, sizeof label, "%.0f", c->logarithmic ? exp2(at) : at);
        svg_x_tick(&c->field, x_of(c, at), label, false);
    }
    fprintf(c->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">size (m = n = k)</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 44);
}

/* Only as many labels as are readable. */
static void draw_shape_ticks(struct chart *c) {
    char label[SHAPE_TEXT];
    size_t trans = c->report->options->trans.count, shapes = c->report->count / trans;
    size_t every = shapes / 40 + 1;
    for (size_t s = 0; s < shapes; s += every)
        svg_x_tick(&c->field, row_x(c, s * trans), shape_text(label, c->rows[s * trans]->shape),
                   true);
}

static void draw_axes(struct chart *c) {
    for (double value = 0; value <= c->top * 1.0001; value += c->step)
        svg_y_tick(&c->field, y_of(c, value), value);
    svg_frame(&c->field, "GFLOP/s");
    if (c->by_size)
        draw_size_ticks(c);
    else
        draw_shape_ticks(c);
}

/* The line of one contender and transpose; nothing if it has no figure. */
static bool draw_line(struct chart *c, int series, size_t trans) {
    struct transposes wanted = c->report->options->trans.items[trans];
    bool drawing = false, any = false;
    for (int pass = 0; pass < 2; pass++) { /* first the line, then its points */
        if (!pass)
            fprintf(c->out,
                    "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" "
                    "d=\"M%d %d",
                    series_colours[series], dashes[trans], LEFT, BOTTOM);
        for (size_t i = 0; i < c->report->count; i++) {
            const struct result *row = c->rows[i];
            if (row->trans.ta != wanted.ta || row->trans.tb != wanted.tb)
                continue;
            const struct series *s = &row->series[series];
            bool has = s->outcome == OUTCOME_OK;
            if (has && pass)
                fprintf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                        row_x(c, i), y_of(c, s->gflops), series_colours[series]);
            else if (has)
                fprintf(c->out, " %c%.1f %.1f", drawing ? 'L' : 'M', row_x(c, i),
                        y_of(c, s->gflops));
            drawing = has; /* a gap where a figure is missing */
            any = any || has;
        }
        if (!pass)
            fputs("\"/>\n", c->out);
    }
    return any;
}

static void draw_legend(struct chart *c, int place, int series, size_t trans) {
    svg_legend(&c->field, place, series_colours[series], dashes[trans]);
    svg_text(c->out, c->report->contenders[series].ops->title);
    if (c->report->options->trans.count > 1)
        fprintf(c->out, " %s", trans_name(c->report->options->trans.items[trans]));
    fputs("</text>\n", c->out);
}

void report_svg(FILE *out, const struct report *report) {
    struct chart c = {.out = out, .field = {out, LEFT, TOP, RIGHT, BOTTOM}, .report = report};
    c.rows = calloc(report->count + 1, sizeof *c.rows);
    if (!c.rows)
        return;
    choose_axis(&c);
    choose_scale(&c);
    svg_open(out, WIDTH, HEIGHT, LEFT);
    fprintf(out, "%s", element_of(report->options->type)->routine);
    if (report->options->batch > 1)
        fprintf(out, ", batches of %d,", report->options->batch);
    fputs(" on ", out);
    svg_text(out, context_value(&report->context, "device"));
    fputs("</text>\n", out);
    draw_axes(&c);
    int place = 0;
    for (int series = 0; series < CONTENDERS; series++)
        for (size_t trans = 0; trans < report->options->trans.count; trans++)
            if (report->contenders[series].open && draw_line(&c, series, trans))
                draw_legend(&c, place++, series, trans);
    context_caption(out, &report->context, report->options, HEIGHT, LEFT);
    fputs("</svg>\n", out);
    free(c.rows);
}
