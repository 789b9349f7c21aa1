/* SPDX-License-Identifier: Apache-2.0
 * Adds rows to tuning files. */
#define _POSIX_C_SOURCE 200809L /* close */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "tuning/costs.h"
#include "tuning/file.h"

/* A file in an open, locked folder. `path` is as given; in the other paths links are followed. */
struct target {
    int folder;
    char folder_path[PATH_MAX], name[PATH_MAX], path[2 * PATH_MAX];
    bool of_costs; /* in a folder, a file of costs has its own name */
};

static clgemm_status refuse(const char *path, const char *why) {
    return clg_fail(CLGEMM_STATUS_INVALID_TUNING, "%s %s", path, why);
}

static clgemm_status no_memory(void) {
    return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a tuning file");
}

static bool is_file_name(const char *path) {
    const size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static void split(struct target *target, const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(target->folder_path, sizeof target->folder_path, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
    else
        snprintf(target->folder_path, sizeof target->folder_path, ".");
    snprintf(target->name, sizeof target->name, "%s", slash ? slash + 1 : path);
}

/* An existing folder is a folder. Otherwise a path that ends in ".json" or exists is a file, and
 * any other path is a folder to be created. */
static void divide(struct target *target, const char *path,
                   const struct clg_tuning_device *device) {
    const char *why;
    int folder = clg_folder_open_named(path, false, &why);
    const bool is_folder = folder >= 0 || (why == clg_folder_absent && !is_file_name(path));
    if (folder >= 0)
        close(folder);
    if (is_folder) {
        snprintf(target->folder_path, sizeof target->folder_path, "%s", path);
        clg_tuning_file_name(device, target->name);
        if (target->of_costs) {
            static const char ending[] = "-costs.json";
            snprintf(strrchr(target->name, '.'), sizeof ending, "%s", ending);
        }
    } else {
        split(target, path);
    }
    snprintf(target->path, sizeof target->path, "%s/%s", target->folder_path, target->name);
}

/* The file is replaced by renaming, so links are followed: the link's target is replaced, not the
 * link. */
static bool follow(struct target *target) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", target->path) >= (int)sizeof path ||
        !clg_file_follow(path))
        return false;
    split(target, path);
    return true;
}

static clgemm_status open_target(struct target *target, const char *path,
                                 const struct clg_tuning_device *device) {
    struct clg_path places[CLG_TUNING_PATHS];
    const char *why;
    if (path && !*path)
        return clg_fail(CLGEMM_STATUS_INVALID_TUNING, "the path of a tuning file is empty");
    if (!path) {
        clg_paths_tuning(places);
        path = *places[0].path ? places[0].path : places[1].path;
    }
    if (!*path)
        return clg_fail(CLGEMM_STATUS_INVALID_TUNING,
                        clg_env_is_off("CLGEMM_TUNING")
                            ? "CLGEMM_TUNING is 0"
                            : "there is no place for tuning files: HOME is not set");
    if (strlen(path) >= sizeof target->folder_path)
        return clg_fail(CLGEMM_STATUS_INVALID_TUNING, "the path of a tuning file is too long");
    divide(target, path, device);
    if (!follow(target))
        return refuse(target->path, "is too long, or links that lead nowhere");
    target->folder = clg_folder_open_named(target->folder_path, true, &why);
    if (target->folder < 0)
        return refuse(target->folder_path, why);
    clg_folder_lock(target->folder);
    return CLGEMM_SUCCESS;
}

/* Reads the existing file. A missing file is not an error; one that must not be changed is. */
static clgemm_status read_old(const struct target *target, const struct clg_tuning_device *device,
                              struct clg_tuning_file *out) {
    size_t size;
    const char *why;
    unsigned char *bytes =
        clg_file_read_named(target->folder, target->name, CLG_TUNING_FILE_MOST, &size, &why);
    if (!bytes)
        return why == clg_file_absent      ? CLGEMM_SUCCESS
               : why == clg_file_no_memory ? no_memory()
                                           : refuse(target->path, why);
    const bool good = clg_tuning_file_parse(out, target->path, (const char *)bytes, size, device);
    free(bytes);
    if (out->out_of_memory)
        return no_memory();
    if (!good)
        return clg_fail(CLGEMM_STATUS_INVALID_TUNING, "%s; it was not changed", out->why);
    if (!clg_tuning_same_device(&out->device, device))
        return refuse(target->path, "is for another device; it was not changed");
    if (strcmp(out->device.driver, device->driver) != 0)
        return refuse(target->path, "is for another version of the driver; it was not changed");
    return CLGEMM_SUCCESS;
}

