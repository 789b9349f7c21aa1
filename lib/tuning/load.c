/* SPDX-License-Identifier: Apache-2.0
 * Loads tuning tables: from files in the search paths, from imports, and from the library. */
#define _POSIX_C_SOURCE 200809L /* close */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "program/source.h"
#include "tuning/costs.h"
#include "tuning/file.h"

/* The files of kernels/tuning, embedded by the build. */
extern const struct clg_source clg_tuning_files[];
extern const size_t clg_tuning_file_count;

/* A table that is being loaded, and whether memory was short. */
struct load {
    struct clg_tuning *table;
    const struct clg_facts *facts;
    enum clg_tuning_origin origin;
    bool failed;
};

static void add_fault(struct load *load, const char *name, int line, const char *why) {
    char first[CLG_TUNING_WHY];
    size_t faults = 0;
    clg_tuning_fault(&faults, first, name, line, why);
    clg_tuning_add_faults(load->table, load->origin, faults, first);
}

/* Whether a file is for the device. If not, that is a fault if the user `named` this very file. */
static bool is_ours(struct load *load, const struct clg_tuning_device *of, const char *name,
                    bool named, bool *own_driver) {
    const struct clg_tuning_device here = clg_tuning_device_of(load->facts);
    char why[CLG_TUNING_WHY];
    *own_driver = strcmp(of->driver, here.driver) == 0;
    if (clg_tuning_same_device(of, &here))
        return true;
    snprintf(why, sizeof why, "is for another device: \"%.100s\" of %u compute units, by %.100s",
             of->name, of->compute_units, of->platform);
    if (named)
        add_fault(load, name, 0, why);
    return false;
}

/* Adds the rows that the device can run. */
static void add_rows(struct load *load, const struct clg_tuning_file *file, const char *name,
                     bool own_driver) {
    for (size_t i = 0; i < file->count && !load->failed; i++) {
        char why[CLG_TUNING_WHY];
        const char *reason = clg_tuning_unsupported_reason(&file->rows[i], load->facts);
        if (!reason) {
            load->failed =
                !clg_tuning_add(load->table, &file->rows[i], load->origin, own_driver, false);
        } else {
            snprintf(why, sizeof why, "the device cannot run this row: %s", reason);
            add_fault(load, name, file->lines[i], why);
        }
    }
}

/* Adds a file's rows, break-evens and speeds for the device. */
static void add_text(struct load *load, const char *name, const char *text, size_t size,
                     bool named) {
    const struct clg_tuning_device here = clg_tuning_device_of(load->facts);
    struct clg_tuning_file file;
    bool own_driver;
    const bool good = clg_tuning_file_parse(&file, name, text, size, &here);
    clg_tuning_add_faults(load->table, load->origin, file.faults, file.why);
    load->failed = load->failed || file.out_of_memory;
    if (good && is_ours(load, &file.device, name, named, &own_driver)) {
        add_rows(load, &file, name, own_driver);
        if (load->origin != CLG_TUNING_BUILT_IN)
            clg_tuning_add_once(load->table, &file.once, load->origin, own_driver, false);
    }
    clg_tuning_file_release(&file);
}

/* The same for a file of costs. */
static void add_costs(struct load *load, const char *name, const char *text, size_t size,
                      bool named) {
    struct clg_costs_file *file = malloc(sizeof *file);
    bool own_driver;
    if (!file) {
        load->failed = true;
        return;
    }
    const bool good = clg_costs_read(file, name, text, size);
    clg_tuning_add_faults(load->table, load->origin, file->faults, file->why);
    if (good && is_ours(load, &file->device, name, named, &own_driver))
        load->failed =
            !clg_tuning_add_costs(load->table, &file->costs, load->origin, own_driver, false);
    free(file);
}

static void add_file(struct load *load, int folder, const char *file, const char *path,
                     bool named) {
    size_t size;
    const char *why;
    unsigned char *bytes = clg_file_read_named(folder, file, CLG_TUNING_FILE_MOST, &size, &why);
    if (bytes)
        (clg_costs_are_in((const char *)bytes, size) ? add_costs : add_text)(
            load, path, (const char *)bytes, size, named);
    else if (why == clg_file_no_memory)
        load->failed = true;
    else
        add_fault(load, path, 0, why);
    free(bytes);
}

