/* SPDX-License-Identifier: Apache-2.0
 * The program cache on disk; the contract is in disk.h. */
#define _POSIX_C_SOURCE 200809L
#include "program/disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"

#define SUFFIX ".bin"

enum { STALE_AFTER_S = 600 };

#define DEFAULT_MAX_SIZE (UINT64_C(256) << 20)
#define LARGEST_ENTRY (UINT64_C(256) << 20)

static void entry_name(const char *key, size_t key_size, char out[CLG_FILE_NAME]) {
    char text[CLG_HASH_TEXT];
    const struct clg_hash hash = clg_hash_of(key, key_size, NULL, 0);
    clg_hash_text(&hash, text);
    snprintf(out, CLG_FILE_NAME, "%s" SUFFIX, text);
}

bool clg_disk_is_entry(const char *name) {
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits == CLG_HASH_TEXT - 1 && strcmp(name + digits, SUFFIX) == 0;
}

uint64_t clg_disk_max_size(void) {
    return clg_env_size("CLGEMM_CACHE_MAX_SIZE", DEFAULT_MAX_SIZE);
}

void clg_disk_path(char *out, size_t size) {
    struct clg_path place;
    clg_path_programs(&place);
    int wrote = *place.path ? snprintf(out, size, "%s/v%d", place.path, CLG_ENTRY_FORMAT) : -1;
    if (wrote < 0 || (size_t)wrote >= size)
        out[0] = '\0';
}

int clg_disk_open(bool create, const char **why) {
    struct clg_path place;
    char path[PATH_MAX];
    clg_path_programs(&place);
    clg_disk_path(path, sizeof path);
    if (clg_env_is_off("CLGEMM_CACHE")) {
        *why = "CLGEMM_CACHE is 0";
        return -1;
    }
    if (!*path) {
        *why = "no place for it: HOME is not set";
        return -1;
    }
    /* A user who can write the outer folder could replace the inner one. */
    int outer = clg_folder_open(place.path, create, why);
    if (outer < 0)
        return -1;
    close(outer);
    return clg_folder_open(path, create, why);
}

/* The reason if a file could not be read, which says nothing about the file: for lack of resources,
 * because a server has failed or knows the file no more (NFS), or because it is gone. */
static const char no_means[] = "cannot be read now";

static bool is_lack_of_means(int error) {
    static const int lacks[] = {ENOMEM, EMFILE, ENFILE, EIO, ESTALE, ETIMEDOUT, ENOENT};
    size_t i = 0;
    while (i < sizeof lacks / sizeof lacks[0] && lacks[i] != error)
        i++;
    return i < sizeof lacks / sizeof lacks[0];
}

const char *clg_disk_read(int folder, const char *name, struct clg_entry *out,
                          unsigned char **bytes) {
    size_t size = 0;
    errno = 0;
    *bytes = clg_file_read(folder, name, LARGEST_ENTRY, &size);
    if (!*bytes)
        return is_lack_of_means(errno) ? no_means : "cannot be read or trusted";
    const char *why = clg_entry_parse(out, *bytes, size);
    char expected[CLG_FILE_NAME];
    if (!why) {
        entry_name(out->key, out->key_size, expected);
        if (strcmp(name, expected) != 0)
            why = "has the name of another entry";
    }
    if (why) {
        free(*bytes);
        *bytes = NULL;
    }
    return why;
}

unsigned char *clg_disk_find(const char *key, size_t *size) {
    const char *why = NULL;
    int folder = clg_disk_open(false, &why);
    if (folder < 0)
        return NULL;
    char name[CLG_FILE_NAME];
    unsigned char *bytes = NULL;
    struct clg_entry entry;
    entry_name(key, strlen(key), name);
    if (clg_file_exists(folder, name)) {
        why = clg_disk_read(folder, name, &entry, &bytes);
        if (why) {
            const bool bad = why != no_means;
            clg_log(CLG_LOG_PLANS, "program cache: %s %s%s", name, why, bad ? "; removed" : "");
            if (bad)
                clg_file_remove(folder, name);
        } else if (entry.key_size != strlen(key) || memcmp(entry.key, key, entry.key_size) != 0) {
            free(bytes); /* two keys with the same hash: the last writer wins */
            bytes = NULL;
        } else {
            *size = entry.program_size;
            memmove(bytes, entry.program, entry.program_size);
            clg_file_touch(folder, name);
        }
    }
    close(folder);
    return bytes;
}

/* Removes the least recently used entries until the rest fits, and files left by dead writers. */
static void trim(int folder, uint64_t most) {
    struct clg_file_info *files = NULL;
    size_t count = 0;
    uint64_t total = 0;
    if (clg_folder_list(folder, &files, &count)) {
        const int64_t stale_ns = ((int64_t)time(NULL) - STALE_AFTER_S) * 1000000000;
        for (size_t i = 0; i < count; i++)
            if (clg_disk_is_entry(files[i].name))
                total += files[i].bytes;
            else if (clg_file_is_temporary(files[i].name) && files[i].used_ns < stale_ns)
                clg_file_remove(folder, files[i].name);
        for (size_t i = 0; i < count && total > most; i++)
            if (clg_disk_is_entry(files[i].name)) {
                clg_file_remove(folder, files[i].name);
                total -= files[i].bytes;
            }
    }
    free(files);
}

bool clg_disk_is_on(void) {
    const char *why;
    const int folder = clg_disk_open(true, &why);
    if (folder >= 0)
        close(folder);
    return folder >= 0;
}

bool clg_disk_keep(const char *key, const unsigned char *program, size_t size) {
    const struct clg_entry entry = {
        .key = key, .key_size = strlen(key), .program = program, .program_size = size};
    const uint64_t most = clg_disk_max_size();
    const char *why = "out of memory";
    char name[CLG_FILE_NAME];
    size_t head_size = 0;
    unsigned char *head = clg_entry_head(&entry, &head_size);
    int folder = -1;
    if (head && head_size + size > (most < LARGEST_ENTRY ? most : LARGEST_ENTRY))
        why = "it is larger than the cache's limit";
    else if (head)
        folder = clg_disk_open(true, &why);
    if (folder >= 0) {
        entry_name(key, entry.key_size, name);
        why = clg_file_write(folder, name, head, head_size, program, size) ? NULL
                                                                           : "it cannot be written";
        trim(folder, most);
        close(folder);
    }
    if (why)
        clg_log(CLG_LOG_PLANS, "program cache: not kept on disk: %s", why);
    free(head);
    return !why;
}

void clg_disk_drop(const char *key) {
    const char *why = NULL;
    char name[CLG_FILE_NAME];
    int folder = clg_disk_open(false, &why);
    if (folder < 0)
        return;
    entry_name(key, strlen(key), name);
    clg_log(CLG_LOG_PLANS, "program cache: the driver refuses %s; removed", name);
    clg_file_remove(folder, name);
    close(folder);
}
