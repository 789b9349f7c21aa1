/* SPDX-License-Identifier: Apache-2.0
 * Measures what the first call of a process costs. New processes make one call each, with an empty
 * and with a full program cache, and with the driver's own cache on and off. */
#ifndef BENCH_FIRST_CALL_FIRST_CALL_H
#define BENCH_FIRST_CALL_FIRST_CALL_H

#include "bench/measure.h"
#include "bench/report/report.h"
#include "program/programs.h"

/* The parts that a child process plays, as --first-call-child names them. */
#define PART_OURS "ours"             /* opens, calls, repeats the call, opens again and calls */
#define PART_BACKGROUND "background" /* opens, and repeats calls until the builder is idle */
#define PART_PROGRAMS "steps"        /* only finds and loads the programs in the cache */
#define PART_CLBLAST "clblast"       /* opens, calls, repeats the call */

/* A child's answer. Times are in seconds; 0 if its part does not measure them. */
struct first_answer {
    enum outcome outcome;
    enum checked checked;
    char why[256];
    double open, first, steady;
    double memory;     /* the first call of a second handle */
    double slowest;    /* of the calls after the first */
    double find, load; /* finding the programs on disk; loading them with the driver */
    double restless;   /* cores that the process used before its first clock started */
    unsigned programs[CLG_ORIGINS], memory_programs[CLG_ORIGINS];
};

enum first_figure {
    FIRST_OPEN,
    FIRST_COLD,
    FIRST_DISK,
    FIRST_MEMORY,
    FIRST_STEADY,
    FIRST_FIND,
    FIRST_LOAD,
    FIRST_BACKGROUND_OPEN,
    FIRST_BACKGROUND,
    FIRST_SLOWEST,
    FIRST_PEER_OPEN,
    FIRST_PEER_CALL,
    FIRST_PEER_STEADY,
    FIRST_FIGURES
};

/* Their names in CSV and JSON. */
extern const char *const first_figure_keys[FIRST_FIGURES];

/* One time over all processes. */
struct first_times {
    double seconds[REPEAT_MAX]; /* sorted when all are present */
    int count;
    double median;
};

/* One problem under one setting of the driver's cache. */
struct first_result {
    struct shape shape;
    struct transposes trans;
    bool driver_cache;
    enum outcome outcome; /* OK: our figures are valid */
    enum checked checked;
    char why[256], peer_why[256]; /* the second: why CLBlast has no figures */
    double restless;              /* the largest of all processes */
    struct first_times figures[FIRST_FIGURES];
    /* By origin, for FIRST_COLD, FIRST_DISK and FIRST_MEMORY; from the last process. */
    unsigned programs[FIRST_FIGURES][CLG_ORIGINS];
};

struct first_report {
    const struct options *options;
    struct context context;
    const struct first_result *results;
    size_t count;
};

/* Measure, write and judge. Both return the exit code. */
int first_call(const struct options *options);
int first_call_child(const struct options *options);

/* The "schema" member of its JSON. */
#define FIRST_SCHEMA "clgemm-bench-first-call/1"

/* Writes a struct first_report. */
report_writer first_report_write;

#endif
