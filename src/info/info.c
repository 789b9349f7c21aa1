/* SPDX-License-Identifier: Apache-2.0
 * `clgemm info`: the devices as the library sees them, and the default choice. */
#define _POSIX_C_SOURCE 200809L /* isatty */
#include "src/info/info.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/status.h"
#include "base/thread.h"
#include "gemm/problem.h"
#include "host/split.h"
#include "src/cache/folder.h"
#include "src/common/option_readers.h"
#include "src/output.h"
#include "src/tool.h"
#include "tuning/break_even.h"
#include "tuning/costs.h"

struct options {
    const char *device;
    bool list;
    struct output output;
};

static const struct option_row rows[] = {
    {"device", 'd', "DEVICE",
     "choose as for this request: P:D, part of a name, cpu or gpu (default: $CLGEMM_DEVICE, else "
     "the best GPU, else an accelerator, else a CPU)",
     option_text, offsetof(struct options, device)},
    {"list", 'l', NULL, "print one line for each device, without probes; * marks the choice",
     option_on, offsetof(struct options, list)},
    OPTION_FORMAT(struct options, output.format),
    OPTION_OUT(struct options, output.path, OPTION_OUT_HELP),
    OPTION_END,
};

static enum parsed parse(struct options *options, int argc, char **argv) {
    const struct option_table table = {
        .command = argv[0],
        .usage = "usage: clgemm info [options]\n"
                 "Shows the OpenCL devices as the library sees them, what probes found, the\n"
                 "default choice and its reason, and where programs and tuning files are.\n",
        .rows = rows,
        .notes = "Exit: 0 success, 2 usage or file error, 77 no usable device, or not the\n"
                 "requested one.\n"};
    const enum parsed parsed = options_read(&table, options, argc, argv, NULL);
    if (parsed == PARSED_RUN && options->list && options->output.format == FORMAT_JSON)
        return options_refuse(argv[0], "-l prints plain text only");
    return parsed;
}

/* A folder that cannot be read has no entries to count. */
static void find_cache(struct info *info) {
    struct cache_folder folder;
    clg_path_programs(&info->programs);
    cache_folder_open(&folder, false);
    info->cache_off = folder.off;
    info->cache_entries = cache_folder_entries(&folder, &info->cache_bytes);
    if (info->chosen)
        info->cache_wrong =
            cache_folder_wrong(&folder, info->chosen->facts.name, &info->cache_spilling);
    cache_folder_close(&folder);
}

static void find_tuning_places(struct info *info) {
    struct clg_path *library = &info->tuning[CLG_TUNING_PATHS];
    clg_paths_tuning(info->tuning);
    library->path[0] = '\0';
    library->from = clg_env_is_off("CLGEMM_TUNING") ? info->tuning[0].from : "in the library";
}

static void find_break_evens(struct info *info) {
    const struct clg_facts *facts = &info->chosen->facts;
    for (int i = 0; i < CLG_TYPE_COUNT; i++) {
        const clgemm_type type = (clgemm_type)i;
        const bool measured = clg_tuning_break_even(info->table, type, NULL);
        if (clg_types[type].options)
            info->break_evens[type] =
                (struct info_break_even){clg_break_even_flops(info->table, type, facts),
                                         clg_type_unsupported_reason(type, facts) ? "not supported"
                                         : measured                               ? "measured"
                                                                                  : "guessed"};
    }
}

static void find_costs(struct info *info) {
    struct clg_costs room;
    const struct clg_costs *costs = clg_costs_in_force(info->table, &info->chosen->facts, &room);
    memcpy(info->costs, costs->source, sizeof info->costs);
}

