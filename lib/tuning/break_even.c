/* SPDX-License-Identifier: Apache-2.0
 * The break-even against the CPU's BLAS. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "tuning/break_even.h"

#include <string.h>
#include <unistd.h>

/* Operations a second of a processor of the host: AVX-512 at 3 GHz is at 192e9, its BLAS near that
 * on one core, and lower with all of them busy; AVX2 at half of it. */
static const double processor_rate = 120e9;

/* Of a device's peak, what a call may hope for. */
static const double share_of_peak = 0.5;

/* Seconds of a call that does next to nothing; bytes a second of copies from and to memory that
 * nobody has locked, which PCIe 3.0 x16 reaches. */
static const double call_seconds = 100e-6, bus_rate = 6e9;

enum { SMALLEST = 64, LARGEST = 32768 };

/* Operations of a compute unit in a cycle, at the least. Intel counts each EU, of 8 lanes, as one;
 * others' units have 64 lanes or more. */
static double unit_operations(const struct clg_facts *facts) {
    return strstr(facts->vendor, "Intel") ? 16 : 128;
}

int64_t clg_break_even_guess(const struct clg_facts *facts, int host_processors) {
    if (facts->kind != CLG_DEVICE_GPU)
        return INT64_MAX;
    const double host = processor_rate * (host_processors < 1 ? 1 : host_processors);
    const double device =
        share_of_peak * 1e6 * facts->clock_mhz * facts->compute_units * unit_operations(facts);
    for (int64_t n = SMALLEST; n <= LARGEST; n += n / 4) {
        const double operations = 2.0 * (double)n * (double)n * (double)n;
        /* A, B and C go, and C comes. */
        const double bytes = facts->shares_host_memory ? 0 : 16.0 * (double)n * (double)n;
        if (device > 0 && call_seconds + bytes / bus_rate + operations / device < operations / host)
            return 2 * n * n * n;
    }
    return INT64_MAX;
}

int64_t clg_break_even_flops(const struct clg_tuning *tuning, clgemm_type type,
                             const struct clg_facts *facts) {
    if (type != CLGEMM_F32) /* nothing was measured, and how fast GPUs are with doubles varies */
        return INT64_MAX;
    const struct clg_break_even *measured = clg_tuning_break_even(tuning, NULL);
    return measured ? measured->flops
                    : clg_break_even_guess(facts, (int)sysconf(_SC_NPROCESSORS_ONLN));
}
