/* SPDX-License-Identifier: Apache-2.0
 * What charts have in common, those of clgemm-bench and of clgemm. */
#ifndef CLGEMM_COMMON_SVG_H
#define CLGEMM_COMMON_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Okabe and Ito's palette, which colour-blind readers can tell apart, and a grey. */
enum { SVG_COLOURS = 9 };
extern const char *const svg_colours[SVG_COLOURS];

/* Begins a drawing and its title, which the caller writes and ends with "</text>". */
void svg_open(FILE *out, int width, int height, int left);

/* Text with what XML would take for its own escaped. */
void svg_text(FILE *out, const char *text);

/* Two small lines above the drawing's lower edge, `height`, which take SVG_CAPTION of it: when and
 * with what the figures were measured, and the command line (argv, which NULL ends) without the
 * folder of its program. */
enum { SVG_CAPTION = 36 };
void svg_caption(FILE *out, int height, int left, const char *origin, char *const *argv);

/* The field of a chart, in user units. */
struct svg_field {
    FILE *out;
    int left, top, right, bottom;
};

/* The edges with the axes, and what the upright one counts. */
void svg_frame(const struct svg_field *field, const char *y_title);

/* A value of the upright axis with its line across the field; a mark below with its label, slanted
 * where there are many. */
void svg_y_tick(const struct svg_field *field, double y, double value);
void svg_x_tick(const struct svg_field *field, double x, const char *label, bool slanted);

/* A legend's line right of the field, the `place`-th, and the beginning of its text, which the
 * caller writes and ends with "</text>". */
void svg_legend(const struct svg_field *field, int place, const char *colour, const char *dashes);

/* 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`. */
double svg_step(double most, int count);

#endif
