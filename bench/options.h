/* SPDX-License-Identifier: Apache-2.0
 * The command line of clgemm-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <clgemm.h>
#include <limits.h>

#include "bench/element.h"
#include "src/common/ladder_steps.h"
#include "src/common/options.h"
#include "src/common/output.h"
#include "src/common/shape.h"
#include "src/common/timing.h"
#include "src/common/transposes.h"

enum { RANDOM_LARGEST = 8192 }; /* --largest where it is not given */
enum { USUAL_SAMPLES = 9 };     /* --samples where it is not given */
enum { REPEAT_MAX = 99, CORETYPES_MAX = 6, CORETYPE_NAME = 24 };

enum {
    PEER_OPENBLAS = 1,
    PEER_CLBLAST = 2,
    PEER_CUBLAS = 4,
    PEER_VIENNACL = 8,
    PEER_CUBLASXT = 16,
    PEER_PACKED = 32 /* --packed-b: ours, with B packed in advance */
};

/* The name at the beginning of messages, whatever name the program was started by. */
#define PROGRAM "clgemm-bench"

struct coretype_list {
    char names[CORETYPES_MAX][CORETYPE_NAME]; /* in capitals */
    size_t count;
};

/* --ladder, --steps and --set. */
struct ladder_options {
    bool wanted;
    unsigned steps; /* bit s for step s; 0: not given */
    struct ladder_settings settings;
};

struct options {
    struct shape_list shapes;
    struct random_shapes random; /* with these; a count of 0: no random shapes */
    struct transpose_list trans;
    clgemm_routine routine; /* 0: gemm */
    clgemm_side side;
    clgemm_uplo uplo;
    clgemm_type type;
    clgemm_math math; /* of our contenders */
    int batch;        /* products in each call, at least one */
    clgemm_layout layout;
    struct factor alpha, beta; /* values of the type */
    unsigned peers;            /* PEER_ bits */
    int samples;               /* of each contender, up to TIMING_SAMPLES_MAX */
    bool special, verify, list_devices, packed_b, first_call, regret, regret_child, overhead,
        growth;
    unsigned families; /* for --regret: bits of clg_families; 0: all */
    const char *timeline, *plot, *page, *baseline, *device; /* NULL: not given */
    struct output output;
    const char *first_call_child; /* the part of this child process (see first_call.h), or NULL */
    int repeat;                   /* processes of each kind for --first-call */
    struct coretype_list coretypes;
    bool coretype_child; /* this is a child process of --coretype */
    char **argv;         /* the whole command line, for child processes that repeat it */
    double fail_below;   /* 0: no gate */
    struct ladder_options ladder;
};

/* Reads the command line. Release the options in any case. */
enum parsed options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);

#endif
