/* SPDX-License-Identifier: Apache-2.0
 * What charts have in common, those of clgemm-bench and of clgemm. */
#ifndef BENCH_SVG_H
#define BENCH_SVG_H

#include <stdio.h>

/* Okabe and Ito's palette, which colour-blind readers can tell apart. */
enum { SVG_COLOURS = 7 };
extern const char *const svg_colours[SVG_COLOURS];

/* Begins a drawing and its title, which the caller writes and ends with "</text>". */
void svg_open(FILE *out, int width, int height, int left);

/* Text with what XML would take for its own escaped. */
void svg_text(FILE *out, const char *text);

/* 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`. */
double svg_step(double most, int count);

#endif