/* Divides a large product among the chosen devices, as a call would by their facts. */
static void find_shares(struct info *info) {
    enum { SIZE = 8192 };
    struct clg_call call = {.type = CLGEMM_F32,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = SIZE,
                            .n = SIZE,
                            .k = SIZE,
                            .scalars = {.alpha = 1}};
    struct clg_split_device devices[CLG_DEVICES_MOST];
    char names[CLG_DEVICES_MOST][24], text[768];
    const char *places[CLG_DEVICES_MOST];
    struct clg_problem problem;
    struct clg_split split;
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = (struct clg_operand){.ld = SIZE, .bytes = UINT64_MAX, .alignment = 64};
    if (clg_problem_init(&problem, &call))
        return;
    for (int i = 0; i < info->choice.count; i++) {
        const struct clg_device_entry *entry = info->choice.devices[i];
        snprintf(names[i], sizeof *names, "%u:%u", entry->platform, entry->device);
        places[i] = names[i];
        devices[i] = (struct clg_split_device){&entry->facts, clg_tuning_load(&entry->facts),
                                               !entry->facts.shares_host_memory};
    }
    clg_split_make(&split, &problem, false, devices, info->choice.count, clg_thread_processors());
    clg_split_describe(&split, &problem, places, text, sizeof text);
    snprintf(
        info->shares, sizeof info->shares, "%s; %.3g ms are expected, and %.3g on one device%s",
        text, 1e3 * split.seconds, 1e3 * split.alone,
        split.count < info->choice.count ? ", and further devices would not shorten that" : "");
    for (int i = 0; i < info->choice.count; i++)
        clg_tuning_release((struct clg_tuning *)devices[i].tuning);
}

/* Lists the devices and chooses among them. Fails only if memory is short: that there is no device
 * is a result to report, not a failure. */
static clgemm_status find(struct info *info, const char *device) {
    info->request = device ? device : clg_env("CLGEMM_DEVICE");
    info->request_from = device ? "-d" : info->request ? "CLGEMM_DEVICE" : NULL;
    find_tuning_places(info);
    clgemm_status status = clg_device_list_query(&info->list);
    if (status)
        return status;
    if (clg_device_choose_all(&info->list, info->request, &info->choice)) {
        clg_copy_last_error(info->error, sizeof info->error);
        return CLGEMM_SUCCESS;
    }
    info->chosen = info->choice.devices[0];
    info->why = info->choice.why;
    if (!(info->table = clg_tuning_load(&info->chosen->facts)))
        return CLGEMM_STATUS_OUT_OF_MEMORY;
    find_break_evens(info);
    find_costs(info);
    if (info->choice.count > 1)
        find_shares(info);
    return CLGEMM_SUCCESS;
}

/* Probing takes seconds on some devices, so a terminal gets progress messages. */
static bool probe(struct info *info) {
    bool terminal = isatty(STDERR_FILENO);
    info->probes = calloc(info->list.count ? info->list.count : 1, sizeof *info->probes);
    for (size_t i = 0; i < info->list.count && info->probes; i++) {
        const struct clg_device_entry *entry = &info->list.entries[i];
        if (terminal)
            fprintf(stderr, "\rprobing %u:%u ...", entry->platform, entry->device);
        clg_probes_run(entry->id, &entry->facts, &info->probes[i]);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    return info->probes;
}

bool info_is_chosen(const struct info *info, const struct clg_device_entry *entry) {
    bool chosen = false;
    for (int i = 0; i < info->choice.count; i++)
        chosen |= info->choice.devices[i] == entry;
    return chosen;
}

static void write_list(FILE *out, const struct info *info) {
    for (size_t i = 0; i < info->list.count; i++) {
        const struct clg_device_entry *entry = &info->list.entries[i];
        const char *reason = clg_device_unusable(&entry->facts);
        reason = reason ? reason : clg_device_distrusted(&entry->facts);
        fprintf(out, "%c %u:%u  %-11s  %s%s%s%s\n", info_is_chosen(info, entry) ? '*' : ' ',
                entry->platform, entry->device, clg_device_kind_name(entry->facts.kind),
                entry->facts.name, reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
    }
}

static int report(FILE *out, void *user) {
    const struct options *options = user;
    struct info info = {0};
    int code = EXIT_FAILED;
    if (find(&info, options->device) || (!options->list && !probe(&info))) {
        fprintf(stderr, "clgemm info: out of memory\n");
    } else {
        find_cache(&info);
        if (options->list)
            write_list(out, &info);
        else if (options->output.format == FORMAT_JSON)
            info_write_json(out, &info);
        else
            info_write_md(out, &info);
        code = info.chosen ? EXIT_FINE : EXIT_NO_DEVICE;
        if (!info.chosen)
            fprintf(stderr, "clgemm info: %s\n", info.error);
    }
    free(info.probes);
    clg_tuning_release(info.table);
    clg_device_list_free(&info.list);
    return code;
}

int info_command(int argc, char **argv) {
    struct options options = {0};
    int code;
    if (options_go_on(parse(&options, argc, argv), &code))
        code = output_write(&options.output, argv[0], report, &options);
    return code;
}
