/* SPDX-License-Identifier: Apache-2.0
 * The break-even with the CPU's BLAS. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "tuning/break_even.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

/* Single-precision operations a second of one processor of the host. AVX-512 at 3 GHz has a peak of
 * 192e9, which its BLAS nearly reaches on one core, but not on all cores; AVX2 has half of it.
 * Doubles have half the rate; elements of 16 bits the same rate. */
static const double processor_rate = 120e9;

/* The part of a device's peak that a call can reach. */
static const double share_of_peak = 0.5;

/* Fixed cost of a call in seconds; bytes a second between host and device, as PCIe 3.0 x16 reaches
 * with pinned memory. */
static const double call_seconds = 100e-6, bus_rate = 12e9;

enum { SMALLEST = 64, LARGEST = 32768 };

/* A lower bound of a compute unit's operations per cycle. Intel counts each EU, of 8 lanes, as a
 * unit; other vendors' units have 64 lanes or more. */
static double unit_operations(const struct clg_facts *facts) {
    return strstr(facts->vendor, "Intel") ? 16 : 128;
}

/* GPUs with doubles at half the rate of floats or better, by the data sheets of NVIDIA (compute
 * capability 6.0, 7.0, 8.0, 9.0 and 10.0) and AMD. The gfx names are the Instinct MI100 to
 * MI300X. */
static const char *const made_for_doubles[] = {"P100",   "V100",   "A100",   "A30",    "H100",
                                               "H200",   "B200",   "GH200",  "GB200",  "Instinct",
                                               "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942"};

/* Other GPUs have 1/16 to 1/64 of the rate, by the same data sheets. */
static const double least_share_of_doubles = 1.0 / 64;

/* Whether the name contains the word between characters that are neither letters nor digits: an
 * A1000 is not an A100. */
static bool has_word(const char *name, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = name; (at = strstr(at, word)); at++)
        if ((at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* The device's rate with the type, relative to its rate with floats. */
static double share_of_type(const struct clg_facts *facts, clgemm_type type) {
    if (type != CLGEMM_F64)
        return 1;
    for (size_t i = 0; i < sizeof made_for_doubles / sizeof *made_for_doubles; i++)
        if (has_word(facts->name, made_for_doubles[i]))
            return 0.5;
    return least_share_of_doubles;
}

int64_t clg_break_even_guess(const struct clg_facts *facts, clgemm_type type, int host_processors) {
    if (facts->kind != CLG_DEVICE_GPU)
        return INT64_MAX;
    const double size = (double)clg_type_size(type);
    const double host = processor_rate * (double)clg_type_real_size(CLGEMM_F32) /
                        (double)clg_type_real_size(type) *
                        (host_processors < 1 ? 1 : host_processors);
    const double device = share_of_peak * 1e6 * facts->clock_mhz * facts->compute_units *
                          unit_operations(facts) * share_of_type(facts, type);
    for (int64_t n = SMALLEST; n <= LARGEST; n += n / 4) {
        const double operations = 2.0 * (double)n * (double)n * (double)n;
        /* A, B and C are uploaded, and C is downloaded. */
        const double bytes = facts->shares_host_memory ? 0 : 4 * size * (double)n * (double)n;
        if (device > 0 && call_seconds + bytes / bus_rate + operations / device < operations / host)
            return 2 * n * n * n;
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
