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
    enum outcome outcome; /* OUTCOME_OK: timing and gflops count */
    enum checked checked;
    char why[256]; /* unless the outcome is OK and the check not wrong */
    struct timing timing;
    double error;         /* the largest of the checked, over |A||B|; 0 where not checked */
    double gflops;        /* of the median; 0 for an empty problem */
    struct heaps heaps;   /* of the samples, where the host's cores do the work */
    struct memory memory; /* of one call; known of ours alone, not with --ladder */
};

struct result {
    struct shape shape;
    struct transposes trans;
    struct series series[CONTENDERS];
    char coretype[CORETYPE_NAME]; /* of OpenBLAS, where --coretype named it, else "" */
    bool is_best;                 /* a copy of the result with the fastest of the core types */
    struct copies copies;         /* where a page was asked for, and the library copies, too */
};

/* The most contenders at a time. */
enum { MEASURE_MAX = 32 };

/* Fills `count` series for as many contenders; every kind of failure ends there, none in the
 * program. */
void measure_with(struct series *series, struct contender *contenders, int count,
                  struct device *device, const struct options *options, struct shape shape,
                  struct transposes trans);

/* The same for the usual contenders. */
void measure(struct result *result, struct contender contenders[CONTENDERS], struct device *device,
             const struct options *options, struct shape shape, struct transposes trans);

/* Whether a wrong result of it, or an error, is a failure of the run. */
bool is_ours(int contender);

/* Ours: right where checked, no error. A skipped one has not failed. */
bool result_failed(const struct result *result);

/* gflops of one over another's, or 0 where either is missing. */
double result_ratio(const struct result *result, int one, int other);

/* The core type that reports name: "" where none was asked for, "best" for the fastest. */
const char *result_coretype(const struct result *result);

#endif
