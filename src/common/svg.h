/* SPDX-License-Identifier: Apache-2.0
 * What the charts of clgemm-bench and clgemm share. */
#ifndef CLGEMM_COMMON_SVG_H
#define CLGEMM_COMMON_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* The palette of Okabe and Ito, which colour-blind readers can tell apart, and a grey. */
enum { SVG_COLOURS = 9 };
extern const char *const svg_colours[SVG_COLOURS];

/* Begins a drawing and its title. The caller writes the title and ends it with "</text>". */
void svg_open(FILE *out, int width, int height, int left);

/* Writes text with XML's special characters escaped. */
void svg_text(FILE *out, const char *text);

/* Writes two small lines above the drawing's lower edge, `height`, in a strip of SVG_CAPTION: the
 * date and software of the measurement, and the command line (argv, NULL at the end) without the
 * path of its program. */
enum { SVG_CAPTION = 36 };
void svg_caption(FILE *out, int height, int left, const char *origin, char *const *argv);

/* The field of a chart, in user units. */
struct svg_field {
    FILE *out;
    int left, top, right, bottom;
};

/* The edges with the axes, and the label of the vertical one. */
void svg_frame(const struct svg_field *field, const char *y_title);

/* A value of the vertical axis with its line across the field; a mark on the horizontal axis with
 * its label, slanted if there are many. */
void svg_y_tick(const struct svg_field *field, double y, double value);
void svg_x_tick(const struct svg_field *field, double x, const char *label, bool slanted);

/* A legend entry right of the field, at position `place`, and the beginning of its text, which the
 * caller writes and ends with "</text>". */
void svg_legend(const struct svg_field *field, int place, const char *colour, const char *dashes);

/* A step of 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`. */
double svg_step(double most, int count);

#endif
