/* SPDX-License-Identifier: Apache-2.0
 * The drawing and the page of `clgemm tune --report`. */
#include "src/tune/plot.h"

#include <math.h>
#include <string.h>

#include "clgemm.h"
#include "src/common/svg.h"
#include "tuning/table.h"

/* In user units: a row has its title, two fields, and their labels. */
enum {
    WIDTH = 1000,
    HEAD = 44,
    ROW = 330,
    FIELD_TOP = 34,
    FIELD_BOTTOM = 254,
    BARS_LEFT = 70,
    BARS_RIGHT = 420,
    CURVE_LEFT = 530,
    CURVE_RIGHT = 970,
    WIDEST = 90, /* of bars */
    DOTS_MOST = 1500
};

/* ---- What is drawn ---- */

int tune_schemes(struct tune_scheme out[TUNE_SCHEMES], const struct tune_result *r) {
    int count = 0;
    for (size_t i = 0; i < r->num_history; i++) {
        const struct tune_record *record = &r->history[i];
        const enum clg_scheme scheme = clg_candidate_scheme(&record->candidate);
        const struct clg_family *family = record->candidate.family;
        int at = 0;
        if (record->verdict > CLG_TRIAL_SLOW || !(record->median > 0))
            continue;
        while (at < count && (out[at].scheme != scheme || out[at].family != family))
            at++;
        if (at == TUNE_SCHEMES || (at < count && out[at].best->median <= record->median))
            continue;
        out[at] = (struct tune_scheme){scheme, family, record, i + 1};
        count += at == count;
    }
    return count;
}

static double gflops(const struct tune_result *r, double seconds) {
    return 2e-9 * (double)r->shape.m * (double)r->shape.n * (double)r->shape.k / seconds;
}

/* What a tooltip says of a candidate. */
static void draw_title(FILE *out, const struct tune_result *r, const struct tune_record *record,
                       size_t number) {
    char text[CLG_DESCRIPTION];
    fprintf(out, "<title>candidate %zu, after %.1f s: %.4g ms, %.4g GFLOP/s&#10;", number,
            record->at, 1e3 * record->median, gflops(r, record->median));
    svg_text(out, clg_candidate_text(text, &record->candidate));
    fputs(record->verdict == CLG_TRIAL_SLOW ? "&#10;cut short</title>" : "</title>", out);
}

/* ---- Best of each scheme ---- */

static void draw_bars(const struct svg_field *f, const struct tune_result *r) {
    struct tune_scheme schemes[TUNE_SCHEMES];
    const int count = tune_schemes(schemes, r);
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, gflops(r, schemes[i].best->median));
    const double step = svg_step(most > 0 ? most : 1, 5), top = step * fmax(1, ceil(most / step));
    for (double value = 0; value <= top * 1.0001; value += step)
        svg_y_tick(f, f->bottom - (f->bottom - f->top) * value / top, value);
    for (int i = 0; i < count; i++) {
        const double place = (double)(f->right - f->left) / count, x = f->left + place * i;
        const double rate = gflops(r, schemes[i].best->median);
        const double height = (f->bottom - f->top) * rate / top, width = fmin(0.6 * place, WIDEST);
        char label[64];
        fprintf(f->out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
                "fill-opacity=\"%s\">",
                x + (place - width) / 2, f->bottom - height, width, height,
                svg_colours[i % SVG_COLOURS],
                schemes[i].best->verdict == CLG_TRIAL_SLOW ? "0.4" : "1");
        draw_title(f->out, r, schemes[i].best, schemes[i].number);
        fprintf(f->out, "</rect>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                x + place / 2, f->bottom - height - 5, rate);
        snprintf(label, sizeof label, "%s: %s", schemes[i].family->name,
                 clg_scheme_names[schemes[i].scheme]);
        svg_x_tick(f, x + place / 2, label, count > 3);
    }
    svg_frame(f, "GFLOP/s, best of each scheme");
}

/* ---- Time against number of candidates ---- */

/* The vertical axis shows times from `low` to `high` seconds. */
struct curve {
    const struct svg_field *field;
    const struct tune_result *result;
    double low, high;
};

static double x_of(const struct curve *c, size_t number) {
    const struct svg_field *f = c->field;
    return f->left +
           (double)(f->right - f->left) * (double)number / (double)(c->result->num_history + 1);
}

static double y_of(const struct curve *c, double seconds) {
    const struct svg_field *f = c->field;
    return f->bottom - (f->bottom - f->top) * (seconds - c->low) / (c->high - c->low);
}

/* From below the best time to above the first. */
static bool choose_times(struct curve *c) {
    double first = 0, best = INFINITY;
    for (size_t i = 0; i < c->result->num_history; i++) {
        const struct tune_record *record = &c->result->history[i];
        if (record->verdict != CLG_TRIAL_GOOD)
            continue;
        first = first > 0 ? first : record->median;
        best = fmin(best, record->median);
    }
    c->high = 1.15 * first;
    c->low = fmax(0, best - 0.15 * first);
    return first > 0;
}

static void draw_dot(const struct curve *c, size_t i, bool improves) {
    const struct tune_record *record = &c->result->history[i];
    fprintf(c->field->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\">", x_of(c, i + 1),
            y_of(c, record->median), improves ? "4" : "1.5", improves ? svg_colours[1] : "#999");
    draw_title(c->field->out, c->result, record, i + 1);
    fputs("</circle>\n", c->field->out);
}

/* Whether a candidate is the fastest so far; updates *best. */
static bool improves(const struct tune_record *record, double *best) {
    if (record->verdict != CLG_TRIAL_GOOD || record->median >= *best)
        return false;
    *best = record->median;
    return true;
}

/* First the other candidates, or some of very many; then the staircase, and the candidates that
 * made its steps. */
