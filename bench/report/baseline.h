/* SPDX-License-Identifier: Apache-2.0
 * An earlier run's JSON, of rates or of --growth, to compare with. */
#ifndef BENCH_REPORT_BASELINE_H
#define BENCH_REPORT_BASELINE_H

#include "bench/measure.h"

enum { BASELINE_KEY = 224, BASELINE_DEVICE = 1024 };

/* What an entry has: GFLOP/s of OURS_HOST and OURS_DEVICE; or, of --growth, calls in a second with
 * a new and with a remembered plan, and bytes of growth. */
enum { BASELINE_COLD, BASELINE_WARM, BASELINE_GROWTH, BASELINE_FIGURES };

struct baseline_entry {
    char key[BASELINE_KEY]; /* identifies a problem, except alpha and beta */
    struct factor alpha, beta;
    double figures[BASELINE_FIGURES]; /* 0: not measured */
};

struct baseline {
    struct baseline_entry *entries;
    size_t count, room;
    bool growth;                  /* of --growth */
    char device[BASELINE_DEVICE]; /* as report_json() describes it; "" if it does not */
    char type[16], batch[16];     /* as in reports */
};

/* Reads the file that the options name, which must be of their measurement, type and batch. False
 * with a message on stderr. Without --baseline does nothing. Release in any case. */
bool baseline_open(struct baseline *baseline, const struct options *options);

/* The baseline for reports of that device, with a note on stderr if it was measured on another one;
 * NULL without --baseline. */
const struct baseline *baseline_for(const struct baseline *baseline, const struct options *options,
                                    const char *device);

/* Reads a file written by report_json(), of this version or an earlier one, or by --growth. False
 * with why for any other file. Release in any case. */
bool baseline_read(struct baseline *baseline, const char *path, char *why, size_t room);
void baseline_release(struct baseline *baseline);

/* Whether it was measured on a device with that name. */
bool baseline_is_of(const struct baseline *baseline, const char *device);

/* Whether it measured the same: rates or --growth, that type and batches of that many products; if
 * not, `why` says so. */
bool baseline_is_alike(const struct baseline *baseline, const struct options *options, char *why,
                       size_t room);

/* That figure of a problem; 0 if there is none. `part`: the core type of rates, which may be "", or
 * the family of --growth. */
double baseline_figure(const struct baseline *baseline, const struct options *options,
                       struct shape shape, struct transposes trans, const char *part, int figure);

/* Our rate over the baseline's; 0 if the baseline has none, -1 if only this run lacks it. */
double baseline_ratio(const struct baseline *baseline, const struct options *options,
                      const struct result *result, int ours);

#endif
