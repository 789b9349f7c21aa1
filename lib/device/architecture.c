/* SPDX-License-Identifier: Apache-2.0
 * What OpenCL does not report of a device, by its architecture. A table of vendors' figures, and
 * careful guesses where no row is for the device. Pure. */
#include "device/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum vendor { NVIDIA, AMD, INTEL, ARM, QUALCOMM, APPLE, OTHER };

/* ---- The table ---- */

#define KIB(n) ((uint64_t)(n) << 10)

/* An architecture is that of the vendor's last row whose version is not above the device's:
 *   NVIDIA    compute capability, in tenths
 *   AMD       the digits after gfx, hexadecimal; 0x500: before GCN
 *   Intel     architecture and release of the graphics IP, as 1255 for 12.55; 0: not known
 *   Arm       major version of the architecture: 6 and 7 are Bifrost, 9 to 13 Valhall and later
 *   Qualcomm  the number of an Adreno
 *   Apple     1: M1 and later
 *
 * Sources:
 *   NVIDIA    CUDA C++ Programming Guide: technical specifications, throughput of instructions
 *   AMD       ISA documents and white papers of GCN, CDNA, RDNA; registers as LLVM's AMDGPU backend
 *             has them (spills begin above 256; CDNA's accumulation registers are not counted).
 *             RDNA's rows are for pairs of compute units. RDNA 3's and 4's second multiply-add in
 *             an instruction is not counted, because compilers rarely find it; a gfx1101 reaches
 *             half of its peak without, a gfx950 all (examples of ProjectPhysX/OpenCL-Benchmark)
 *   Intel     oneAPI GPU Optimization Guide, "Intel Xe GPU Architecture"; Compute Architecture of
 *             Intel Processor Graphics Gen9 and Gen11. A thread has 128 registers of 32 bytes, or
 *             of 64 bytes on Xe-HPC and Xe2: 128 for each work-item of the narrowest SIMD group,
 *             as many as `simd`. But from some 68 on, as gemm/estimate counts them, the compiler
 *             (ocloc 22.43) spills or compiles anew with all arrays in memory (docs/log)
 *   Arm       Mali Offline Compiler's reports (64 registers, 32 at full occupancy), data sheets
 *   Qualcomm  Adreno OpenCL Programming Guide; its numbers of registers are not public
 *   Apple     philipturner/metal-benchmarks
 *   memory    data sheets: the least rate for each unit among the devices of a row
 *   dots      dp4a, NVIDIA's from 6.1 on, has the rate of FP32 there (Harris, "Mixed-Precision
 *             Programming with CUDA 8"), later that of the 64 INT32 lanes of an SM (white papers of
 *             Volta to Ada). PTX's mma from 8.0 on: the INT8 tensor cores of an SM (white papers of
 *             GA100, GA102 and AD102; Orin's data sheet; a GH100 has 1955 by it, docs/log). AMD's
 *             v_dot4: LLVM's AMDGPU backend */
