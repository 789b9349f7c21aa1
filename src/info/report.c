/* SPDX-License-Identifier: Apache-2.0
 * The reports of `clgemm info`: Markdown for people, JSON for programs, from one list of facts. */
#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "clgemm.h"
#include "src/common/host_speeds.h"
#include "src/info/info.h"
#include "src/output.h"
#include "tuning/head.h"

/* ---- A device's facts ---- */

enum unit { TEXT, YES_NO, COUNT, MEGAHERTZ, BYTES };

struct fact {
    const char *key, *label; /* in JSON, in Markdown */
    enum unit unit;
    const char *text;
    uint64_t value;
};

enum { MAX_FACTS = 32, FIGURES = 256 };

static void add_text(struct fact *facts, int *count, const char *key, const char *label,
                     const char *text) {
    facts[(*count)++] = (struct fact){key, label, TEXT, text, 0};
}

static void add(struct fact *facts, int *count, const char *key, const char *label, enum unit unit,
                uint64_t value) {
    facts[(*count)++] = (struct fact){key, label, unit, NULL, value};
}

static const char *figures(char text[FIGURES], const struct clg_architecture *arch) {
    snprintf(text, FIGURES,
             "%u FP32 multiply-adds a clock (FP64: %.3g of that, FP16: %.3g) in SIMD groups of %u; "
             "%u registers, a work-item %u; %.4g KiB of local memory for %u, each reading %u B a "
             "clock; the memory of all units: %.3g GB/s",
             arch->lanes, arch->doubles, arch->halves, arch->simd, arch->unit_registers,
             arch->registers, (double)arch->unit_local / 1024, arch->local_units, arch->local_rate,
             1e-9 * arch->memory_rate);
    return text;
}

static int list_facts(struct fact facts[MAX_FACTS], char text[FIGURES],
                      const struct clg_facts *device) {
    int n = 0;
    add_text(facts, &n, "kind", "kind", clg_device_kind_name(device->kind));
    add_text(facts, &n, "vendor", "vendor", device->vendor);
    add_text(facts, &n, "opencl", "OpenCL", device->version);
    add_text(facts, &n, "driver", "driver", device->driver);
    add_text(facts, &n, "platform_name", "platform", device->platform);
    add_text(facts, &n, "platform_version", "platform version", device->platform_version);
    add(facts, &n, "available", "available", YES_NO, device->available);
    add(facts, &n, "compiler", "compiler", YES_NO, device->has_compiler);
    add(facts, &n, "compute_units", "compute units", COUNT, device->compute_units);
    add(facts, &n, "clock_mhz", "clock", MEGAHERTZ, device->clock_mhz);
    add(facts, &n, "native_float_vector", "native float vector", COUNT, device->float_vector);
    add(facts, &n, "max_work_group", "largest work-group", COUNT, device->max_work_group);
    add(facts, &n, "global_memory", "global memory", BYTES, device->global_memory);
    add(facts, &n, "max_allocation", "largest buffer", BYTES, device->max_allocation);
    add(facts, &n, "base_alignment", "buffer alignment", BYTES, device->base_alignment);
    add(facts, &n, "shares_host_memory", "shares the host's memory", YES_NO,
        device->shares_host_memory);
    add(facts, &n, "local_memory", "local memory", BYTES, device->local_memory);
    add(facts, &n, "local_is_dedicated", "local memory is dedicated", YES_NO,
        device->local_is_dedicated);
    if (device->capability)
        add(facts, &n, "compute_capability", "compute capability, in tenths", COUNT,
            device->capability);
    add_text(facts, &n, "architecture", "architecture", device->arch.name);
    if (device->kind == CLG_DEVICE_GPU)
        add_text(facts, &n, "unit_figures", "a compute unit, by the architecture",
                 figures(text, &device->arch));
    add_text(facts, &n, "tensor_cores", "tensor cores",
             device->tensor_cores ? "used in modes beyond strict, if a small product is right"
             : device->mma_pays
                 ? "used in modes beyond strict, by mma.sync, if a small product is right"
             : device->mma        ? "used in modes beyond strict, by mma.sync, if they pay"
             : device->capability ? "not used: compute capability below 8.0"
                                  : "not used: not an NVIDIA device");
    return n;
}

static int list_probes(struct fact facts[MAX_FACTS], const struct clg_probes *probes) {
    int n = 0;
    add(facts, &n, "local_static", "largest __local array", BYTES, probes->local_static);
    add(facts, &n, "subgroup", "SIMD width, in work-items", COUNT, probes->subgroup);
    add(facts, &n, "fast_fma", "FP_FAST_FMAF", YES_NO, probes->fast_fma);
    add(facts, &n, "inline_ptx", "inline PTX", YES_NO, probes->inline_ptx);
    if (probes->rates.products > 0)
        add(facts, &n, "products_a_multiply_add",
            "products by mma.sync for each multiply-add, in tenths (50 pay)", COUNT,
            (uint64_t)(10 * probes->rates.products / probes->rates.multiply_adds));
    return n;
}

/* ---- Markdown ---- */