static void draw_times(const struct curve *c) {
    const struct tune_result *r = c->result;
    FILE *out = c->field->out;
    const size_t every = r->num_history / DOTS_MOST + 1;
    double best = INFINITY;
    for (size_t i = 0; i < r->num_history; i += every)
        if (r->history[i].verdict == CLG_TRIAL_GOOD && r->history[i].median <= c->high)
            draw_dot(c, i, false);
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", svg_colours[0]);
    for (size_t i = 0; i < r->num_history; i++) {
        const bool first = isinf(best);
        if (improves(&r->history[i], &best))
            fprintf(out, first ? "M%.1f %.1f" : " H%.1f V%.1f", x_of(c, i + 1), y_of(c, best));
    }
    fprintf(out, " H%d\"/>\n", c->field->right);
    best = INFINITY;
    for (size_t i = 0; i < r->num_history; i++)
        if (improves(&r->history[i], &best))
            draw_dot(c, i, true);
}

static void draw_curve(const struct svg_field *f, const struct tune_result *r) {
    struct curve c = {.field = f, .result = r};
    char label[32];
    if (choose_times(&c)) {
        const double step = svg_step(1e3 * (c.high - c.low), 5);
        for (double ms = step * ceil(1e3 * c.low / step); ms <= 1e3 * c.high; ms += step)
            svg_y_tick(f, y_of(&c, ms / 1e3), ms);
        draw_times(&c);
    }
    const double step = fmax(1, svg_step((double)r->num_history + 1, 6));
    for (double at = 0; at <= (double)r->num_history + 1; at += step) {
        snprintf(label, sizeof label, "%.0f", at);
        svg_x_tick(f, x_of(&c, (size_t)at), label, false);
    }
    fprintf(f->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">candidates</text>\n",
            (f->left + f->right) / 2, f->bottom + 40);
    svg_frame(f, "ms, best so far");
}

/* ---- The whole ---- */

static void draw_result(FILE *out, const struct tune_result *r, int y) {
    const struct svg_field bars = {out, BARS_LEFT, y + FIELD_TOP, BARS_RIGHT, y + FIELD_BOTTOM};
    const struct svg_field curve = {out, CURVE_LEFT, y + FIELD_TOP, CURVE_RIGHT, y + FIELD_BOTTOM};
    char text[TUNE_SHAPE_TEXT];
    fprintf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", BARS_LEFT, y + 18,
            tune_shape_text(text, &r->shape));
    draw_bars(&bars, r);
    draw_curve(&curve, r);
}

static void draw_caption(FILE *out, const struct tune_job *job, int height) {
    struct clg_tuning_row now;
    char origin[sizeof now + sizeof job->facts.driver];
    clg_tuning_stamp(now.date, now.version);
    snprintf(origin, sizeof origin, "%s, libclgemm %s, driver %s", now.date, now.version,
             job->facts.driver);
    svg_caption(out, height, BARS_LEFT, origin, job->argv);
}

void tune_plot_svg(FILE *out, const struct tune_job *job) {
    const int height = HEAD + ROW * (int)job->count + SVG_CAPTION;
    svg_open(out, WIDTH, height, BARS_LEFT);
    fputs("clgemm tune on ", out);
    svg_text(out, job->facts.name);
    fputs("</text>\n", out);
    for (size_t i = 0; i < job->count; i++)
        draw_result(out, &job->results[i], HEAD + ROW * (int)i);
    draw_caption(out, job, height);
    fputs("</svg>\n", out);
}

static void write_schemes(FILE *out, const struct tune_result *r) {
    struct tune_scheme schemes[TUNE_SCHEMES];
    const int count = tune_schemes(schemes, r);
    char shape[TUNE_SHAPE_TEXT], text[CLG_DESCRIPTION];
    for (int i = 0; i < count; i++) {
        const struct tune_record *best = schemes[i].best;
        fprintf(out, "<tr><td>%s<td>%s<td>%s<td>%.4g<td>%.4g<td>%zu of %zu<td>%.1f<td>",
                tune_shape_text(shape, &r->shape), clg_scheme_names[schemes[i].scheme],
                schemes[i].family->name, 1e3 * best->median, gflops(r, best->median),
                schemes[i].number, r->num_history, best->at);
        svg_text(out, clg_candidate_text(text, &best->candidate));
        fputs("</tr>\n", out);
    }
}

void tune_plot_html(FILE *out, const struct tune_job *job) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>clgemm "
          "tune</title>\n"
          "<style>body { font-family: sans-serif; margin: 2em }\ntable { border-collapse: collapse "
          "}\n"
          "td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left }</style>\n<p>",
          out);
    svg_text(out, job->facts.name);
    fputs(", driver ", out);
    svg_text(out, job->facts.driver);
    fprintf(out, ". clgemm %s, seed %llu, %.0f s per shape.</p>\n", clgemm_version(),
            (unsigned long long)job->seed, job->budget);
    tune_plot_svg(out, job);
    fputs("<table>\n<tr><th>shape<th>scheme<th>family<th>ms<th>GFLOP/s<th>candidate<th>after s"
          "<th>parameters</tr>\n",
          out);
    for (size_t i = 0; i < job->count; i++)
        write_schemes(out, &job->results[i]);
    fputs("</table>\n</html>\n", out);
}

bool tune_plot_open(const struct tune_job *job, FILE **out) {
    *out = NULL;
    return output_open(out, job->plot, job->command);
}

bool tune_plot_write(const struct tune_job *job, FILE *plot) {
    if (!plot)
        return true;
    if (strcmp(job->plot + strlen(job->plot) - strlen(".svg"), ".svg") == 0)
        tune_plot_svg(plot, job);
    else
        tune_plot_html(plot, job);
    return output_close(&plot, job->plot, job->command);
}