static const struct row {
    enum vendor vendor;
    uint32_t version;
    struct clg_architecture arch; /* memory_rate: for each unit */
} rows[] = {
    /* name, registers: of a work-item, of a unit; simd, lanes, doubles, halves; local memory: rate,
     * bytes, units, dedicated; memory's rate */
    {NVIDIA, 30, {"kepler", 63, 65536, 32, 192, 1. / 24, 1, 128, KIB(48), 1, true, 14e9}},
    {NVIDIA, 35, {"kepler", 255, 65536, 32, 192, 1. / 24, 1, 128, KIB(48), 1, true, 18e9}},
    {NVIDIA, 37, {"kepler", 255, 131072, 32, 192, 1. / 3, 1, 128, KIB(112), 1, true, 18e9}},
    {NVIDIA, 50, {"maxwell", 255, 65536, 32, 128, 1. / 32, 1, 128, KIB(64), 1, true, 12e9}},
    {NVIDIA, 52, {"maxwell", 255, 65536, 32, 128, 1. / 32, 1, 128, KIB(96), 1, true, 12e9}},
    {NVIDIA, 53, {"maxwell", 255, 65536, 32, 128, 1. / 32, 2, 128, KIB(64), 1, true, 12e9}},
    {NVIDIA, 60, {"pascal", 255, 65536, 32, 64, 1. / 2, 2, 128, KIB(64), 1, true, 9e9}},
    {NVIDIA, 61, {"pascal", 255, 65536, 32, 128, 1. / 32, 1. / 64, 128, KIB(96), 1, true, 9e9}},
    {NVIDIA, 62, {"pascal", 255, 65536, 32, 128, 1. / 32, 2, 128, KIB(64), 1, true, 9e9}},
    {NVIDIA, 70, {"volta", 255, 65536, 32, 64, 1. / 2, 2, 128, KIB(96), 1, true, 11e9}},
    {NVIDIA, 75, {"turing", 255, 65536, 32, 64, 1. / 32, 2, 128, KIB(64), 1, true, 8e9}},
    {NVIDIA, 80, {"ampere", 255, 65536, 32, 64, 1. / 2, 4, 128, KIB(164), 1, true, 14e9}},
    {NVIDIA, 86, {"ampere", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(100), 1, true, 8e9}},
    {NVIDIA, 87, {"ampere", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(164), 1, true, 8e9}},
    {NVIDIA, 89, {"ada", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(100), 1, true, 5e9}},
    {NVIDIA, 90, {"hopper", 255, 65536, 32, 128, 1. / 2, 2, 128, KIB(228), 1, true, 18e9}},
    {NVIDIA, 100, {"blackwell", 255, 65536, 32, 128, 1. / 2, 1, 128, KIB(228), 1, true, 50e9}},
    {NVIDIA, 101, {"blackwell", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(228), 1, true, 13e9}},
    {NVIDIA, 103, {"blackwell", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(228), 1, true, 50e9}},
    {NVIDIA, 110, {"blackwell", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(228), 1, true, 13e9}},
    {NVIDIA, 120, {"blackwell", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(100), 1, true, 8e9}},
    {NVIDIA, 121, {"blackwell", 255, 65536, 32, 128, 1. / 64, 1, 128, KIB(100), 1, true, 5e9}},
    {AMD, 0x500, {"terascale", 64, 65536, 64, 64, 1. / 16, 1, 128, KIB(32), 1, true, 4e9}},
    {AMD, 0x600, {"gcn", 256, 65536, 64, 64, 1. / 4, 1, 128, KIB(64), 1, true, 8e9}},
    {AMD, 0x601, {"gcn", 256, 65536, 64, 64, 1. / 16, 1, 128, KIB(64), 1, true, 4e9}},
    {AMD, 0x701, {"gcn", 256, 65536, 64, 64, 1. / 8, 1, 128, KIB(64), 1, true, 7e9}},
    {AMD, 0x703, {"gcn", 256, 65536, 64, 64, 1. / 16, 1, 128, KIB(64), 1, true, 4e9}},
    {AMD, 0x900, {"gcn", 256, 65536, 64, 64, 1. / 16, 2, 128, KIB(64), 1, true, 3e9}},
    {AMD, 0x906, {"gcn", 256, 65536, 64, 64, 1. / 4, 2, 128, KIB(64), 1, true, 16e9}},
    {AMD, 0x908, {"cdna", 256, 65536, 64, 64, 1. / 2, 2, 128, KIB(64), 1, true, 10e9}},
    {AMD, 0x909, {"gcn", 256, 65536, 64, 64, 1. / 16, 2, 128, KIB(64), 1, true, 3e9}},
    {AMD, 0x90a, {"cdna2", 256, 131072, 64, 64, 1, 2, 128, KIB(64), 1, true, 14e9}},
    {AMD, 0x90c, {"gcn", 256, 65536, 64, 64, 1. / 16, 2, 128, KIB(64), 1, true, 3e9}},
    {AMD, 0x940, {"cdna3", 256, 131072, 64, 128, 1. / 2, 1, 128, KIB(64), 1, true, 17e9}},
    {AMD, 0x950, {"cdna4", 256, 131072, 64, 128, 1. / 2, 1, 256, KIB(160), 1, true, 31e9}},
    {AMD, 0x1010, {"rdna", 256, 131072, 32, 128, 1. / 16, 2, 256, KIB(128), 1, true, 16e9}},
    {AMD, 0x1030, {"rdna2", 256, 131072, 32, 128, 1. / 16, 2, 256, KIB(128), 1, true, 12e9}},
    {AMD, 0x1100, {"rdna3", 256, 196608, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 14e9}},
    {AMD, 0x1102, {"rdna3", 256, 131072, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 14e9}},
    {AMD, 0x1150, {"rdna3.5", 256, 131072, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 11e9}},
    {AMD, 0x1151, {"rdna3.5", 256, 196608, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 11e9}},
    {AMD, 0x1152, {"rdna3.5", 256, 131072, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 11e9}},
    {AMD, 0x1200, {"rdna4", 256, 196608, 32, 128, 1. / 32, 2, 256, KIB(128), 1, true, 18e9}},
    {INTEL, 0, {"intel", 68, 7168, 8, 8, 1. / 64, 1, 8, KIB(64), 8, true, .4e9}},
    {INTEL, 800, {"gen8", 68, 7168, 8, 8, 1. / 4, 2, 8, KIB(64), 8, true, .4e9}},
    {INTEL, 900, {"gen9", 68, 7168, 8, 8, 1. / 4, 2, 8, KIB(64), 8, true, .4e9}},
    {INTEL, 1100, {"gen11", 68, 7168, 8, 8, 1. / 64, 2, 8, KIB(64), 8, true, .5e9}},
    {INTEL, 1200, {"xe-lp", 68, 7168, 8, 8, 1. / 64, 2, 8, KIB(128), 16, true, .5e9}},
    {INTEL, 1255, {"xe-hpg", 68, 8192, 8, 8, 1. / 64, 2, 8, KIB(128), 16, true, 1e9}},
    {INTEL, 1260, {"xe-hpc", 68, 16384, 16, 16, 1, 2, 16, KIB(128), 8, true, 2.7e9}},
    {INTEL, 1270, {"xe-lpg", 68, 8192, 8, 8, 1. / 64, 2, 8, KIB(128), 16, true, .6e9}},
    {INTEL, 2000, {"xe2", 68, 16384, 16, 16, 1. / 16, 2, 16, KIB(128), 8, true, 2e9}},
    {ARM, 4, {"midgard", 64, 4096, 1, 8, 1. / 4, 2, 16, KIB(32), 1, false, 1e9}},
    {ARM, 6, {"bifrost", 64, 12288, 4, 8, 1. / 64, 2, 16, KIB(32), 1, false, 2e9}},
    {ARM, 7, {"bifrost", 64, 12288, 8, 16, 1. / 64, 2, 16, KIB(32), 1, false, 2e9}},
    {ARM, 9, {"valhall", 64, 32768, 16, 32, 1. / 64, 2, 32, KIB(32), 1, false, 2e9}},
    {ARM, 10, {"valhall", 64, 32768, 16, 64, 1. / 64, 2, 32, KIB(32), 1, false, 2e9}},
    {ARM, 11, {"valhall", 64, 65536, 16, 128, 1. / 64, 2, 32, KIB(32), 1, false, 4e9}},
    {QUALCOMM, 300, {"adreno", 32, 16384, 32, 32, 1. / 64, 2, 32, KIB(32), 1, true, 3e9}},
    {QUALCOMM, 600, {"adreno6", 48, 32768, 64, 128, 1. / 64, 2, 64, KIB(32), 1, true, 6e9}},
    {QUALCOMM, 700, {"adreno7", 48, 32768, 64, 128, 1. / 64, 2, 64, KIB(32), 1, true, 8e9}},
    {QUALCOMM, 800, {"adreno8", 48, 32768, 64, 128, 1. / 64, 2, 64, KIB(32), 1, true, 8e9}},
    {APPLE, 1, {"apple", 128, 53248, 32, 128, 1. / 64, 1, 64, KIB(60), 1, true, 7e9}},
};

