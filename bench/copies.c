/* SPDX-License-Identifier: Apache-2.0
 * Times the driver's copies of matrices. */
#include "bench/copies.h"

#include "api/handle.h"
#include "base/clock.h"
#include "src/common/median.h"

enum { SAMPLES = 5 };

const char *copies_access(struct device *device) {
    static const char *const names[] = {[CLG_HOST_UNKNOWN] = "unknown",
                                        [CLG_HOST_COPY] = "copy",
                                        [CLG_HOST_BUFFER] = "buffer",
                                        [CLG_HOST_POINTER] = "pointer"};
    return names[clg_host_access_of(&device->handle->host)];
}

/* Times one direction, including the wait; a negative number if the driver refuses. */
static double time_up(const struct device *d, const struct problem *p) {
    const size_t size = clg_type_size(p->type);
    const double start = clg_clock_seconds();
    if (clEnqueueWriteBuffer(d->queue, d->a, CL_TRUE, 0, p->a_count * size, p->a, 0, NULL, NULL) ||
        clEnqueueWriteBuffer(d->queue, d->b, CL_TRUE, 0, p->b_count * size, p->b, 0, NULL, NULL) ||
        (problem_reads_c(p) &&
         clEnqueueWriteBuffer(d->queue, d->c, CL_TRUE, 0, problem_c_bytes(p), p->c, 0, NULL, NULL)))
        return -1;
    return clg_clock_seconds() - start;
}

static double time_down(const struct device *d, const struct problem *p) {
    const double start = clg_clock_seconds();
    if (clEnqueueReadBuffer(d->queue, d->c, CL_TRUE, 0, problem_c_bytes(p), p->c, 0, NULL, NULL))
        return -1;
    return clg_clock_seconds() - start;
}

void copies_measure(struct copies *copies, struct device *device, const struct options *o,
                    struct shape shape, struct transposes trans) {
    struct problem problem = {0};
    char why[256];
    double up[SAMPLES], down[SAMPLES];
    *copies = (struct copies){0};
    if (clg_host_access_of(&device->handle->host) != CLG_HOST_COPY)
        return;
    bool good = problem_describe(&problem, o, shape, trans, why, sizeof why) &&
                problem.a_count > 0 && problem.b_count > 0 && problem.c_count > 0 &&
                problem_create(&problem, 0, why, sizeof why) &&
                device_load(device, &problem, why, sizeof why);
    if (good) {
        problem_start_c(&problem, problem.c); /* touches it */
        for (int i = 0; i < SAMPLES && good; i++) {
            up[i] = time_up(device, &problem);
            down[i] = time_down(device, &problem);
            good = up[i] >= 0 && down[i] >= 0;
        }
    }
    if (good)
        *copies = (struct copies){median_sort(up, SAMPLES), median_sort(down, SAMPLES)};
    device_unload(device);
    problem_release(&problem);
}
