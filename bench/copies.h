/* SPDX-License-Identifier: Apache-2.0
 * Times the driver's copies of a problem's matrices to a device and back, with nothing else going
 * on. A page shows them beside the host-to-host call. */
#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

#include "bench/device.h"

/* Seconds: A and B (and C if beta is not 0) to the device, C back. 0: not measured. */
struct copies {
    double up, down;
};

/* How the library's calls access host matrices: "pointer", "buffer" or "copy". */
const char *copies_access(struct device *device);

/* Measures them if the library copies, else leaves them 0; also if memory cannot hold the
 * matrices. */
void copies_measure(struct copies *copies, struct device *device, const struct options *options,
                    struct shape shape, struct transposes trans);

#endif