static void write_fact_md(FILE *out, const struct fact *fact) {
    fprintf(out, "| %s | ", fact->label);
    switch (fact->unit) {
    case TEXT:
        md_cell(out, fact->text);
        break;
    case YES_NO:
        fputs(fact->value ? "yes" : "no", out);
        break;
    case COUNT:
        fprintf(out, "%" PRIu64, fact->value);
        break;
    case MEGAHERTZ:
        fprintf(out, "%" PRIu64 " MHz", fact->value);
        break;
    case BYTES:
        md_bytes(out, fact->value);
        break;
    }
    fputs(" |\n", out);
}

static void write_table_md(FILE *out, const char *title, const struct fact *facts, int count) {
    fprintf(out, "\n| %s | |\n|---|---|\n", title);
    for (int i = 0; i < count; i++)
        write_fact_md(out, &facts[i]);
}

static void write_device_md(FILE *out, const struct info *info, size_t index) {
    const struct clg_device_entry *entry = &info->list.entries[index];
    const char *reason = clg_device_unusable(&entry->facts);
    struct fact facts[MAX_FACTS];
    char text[FIGURES];
    fprintf(out, "\n## %u:%u ", entry->platform, entry->device);
    md_cell(out, entry->facts.name);
    if (reason)
        fprintf(out, "\n\nCannot be used: %s.", reason);
    fputc('\n', out);
    write_table_md(out, "reported", facts, list_facts(facts, text, &entry->facts));
    if (!reason)
        write_table_md(out, "probed", facts, list_probes(facts, &info->probes[index]));
}

static void write_place_md(FILE *out, const char *what, const struct clg_path *place) {
    fprintf(out, "| %s | ", what);
    md_cell(out, *place->path ? place->path : "none");
    fprintf(out, " | %s | ", place->from);
}

/* What a place has for the chosen device. Places are in the order of origins. */
static struct clg_tuning_source source_of(const struct info *info, int place) {
    static const struct clg_tuning_source none;
    return info->table
               ? *clg_tuning_source(info->table, (enum clg_tuning_origin)(CLG_TUNING_GIVEN + place))
               : none;
}

static void write_source_md(FILE *out, struct clg_tuning_source source) {
    fprintf(out, "rows: %zu", source.rows);
    if (source.other_rows)
        fprintf(out, ", by other versions of the driver: %zu", source.other_rows);
    if (source.faults) {
        fprintf(out, ", faults: %zu, the first: ", source.faults);
        md_cell(out, source.why);
    }
    fputs(" |\n", out);
}

static void write_places_md(FILE *out, const struct info *info) {
    fputs("\n## Files\n\n| what | where | named by | state |\n|---|---|---|---|\n", out);
    write_place_md(out, "programs", &info->programs);
    if (info->cache_off) {
        fprintf(out, "off: %s |\n", info->cache_off);
    } else {
        fprintf(out, "on; entries: %" PRIu64 ", size: ", info->cache_entries);
        md_bytes(out, info->cache_bytes);
        if (info->cache_wrong > 0)
            fprintf(out, "; wrong on this device, and not used: %zu (clgemm cache list says which)",
                    info->cache_wrong);
        if (info->cache_spilling > 0)
            fprintf(out, "; spilling registers there: %zu", info->cache_spilling);
        fputs(" |\n", out);
    }
    for (int i = 0; i <= CLG_TUNING_PATHS; i++) {
        write_place_md(out, "tuning", &info->tuning[i]);
        write_source_md(out, source_of(info, i));
    }
}

static void write_break_even_md(FILE *out, clgemm_type type,
                                const struct info_break_even *break_even) {
    char word[CLG_TYPE_WORD];
    if (!break_even->from)
        return;
    fprintf(out, "Calls on host matrices of %s pay: ", clg_type_word(word, type));
    if (break_even->flops == INT64_MAX)
        fputs("nowhere", out);
    else
        fprintf(out, "from %.4g operations", (double)break_even->flops);
    fprintf(out, " (%s)  \n", break_even->from);
}

void info_write_md(FILE *out, const struct info *info) {
    fprintf(out, "# clgemm %s\n\n", clgemm_version());
    if (info->request) {
        fputs("Asked for: ", out);
        md_cell(out, info->request);
        fprintf(out, " (%s)  \n", info->request_from);
    }
    if (info->chosen) {
        fprintf(out, "Chosen: %u:%u ", info->chosen->platform, info->chosen->device);
        md_cell(out, info->chosen->facts.name);
        fprintf(out, ", because %s  \n", info->why);
        for (int i = 1; i < info->choice.count; i++) {
            const struct clg_device_entry *entry = info->choice.devices[i];
            fprintf(out, "Beside it: %u:%u ", entry->platform, entry->device);
            md_cell(out, entry->facts.name);
            fputs("  \n", out);
        }
        if (*info->shares)
            fprintf(out, "Shares of 8192 x 8192 x 8192 in f32: %s  \n", info->shares);
        for (int type = 0; type < CLG_TYPE_COUNT; type++)
            write_break_even_md(out, (clgemm_type)type, &info->break_evens[type]);
        const struct clg_host_speeds *speeds = clg_tuning_host_speeds(info->table, NULL);
        if (speeds) {
            host_speeds_print(out, speeds);
            fprintf(out, " (measured %s)  \n", speeds->date);
        }
        fputs("Kernels' costs: ", out);
        md_cell(out, info->costs);
        fputs("  \n", out);
    } else {
        fputs("Chosen: none\n", out);
    }
    for (size_t i = 0; i < info->list.count; i++)
        write_device_md(out, info, i);
    write_places_md(out, info);
}

