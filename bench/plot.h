/* SPDX-License-Identifier: Apache-2.0
 * What the charts have in common. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdio.h>

/* Begins a drawing and its title, which the caller writes and ends with "</text>". */
void svg_open(FILE *out, int width, int height, int left);

/* Text with what XML would take for its own escaped. */
void svg_text(FILE *out, const char *text);

/* 1, 2 or 5 times a power of ten, so that about `count` steps reach `most`. */
double svg_step(double most, int count);

#endif
