/* SPDX-License-Identifier: Apache-2.0
 * The ladder as an SVG staircase: a tread for each step, and a level line for each library. */
#include <math.h>
#include <stdlib.h>

#include "bench/ladder/ladder.h"
#include "bench/report/colours.h"
#include "src/common/svg.h"

/* In user units of the drawing. The legend is right of the field. */
enum { WIDTH = 1060, HEIGHT = 510 + SVG_CAPTION, LEFT = 70, TOP = 48, RIGHT = 740, BOTTOM = 380 };

/* The colours of sizes, repeated if there are more. They differ from series_colours. */
static const char *const stair_colours[] = {"#000000", "#882255", "#7b61c9", "#8b5a2b", "#4b5d16"};
enum { STAIR_COLOURS = sizeof stair_colours / sizeof *stair_colours };

struct stairs {
    FILE *out;
    struct svg_field field;
    const struct ladder_report *report;
    double bottom, top; /* GFLOP/s at the lower and upper edges */
    double step;        /* between ticks; 0: the axis is logarithmic */
    int legend;         /* legend entries so far */
};

static double y_of(const struct stairs *c, double gflops) {
    const double share =
        c->step > 0 ? gflops / c->top : log(gflops / c->bottom) / log(c->top / c->bottom);
    return BOTTOM - (BOTTOM - TOP) * share;
}

/* The left edge of a contender's tread. The one after the last is the field's right edge. */
static double x_of(const struct stairs *c, int contender) {
    return LEFT +
           (double)(RIGHT - LEFT) * (contender - CONTENDERS) / (c->report->count - CONTENDERS);
}

/* If rates differ by more than this factor, the axis is logarithmic. */
#define LINEAR_MOST 40

static void choose_scale(struct stairs *c) {
    const struct ladder_report *r = c->report;
    double most = r->ceiling, least = INFINITY;
    for (size_t s = 0; s < r->options->shapes.count; s++)
        for (int i = 0; i < r->count; i++) {
            const double rate = ladder_series(r, s, i)->gflops;
            most = fmax(most, rate);
            least = rate > 0 ? fmin(least, rate) : least;
        }
    if (most > LINEAR_MOST * least) {
        c->bottom = pow(10, floor(log10(least)));
        c->top = pow(10, ceil(log10(most)));
    } else {
        c->step = svg_step(most > 0 ? most : 1, 6);
        c->top = c->step * fmax(1, ceil(most / c->step));
    }
}

static void draw_axes(const struct stairs *c) {
    const struct ladder_report *r = c->report;
    for (double value = 0; c->step > 0 && value <= c->top * 1.0001; value += c->step)
        svg_y_tick(&c->field, y_of(c, value), value);
    for (double ten = c->bottom; c->step <= 0 && ten <= c->top * 1.0001; ten *= 10)
        for (int digit = 1; digit <= 5 && digit * ten <= c->top * 1.0001; digit = digit * 5 / 2)
            svg_y_tick(&c->field, y_of(c, digit * ten), digit * ten);
    svg_frame(&c->field, "GFLOP/s");
    for (int i = CONTENDERS; i < r->count; i++) {
        const struct ladder_step *step = ladder_step_of(r, i);
        const double x = (x_of(c, i) + x_of(c, i + 1)) / 2;
        fprintf(c->out,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"end\" font-size=\"11\" "
                "transform=\"rotate(-40 %.1f %d)\">%d ",
                x + 4, BOTTOM + 16, x + 4, BOTTOM + 16, step->number);
        svg_text(c->out, step->title);
        fprintf(c->out, "%s%s</text>\n", *step->variant ? " " : "", step->variant);
    }
}

static void draw_legend(struct stairs *c, const char *colour, const char *dashes,
                        const char *text) {
    svg_legend(&c->field, c->legend++, colour, dashes);
    svg_text(c->out, text);
    fputs("</text>\n", c->out);
}

/* A level line across the whole field. */
static void draw_level(struct stairs *c, double gflops, const char *colour, const char *dashes,
                       const char *text) {
    fprintf(c->out,
            "<path d=\"M%d %.1f H%d\" stroke=\"%s\" stroke-width=\"1.5\" "
            "stroke-dasharray=\"%s\"/>\n",
            LEFT, y_of(c, gflops), RIGHT, colour, dashes);
    draw_legend(c, colour, dashes, text);
}

/* Treads, and the risers between neighbours. A step without a figure leaves a gap. */
static void draw_stairs(struct stairs *c, size_t shape) {
    const char *colour = stair_colours[shape % STAIR_COLOURS];
    const struct ladder_report *r = c->report;
    char text[SHAPE_TEXT];
    bool drawing = false;
    fprintf(c->out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" d=\"M%d %d", colour,
            LEFT, BOTTOM);
    for (int i = CONTENDERS; i < r->count; i++) {
        const struct series *s = ladder_series(r, shape, i);
        const bool has = s->outcome == OUTCOME_OK;
        if (has)
            fprintf(c->out, " %c%.1f %.1f H%.1f", drawing ? 'L' : 'M', x_of(c, i),
                    y_of(c, s->gflops), x_of(c, i + 1));
        drawing = has;
    }
    fputs("\"/>\n", c->out);
    draw_legend(c, colour, "none", shape_text(text, r->options->shapes.items[shape]));
}

void ladder_report_svg(FILE *out, const struct ladder_report *r) {
    struct stairs c = {.out = out, .field = {out, LEFT, TOP, RIGHT, BOTTOM}, .report = r};
    const size_t shapes = r->options->shapes.count;
    char text[SHAPE_TEXT];
    choose_scale(&c);
    svg_open(out, WIDTH, HEIGHT, LEFT);
    fputs("The ladder on ", out);
    svg_text(out, context_value(&r->context, "device"));
    fputs("</text>\n", out);
    draw_axes(&c);
    for (size_t s = 0; s < shapes; s++)
        draw_stairs(&c, s);
    /* Libraries are drawn at one size, the last. */
    for (int i = 0; i < CONTENDERS; i++) {
        const struct series *s = ladder_series(r, shapes - 1, i);
        char label[128];
        snprintf(label, sizeof label, "%s%s%s", r->contenders[i].ops->title, shapes > 1 ? ", " : "",
                 shapes > 1 ? shape_text(text, r->options->shapes.items[shapes - 1]) : "");
        if (r->contenders[i].open && s->outcome == OUTCOME_OK)
            draw_level(&c, s->gflops, series_colours[i], "8 4", label);
    }
    if (r->ceiling > 0)
        draw_level(&c, r->ceiling, "#444444", "2 4", "multiply-adds alone");
    context_caption(out, &r->context, r->options, HEIGHT, LEFT);
    fputs("</svg>\n", out);
}
