/* SPDX-License-Identifier: Apache-2.0
 * Finds properties of a device by trying. */
#include "src/info/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/log.h"
#include "device/select.h"
#include "device/signals.h"

/* Each work-item reads words that others wrote, over the whole array. */
static const char local_kernel[] = "__kernel void probe(__global uint *out, uint salt) {\n"
                                   "    __local uint space[WORDS];\n"
                                   "    uint me = get_local_id(0), wrong = 0;\n"
                                   "    for (uint i = me; i < WORDS; i += get_local_size(0))\n"
                                   "        space[i] = i * 2654435761u + salt;\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    for (uint i = me; i < WORDS; i += get_local_size(0)) {\n"
                                   "        uint other = WORDS - 1 - i;\n"
                                   "        wrong |= space[other] ^ (other * 2654435761u + salt);\n"
                                   "    }\n"
                                   "    out[me] = salt + me + (wrong ? 0 : 1);\n"
                                   "}\n";

/* x = 1 + 2^-12: x * x - (1 + 2^-11) is 2^-24 if rounded once, 0 if the product is rounded too. */
static const char fma_kernel[] = "__kernel void probe(__global uint *out, uint salt) {\n"
                                 "    uint me = get_local_id(0), fast = 0;\n"
                                 "#ifdef FP_FAST_FMAF\n"
                                 "    float x = 1.0f + (float)salt * 0x1p-24f;\n"
                                 "    fast = fma(x, x, -1.0f - 0x1p-11f) == 0x1p-24f;\n"
                                 "#endif\n"
                                 "    out[me] = salt + me + fast;\n"
                                 "}\n";

static const char ptx_kernel[] =
    "__kernel void probe(__global uint *out, uint salt) {\n"
    "    uint me = get_local_id(0), x = salt + me, y;\n"
    "    __asm__ volatile(\"add.u32 %0, %1, 7;\" : \"=r\"(y) : \"r\"(x));\n"
    "    out[me] = y;\n"
    "}\n";

static struct clg_trial of_one_group(const char *name, const char *text, cl_uint expected) {
    return (struct clg_trial){name, text, "", expected, .groups = 1, .times = 1};
}

static bool local_works(struct clg_lab *lab, uint64_t bytes) {
    char options[64];
    struct clg_trial trial = of_one_group("local_static", local_kernel, 1);
    snprintf(options, sizeof options, "-DWORDS=%" PRIu64 "u", bytes / sizeof(cl_uint));
    trial.options = options;
    return bytes >= sizeof(cl_uint) && clg_trial_works(lab, &trial);
}

/* Tries the reported size first, then larger ones in descending order: two builds if all goes well.
 * Only on GPUs is more than the reported size tried. NVIDIA's driver supports up to 224 KiB but
 * reports 48. On a CPU nothing would be gained, and the runtime may crash. */
static uint64_t largest_local(struct clg_lab *lab) {
    static const uint64_t kibibytes[] = {224, 192, 160, 128, 96, 64, 48, 32};
    uint64_t reported = lab->facts->local_memory;
    uint64_t best = local_works(lab, reported) ? reported : 0;
    for (size_t i = 0; i < sizeof kibibytes / sizeof kibibytes[0]; i++) {
        uint64_t bytes = kibibytes[i] * 1024;
        bool allowed = bytes < reported || lab->facts->kind == CLG_DEVICE_GPU;
        if (allowed && bytes > best && local_works(lab, bytes))
            best = bytes;
    }
    return best;
}

void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out) {
    struct clg_lab lab = {.id = id, .facts = facts};
    struct clg_trial fma = of_one_group("fast_fma", fma_kernel, 1);
    struct clg_trial ptx = of_one_group("inline_ptx", ptx_kernel, 7);
    memset(out, 0, sizeof *out);
    if (clg_device_unusable(facts))
        return;
    clg_signals_save();
    out->fast_fma = clg_trial_works(&lab, &fma);
    out->subgroup = (uint32_t)fma.multiple;
    clg_log(CLG_LOG_PROBES, "probe=subgroup device=\"%s\" width=%zu", facts->name, fma.multiple);
    if (clg_find_text(facts->vendor, "NVIDIA"))
        out->inline_ptx = clg_trial_works(&lab, &ptx);
    out->local_static = largest_local(&lab);
    clg_lab_rates(&lab, &out->rates);
    clg_lab_close(&lab);
    clg_signals_restore();
}
