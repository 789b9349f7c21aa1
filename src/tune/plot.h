/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --report`: draws what the searches found. */
#ifndef CLGEMM_TUNE_PLOT_H
#define CLGEMM_TUNE_PLOT_H

#include "src/tune/tune.h"

/* The fastest candidate of a blocking scheme in a family. */
struct tune_scheme {
    enum clg_scheme scheme;
    const struct clg_family *family;
    const struct tune_record *best;
    size_t number; /* index of the candidate in the search, from 1 */
};

enum { TUNE_SCHEMES = 12 };

/* Those with a time, even a rough one because they were cut short, in the order of their first
 * candidates. Returns their number. */
int tune_schemes(struct tune_scheme out[TUNE_SCHEMES], const struct tune_result *result);

/* A drawing with a row for each result: the schemes as bars, and the least time so far against the
 * number of candidates. Self-contained; tooltips say more. */
void tune_plot_svg(FILE *out, const struct tune_job *job);

/* A page with the drawing and a table of its figures. */
void tune_plot_html(FILE *out, const struct tune_job *job);

/* The first opens the file that the job names; *out is NULL if there is none. The second draws into
 * it and closes it. If it cannot be written, both print a message to stderr and return false. */
bool tune_plot_open(const struct tune_job *job, FILE **out);
bool tune_plot_write(const struct tune_job *job, FILE *plot);

#endif
