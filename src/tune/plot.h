/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --report`: what the searches found, drawn. */
#ifndef CLGEMM_TUNE_PLOT_H
#define CLGEMM_TUNE_PLOT_H

#include "src/tune/tune.h"

/* The quickest candidate of a blocking scheme in a family. */
struct tune_scheme {
    enum clg_scheme scheme;
    const struct clg_family *family;
    const struct tune_record *best;
    size_t number; /* of the candidate in the search, from 1 */
};

enum { TUNE_SCHEMES = 12 };

/* Those that gave a time, be it roughly as they were cut short, in the order of their first
 * candidates; returns how many. */
int tune_schemes(struct tune_scheme out[TUNE_SCHEMES], const struct tune_result *result);

/* A drawing with a row for each result: the schemes as bars, and the least time so far against the
 * number of candidates. Self-contained; more is told where the mouse rests. */
void tune_plot_svg(FILE *out, const struct tune_job *job);

/* A page with the drawing, and with the figures in a table. */
void tune_plot_html(FILE *out, const struct tune_job *job);

/* Opens the file that the job asks for, if it does: else *out is NULL. Draws into it and closes it.
 * False, having said so on stderr, where it cannot be written. */
bool tune_plot_open(const struct tune_job *job, FILE **out);
bool tune_plot_write(const struct tune_job *job, FILE *plot);

#endif
