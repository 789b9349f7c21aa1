/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes files of costs (gemm/costs.h). The library contains those of kernels/costs. */
#ifndef CLG_TUNING_COSTS_H
#define CLG_TUNING_COSTS_H

#include "device/facts.h"
#include "gemm/costs.h"
#include "tuning/head.h"

/* The costs of a device that was not measured: those in the library for its class, which live as
 * long as the process, else computed from its facts into *room. */
const struct clg_costs *clg_costs_for(const struct clg_facts *facts, struct clg_costs *room);

/* The costs in force on the device: the table's (NULL: none), else the former. */
const struct clg_costs *clg_costs_in_force(const struct clg_tuning *tuning,
                                           const struct clg_facts *facts, struct clg_costs *room);

/* Whether a text begins as a file of costs does. */
bool clg_costs_are_in(const char *text, size_t size);

struct clg_costs_file {
    struct clg_tuning_device device; /* whose costs they are; its name is "" if none is named */
    struct clg_costs costs;
    size_t faults;
    char why[CLG_TUNING_WHY]; /* the first of these */
};

/* Reads a file of costs: a head with the figures, a line for each row, and the end ]}. A damaged
 * row is left out, logged, and counted as a fault. False if the rest is damaged, or of another
 * schema. */
bool clg_costs_read(struct clg_costs_file *out, const char *name, const char *text, size_t size);

/* The text of such a file, which the caller frees; NULL if memory is short. */
char *clg_costs_format(const struct clg_costs_file *file, size_t *size);

#endif