/* A group of 256 work-items has the registers. The rest is less than most devices have. */
static const struct clg_architecture guess = {"unknown", 64, 16384,  32, 32,   1. / 64,
                                              1,         64, KIB(1), 1,  true, 2e9};

/* ---- Names ---- */

/* The versions of names that have no number of their own. Patterns are separated by |; in them #
 * stands for a digit and ? for any character. The first one that fits counts. */
static const struct {
    enum vendor vendor;
    uint32_t version;
    const char *patterns;
} names[] = {
    /* Where the driver has no cl_nv_device_attribute_query; chips are Mesa's names. */
    {NVIDIA, 60, "P100|GP100"},
    {NVIDIA, 61, "GP10#"},
    {NVIDIA, 70, "V100|GV100"},
    {NVIDIA, 75, "TU1##"},
    {NVIDIA, 80, "A100|A800|A30|GA100"},
    {NVIDIA, 86, "GA10#"},
    {NVIDIA, 89, "AD10#"},
    {NVIDIA, 90, "H100|H200|H800|GH200|GH100"},
    {NVIDIA, 100, "B200|GB200|GB100"},
    {NVIDIA, 120, "GB20#"},
    /* Chips, as older drivers and Mesa name them, and cards, as macOS does. */
    {AMD, 0x500, "Cypress|Juniper|Redwood|Cedar|Barts|Turks|Caicos|Cayman|Devastator|Scrapper"},
    {AMD, 0x500, "BeaverCreek|WinterPark|Loveland|RV7##"},
    {AMD, 0x600, "Tahiti"},
    {AMD, 0x601, "Pitcairn|Capeverde|Verde|Oland|Hainan"},
    {AMD, 0x701, "Hawaii"},
    {AMD, 0x703, "Bonaire|Spectre|Spooky|Kaveri|Kalindi|Kabini|Mullins"},
    {AMD, 0x803, "Iceland|Tonga|Fiji|Carrizo|Stoney|Ellesmere|Baffin|Lexa|Polaris|VegaM"},
    {AMD, 0x803, "RX 4##|RX 5##|Pro 4##|Pro 5##"},
    {AMD, 0x906, "Vega20|Radeon VII|MI50|MI60"},
    {AMD, 0x908, "Arcturus|MI100"},
    {AMD, 0x90a, "Aldebaran|MI210|MI250"},
    {AMD, 0x90c, "Renoir"},
    {AMD, 0x942, "MI300|MI325"},
    {AMD, 0x950, "MI350|MI355"},
    {AMD, 0x900, "Vega|Raven|Picasso"},
    {AMD, 0x1010, "Navi1#|RX 5###|Pro 5###"},
    {AMD, 0x1030, "Navi2#|Vangogh|Rembrandt|Raphael|RX 6###|Pro W6###"},
    {AMD, 0x1102, "Navi3#|Phoenix|RX 7###|Pro W7###"},
    {AMD, 0x1150, "Strix"},
    {AMD, 0x1200, "Navi4#|RX 9###"},
    /* Where the driver does not report the version; [0x...] is a device of PCI. */
    {INTEL, 800, "HD Graphics 5###|HD Graphics 6###|Iris(R) Graphics 6###|BroadWell|[0x16??"},
    {INTEL, 900, "Gen9|HD Graphics 5##|HD Graphics P5##|HD Graphics 6##|HD Graphics P6##"},
    {INTEL, 900, "UHD Graphics 6##|UHD Graphics P6##|Iris(R) Graphics 5##|Iris(R) Pro Graphics"},
    {INTEL, 900, "Iris(R) Plus Graphics 6##|Skylake|[0x19??|[0x31??|[0x3E??|[0x59??|[0x5A??"},
    {INTEL, 900, "[0x87C?|[0x9B??"},
    {INTEL, 1100, "Gen11|Iris(R) Plus Graphics|[0x45??|[0x4E??|[0x8A??"},
    {INTEL, 1255, "Arc(TM) A###|Arc(TM) Pro A##|Data Center GPU Flex|[0x56??|[0x4F??"},
    {INTEL, 1260, "Data Center GPU Max|[0x0B??"},
    {INTEL, 2000, "Arc(TM) B###|Arc(TM) Pro B##|Arc(TM) 1##V|[0xE2??|[0x64??"},
    {INTEL, 1270, "Arc(TM) Graphics|Arc(TM) 1##T|[0x7D??"},
    {INTEL, 1200, "Iris(R) Xe|Gen12|UHD Graphics 7##|UHD Graphics P7##|RaptorLake|[0x46??"},
    {INTEL, 1200, "[0x49??|[0x4C??|[0x9A??|[0xA7??"},
    {ARM, 4, "Mali-T###"},
    {ARM, 6, "Mali-G71|Mali-G31|Mali-G51|Mali-G72"},
    {ARM, 7, "Mali-G52|Mali-G76"},
    {ARM, 9, "Mali-G57|Mali-G68|Mali-G77|Mali-G78"},
    {ARM, 10, "Mali-G310|Mali-G510|Mali-G610|Mali-G710"},
    {ARM, 11, "Mali-G###|Immortalis"},
    {QUALCOMM, 741, "Adreno(TM) X1"},
    {APPLE, 1, "Apple M#"},
};

