/* SPDX-License-Identifier: Apache-2.0
 * What the parts of `clgemm tune` share: what is asked for, and what was found. */
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

struct tune_job {
    const char *command, *device; /* the device as asked for, or NULL */
    char *const *argv;            /* the whole command line */
    struct shape_list shapes;
    struct transpose_list transposes;
    clgemm_type type; /* of the shapes */
    clgemm_math math; /* the same; 0: strict */
    int batch;        /* products of a call */
    bool all_types;   /* none was asked for: break-evens are of all that the device has */
    const struct clg_strategy *strategy;
    uint64_t seed;
    double budget;        /* seconds for a shape */
    double limit;         /* and for a candidate */
    int builders;         /* processes that compile ahead; -1: as many as the machine has use for */
    int scheme;           /* the only enum clg_scheme to search, or -1 */
    bool break_even_only; /* no shape is tuned */
    bool plain;           /* no shapes were asked for */
    bool list, resume;    /* resume: shapes that the device's file has are passed over */
    const char *exports;  /* folder, or NULL */
    const char *plot;     /* file to draw into, "*.svg" or "*.html"; or NULL */
    const char *worker;   /* P:D: this is the process in which candidates run */
    struct output output;

    struct clg_facts facts;
    char device_name[32];        /* P:D */
    struct tune_result *results; /* of the shapes with their transposes */
    size_t count, passed_over;
    struct clg_break_even break_evens[CLG_TYPE_COUNT]; /* measured now; flops 0: not */
    struct clg_host_speeds speeds;                     /* the same; up_mb_s 0: not */
    char break_even_why[256];                          /* "", or why it could not be */
    double shown;           /* seconds left when a terminal was last told */
    char written[PATH_MAX]; /* the file of measurements; "" if none was written */
};

/* Reads the command line; what is wrong is told on stderr. tune_release in any case. */
enum parsed tune_parse(struct tune_job *job, int argc, char **argv);
void tune_release(struct tune_job *job);

/* The class of the job's shape of that number, each with all transposes in turn, whose matrices are
 * stored tightly; and how many there are. */
struct clg_tuning_shape tune_shape_at(const struct tune_job *job, size_t number);
size_t tune_shape_count(const struct tune_job *job);

/* Measures from where on calls on host matrices of a type pay against the CPU's BLAS, and writes it
 * to the device's file. Returns an exit code; has said on stderr what failed. */
int tune_break_even(struct tune_job *job, clgemm_type type);

/* Measures how fast host and bus are, where matrices are copied to the device, and writes it to the
 * device's file; where it cannot, that is said on stderr. */
void tune_host_speeds(struct tune_job *job);

/* The reports, in the output's format. */
void tune_report(FILE *out, const struct tune_job *job);
int tune_report_list(FILE *out, const struct tune_job *job);

/* Writes the programs of a result's best candidate to the folder: source, options and launch of
 * each step. False, having said so on stderr, where that fails. */
bool tune_export(const struct tune_job *job, const struct tune_result *result);

#endif
