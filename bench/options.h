/* SPDX-License-Identifier: Apache-2.0
 * The command line of clgemm-bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <clgemm.h>

#include "ladder_steps.h"
#include "shape.h"

enum format { FORMAT_MD, FORMAT_CSV, FORMAT_JSON };

enum { REPEAT_MAX = 99, CORETYPES_MAX = 6, CORETYPE_NAME = 24 };

enum { PEER_OPENBLAS = 1, PEER_CLBLAST = 2, PEER_CUBLAS = 4, PEER_VIENNACL = 8 };

struct transposes {
    clgemm_transpose a, b;
};

/* --ladder, --steps and --set. */
struct ladder_options {
    bool wanted;
    unsigned steps; /* bit s for step s; 0: not given */
    struct ladder_settings settings;
};

struct options {
    struct shape_list shapes;
    struct transposes trans[4];
    size_t trans_count;
    clgemm_layout layout;
    float alpha, beta;
    unsigned peers; /* PEER_ bits */
    bool verify, list_devices, first_call, regret, overhead;
    const char *plot, *baseline, *out, *device;   /* NULL: not given */
    const char *first_call_child;                 /* the part to play (see first_call.h), or NULL */
    int repeat;                                   /* processes of each kind for --first-call */
    char coretypes[CORETYPES_MAX][CORETYPE_NAME]; /* of --coretype, in capitals */
    size_t coretype_count;
    bool coretype_child; /* one of its processes */
    char **argv;         /* the whole command line, for a process that repeats it */
    double fail_below;   /* 0: no gate */
    enum format format;
    struct ladder_options ladder;
};

enum parsed { PARSED_RUN, PARSED_DONE, PARSED_WRONG };

/* Reads the command line. -h and --version print and give PARSED_DONE; what is wrong is told on
 * stderr. Release the options whatever comes back. */
enum parsed options_parse(struct options *options, int argc, char **argv);
void options_release(struct options *options);

#endif
