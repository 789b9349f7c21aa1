/* SPDX-License-Identifier: Apache-2.0
 * What the parts of `clgemm tune` share: the request and the results. */
#ifndef CLGEMM_TUNE_TUNE_H
#define CLGEMM_TUNE_TUNE_H

#include <limits.h>

#include "device/facts.h"
#include "src/common/options.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"
#include "src/output.h"
#include "src/tune/shape.h"

#define TUNE_SCHEMA "clgemm-tune/1"
#define TUNE_LIST_SCHEMA "clgemm-tune-list/1"
#define TUNE_MODEL_SCHEMA "clgemm-tune-model/1"

struct tune_job {
    const char *command, *device; /* the device as requested, or NULL */
    char *const *argv;            /* the whole command line */
    struct shape_list shapes;
    struct transpose_list transposes;
    clgemm_type type; /* of the shapes */
    clgemm_math math; /* of the shapes too; 0: strict */
    int batch;        /* products per call */
    bool all_types;   /* no type was requested: measure break-evens for all types of the device */
    uint64_t seed;
    double budget;  /* seconds for a shape */
    double limit;   /* seconds for a candidate */
    double minutes; /* for the costs */
    int builders;   /* processes that compile in advance; -1: as many as the machine can use */
    int scheme;     /* the only enum clg_scheme to search, or -1 */
    bool break_even_only; /* no shape is tuned */
    bool model;           /* only the device's costs are measured */
    bool plain;           /* no shapes were asked for */
    bool list, resume;    /* resume: skips shapes that the device's file has */
    const char *exports;  /* folder, or NULL */
    const char *plot;     /* file to draw into, "*.svg" or "*.html", or NULL */
    const char *worker;   /* P:D: this is the process in which candidates run */
    struct output output;

    struct clg_facts facts;
    char device_name[32];        /* P:D */
    struct tune_result *results; /* one for each shape and transpose */
    size_t count, passed_over;
    struct clg_break_even break_evens[CLG_TYPE_COUNT]; /* measured now; flops 0: not measured */
    struct clg_host_speeds speeds;                     /* measured now; up_mb_s 0: not measured */
    char break_even_why[256];                          /* "", or why it could not be measured */
    double shown;           /* seconds left at the last progress message */
    char written[PATH_MAX]; /* the tuning file; "" if none was written */
};

/* Reads the command line, and prints errors to stderr. Call tune_release in any case. */
enum parsed tune_parse(struct tune_job *job, int argc, char **argv);
void tune_release(struct tune_job *job);

/* The class of the job's shape with that number, where each shape has all transposes in turn and
 * matrices have no gaps; and the number of these classes. */
struct clg_tuning_shape tune_shape_at(const struct tune_job *job, size_t number);
size_t tune_shape_count(const struct tune_job *job);

/* Measures from how many operations on calls on host matrices of a type pay against the CPU's BLAS,
 * and writes it to the device's file. Returns an exit code; prints failures to stderr. */
int tune_break_even(struct tune_job *job, clgemm_type type);

/* Measures the speeds of host and bus if matrices are copied to the device, and writes them to the
 * device's file. Prints failures to stderr. */
void tune_host_speeds(struct tune_job *job);

/* Measures the device's costs and writes them to a file of their own. Returns an exit code; prints
 * failures to stderr. */
int tune_model(FILE *out, struct tune_job *job);

/* Seconds for opening a device and loading a problem. */
enum { TUNE_START_LIMIT = 60 };

/* The reports, in the output's format. */
void tune_report(FILE *out, const struct tune_job *job);
int tune_report_list(FILE *out, const struct tune_job *job);

/* Writes the programs of a result's best candidate to the folder: source, options and launch of
 * each step. On failure prints a message to stderr and returns false. */
bool tune_export(const struct tune_job *job, const struct tune_result *result);

#endif