/* Whether the text goes on with the pattern. No digit may follow the pattern's last one. */
static bool begins(const char *text, const char *pattern) {
    char last = '\0';
    for (; *pattern && *pattern != '|'; pattern++) {
        last = *text++;
        if (*pattern == '#'   ? !isdigit((unsigned char)last)
            : *pattern == '?' ? !last
                              : tolower((unsigned char)last) != tolower((unsigned char)*pattern))
            return false;
    }
    return !isdigit((unsigned char)last) || !isdigit((unsigned char)*text);
}

/* Where a word of the text begins with one of the patterns; NULL: nowhere. */
static const char *find(const char *text, const char *patterns) {
    for (const char *at = text; *at; at++)
        if (at == text || !isalnum((unsigned char)at[-1]))
            for (const char *one = patterns; one; one = strchr(one, '|')) {
                one += *one == '|';
                if (begins(at, one))
                    return at;
            }
    return NULL;
}

/* The number behind the word in the text; 0: there is none. */
static uint32_t number_behind(const char *text, const char *word, int base) {
    const char *at = find(text, word);
    return at ? (uint32_t)strtoul(at + strlen(word), NULL, base) : 0;
}

/* Of an Adreno. Some drivers have it in the version only. */
static uint32_t number_of_adreno(const struct clg_facts *facts) {
    enum { DECIMAL = 10 };
    const struct {
        const char *text, *word;
    } places[] = {
        {facts->name, "FD"}, {facts->name, "Adreno(TM) "}, {facts->version, "Adreno(TM) "}};
    uint32_t number = 0;
    for (int i = 0; i < 3 && !number; i++)
        number = number_behind(places[i].text, places[i].word, DECIMAL);
    return number;
}

