/* SPDX-License-Identifier: Apache-2.0
 * The programs that the model can choose on a device, found by planning alone: no OpenCL call, so
 * that the set is known, and can be tested, without the device. */
#ifndef CLGEMM_CACHE_PROGRAMS_H
#define CLGEMM_CACHE_PROGRAMS_H

#include "run/choose.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"

/* A program, and a problem of whose plan it is a step: what a launch in advance takes its arguments
 * from. */
struct cache_program {
    const char *source;
    char options[CLG_MAX_OPTIONS];
    struct clg_problem problem;
    int step;
};

/* In the order in which they were found, each once. All zero is an empty set. */
struct cache_programs {
    struct cache_program *items;
    uint64_t *hashes; /* of source and options */
    size_t count, room, hash_room;
    size_t most;    /* items that are kept; 0: any number */
    size_t left;    /* programs beyond these */
    bool no_memory; /* there are more */
};

/* Adds those that calls on column-major matrices of these shapes and that type need: on host
 * matrices and on buffers, whose columns lie one after the other without gaps. */
void cache_programs_add_shapes(struct cache_programs *out, clgemm_type type,
                               const struct shape_list *shapes,
                               const struct transpose_list *transposes,
                               const struct clg_facts *facts, const struct clg_tuning *tuning);

/* Adds those of all shapes with a type, the likely ones first, until worker_stop:
 *
 *   1. the shapes of the tuning table that have the type
 *   2. squares, in columns that are aligned for vectors: what host matrices are copied to, or
 *      buffers of such sizes
 *   3. m, n and k each small or large, in such columns
 *   4. squares, and what is nearly square, in columns that lie without gaps and so are aligned or
 *      not by m, n and k
 *   5. the same with m, n and k each small or large
 *
 * Sizes go up to 24576 by factors of 4/3 and 3/2, in 5 by 2. */
void cache_programs_add_all(struct cache_programs *out, clgemm_type type,
                            const struct transpose_list *transposes, const struct clg_facts *facts,
                            const struct clg_tuning *tuning);

void cache_programs_release(struct cache_programs *programs);

#endif
