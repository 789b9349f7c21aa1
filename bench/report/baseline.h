/* SPDX-License-Identifier: Apache-2.0
 * An earlier run's JSON, to compare with. */
#ifndef BENCH_REPORT_BASELINE_H
#define BENCH_REPORT_BASELINE_H

#include "bench/measure.h"

enum { BASELINE_KEY = 224, BASELINE_DEVICE = 1024 };

struct baseline_entry {
    char key[BASELINE_KEY]; /* identifies a problem, except alpha and beta */
    struct factor alpha, beta;
    double gflops[2]; /* OURS_HOST, OURS_DEVICE; 0: not measured */
};

struct baseline {
    struct baseline_entry *entries;
    size_t count, room;
    char device[BASELINE_DEVICE]; /* as report_json() describes it; "" if it does not */
    char type[16], batch[16];     /* as in reports */
};

/* Reads a file written by report_json(), of this version or an earlier one. False with why for any
 * other file. Release in any case. */
bool baseline_read(struct baseline *baseline, const char *path, char *why, size_t room);
void baseline_release(struct baseline *baseline);

/* Whether it was measured on a device with that name. */
bool baseline_is_of(const struct baseline *baseline, const char *device);

/* Whether it measured that type and batches of that many products; if not, `why` says so. */
bool baseline_is_alike(const struct baseline *baseline, const struct options *options, char *why,
                       size_t room);

/* Our rate over the baseline's; 0 if the baseline has none, -1 if only this run lacks it. */
double baseline_ratio(const struct baseline *baseline, const struct options *options,
                      const struct result *result, int ours);

#endif
