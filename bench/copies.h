/* SPDX-License-Identifier: Apache-2.0
 * What it takes to copy a problem's matrices to a device and back, by the driver and with nothing
 * else going on: what a host-to-host call is beside on a page. */
#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

#include "bench/device.h"

/* Seconds: of A and B (and C, where beta is not 0) up, of C down. 0: not measured. */
struct copies {
    double up, down;
};

/* How the library's calls reach host matrices on the device: "pointer", "buffer" or "copy". */
const char *copies_access(struct device *device);

/* Measures them where the library copies, else leaves them 0; so too what memory cannot hold. */
void copies_measure(struct copies *copies, struct device *device, const struct options *options,
                    struct shape shape, struct transposes trans);

#endif
