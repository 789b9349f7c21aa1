/* SPDX-License-Identifier: Apache-2.0
 * The break-even with the CPU's BLAS. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "tuning/break_even.h"

#include <unistd.h>

/* Single-precision operations a second of one processor of the host. AVX-512 at 3 GHz has a peak of
 * 192e9, which its BLAS nearly reaches on one core, but not on all cores; AVX2 has half of it.
 * Doubles have half the rate; elements of 16 bits the same rate. */
static const double processor_rate = 120e9;

/* The part of a device's peak that a call can reach. */
static const double share_of_peak = 0.5;

static const double call_seconds = 100e-6; /* the fixed cost of a call */

/* Bytes a second between host and device in a call: what PCIe 3.0 x16 reaches with pinned memory;
 * for NVIDIA devices of capability 9.0 and later, which are made for PCIe 5.0 x16, what calls of
 * 1000 cubed reach on an H200 (docs/log/2026-11-30-kept-copies.md). */
static double bus_rate(const struct clg_facts *facts) {
    return facts->capability >= CLG_HOPPER ? 35e9 : 12e9;
}

enum { SMALLEST = 64, LARGEST = 32768 };

int64_t clg_break_even_guess(const struct clg_facts *facts, clgemm_type type, int host_processors) {
    if (facts->kind != CLG_DEVICE_GPU)
        return INT64_MAX;
    const double size = (double)clg_type_size(type);
    const double host = processor_rate * (double)clg_type_real_size(CLGEMM_F32) /
                        (double)clg_type_real_size(type) *
                        (host_processors < 1 ? 1 : host_processors);
    const double device = share_of_peak * clg_type_peak(type, facts);
    for (int64_t n = SMALLEST; n <= LARGEST; n += n / 4) {
        const int64_t operations = clg_type_operations(type) * n * n * n;
        /* A, B and C are uploaded, and C is downloaded. */
        const double bytes = facts->shares_host_memory ? 0 : 4 * size * (double)n * (double)n;
        if (device > 0 && call_seconds + bytes / bus_rate(facts) + (double)operations / device <
                              (double)operations / host)
            return operations;
    }
    return INT64_MAX;
}

int64_t clg_break_even_flops(const struct clg_tuning *tuning, clgemm_type type,
                             const struct clg_facts *facts) {
    if (!clg_types[type].options || clg_type_unsupported_reason(type, facts))
        return INT64_MAX;
    const struct clg_break_even *measured = clg_tuning_break_even(tuning, type, NULL);
    return measured ? measured->flops
                    : clg_break_even_guess(facts, type, (int)sysconf(_SC_NPROCESSORS_ONLN));
}
