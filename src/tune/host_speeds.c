/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune`: measures how fast the host copies and the bus transfers. */
#include "src/tuner/host_speeds.h"

#include <stdio.h>

#include "clgemm.h"
#include "src/tune/tune.h"

void tune_host_speeds(struct tune_job *job) {
    struct clg_device *device = NULL;
    if (job->facts.shares_host_memory)
        return;
    clgemm_status status = clg_device_open(&device, job->device_name);
    if (!status)
        status = clg_host_speeds_measure(device, &job->speeds);
    clg_device_close(device);
    if (!status) {
        clg_tuning_stamp(job->speeds.date, job->speeds.version);
        const struct clg_tuning_once once = {.speeds = job->speeds};
        status =
            clg_tuning_write(NULL, &job->facts, NULL, 0, &once, job->written, sizeof job->written);
    }
    if (status)
        fprintf(stderr, "%s: the speeds of host and bus cannot be written: %s\n", job->command,
                clgemm_last_error());
}
