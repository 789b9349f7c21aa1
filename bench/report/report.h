/* SPDX-License-Identifier: Apache-2.0
 * Writes what was measured: Markdown for people, CSV and JSON for programs, SVG as a picture. */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <stdio.h>

#include "base/json_writer.h"
#include "bench/measure.h"
#include "bench/report/mean.h"

#define CONTEXT_ITEMS 40
#define CONTEXT_KEY 48

/* The circumstances: keys are JSON names, in the order of printing. */
struct context {
    struct {
        char key[CONTEXT_KEY];
        char value[320];
    } items[CONTEXT_ITEMS];
    int count;
};

/* "gemm", "trsm left lower". */
enum { ROUTINE_TEXT = 32 };
const char *routine_text(char text[ROUTINE_TEXT], const struct options *options);

struct baseline;

/* The best rates of kernels that do nothing else; 0: not measured. */
struct ceilings {
    double gflops; /* of multiply-adds */
    double gbytes; /* per second, read and written, of a copy */
};

struct report {
    const struct options *options;
    const struct contender *contenders; /* CONTENDERS of them */
    const struct baseline *baseline;    /* NULL: none */
    struct context context;
    struct ceilings ceilings; /* for a page only */
    const char
        *host_access; /* for a page only; else NULL: "pointer", "buffer", "copy" (docs/design.md) */
    const struct result *results;
    size_t count;
};

void context_fill(struct context *context, const struct device *device,
                  const struct contender contenders[CONTENDERS], const struct options *options);

/* Opens the device that the options name, and fills the context without peers. Returns EXIT_FINE,
 * or prints a message and returns the exit code. Close the device in any case. */
int context_open(struct context *context, struct device *device, const struct options *options);

/* Adds an item, if there is room. */
void context_add(struct context *context, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An item's value; "" if it is missing. */
const char *context_value(const struct context *context, const char *key);

/* The caption of a drawing: the date, the library, the driver, and the command line. */
void context_caption(FILE *out, const struct context *context, const struct options *options,
                     int height, int left);

/* As a Markdown list, followed by an empty line. */
void context_write(FILE *out, const struct context *context);

/* A string in quotes, as CSV has it (RFC 4180). */
void csv_string(FILE *out, const char *text);

/* What identifies a problem: the columns, and one problem's values. */
#define CSV_PROBLEM "m,n,k,trans,layout,type,batch,alpha,beta,"
void csv_problem(FILE *out, const struct options *options, struct shape shape,
                 struct transposes trans);

/* A JSON report, one result per line. The first begins it with schema and context, after which
 * members may be added; the next begin the results and one result, an object to be closed; the last
 * ends it. */
struct clg_json json_begin(FILE *out, const char *schema, const struct context *context);
void json_results(struct clg_json *json);
void json_result(struct clg_json *json);
void json_end(struct clg_json *json);

/* Significant digits of times and rates, and of ratios. */
enum { JSON_DIGITS = 6, JSON_RATIO_DIGITS = 4 };

/* Members of a result: what identifies a problem; times, multiplied by `scale` from seconds; a
 * timing in microseconds; one contender's figures. */
void json_problem(struct clg_json *json, const struct options *options, struct shape shape,
                  struct transposes trans);
void json_samples(struct clg_json *json, const char *key, const double *seconds, int count,
                  double scale);
void json_timing(struct clg_json *json, const char *key, const struct timing *timing);
void json_series(struct clg_json *json, const char *key, const struct series *series);

/* Writes what was measured, a struct of the measure's own, in that format. */
typedef void report_writer(FILE *out, enum format format, const void *report);

/* These leave write errors to the caller's ferror(). The first writes a struct report. */
report_writer report_write;
void report_md(FILE *out, const struct report *report);
void report_csv(FILE *out, const struct report *report);
void report_json(FILE *out, const struct report *report);
void report_svg(FILE *out, const struct report *report);

/* Writes "MxNxK" into text, which it returns. */
#define SHAPE_TEXT 64
const char *shape_text(char text[SHAPE_TEXT], struct shape shape);

/* The contender that a peer's ratio compares with: our path between the same two memories. */
int report_rival(const struct report *report, int contender);

/* The mean of these ratios over a block of results (with --coretype there are several). */
struct mean report_mean(const struct report *report, int contender, size_t first, size_t count);

/* The first line of JSON reports of rates and of --growth, one of which the reader of baselines
 * requires. */
#define REPORT_SCHEMA "clgemm-bench/1"
#define GROWTH_SCHEMA "clgemm-bench-growth/1"

#endif