static enum vendor vendor_of(const struct clg_facts *facts) {
    static const char *const vendors[OTHER] = {
        [NVIDIA] = "NVIDIA",     [AMD] = "AMD|Advanced Micro Devices",
        [INTEL] = "Intel",       [ARM] = "Arm",
        [QUALCOMM] = "Qualcomm", [APPLE] = "Apple"};
    int vendor = 0;
    while (vendor < OTHER && !find(facts->vendor, vendors[vendor]))
        vendor++;
    return (enum vendor)vendor;
}

/* In the vendor's numbers, as in the table; 0 if nothing tells. */
static uint32_t version_of(enum vendor vendor, const struct clg_facts *facts, uint32_t intel) {
    enum { HEXADECIMAL = 16 };
    uint32_t version = 0;
    if (vendor == NVIDIA)
        version = facts->capability;
    else if (vendor == AMD)
        version = number_behind(facts->name, "gfx", HEXADECIMAL);
    else if (vendor == INTEL) /* in 10 bits and 8; drivers of 2022 and before have it elsewhere */
        version = intel >> 22 ? (intel >> 22) * 100 + (intel >> 14 & 0xff) : 0;
    else if (vendor == QUALCOMM)
        version = number_of_adreno(facts);
    for (size_t i = 0; !version && i < sizeof names / sizeof *names; i++)
        if (names[i].vendor == vendor && find(facts->name, names[i].patterns))
            version = names[i].version;
    return version;
}

