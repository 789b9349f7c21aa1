/* SPDX-License-Identifier: Apache-2.0
 * An earlier run's JSON, to compare with. */
#ifndef BENCH_BASELINE_H
#define BENCH_BASELINE_H

#include "measure.h"

#define BASELINE_KEY 224

struct baseline_entry {
    char key[BASELINE_KEY]; /* as it stands in the file */
    double gflops[2];       /* OURS_HOST, OURS_DEVICE; 0: not measured */
};

struct baseline {
    struct baseline_entry *entries;
    size_t count;
    char device[320];
};

/* Reads a file that report_json() wrote. False with why for any other. Release in any case. */
bool baseline_read(struct baseline *baseline, const char *path, char *why, size_t room);
void baseline_release(struct baseline *baseline);

/* What tells problems apart, as members of a JSON object: with it a result's line begins. */
const char *baseline_key(char key[BASELINE_KEY], const struct options *options,
                         const struct result *result);

/* Our rate over the baseline's; 0 where the baseline has none, -1 where only this run lacks it. */
double baseline_ratio(const struct baseline *baseline, const struct options *options,
                      const struct result *result, int ours);

#endif
