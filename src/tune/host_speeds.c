/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune`: how fast the host copies, and the bus takes what has been copied. */
#include "tune/host_speeds.h"

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
        clg_host_speeds_stamp(&job->speeds);
        status = clg_tuning_write_host_speeds(NULL, &job->facts, &job->speeds, job->written,
                                              sizeof job->written);
    }
    if (status)
        fprintf(stderr, "%s: how fast host and bus are is not kept: %s\n", job->command,
                clgemm_last_error());
}
