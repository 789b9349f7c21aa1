/* SPDX-License-Identifier: Apache-2.0
 * How fast what a pipeline consists of is: plain data, so that plans can be made and tested without
 * a device. */
#ifndef CLG_RUN_PIPE_SPEEDS_H
#define CLG_RUN_PIPE_SPEEDS_H

#include "tuning/table.h"

struct clg_pipe_speeds {
    double up, down;          /* bytes a second of long transfers from and to pinned memory */
    double transfer;          /* seconds that a transfer takes beside that */
    double copy, copy_all;    /* bytes a second that a thread copies, and all together at most */
    int threads;              /* that may copy */
    double wake;              /* seconds that it takes longer where others than the caller do */
    double operations;        /* a second, of a large product */
    double memory;            /* bytes a second of the device's own memory */
    double launch;            /* seconds that a product takes beside that */
    int64_t elements_to_fill; /* of C, from which on the device is busy everywhere */
};

/* What may be expected of such a device on PCI Express 5.0 x16, and of a host with so many
 * processors for us: a plan that is made for a faster bus than there is serves slower ones too, as
 * what it waits for is the bus then. */
struct clg_pipe_speeds clg_pipe_speeds_guess(const struct clg_facts *facts, clgemm_type type,
                                             int processors);

/* The same for products of that type and mode, with what was measured of it (NULL: nothing): bus
 * and copies, and the device by its quickest large row. */
struct clg_pipe_speeds clg_pipe_speeds_of(const struct clg_tuning *measured,
                                          const struct clg_facts *facts, clgemm_type type,
                                          clgemm_math math, int processors);

#endif