/* ---- JSON ---- */

static void write_facts_json(struct clg_json *json, const char *key, const struct fact *facts,
                             int count) {
    clg_json_open(json, key, '{');
    for (int i = 0; i < count; i++) {
        const struct fact *fact = &facts[i];
        if (fact->unit == TEXT)
            clg_json_text(json, fact->key, fact->text);
        else if (fact->unit == YES_NO)
            clg_json_bool(json, fact->key, fact->value);
        else
            clg_json_count(json, fact->key, fact->value);
    }
    clg_json_close(json, '}');
}

static void write_device_json(struct clg_json *json, const struct info *info, size_t index) {
    const struct clg_device_entry *entry = &info->list.entries[index];
    const char *reason = clg_device_unusable(&entry->facts);
    struct fact facts[MAX_FACTS];
    char text[FIGURES];
    clg_json_open(json, NULL, '{');
    clg_json_count(json, "platform", entry->platform);
    clg_json_count(json, "device", entry->device);
    clg_json_text(json, "name", entry->facts.name);
    clg_json_bool(json, "chosen", info_is_chosen(info, entry));
    clg_json_text(json, "unusable", reason);
    write_facts_json(json, "facts", facts, list_facts(facts, text, &entry->facts));
    if (!reason)
        write_facts_json(json, "probes", facts, list_probes(facts, &info->probes[index]));
    clg_json_close(json, '}');
}

static void write_place_json(struct clg_json *json, const struct clg_path *place, bool used) {
    clg_json_text(json, "path", *place->path ? place->path : NULL);
    clg_json_text(json, "from", place->from);
    clg_json_bool(json, "used", used);
}

static void write_places_json(struct clg_json *json, const struct info *info) {
    clg_json_open(json, "programs", '{');
    write_place_json(json, &info->programs, !info->cache_off);
    clg_json_text(json, "off", info->cache_off);
    clg_json_count(json, "entries", info->cache_entries);
    clg_json_count(json, "bytes", info->cache_bytes);
    clg_json_count(json, "wrong", info->cache_wrong);
    clg_json_count(json, "spilling", info->cache_spilling);
    clg_json_close(json, '}');
    clg_json_open(json, "tuning", '[');
    for (int i = 0; i <= CLG_TUNING_PATHS; i++) {
        const struct clg_tuning_source source = source_of(info, i);
        clg_json_open(json, NULL, '{');
        write_place_json(json, &info->tuning[i], source.rows + source.other_rows > 0);
        clg_json_count(json, "rows", source.rows);
        clg_json_count(json, "other_driver_rows", source.other_rows);
        clg_json_count(json, "faults", source.faults);
        clg_json_text(json, "why", source.faults ? source.why : NULL);
        clg_json_close(json, '}');
    }
    clg_json_close(json, ']');
}

static void write_break_even_json(struct clg_json *json, clgemm_type type,
                                  const struct info_break_even *break_even) {
    char name[CLG_TYPE_MEMBER], from[CLG_TYPE_MEMBER + 8];
    snprintf(from, sizeof from, "%s_from", clg_type_member(name, "min_flops", type));
    if (!clg_types[type].options)
        return;
    if (break_even->from)
        clg_json_count(json, name, (uint64_t)break_even->flops);
    clg_json_text(json, from, break_even->from);
}

static void write_context_json(struct clg_json *json, const struct info *info) {
    char chosen[32] = "";
    if (info->chosen)
        snprintf(chosen, sizeof chosen, "%u:%u", info->chosen->platform, info->chosen->device);
    clg_json_open(json, "context", '{');
    clg_json_text(json, "version", clgemm_version());
    clg_json_text(json, "request", info->request);
    clg_json_text(json, "request_from", info->request_from);
    clg_json_text(json, "chosen", *chosen ? chosen : NULL);
    clg_json_text(json, "why", info->why);
    clg_json_text(json, "shares", *info->shares ? info->shares : NULL);
    clg_json_text(json, "error", *info->error ? info->error : NULL);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        write_break_even_json(json, (clgemm_type)type, &info->break_evens[type]);
    const struct clg_host_speeds *speeds = clg_tuning_host_speeds(info->table, NULL);
    if (speeds)
        clg_host_speeds_write(json, speeds);
    clg_json_text(json, "costs", *info->costs ? info->costs : NULL);
    write_places_json(json, info);
    clg_json_close(json, '}');
}

void info_write_json(FILE *out, const struct info *info) {
    struct clg_json json = {.out = out};
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", INFO_SCHEMA);
    write_context_json(&json, info);
    clg_json_open(&json, "results", '[');
    for (size_t i = 0; i < info->list.count; i++)
        write_device_json(&json, info, i);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
}