static int by_shape(const void *left, const void *right) {
    const struct clg_tuning_shape *a = &((const struct clg_tuning_row *)left)->shape;
    const struct clg_tuning_shape *b = &((const struct clg_tuning_row *)right)->shape;
    const int64_t keys[][2] = {
        {a->type, b->type}, {a->ta, b->ta}, {a->tb, b->tb}, {!a->aligned, !b->aligned},
        {a->m, b->m},       {a->n, b->n},   {a->k, b->k}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Merges both into `*out`, which the caller frees; returns the number of rows. */
static size_t merge(const struct clg_tuning_file *old, const struct clg_tuning_file *new,
                    struct clg_tuning_row **out) {
    const size_t count = old->count + new->count;
    struct clg_tuning_row *all = calloc(count + 1, sizeof *all);
    size_t used = 0;
    for (size_t i = 0; i < count && all; i++) {
        const struct clg_tuning_row *row =
            i < old->count ? &old->rows[i] : &new->rows[i - old->count];
        size_t at = 0;
        while (at < used && !clg_tuning_same_class(&all[at].shape, &row->shape))
            at++;
        if (at == used || clg_tuning_supersedes(row, &all[at]))
            all[at] = *row;
        used += at == used;
    }
    if (used > 0)
        qsort(all, used, sizeof *all, by_shape);
    *out = all;
    return used;
}

/* Whether what was measured on `now` replaces what a file has: it is not older. */
static bool replaces(bool is_measured, const char *now, bool is_known, const char *then) {
    return is_measured && (!is_known || strcmp(then, now) <= 0);
}

/* Replaces the file by the text, which is freed; NULL: memory was short. */
static clgemm_status write_text(const struct target *target, char *text, size_t size) {
    clgemm_status status = CLGEMM_SUCCESS;
    if (!text)
        status = no_memory();
    else if (size > CLG_TUNING_FILE_MOST)
        status = refuse(target->path, "would be longer than a tuning file may be");
    else if (!clg_file_write(target->folder, target->name, text, size, "", 0))
        status = refuse(target->path, "cannot be written");
    free(text);
    return status;
}

static clgemm_status write_all(const struct target *target, const struct clg_tuning_file *old,
                               const struct clg_tuning_file *new) {
    struct clg_tuning_file merged = *old;
    size_t size = 0;
    merged.device = new->device;
    const struct clg_host_speeds *then = &old->once.speeds, *now = &new->once.speeds;
    if (replaces(now->up_mb_s, now->date, then->up_mb_s, then->date))
        merged.once.speeds = *now;
    for (int type = 0; type < CLG_TYPE_COUNT; type++) {
        const struct clg_break_even *was = &old->once.break_evens[type];
        const struct clg_break_even *is = &new->once.break_evens[type];
        if (replaces(is->flops, is->date, was->flops, was->date))
            merged.once.break_evens[type] = *is;
    }
    merged.count = merge(old, new, &merged.rows);
    char *text = merged.rows ? clg_tuning_file_format(&merged, &size) : NULL;
    const clgemm_status status = write_text(target, text, size);
    free(merged.rows);
    return status;
}

clgemm_status clg_tuning_write(const char *path, const struct clg_facts *facts,
                               const struct clg_tuning_row *rows, size_t count,
                               const struct clg_tuning_once *once, char *written,
                               size_t written_size) {
    static const struct clg_tuning_once nothing;
    const struct clg_tuning_file new = {.device = clg_tuning_device_of(facts),
                                        .once = once ? *once : nothing,
                                        .rows = (struct clg_tuning_row *)rows,
                                        .count = count};
    struct clg_tuning_file old = {0};
    struct target target = {.folder = -1};
    clgemm_status status = open_target(&target, path, &new.device);
    if (status)
        return status;
    status = read_old(&target, &new.device, &old);
    if (!status)
        status = write_all(&target, &old, &new);
    if (!status && written)
        snprintf(written, written_size, "%s", target.path);
    clg_tuning_file_release(&old);
    close(target.folder);
    return status;
}

/* Refuses to replace a file that is none of costs. */
static clgemm_status keep_others(const struct target *target) {
    size_t size;
    const char *why;
    unsigned char *old =
        clg_file_read_named(target->folder, target->name, CLG_TUNING_FILE_MOST, &size, &why);
    const bool good = old ? clg_costs_are_in((const char *)old, size) : why == clg_file_absent;
    free(old);
    return good ? CLGEMM_SUCCESS : refuse(target->path, "is no file of costs; it was not changed");
}

clgemm_status clg_tuning_write_costs(const char *path, const struct clg_facts *facts,
                                     const struct clg_costs *costs, char *written,
                                     size_t written_size) {
    const struct clg_tuning_device device = clg_tuning_device_of(facts);
    struct target target = {.folder = -1, .of_costs = true};
    clgemm_status status = open_target(&target, path, &device);
    size_t size = 0;
    if (status)
        return status;
    if (!(status = keep_others(&target))) {
        const struct clg_costs_file file = {.device = device, .costs = *costs};
        char *text = clg_costs_format(&file, &size);
        status = write_text(&target, text, size);
    }
    if (!status && written)
        snprintf(written, written_size, "%s", target.path);
    close(target.folder);
    return status;
}
