/* SPDX-License-Identifier: Apache-2.0
 * Saves break-evens for later processes. */
#define _GNU_SOURCE /* open_memstream */
#include "blas/known.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/version.h"

static const char schema[] = "clgemm-break-even/2";
enum { MOST_BYTES = 4096 };

/* ---- What a break-even may depend on ------------------------------------------------------- */

static void add_variables(FILE *out) {
    static const char *const names[] = {
        "CLGEMM_TUNING",   "CLGEMM_WORKSPACE_MAX", "XDG_CONFIG_HOME",        "HOME",
        "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES",    "OCL_ICD_PLATFORM_SORT",  "OPENCL_VENDOR_PATH",
        "OPENCL_LAYERS",   "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "POCL_DEVICES",    "HIP_VISIBLE_DEVICES",  "ONEAPI_DEVICE_SELECTOR", "LD_LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = clg_env(names[i]);
        fprintf(out, "%s=%s\n", names[i], value ? value : "");
    }
}

static void add_state(FILE *out, const char *path) {
    struct stat state;
    if (stat(path, &state))
        fprintf(out, "%s: none\n", path);
    else
        fprintf(out, "%s: %jd.%ld %jd %ju\n", path, (intmax_t)state.st_mtim.tv_sec,
                state.st_mtim.tv_nsec, (intmax_t)state.st_size, (uintmax_t)state.st_ino);
}

/* Adds a file, or a folder and everything in it. */
static void add_place(FILE *out, const char *path) {
    const char *why;
    struct clg_file_info *files = NULL;
    size_t count = 0;
    if (!path || !*path)
        return;
    add_state(out, path);
    const int folder = clg_folder_open_named(path, false, &why);
    if (folder < 0)
        return;
    if (clg_folder_list(folder, &files, &count))
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s/%s: %" PRId64 " %" PRIu64 "\n", path, files[i].name, files[i].used_ns,
                    files[i].bytes);
    free(files);
    close(folder);
}

static void add_boot(FILE *out) {
    char id[64];
    clg_file_line("/proc/sys/kernel/random/boot_id", id, sizeof id);
    fprintf(out, "boot %s\n", id);
}

static void add_all(FILE *out) {
    static const char *const drivers[] = {"/etc/OpenCL/vendors", "/etc/OpenCL/layers",
                                          "/dev/nvidiactl", "/dev/dri", "/dev/kfd"};
    struct clg_path tuning[CLG_TUNING_PATHS];
    add_variables(out);
    add_boot(out);
    fprintf(out, "processors %d\n", clg_thread_processors());
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        add_place(out, drivers[i]);
    add_place(out, clg_env("OCL_ICD_VENDORS"));
    clg_paths_tuning(tuning);
    for (int i = 0; i < CLG_TUNING_PATHS; i++)
        add_place(out, tuning[i].path);
}

/* Computes the file's name, from the requested device, and the hash of all that break-evens may
 * depend on. */
static bool describe(const char *device, char name[CLG_FILE_NAME], char state[CLG_HASH_TEXT]) {
    char *text = NULL, asked[CLG_HASH_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    add_all(out);
    const bool good = fclose(out) == 0 && text;
    if (good) {
        const struct clg_hash of_device =
            clg_hash_of(device, strlen(device), CLG_VERSION, sizeof CLG_VERSION);
        const struct clg_hash of_all =
            clg_hash_of(text, size, of_device.bytes, sizeof of_device.bytes);
        clg_hash_text(&of_device, asked);
        clg_hash_text(&of_all, state);
        snprintf(name, CLG_FILE_NAME, "break-even-%.16s", asked);
    }
    free(text);
    return good;
}

/* ---- The file ------------------------------------------------------------------------------ */

static int open_folder(bool create) {
    struct clg_path place;
    const char *why;
    clg_path_programs(&place);
    return clg_env_is_off("CLGEMM_CACHE") || !*place.path
               ? -1
               : clg_folder_open(place.path, create, &why);
}

/* Writes the file's text: schema, state, a line for each type, and 1 if matrices cross a bus. */
static int write_text(char *out, size_t size, const char *state,
                      const struct clg_break_evens *known) {
    int used = snprintf(out, size, "%s\n%s\n", schema, state);
    for (int type = 0; type < CLG_BLAS_TYPE_COUNT; type++)
        used += snprintf(out + used, size - (size_t)used, "%" PRId64 "\n", known->min_flops[type]);
    return used + snprintf(out + used, size - (size_t)used, "%d\n", known->transfers);
}

/* Reads a line with a number of at least `least`. */
static bool read_line(const char **text, int64_t least, int64_t *out) {
    char *end;
    *out = strtoll(*text, &end, 10);
    if (end == *text || *end != '\n' || *out < least)
        return false;
    *text = end + 1;
    return true;
}

static bool read_text(const char *text, const char *state, struct clg_break_evens *out) {
    char head[128];
    const int length = snprintf(head, sizeof head, "%s\n%s\n", schema, state);
    int64_t transfers;
    if (strncmp(text, head, (size_t)length) != 0)
        return false;
    text += length;
    for (int type = 0; type < CLG_BLAS_TYPE_COUNT; type++)
        if (!read_line(&text, 1, &out->min_flops[type]))
            return false;
    if (!read_line(&text, 0, &transfers))
        return false;
    out->transfers = transfers != 0;
    return *text == '\0';
}

bool clg_break_evens_read(const char *device, struct clg_break_evens *out) {
    char name[CLG_FILE_NAME], state[CLG_HASH_TEXT], text[MOST_BYTES + 1];
    size_t size = 0;
    const int folder = open_folder(false);
    if (folder < 0)
        return false;
    unsigned char *bytes =
        describe(device, name, state) ? clg_file_read(folder, name, MOST_BYTES, &size) : NULL;
    close(folder);
    if (!bytes)
        return false;
    memcpy(text, bytes, size);
    text[size] = '\0';
    free(bytes);
    return strlen(text) == size && read_text(text, state, out);
}

static bool are_same(const struct clg_break_evens *a, const struct clg_break_evens *b) {
    return memcmp(a->min_flops, b->min_flops, sizeof a->min_flops) == 0 &&
           a->transfers == b->transfers;
}

void clg_break_evens_write(const char *device, const struct clg_break_evens *known) {
    char name[CLG_FILE_NAME], state[CLG_HASH_TEXT], text[MOST_BYTES];
    struct clg_break_evens before;
    const int folder = open_folder(true);
    if (folder < 0)
        return;
    const bool same = clg_break_evens_read(device, &before) && are_same(&before, known);
    if (!same && describe(device, name, state)) {
        const int size = write_text(text, sizeof text, state, known);
        clg_file_write(folder, name, text, (size_t)size, "", 0);
    }
    close(folder);
}