static int by_name(const void *left, const void *right) {
    const struct clg_file_info *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static bool is_tuning_name(const char *name) {
    const size_t length = strlen(name);
    return *name != '.' && length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Adds all "*.json" of a folder, ordered by name. */
static void add_folder(struct load *load, int folder, const char *path) {
    struct clg_file_info *files;
    size_t count;
    if (!clg_folder_list(folder, &files, &count))
        add_fault(load, path, 0, "cannot be listed");
    if (count > 0)
        qsort(files, count, sizeof *files, by_name);
    for (size_t i = 0; i < count && !load->failed; i++) {
        char name[PATH_MAX + CLG_FILE_NAME];
        snprintf(name, sizeof name, "%s/%s", path, files[i].name);
        if (is_tuning_name(files[i].name))
            add_file(load, folder, files[i].name, name, false);
    }
    free(files);
}

/* Adds a file or a folder. If neither exists, that is a fault if the user `named` it. */
static void add_path(struct load *load, const char *path, bool named) {
    const char *why;
    int folder = clg_folder_open_named(path, false, &why);
    if (folder >= 0) {
        add_folder(load, folder, path);
        close(folder);
    } else if (why != clg_folder_absent) {
        add_file(load, AT_FDCWD, path, path, named);
    } else if (named) {
        add_fault(load, path, 0, clg_file_absent);
    }
}

/* Costs that must be computed are computed once. */
static void add_computed(struct load *load) {
    struct clg_costs *room = malloc(sizeof *room);
    if (!room)
        load->failed = true;
    else if (clg_costs_for(load->facts, room) == room)
        load->failed = !clg_tuning_add_costs(load->table, room, CLG_TUNING_BUILT_IN, false, false);
    free(room);
}

/* Adds all files in the search paths and in the library. */
static void add_files(struct load *load) {
    struct clg_path places[CLG_TUNING_PATHS];
    clg_paths_tuning(places);
    for (int i = 0; i < CLG_TUNING_PATHS && !load->failed; i++) {
        load->origin = CLG_TUNING_GIVEN + i;
        if (*places[i].path)
            add_path(load, places[i].path, load->origin == CLG_TUNING_GIVEN);
    }
    load->origin = CLG_TUNING_BUILT_IN;
    for (size_t i = 0; i < clg_tuning_file_count && !load->failed; i++)
        add_text(load, clg_tuning_files[i].name, clg_tuning_files[i].text,
                 clg_tuning_files[i].length, false);
}

struct clg_tuning *clg_tuning_load(const struct clg_facts *facts) {
    struct load load = {.table = clg_tuning_new(), .facts = facts};
    if (!load.table)
        return NULL;
    if (!clg_env_is_off("CLGEMM_TUNING"))
        add_files(&load);
    if (!load.failed)
        add_computed(&load);
    if (!load.failed)
        return load.table;
    clg_tuning_release(load.table);
    return NULL;
}

static bool is_empty(const struct clg_tuning *table) {
    bool empty = clg_tuning_count(table) == 0 && !clg_tuning_host_speeds(table, NULL) &&
                 !clg_tuning_costs(table);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        empty = empty && !clg_tuning_break_even(table, (clgemm_type)type, NULL);
    return empty;
}

clgemm_status clg_tuning_import(struct clg_tuning **out, const struct clg_tuning *base,
                                const struct clg_facts *facts, const char *path) {
    struct load load = {.table = clg_tuning_new(), .facts = facts, .origin = CLG_TUNING_IMPORTED};
    *out = NULL;
    if (load.table)
        add_path(&load, path, true);
    if (load.table && !load.failed && (*out = clg_tuning_new()) &&
        !(clg_tuning_add_all(*out, base) && clg_tuning_add_all(*out, load.table))) {
        clg_tuning_release(*out);
        *out = NULL;
    }
    clgemm_status status = CLGEMM_SUCCESS;
    if (!*out) {
        status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a tuning table");
    } else {
        const struct clg_tuning_source *source = clg_tuning_source(load.table, load.origin);
        if (source->faults > 1)
            status = clg_fail(CLGEMM_STATUS_INVALID_TUNING, "%s (and %zu more faults)", source->why,
                              source->faults - 1);
        else if (source->faults)
            status = clg_fail(CLGEMM_STATUS_INVALID_TUNING, "%s", source->why);
        else if (is_empty(load.table))
            status = clg_fail(CLGEMM_STATUS_INVALID_TUNING, "%s has nothing for device \"%s\"",
                              path, facts->name);
    }
    clg_tuning_release(load.table);
    return status;
}
