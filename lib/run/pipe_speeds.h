/* SPDX-License-Identifier: Apache-2.0
 * The speeds of a pipeline's parts. Plain data, so that plans can be made and tested without a
 * device. */
#ifndef CLG_RUN_PIPE_SPEEDS_H
#define CLG_RUN_PIPE_SPEEDS_H

#include "tuning/table.h"

struct clg_pipe_speeds {
    double up, down;          /* bytes per second of long transfers from and to pinned memory */
    double transfer;          /* fixed seconds per transfer */
    double copy, copy_all;    /* bytes per second that one thread copies, and all together */
    int threads;              /* number that may copy */
    double wake;              /* seconds to wake threads other than the caller */
    double operations;        /* per second, in a large product */
    double memory;            /* bytes per second of the device's memory */
    double launch;            /* fixed seconds per product */
    int64_t elements_to_fill; /* elements of C that keep the whole device busy */
};

/* Speeds to expect of such a device on PCI Express 5.0 x16, and of a host with this many processors
 * for the library. A plan made for too fast a bus suits a slower one too, because the bus then
 * limits the time. */
struct clg_pipe_speeds clg_pipe_speeds_guess(const struct clg_facts *facts, clgemm_type type,
                                             int processors);

/* The same for products of that type and mode, with the measurements in `measured` (NULL: none):
 * those of bus and copies, and the rate of its fastest large row. */
struct clg_pipe_speeds clg_pipe_speeds_of(const struct clg_tuning *measured,
                                          const struct clg_facts *facts, clgemm_type type,
                                          clgemm_math math, int processors);

#endif
