/* SPDX-License-Identifier: Apache-2.0
 * Reads the text of a tuning file: its rows, and its faults. */
#include "tuning/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "tuning/head.h"
#include "tuning/row_text.h"

/* The first of several events that are logged once, and their number. */
struct note {
    size_t count;
    int line;
    char what[CLG_JSON_SCAN_WHY];
};

/* A file that is being read. */
struct parse {
    struct clg_tuning_file *file;
    const char *name;
    int line;
    bool closed; /* by its final ]} */
    struct note unserved, unknown;
};

/* ---- Faults, and rows and members of other versions ---- */

void clg_tuning_file_fault(struct clg_tuning_file *file, const char *name, int line,
                           const char *why) {
    char text[CLG_TUNING_WHY];
    if (line > 0)
        snprintf(text, sizeof text, "%.250s:%d: %s", name, line, why);
    else
        snprintf(text, sizeof text, "%.250s %s", name, why);
    clg_log(CLG_LOG_CALLS, "tuning: %s", text);
    if (file->faults++ == 0)
        memcpy(file->why, text, sizeof file->why);
}

static void fault(struct parse *parse, const char *why) {
    clg_tuning_file_fault(parse->file, parse->name, parse->line, why);
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
    const char *const text = scan->at, *const end = scan->end;
    struct clg_tuning_row row;
    switch (clg_tuning_row_read(scan, &row)) {
    case CLG_TUNING_ROW_GOOD:
        add_note(&parse->unknown, parse, scan->unknown, scan->unknown_name);
        return add_row(parse->file, &row, parse->line);
    case CLG_TUNING_ROW_UNSERVED:
        add_note(&parse->unserved, parse, 1, scan->why);
        return add_unserved(parse->file, text, end);
    default:
        fault(parse, scan->why);
        return true;
    }
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
        } else if (!clg_tuning_head_read(&scan, &out->device, out->break_evens, &out->speeds)) {
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
