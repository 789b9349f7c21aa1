/* SPDX-License-Identifier: Apache-2.0
 * The table of architectures: names that drivers report, and what is guessed where none fits. No
 * device is needed. */
#include <stdio.h>
#include <string.h>

#include "device/facts.h"
#include "support/check.h"
#include "support/facts.h"

static const char nvidia[] = "NVIDIA Corporation", amd[] = "Advanced Micro Devices, Inc.",
                  intel[] = "Intel(R) Corporation", arm[] = "ARM", qualcomm[] = "QUALCOMM";

#define KIB(n) ((uint64_t)(n) << 10)

static struct clg_facts device(const char *vendor, const char *name) {
    struct clg_facts facts = clg_test_gpu;
    snprintf(facts.vendor, sizeof facts.vendor, "%s", vendor);
    snprintf(facts.name, sizeof facts.name, "%s", name);
    snprintf(facts.platform, sizeof facts.platform, "%s",
             vendor == amd ? "AMD Accelerated Parallel Processing" : "");
    facts.local_memory = KIB(32);
    facts.local_is_dedicated = true;
    facts.arch = (struct clg_architecture){0};
    return facts;
}

/* What a wrong row would have otherwise. Written again from the sources that the table names. */
static void devices_have_their_figures(void **state) {
    static const struct {
        const char *vendor, *device;
        uint32_t capability, reported;
        const char *name;
        uint32_t registers, unit_registers, simd, lanes, one_in, local_rate, local, units;
        double halves;
    } cases[] = {
        {nvidia, "Tesla K40m", 35, 0, "kepler", 255, 65536, 32, 192, 24, 128, 48, 1, 1},
        {nvidia, "GeForce GTX 750 Ti", 50, 0, "maxwell", 255, 65536, 32, 128, 32, 128, 64, 1, 1},
        {nvidia, "NVIDIA Tegra X1", 53, 0, "maxwell", 255, 65536, 32, 128, 32, 128, 64, 1, 2},
        {nvidia, "NVIDIA Tegra X2", 62, 0, "pascal", 255, 65536, 32, 128, 32, 128, 64, 1, 2},
        {nvidia, "Orin", 87, 0, "ampere", 255, 65536, 32, 128, 64, 128, 164, 1, 1},
        {nvidia, "NVIDIA Thor", 101, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 228, 1, 1},
        {nvidia, "NVIDIA Thor", 110, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 228, 1, 1},
        {nvidia, "NVIDIA GB10", 121, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 100, 1, 1},
        {nvidia, "GeForce GTX 680", 30, 0, "kepler", 63, 65536, 32, 192, 24, 128, 48, 1, 1},
        {nvidia, "Tesla K80", 37, 0, "kepler", 255, 131072, 32, 192, 3, 128, 112, 1, 1},
        {nvidia, "GeForce GTX 980", 52, 0, "maxwell", 255, 65536, 32, 128, 32, 128, 96, 1, 1},
        {nvidia, "Tesla P100-PCIE-16GB", 60, 0, "pascal", 255, 65536, 32, 64, 2, 128, 64, 1, 2},
        {nvidia, "GeForce GTX 1080", 61, 0, "pascal", 255, 65536, 32, 128, 32, 128, 96, 1, 1. / 64},
        {nvidia, "Tesla V100-SXM2-16GB", 70, 0, "volta", 255, 65536, 32, 64, 2, 128, 96, 1, 2},
        {nvidia, "Tesla T4", 75, 0, "turing", 255, 65536, 32, 64, 32, 128, 64, 1, 2},
        {nvidia, "NVIDIA A100-SXM4-40GB", 80, 0, "ampere", 255, 65536, 32, 64, 2, 128, 164, 1, 4},
        {nvidia, "NVIDIA RTX A1000", 86, 0, "ampere", 255, 65536, 32, 128, 64, 128, 100, 1, 1},
        {nvidia, "NVIDIA GeForce RTX 4090", 89, 0, "ada", 255, 65536, 32, 128, 64, 128, 100, 1, 1},
        {nvidia, "NVIDIA H200", 90, 0, "hopper", 255, 65536, 32, 128, 2, 128, 228, 1, 2},
        {nvidia, "NVIDIA B200", 100, 0, "blackwell", 255, 65536, 32, 128, 2, 128, 228, 1, 1},
        {nvidia, "NVIDIA B300 SXM6 AC", 103, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 228, 1,
         1},
        {nvidia, "NVIDIA GeForce RTX 5090", 120, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 100,
         1, 1},
        {nvidia, "of the next generation", 131, 0, "blackwell", 255, 65536, 32, 128, 64, 128, 100,
         1, 1},
        /* Without a compute capability, the first by Mesa. */
        {"NVIDIA", "NVIDIA GeForce RTX 2060 (NVK TU106)", 0, 0, "turing", 255, 65536, 32, 64, 32,
         128, 64, 1, 2},
        {nvidia, "NVIDIA GH200 480GB", 0, 0, "hopper", 255, 65536, 32, 128, 2, 128, 228, 1, 2},
        {nvidia, "NVIDIA A30", 0, 0, "ampere", 255, 65536, 32, 64, 2, 128, 164, 1, 4},
        {nvidia, "NVIDIA RTX A3000", 0, 0, "unknown", 64, 16384, 32, 32, 64, 64, 32, 1, 1},
        {nvidia, "NVIDIA RTX A1000", 0, 0, "unknown", 64, 16384, 32, 32, 64, 64, 32, 1, 1},

        {amd, "Devastator", 0, 0, "terascale", 64, 65536, 64, 64, 16, 128, 32, 1, 1},
        {amd, "Tahiti", 0, 0, "gcn", 256, 65536, 64, 64, 4, 128, 64, 1, 1},
        {amd, "Oland", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 1},
        {amd, "Hawaii", 0, 0, "gcn", 256, 65536, 64, 64, 8, 128, 64, 1, 1},
        {"AMD", "AMD HAWAII (DRM 2.46.0 / 4.8.2-1-ARCH, LLVM 3.8.1)", 0, 0, "gcn", 256, 65536, 64,
         64, 8, 128, 64, 1, 1},
        {amd, "Ellesmere", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 1},
        {amd, "gfx803", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 1},
        {"AMD", "AMD Radeon Pro 580 Compute Engine", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64,
         1, 1},
        {amd, "Spectre", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 1},
        {amd, "gfx909:xnack+", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 2},
        {amd, "gfx1150", 0, 0, "rdna3.5", 256, 131072, 32, 128, 32, 256, 128, 1, 2},
        {amd, "gfx1152", 0, 0, "rdna3.5", 256, 131072, 32, 128, 32, 256, 128, 1, 2},
        {amd, "gfx900", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 2},
        {amd, "gfx902:xnack+", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 2},
        {amd, "gfx906:sramecc+:xnack-", 0, 0, "gcn", 256, 65536, 64, 64, 4, 128, 64, 1, 2},
        {amd, "gfx908:sramecc+:xnack-", 0, 0, "cdna", 256, 65536, 64, 64, 2, 128, 64, 1, 2},
        {amd, "gfx90a:sramecc+:xnack-", 0, 0, "cdna2", 256, 131072, 64, 64, 1, 128, 64, 1, 2},
        {amd, "gfx90c:xnack-", 0, 0, "gcn", 256, 65536, 64, 64, 16, 128, 64, 1, 2},
        {amd, "gfx942:sramecc+:xnack-", 0, 0, "cdna3", 256, 131072, 64, 128, 2, 128, 64, 1, 1},
        {amd, "AMD Instinct MI300X", 0, 0, "cdna3", 256, 131072, 64, 128, 2, 128, 64, 1, 1},
        {amd, "gfx950:sramecc+:xnack-", 0, 0, "cdna4", 256, 131072, 64, 128, 2, 256, 160, 1, 1},
        {amd, "gfx1010:xnack-", 0, 0, "rdna", 256, 131072, 32, 128, 16, 256, 128, 1, 2},
        {amd, "gfx1035", 0, 0, "rdna2", 256, 131072, 32, 128, 16, 256, 128, 1, 2},
        {amd, "gfx1100", 0, 0, "rdna3", 256, 196608, 32, 128, 32, 256, 128, 1, 2},
        {amd, "gfx1103", 0, 0, "rdna3", 256, 131072, 32, 128, 32, 256, 128, 1, 2},
        {amd, "gfx1151", 0, 0, "rdna3.5", 256, 196608, 32, 128, 32, 256, 128, 1, 2},
        {amd, "gfx1201", 0, 0, "rdna4", 256, 196608, 32, 128, 32, 256, 128, 1, 2},
        /* Mesa's and Apple's runtimes count single units of RDNA. */
        {"AMD", "AMD Radeon RX 6700 XT (navi22, LLVM 15.0.7, DRM 3.54, 6.5.0)", 0, 0, "rdna2", 256,
         65536, 32, 64, 16, 128, 64, 1, 2},
        {"AMD", "AMD Radeon RX 590 GME (radeonsi, polaris10, ACO, DRM 3.57, 6.9)", 0, 0, "gcn", 256,
         65536, 64, 64, 16, 128, 64, 1, 1},
        {"AMD", "AMD Radeon Pro 5500M Compute Engine", 0, 0, "rdna", 256, 65536, 32, 64, 16, 128,
         64, 1, 2},

        {intel, "Intel(R) HD Graphics 5500 BroadWell U-Processor GT2", 0, 0, "gen8", 68, 7168, 8, 8,
         4, 8, 64, 8, 2},
        {intel, "Intel(R) HD Graphics 530", 0, 0, "gen9", 68, 7168, 8, 8, 4, 8, 64, 8, 2},
        {intel, "Intel(R) UHD Graphics 630 [0x3e92]", 0, 0, "gen9", 68, 7168, 8, 8, 4, 8, 64, 8, 2},
        {intel, "Intel(R) Iris(R) Plus Graphics 655", 0, 0, "gen9", 68, 7168, 8, 8, 4, 8, 64, 8, 2},
        {intel, "Intel(R) UHD Graphics [0x9bca]", 0, 0, "gen9", 68, 7168, 8, 8, 4, 8, 64, 8, 2},
        {intel, "Intel(R) Iris(R) Plus Graphics [0x8a52]", 0, 0, "gen11", 68, 7168, 8, 8, 64, 8, 64,
         8, 2},
        {intel, "Intel(R) Iris(R) Xe Graphics", 0, 0, "xe-lp", 68, 7168, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) UHD Graphics 770", 0, 0, "xe-lp", 68, 7168, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Graphics [0x46a6]", 0, 0, "xe-lp", 68, 7168, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Arc(TM) A770 Graphics", 0, 0, "xe-hpg", 68, 8192, 8, 8, 64, 8, 128, 16,
         2},
        {intel, "Intel(R) Graphics [0x56a0]", 0, 0, "xe-hpg", 68, 8192, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Data Center GPU Max 1550", 0, 0, "xe-hpc", 68, 16384, 16, 16, 1, 16, 128,
         8, 2},
        {intel, "Intel(R) Arc(TM) Graphics", 0, 0, "xe-lpg", 68, 8192, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Arc(TM) B580 Graphics", 0, 0, "xe2", 68, 16384, 16, 16, 16, 16, 128, 8,
         2},
        {intel, "Intel(R) Arc(TM) 140V GPU (16GB)", 0, 0, "xe2", 68, 16384, 16, 16, 16, 16, 128, 8,
         2},
        /* Versions as drivers report them: 9.0.9, 12.0.0, 12.55.8, 12.60.7, 20.4.4. */
        {intel, "Intel(R) UHD Graphics", 0, 0x02400009, "gen9", 68, 7168, 8, 8, 4, 8, 64, 8, 2},
        {intel, "Intel(R) UHD Graphics", 0, 0x03000000, "xe-lp", 68, 7168, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Graphics", 0, 0x030dc008, "xe-hpg", 68, 8192, 8, 8, 64, 8, 128, 16, 2},
        {intel, "Intel(R) Graphics", 0, 0x030f0007, "xe-hpc", 68, 16384, 16, 16, 1, 16, 128, 8, 2},
        {intel, "Intel(R) Graphics", 0, 0x05010004, "xe2", 68, 16384, 16, 16, 16, 16, 128, 8, 2},
        /* 12.0.0 and 11.0.0 as drivers of 2022 have it, which is not read. */
        {intel, "Intel(R) UHD Graphics 770", 0, 0x000c0000, "xe-lp", 68, 7168, 8, 8, 64, 8, 128, 16,
         2},
        {intel, "Intel(R) UHD Graphics", 0, 0x000b0000, "intel", 68, 7168, 8, 8, 64, 8, 64, 8, 1},

        {arm, "Mali-T760", 0, 0, "midgard", 64, 4096, 1, 8, 4, 16, 32, 1, 2},
        {arm, "Mali-G71", 0, 0, "bifrost", 64, 12288, 4, 8, 64, 16, 32, 1, 2},
        {arm, "Mali-G52", 0, 0, "bifrost", 64, 12288, 8, 16, 64, 16, 32, 1, 2},
        {arm, "Mali-G68 MC4 r1p1", 0, 0, "valhall", 64, 32768, 16, 32, 64, 32, 32, 1, 2},
        {arm, "Mali-G710", 0, 0, "valhall", 64, 32768, 16, 64, 64, 32, 32, 1, 2},
        {arm, "Mali-G615 MC6 r1p3", 0, 0, "valhall", 64, 65536, 16, 128, 64, 32, 32, 1, 2},
        {qualcomm, "QUALCOMM Adreno(TM) 530", 0, 0, "adreno", 32, 16384, 32, 32, 64, 32, 32, 1, 2},
        {qualcomm, "QUALCOMM Adreno(TM) 830", 0, 0, "adreno8", 48, 32768, 64, 128, 64, 64, 32, 1,
         2},
        {qualcomm, "QUALCOMM Adreno(TM) 750", 0, 0, "adreno7", 48, 32768, 64, 128, 64, 64, 32, 1,
         2},
        {qualcomm, "QUALCOMM Adreno(TM) X1-85", 0, 0, "adreno7", 48, 32768, 64, 128, 64, 64, 32, 1,
         2},
        {"Qualcomm", "FD630", 0, 0, "adreno6", 48, 32768, 64, 128, 64, 64, 32, 1, 2},
        {"Apple", "Apple M2 Max", 0, 0, "apple", 128, 53248, 32, 128, 64, 64, 60, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_facts facts = device(cases[i].vendor, cases[i].device);
        facts.capability = cases[i].capability;
        const struct clg_architecture arch = clg_facts_architecture(&facts, cases[i].reported);
        if (strcmp(arch.name, cases[i].name) != 0 || arch.registers != cases[i].registers ||
            arch.unit_registers != cases[i].unit_registers || arch.simd != cases[i].simd ||
            arch.halves != cases[i].halves || arch.lanes != cases[i].lanes ||
            arch.doubles != 1. / cases[i].one_in || arch.local_rate != cases[i].local_rate ||
            arch.unit_local != KIB(cases[i].local) || arch.local_units != cases[i].units)
            fail_msg("%s: %s, %u and %u registers, SIMD %u, %u lanes, doubles %g, halves %g, local "
                     "memory: %u a clock, "
                     "%llu bytes for %u",
                     cases[i].device, arch.name, arch.registers, arch.unit_registers, arch.simd,
                     arch.lanes, arch.doubles, arch.halves, arch.local_rate,
                     (unsigned long long)arch.unit_local, arch.local_units);
    }
}

/* It is a careful estimate: not above what the data sheets of cards say, nor below half of it. */
static void memory_is_at_most_that_of_data_sheets(void **state) {
    static const struct {
        const char *vendor, *device;
        uint32_t capability, units;
        double gb_s;
    } cases[] = {
        {nvidia, "Tesla K80", 37, 13, 240},
        {nvidia, "GeForce GTX 980", 52, 16, 224},
        {nvidia, "Tesla P100-PCIE-16GB", 60, 56, 732},
        {nvidia, "GeForce GTX 1080", 61, 20, 320},
        {nvidia, "Tesla V100-SXM2-16GB", 70, 80, 900},
        {nvidia, "Tesla T4", 75, 40, 320},
        {nvidia, "NVIDIA A100-SXM4-40GB", 80, 108, 1555},
        {nvidia, "NVIDIA A10", 86, 72, 600},
        {nvidia, "NVIDIA L4", 89, 58, 300},
        {nvidia, "NVIDIA H100 80GB HBM3", 90, 132, 3350},
        {nvidia, "NVIDIA B200", 100, 148, 8000},
        {nvidia, "NVIDIA GeForce RTX 5090", 120, 170, 1792},
        {amd, "Tahiti", 0, 32, 264},
        {amd, "Hawaii", 0, 44, 320},
        {amd, "gfx906", 0, 60, 1024},
        {amd, "gfx908", 0, 120, 1229},
        {amd, "gfx90a", 0, 110, 1638},
        {amd, "gfx942", 0, 304, 5300},
        {amd, "gfx950", 0, 256, 8000},
        {amd, "gfx1010", 0, 20, 448},
        {amd, "gfx1030", 0, 40, 512},
        {amd, "gfx1100", 0, 48, 960},
        {amd, "gfx1151", 0, 20, 256},
        {amd, "gfx1201", 0, 32, 640},
        {"AMD", "AMD Radeon RX 6900 XT (navi21, LLVM 15.0.7)", 0, 80, 512},
        {intel, "Intel(R) HD Graphics 530", 0, 24, 34},
        {intel, "Intel(R) Iris(R) Xe Graphics", 0, 96, 68},
        {intel, "Intel(R) Arc(TM) A770 Graphics", 0, 512, 560},
        {intel, "Intel(R) Data Center GPU Max 1100", 0, 448, 1229},
        {intel, "Intel(R) Arc(TM) B580 Graphics", 0, 160, 456},
        {"Apple", "Apple M1", 0, 8, 68},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clg_facts facts = device(cases[i].vendor, cases[i].device);
        facts.capability = cases[i].capability;
        facts.compute_units = cases[i].units;
        const double share = 1e-9 * clg_facts_architecture(&facts, 0).memory_rate / cases[i].gb_s;
        /* HD Graphics share the memory of a host with more or fewer units. */
        if (share > 1.01 || share < (cases[i].vendor == intel ? 0.25 : 0.5))
            fail_msg("%s: %g of the data sheet", cases[i].device, share);
    }
}

/* Old drivers have the number of an Adreno in the version only. */
static void adrenos_tell_their_number_elsewhere(void **state) {
    struct clg_facts facts = device(qualcomm, "QUALCOMM Adreno(TM)");
    (void)state;
    assert_string_equal(clg_facts_architecture(&facts, 0).name, "unknown");
    snprintf(facts.version, sizeof facts.version, "OpenCL 2.0 Adreno(TM) 640");
    assert_string_equal(clg_facts_architecture(&facts, 0).name, "adreno6");
}

/* Nobody knows the device: little of everything, but never nothing. */
static void unknown_devices_get_careful_guesses(void **state) {
    struct clg_facts facts = device("Nobody", "gfx906 A100 Mali-G52 Apple M1");
    struct clg_architecture arch = clg_facts_architecture(&facts, 0x03000000);
    (void)state;
    assert_string_equal(arch.name, "unknown");
    assert_int_equal(arch.registers, 64);
    assert_true(arch.unit_registers >= 256 * arch.registers);
    assert_true(arch.simd && arch.lanes && arch.lanes <= 32 && arch.halves == 1);
    assert_true(arch.doubles == 1. / 64 && arch.local_rate && arch.local_units == 1);
    assert_int_equal(arch.unit_local, facts.local_memory);
    assert_true(arch.local_dedicated && arch.memory_rate == 2e9 * facts.compute_units);
    facts.compute_units = 0;
    facts.local_memory = 0;
    arch = clg_facts_architecture(&facts, 0);
    assert_true(arch.unit_local > 0 && arch.memory_rate > 0);
}

static void what_is_reported_counts(void **state) {
    struct clg_facts facts = device(nvidia, "NVIDIA H200");
    facts.capability = CLG_HOPPER;
    const struct clg_architecture arch = clg_facts_architecture(&facts, 0);
    (void)state;
    facts.compute_units *= 2;
    assert_true(clg_facts_architecture(&facts, 0).memory_rate == 2 * arch.memory_rate);
    facts.has_fp64 = false;
    assert_true(clg_facts_architecture(&facts, 0).doubles == 0);
    facts.local_memory = KIB(300);
    assert_int_equal(clg_facts_architecture(&facts, 0).unit_local, KIB(300));
    assert_true(arch.local_dedicated);
    facts.local_is_dedicated = false;
    assert_false(clg_facts_architecture(&facts, 0).local_dedicated);
    facts = device(arm, "Mali-G52"); /* whatever the driver says */
    assert_false(clg_facts_architecture(&facts, 0).local_dedicated);
}

/* A CPU's name may be that of a GPU's vendor. */
static void other_devices_have_their_vectors(void **state) {
    struct clg_facts facts = clg_test_cpu;
    (void)state;
    snprintf(facts.vendor, sizeof facts.vendor, "%s", intel);
    const struct clg_architecture arch = clg_facts_architecture(&facts, 0);
    assert_string_equal(arch.name, "cpu");
    assert_true(arch.lanes == 16 && arch.doubles == 1. / 2 && !arch.local_dedicated);
    assert_int_equal(arch.registers, 0);
    facts.kind = CLG_DEVICE_ACCELERATOR;
    facts.has_fp64 = false;
    assert_string_equal(clg_facts_architecture(&facts, 0).name, "accelerator");
    assert_true(clg_facts_architecture(&facts, 0).doubles == 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_have_their_figures),
        cmocka_unit_test(memory_is_at_most_that_of_data_sheets),
        cmocka_unit_test(adrenos_tell_their_number_elsewhere),
        cmocka_unit_test(unknown_devices_get_careful_guesses),
        cmocka_unit_test(what_is_reported_counts),
        cmocka_unit_test(other_devices_have_their_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
