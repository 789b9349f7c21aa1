/* SPDX-License-Identifier: Apache-2.0
 * `clgemm cache list` and `clgemm cache verify`: read the entries as the library reads them. */
#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_writer.h"
#include "clgemm.h"
#include "program/disk.h"
#include "program/key.h"
#include "src/cache/cache.h"
#include "src/tool.h"

#define CACHE_SCHEMA "clgemm-cache/1"

enum { FIELD_TEXT = 1024 };

/* ---- list ---- */

/* An entry of the list: good ones have a key, bad ones a reason. */
struct row {
    const struct clg_file_info *file;
    char *key;
    enum clg_finding finding; /* NONE: it is a program */
    uint64_t spills;          /* bytes, of checked programs */
    const char *bad;
    char used[32]; /* ISO 8601 */
};

static void fill_row(struct row *row, const struct cache_folder *folder,
                     const struct clg_file_info *file) {
    const time_t seconds = (time_t)(file->used_ns / 1000000000);
    struct tm utc;
    *row = (struct row){.file = file};
    row->bad = cache_folder_read(folder, file->name, &row->key, &row->finding, &row->spills);
    if (gmtime_r(&seconds, &utc))
        strftime(row->used, sizeof row->used, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Writes into `text` the type that a good entry's options give its kernel. */
static const char *type_of(char text[CLG_TYPE_WORD], const struct row *row) {
    clgemm_type found = CLGEMM_F32;
    char value[FIELD_TEXT];
    clg_key_field(row->key, "options", value, sizeof value);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        if (clg_types[type].options && *clg_types[type].options &&
            strstr(value, clg_types[type].options))
            found = (clgemm_type)type;
    return clg_type_word(text, found);
}

/* Writes the name of a program's kernel, or of all programs that were checked together. */
static void kernels_of(char *text, size_t size, const struct row *row) {
    static const char field[] = "kernel: ";
    size_t used = 0;
    text[0] = '\0';
    for (const char *line = row->key; line && *line && used < size; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, field, strlen(field)) == 0) {
            const char *name = line + strlen(field);
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "+" : "",
                                     (int)strcspn(name, "\n"), name);
        }
    }
}

static void write_field_md(FILE *out, const struct row *row, const char *name) {
    char value[FIELD_TEXT];
    clg_key_field(row->key, name, value, sizeof value);
    md_cell(out, value);
    fputs(" | ", out);
}

/* Writes the options without their "-D", with which each of them begins. */
static void write_options_md(FILE *out, const struct row *row) {
    char value[FIELD_TEXT];
    clg_key_field(row->key, "options", value, sizeof value);
    char *rest = NULL;
    for (const char *word = strtok_r(value, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        md_cell(out, strncmp(word, "-D", 2) == 0 ? word + 2 : word);
        fputc(' ', out);
    }
    fputs("|\n", out);
}

static void write_row_md(FILE *out, const struct row *row) {
    char type[CLG_TYPE_WORD];
    fprintf(out, "| %s | ", row->used);
    md_bytes(out, row->file->bytes);
    fputs(" | ", out);
    if (row->bad) {
        fprintf(out, "bad: %s %s | | | | |\n", row->file->name, row->bad);
        return;
    }
    char kernels[FIELD_TEXT];
    kernels_of(kernels, sizeof kernels, row);
    md_cell(out, kernels);
    if (row->finding)
        fprintf(out, ": %s when checked", clg_finding_words[row->finding]);
    if (row->spills)
        fprintf(out, ", spills %" PRIu64 " bytes", row->spills);
    fprintf(out, " | %s | ", type_of(type, row));
    write_field_md(out, row, "device");
    write_field_md(out, row, "driver");
    write_options_md(out, row);
}

static void write_row_json(struct clg_json *json, const struct row *row) {
    static const char *const fields[][2] = {{"options", "options"},
                                            {"source", "source"},
                                            {"library", "library"},
                                            {"device", "device"},
                                            {"device_version", "device version"},
                                            {"driver", "driver"},
                                            {"platform", "platform"},
                                            {"platform_version", "platform version"}};
    char value[FIELD_TEXT], type[CLG_TYPE_WORD];
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "name", row->file->name);
    clg_json_count(json, "bytes", row->file->bytes);
    clg_json_text(json, "used", row->used);
    clg_json_text(json, "bad", row->bad);
    if (row->key) {
        kernels_of(value, sizeof value, row);
        clg_json_text(json, "kernel", value);
        clg_json_text(json, "checked", row->finding ? clg_finding_words[row->finding] : NULL);
        clg_json_count(json, "spills_bytes", row->spills);
        clg_json_text(json, "type", type_of(type, row));
    }
    for (size_t i = 0; row->key && i < sizeof fields / sizeof fields[0]; i++) {
        clg_key_field(row->key, fields[i][1], value, sizeof value);
        clg_json_text(json, fields[i][0], value);
    }
    clg_json_close(json, '}');
}

