/* SPDX-License-Identifier: Apache-2.0
 * Measures one problem with every contender. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/copies.h"
#include "bench/memory.h"
#include "bench/options.h"
#include "bench/peers/contender.h"
#include "src/common/heaps.h"
#include "src/common/timing.h"

enum checked { CHECK_NONE, CHECK_OK, CHECK_WRONG };

/* "none", "ok", "wrong". */
const char *checked_name(enum checked checked);

/* One contender on one problem. */
struct series {
    enum outcome outcome; /* OUTCOME_OK: timing and gflops are valid */
    enum checked checked;
    char why[256]; /* set unless the outcome is OK and the check is not wrong */
    struct timing timing;
    double error;  /* the largest error of the checked elements, over |A||B|; 0 if not checked */
    double gflops; /* by the median; 0 for an empty problem */
    struct heaps heaps;   /* of the samples, if the host's cores do the work */
    struct memory memory; /* of one call; only for ours, not with --ladder */
};

struct result {
    struct shape shape;
    struct transposes trans;
    struct series series[CONTENDERS];
    char coretype[CORETYPE_NAME]; /* of OpenBLAS, if --coretype named it, else "" */
    bool is_best;                 /* a copy of the result with the fastest core type */
    struct copies copies;         /* only for a page, and if the library copies too */
};

/* The largest number of contenders. */
enum { MEASURE_MAX = 32 };

/* Fills `count` series for as many contenders. Every kind of failure ends there, none ends the
 * program. */
void measure_with(struct series *series, struct contender *contenders, int count,
                  struct device *device, const struct options *options, struct shape shape,
                  struct transposes trans);

/* The same for the usual contenders. */
void measure(struct result *result, struct contender contenders[CONTENDERS], struct device *device,
             const struct options *options, struct shape shape, struct transposes trans);

/* Whether a wrong result or an error of this contender fails the run. */
bool is_ours(int contender);

/* Ours: no error, and right if checked. A skipped one has not failed. */
bool result_failed(const struct result *result);

/* gflops of one over another's, or 0 if either is missing. */
double result_ratio(const struct result *result, int one, int other);

/* The core type in reports: "" if none was requested, "best" for the fastest. */
const char *result_coretype(const struct result *result);

#endif