/* ---- Architectures ---- */

/* AMD's own runtime counts pairs of compute units of RDNA. Mesa's and Apple's count single ones
 * (ProjectPhysX/OpenCL-Benchmark#37). */
static void halve(struct clg_architecture *arch) {
    arch->unit_registers /= 2;
    arch->lanes /= 2;
    arch->local_rate /= 2;
    arch->unit_local /= 2;
    arch->memory_rate /= 2;
}

static struct clg_architecture gpu(const struct clg_facts *facts, uint32_t intel_version) {
    enum { RDNA = 0x1000 };
    const enum vendor vendor = vendor_of(facts);
    const uint32_t version = version_of(vendor, facts, intel_version);
    struct clg_architecture arch = guess;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].vendor == vendor && rows[i].version <= version)
            arch = rows[i].arch;
    if (vendor == AMD && version >= RDNA && !strstr(facts->platform, "AMD"))
        halve(&arch);
    if (arch.unit_local < facts->local_memory)
        arch.unit_local = facts->local_memory;
    if (!facts->has_fp64)
        arch.doubles = 0;
    arch.local_dedicated &= facts->local_is_dedicated;
    arch.memory_rate *= facts->compute_units ? facts->compute_units : 1;
    return arch;
}

struct clg_architecture clg_facts_architecture(const struct clg_facts *facts,
                                               uint32_t intel_version) {
    if (facts->kind == CLG_DEVICE_GPU)
        return gpu(facts, intel_version);
    return (struct clg_architecture){.name = clg_device_kind_name(facts->kind),
                                     .lanes = facts->float_vector,
                                     .doubles = facts->has_fp64 ? 1. / 2 : 0,
                                     .halves = 1,
                                     .local_units = 1,
                                     .memory_rate = 50e9};
}

double clg_facts_dots(const struct clg_facts *facts, bool reported) {
    enum { BYTES = 4, DP4A = 61, DP4A_LANES = 64, MMA = 1024, WIDE_MMA = 2048 };
    static const double unpacked = 0.5; /* each byte is made a number before */
    static const struct {
        uint32_t first, end;
    } dot4[] = {
        {0x906, 0x909}, {0x90a, 0x90c}, {0x940, 0x1000}, {0x1011, 0x1013}, {0x1030, 0x2000}};
    const enum vendor vendor = vendor_of(facts);
    const uint32_t version = version_of(vendor, facts, 0), lanes = facts->arch.lanes;
    bool has = reported || (vendor == NVIDIA && version >= DP4A);
    for (size_t i = 0; vendor == AMD && i < sizeof dot4 / sizeof *dot4; i++)
        has |= version >= dot4[i].first && version < dot4[i].end;
    if (facts->mma)
        return (double)(version == 80 || version == 87 || version == 90 ? WIDE_MMA : MMA) / lanes;
    if (vendor == NVIDIA && version > DP4A && lanes > DP4A_LANES)
        return BYTES * (double)DP4A_LANES / lanes;
    return has ? BYTES : unpacked;
}
