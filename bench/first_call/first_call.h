/* SPDX-License-Identifier: Apache-2.0
 * What the first call of a process costs: fresh processes make one call each, with an empty program
 * cache, with a full one, and with the driver's own cache on or off. */
#ifndef BENCH_FIRST_CALL_FIRST_CALL_H
#define BENCH_FIRST_CALL_FIRST_CALL_H

#include "bench/measure.h"
#include "bench/report/report.h"
#include "program/programs.h"

/* The parts that a child process plays, as --first-call-child names them. */
#define PART_OURS "ours"             /* opens, calls, calls on, opens again and calls */
#define PART_BACKGROUND "background" /* opens, calls, and calls on until the builder rests */
#define PART_PROGRAMS "steps"        /* only finds and loads the programs that the cache has */
#define PART_CLBLAST "clblast"       /* opens, calls, calls on */

/* A child's answer. Times are seconds; what its part does not measure is 0. */
struct first_answer {
    enum outcome outcome;
    enum checked checked;
    char why[256];
    double open, first, steady;
    double memory;     /* the first call of a second handle */
    double slowest;    /* of the calls after the first */
    double find, load; /* finding the programs on disk; making them with the driver */
    double restless;   /* cores that the process kept busy ahead of its first clock */
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
    double seconds[REPEAT_MAX]; /* in order of size once all are there */
    int count;
    double median;
};

/* One problem under one setting of the driver's cache. */
struct first_result {
    struct shape shape;
    struct transposes trans;
    bool driver_cache;
    enum outcome outcome; /* OK: the figures of ours count */
    enum checked checked;
    char why[256], peer_why[256]; /* the second: why CLBlast has no figures */
    double restless;              /* the most of all processes */
    struct first_times figures[FIRST_FIGURES];
    /* By origin, for FIRST_COLD, FIRST_DISK and FIRST_MEMORY: those of the last process. */
    unsigned programs[FIRST_FIGURES][CLG_ORIGINS];
};

struct first_report {
    const struct options *options;
    struct context context;
    const struct first_result *results;
    size_t count;
};

/* Measures, writes, judges; each returns the exit code. */
int first_call(const struct options *options);
int first_call_child(const struct options *options);

/* The "schema" of its JSON. */
#define FIRST_SCHEMA "clgemm-bench-first-call/1"

/* Writes a struct first_report. */
report_writer first_report_write;

#endif
