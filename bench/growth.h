/* SPDX-License-Identifier: Apache-2.0
 * Measures calls of more shapes than a handle remembers plans for: what a call takes whose plan has
 * to be made, by the family that the plan takes, and whether time or memory grows with the number
 * of calls. */
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include "bench/mode.h"
#include "gemm/family.h"

/* The host's time in clgemm_gemm_cl alone, in calls one after another. */
enum growth_figure {
    GROWTH_COLD, /* no plan is remembered, but the programs are */
    GROWTH_WARM, /* the plan is remembered */
    GROWTH_FIGURES
};

/* Samples of each figure: each calls all shapes once, so it is a tenth of all calls. */
enum { GROWTH_ROUNDS = 10 };

struct growth_row {
    const char *family; /* that the plans take; "all" for all of them */
    int shapes;
    struct timing figures[GROWTH_FIGURES]; /* samples, in the order of rounds, are medians */
};

/* Of all shapes up to that of the head. */
struct growth_result {
    struct mode_result head;
    struct growth_row rows[1 + CLG_FAMILIES]; /* all, then the families that occur */
    int num_rows;                             /* 0 unless the outcome is OK */
    double resident; /* bytes of the process at the end; negative: not known */
    double growth;   /* bytes by which it grew after the first round; negative: not known */
};

extern const struct mode growth_mode;

/* Its parts: the first writes a struct mode_report, the other compares it with its baseline. */
report_writer growth_report_write;
bool growth_passes(const struct mode_report *report);

/* Our rate over the baseline's: calls in a second of the fastest round, because runtimes may wake a
 * thread for each call, or not, for seconds. 0 if the baseline has none. */
double growth_ratio(const struct mode_report *report, const struct growth_result *result,
                    const struct growth_row *row, enum growth_figure figure);

#endif
