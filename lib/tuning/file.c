/* SPDX-License-Identifier: Apache-2.0
 * Reads the text of a tuning file, its rows and its faults, and writes it. */
#include "tuning/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "gemm/family.h"

#define SCHEMA "clgemm-tuning/1"

/* The first of several events that are logged once, and their number. */
struct note {
    size_t count;
    int line;
    char what[CLG_JSON_SCAN_WHY];
};

struct parse {
    struct clg_tuning_file *file;
    const char *name;
    int line;
    bool closed; /* by its final ]} */
    struct note unserved, unknown;
};

/* ---- Faults, and rows and members of other versions ---- */

void clg_tuning_fault(size_t *faults, char first[CLG_TUNING_WHY], const char *name, int line,
                      const char *why) {
    char text[CLG_TUNING_WHY];
    if (line > 0)
        snprintf(text, sizeof text, "%.250s:%d: %s", name, line, why);
    else
        snprintf(text, sizeof text, "%.250s %s", name, why);
    clg_log(CLG_LOG_CALLS, "tuning: %s", text);
    if ((*faults)++ == 0)
        memcpy(first, text, sizeof text);
}

static void fault(struct parse *parse, const char *why) {
    clg_tuning_fault(&parse->file->faults, parse->file->why, parse->name, parse->line, why);
}

static void add_note(struct note *note, const struct parse *parse, size_t count, const char *what) {
    if (note->count == 0 && count > 0) {
        note->line = parse->line;
        snprintf(note->what, sizeof note->what, "%s", what);
    }
    note->count += count;
}

static void log_notes(const struct parse *parse) {
    const struct note *unserved = &parse->unserved, *unknown = &parse->unknown;
    if (unserved->count > 0)
        clg_log(CLG_LOG_CALLS, "tuning: %.250s: %zu rows are not for this version; line %d: %s",
                parse->name, unserved->count, unserved->line, unserved->what);
    if (unknown->count > 0)
        clg_log(CLG_LOG_CALLS,
                "tuning: %.250s: %zu members are not known to this version; line %d: \"%s\"",
                parse->name, unknown->count, unknown->line, unknown->what);
}

/* ---- The head ---- */

/* Its members, and the names of those for types. */
struct head {
    struct clg_field at[2 + CLG_TYPE_COUNT];
    char names[CLG_TYPE_COUNT][CLG_TYPE_MEMBER];
};

static struct clg_fields fields_of(struct head *head) {
    struct clg_fields all = {head->at, 1 + CLG_TYPE_COUNT};
    head->at[0] = (struct clg_field){CLG_FIELD(clg_tuning_file, device, "device", OBJECT, false),
                                     .fields = &clg_tuning_device_fields};
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        head->at[1 + type] = (struct clg_field){
            .member = {clg_type_member(head->names[type], "break_even", (clgemm_type)type), NULL,
                       true},
            .kind = CLG_FIELD_OBJECT,
            .offset = offsetof(struct clg_tuning_file, once.break_evens) +
                      (size_t)type * sizeof(struct clg_break_even),
            .fields = &clg_break_even_fields};
    head->at[all.count++] =
        (struct clg_field){CLG_FIELD(clg_tuning_file, once.speeds, "host", OBJECT, true),
                           .fields = &clg_host_speeds_fields};
    return all;
}

static bool read_head(struct clg_json_scan *scan, struct clg_tuning_file *out) {
    struct head head;
    const struct clg_fields fields = fields_of(&head);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        out->once.break_evens[type].type = (clgemm_type)type;
    return clg_fields_read_head(scan, SCHEMA, &fields, out);
}

/* ---- Rows ---- */

enum { MOST_LENGTH = 1 << 30 };

/* Defaults are omitted, so that older versions read the row. */
#define ROW(path, name, kind, optional) \
    { CLG_FIELD(clg_tuning_row, path, name, kind, optional) }