static void begin_list(FILE *out, struct clg_json *json, bool as_json,
                       const struct cache_folder *folder) {
    uint64_t bytes = 0;
    const size_t count = cache_folder_entries(folder, &bytes);
    if (as_json) {
        clg_json_open(json, NULL, '{');
        clg_json_text(json, "schema", CACHE_SCHEMA);
        clg_json_open(json, "context", '{');
        clg_json_text(json, "version", clgemm_version());
        clg_json_text(json, "path", folder->path);
        clg_json_count(json, "entries", count);
        clg_json_count(json, "bytes", bytes);
        clg_json_count(json, "max_bytes", clg_disk_max_size());
        clg_json_close(json, '}');
        clg_json_open(json, "results", '[');
        return;
    }
    fprintf(out, "entries: %zu, size: ", count);
    md_bytes(out, bytes);
    fputs(" of ", out);
    md_bytes(out, clg_disk_max_size());
    fprintf(out, ", in %s\n", folder->path);
    if (count > 0)
        fputs("\n| last used | size | kernel | type | device | driver | options |\n"
              "|---|---|---|---|---|---|---|\n",
              out);
}

int cache_list(FILE *out, void *user) {
    const struct cache_job *job = user;
    const struct cache_folder *folder = &job->folder;
    const bool as_json = job->output.format == FORMAT_JSON;
    struct clg_json json = {.out = out};
    begin_list(out, &json, as_json, folder);
    for (size_t i = 0; i < folder->count; i++) {
        struct row row;
        if (!clg_disk_is_entry(folder->files[i].name))
            continue;
        fill_row(&row, folder, &folder->files[i]);
        if (as_json && (row.key || row.bad))
            write_row_json(&json, &row);
        else if (row.key || row.bad)
            write_row_md(out, &row);
        free(row.key);
    }
    if (as_json) {
        clg_json_close(&json, ']');
        clg_json_close(&json, '}');
    }
    return EXIT_FINE;
}

/* ---- verify ---- */

int cache_verify(FILE *out, void *user) {
    const struct cache_job *job = user;
    const struct cache_folder *folder = &job->folder;
    size_t count = 0, bad = 0;
    for (size_t i = 0; i < folder->count; i++) {
        const struct clg_file_info *file = &folder->files[i];
        if (!clg_disk_is_entry(file->name))
            continue;
        const char *why = cache_folder_read(folder, file->name, NULL, NULL, NULL);
        count++;
        if (!why)
            continue;
        bad++;
        if (job->fix)
            clg_file_remove(folder->descriptor, file->name);
        const bool removed = job->fix && !clg_file_exists(folder->descriptor, file->name);
        fprintf(out, "%s %s%s\n", file->name, why, removed ? "; removed" : "");
    }
    fprintf(out, "checked: %zu, bad: %zu, in %s\n", count, bad, folder->path);
    return bad > 0 ? EXIT_FAILED : EXIT_FINE;
}