#define LENGTH(name, optional)                                                             \
    {                                                                                      \
        CLG_FIELD(clg_tuning_row, shape.name, #name, WHOLE, optional), .least = 1,         \
                                                                       .most = MOST_LENGTH \
    }
static const struct clg_field in_rows[] = {ROW(shape.type, "type", TYPE, true),
                                           ROW(shape.math, "math", MATH, true),
                                           LENGTH(batch, true),
                                           LENGTH(m, false),
                                           LENGTH(n, false),
                                           LENGTH(k, false),
                                           ROW(shape.ta, "ta", FLAG, false),
                                           ROW(shape.tb, "tb", FLAG, false),
                                           ROW(shape.aligned, "aligned", FLAG, false),
                                           ROW(family, "family", FAMILY, false),
                                           ROW(params, "params", PARAMS, false),
                                           ROW(ms, "ms", MS, false),
                                           ROW(date, "date", DATE, false),
                                           ROW(version, "version", TEXT, false)};
/* These members show that a row belongs to another version, whatever its other members are. */
static const struct clg_field telling[] = {
    ROW(shape.type, "type", TYPE, true), ROW(shape.math, "math", MATH, true), LENGTH(batch, true),
    ROW(family, "family", FAMILY, true), ROW(params, "params", PARAMS, true)};
#undef LENGTH
#undef ROW
static const struct clg_fields row_fields = CLG_FIELDS(in_rows),
                               telling_fields = CLG_FIELDS(telling);

/* ---- Lines ---- */

static bool add_row(struct clg_tuning_file *file, const struct clg_tuning_row *row, int line) {
    const size_t count = file->count + 1;
    if (!clg_array_reserve(&file->rows, &file->rows_room, count, sizeof *file->rows) ||
        !clg_array_reserve(&file->lines, &file->lines_room, count, sizeof *file->lines))
        return false;
    file->lines[file->count] = line;
    file->rows[file->count++] = *row;
    return true;
}

/* Keeps a row's text unchanged, without blanks and commas around it. */
static bool add_unserved(struct clg_tuning_file *file, const char *text, const char *end) {
    static const char around[] = " \t\r,";
    while (strchr(around, *text))
        text++;
    while (strchr(around, end[-1]))
        end--;
    const size_t size = (size_t)(end - text), used = file->unserved_size;
    if (!clg_array_reserve(&file->unserved, &file->unserved_room, used + size + 2, 1))
        return false;
    memcpy(file->unserved + used, text, size);
    memcpy(file->unserved + used + size, "\n", 2);
    file->unserved_size += size + 1;
    file->num_unserved++;
    return true;
}

/* Returns false if memory is short. */
static bool read_row(struct parse *parse, struct clg_json_scan *scan) {
    struct clg_json_scan again = *scan;
    struct clg_tuning_row row = {.ms = 0}, other = {.ms = 0};
    char unserved[CLG_UNSERVED] = "";
    const bool good = clg_fields_read_line(scan, &row_fields, &row, unserved);
    if (good && !*unserved) {
        row.shape.batch = clg_tuning_batch(row.shape.batch);
        clg_family_rename(row.family, &row.params);
        add_note(&parse->unknown, parse, scan->unknown, scan->unknown_name);
        return add_row(parse->file, &row, parse->line);
    }
    const char *const text = again.at, *const end = again.end;
    if (!good)
        *unserved = '\0';
    if ((good || clg_fields_read_line(&again, &telling_fields, &other, unserved)) && *unserved) {
        add_note(&parse->unserved, parse, 1, unserved);
        return add_unserved(parse->file, text, end);
    }
    fault(parse, scan->why);
    return true;
}

/* Reads what follows the rows: perhaps unknown members, then the end. */
static void read_end(struct parse *parse, struct clg_json_scan *scan) {
    char name[CLG_JSON_SCAN_NAME];
    while (clg_json_scan_has(scan, ','))
        if (clg_json_scan_name(scan, name, sizeof name))
            clg_json_scan_unknown(scan, name);
    parse->closed = clg_json_scan_has(scan, '}') && clg_json_scan_at_end(scan);
    add_note(&parse->unknown, parse, scan->unknown, scan->unknown_name);
    if (!parse->closed)
        fault(parse, "the end is not ]}");
}

/* Reads one line after the head. Returns false if memory is short. */
static bool read_line(struct parse *parse, struct clg_json_scan *scan) {
    if (clg_json_scan_at_end(scan))
        return true;
    if (!parse->closed && !clg_json_scan_has(scan, ']'))
        return read_row(parse, scan);
    if (parse->closed)
        fault(parse, "something follows the end ]}");
    else
        read_end(parse, scan);
    return true;
}

/* ---- Files ---- */

bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only) {
    struct parse parse = {.file = out, .name = name};
    const char *end = text + size;
    bool good = true;
    *out = (struct clg_tuning_file){0};
    while (text < end && good) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct clg_json_scan scan =
            clg_json_scan_start(text, (size_t)((newline ? newline : end) - text));
        text = newline ? newline + 1 : end;
        if (++parse.line > 1) {
            good = read_line(&parse, &scan);
        } else if (!read_head(&scan, out)) {
            fault(&parse, scan.why);
            return false;
        } else if (only && !clg_tuning_same_device(&out->device, only)) {
            return true;
        } else {
            add_note(&parse.unknown, &parse, scan.unknown, scan.unknown_name);
        }
    }
    if (good && !parse.closed)
        fault(&parse, "the file ends before its ]}");
    if (!good)
        fault(&parse, "out of memory");
    out->out_of_memory = !good;
    log_notes(&parse);
    return good;
}

void clg_tuning_file_release(struct clg_tuning_file *file) {
    free(file->rows);
    free(file->lines);
    free(file->unserved);
    *file = (struct clg_tuning_file){0};
}

static void write_rows(struct clg_json *json, const void *written) {
    const struct clg_tuning_file *file = written;
    const char *line = file->unserved;
    for (size_t i = 0; i < file->count; i++) {
        clg_json_line(json, 0);
        clg_fields_write(json, NULL, &row_fields, &file->rows[i]);
    }
    for (size_t i = 0; i < file->num_unserved; i++) {
        const size_t size = strcspn(line, "\n");
        clg_json_line(json, 0);
        clg_json_raw(json, NULL, line, size);
        line += size + 1;
    }
}

char *clg_tuning_file_format(const struct clg_tuning_file *file, size_t *size) {
    struct head head;
    const struct clg_fields fields = fields_of(&head);
    return clg_fields_format(SCHEMA, &fields, file, write_rows, size);
}
