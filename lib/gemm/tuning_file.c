/* SPDX-License-Identifier: Apache-2.0
 * Reading the text of a tuning file: its rows, and what is amiss. */
#include "gemm/tuning_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gemm/family.h"
#include "gemm/tuning_head.h"

enum { MOST_LENGTH = 1 << 30, MOST_VALUE = 1 << 28, FAMILY_NAME = 16 };

/* ---- Members ---- */

#define ROW_LENGTH(field)                                                      \
    static bool read_##field(struct clg_scan *scan, void *out) {               \
        return clg_scan_integer(scan, 1, MOST_LENGTH,                          \
                                &((struct clg_tuning_row *)out)->shape.field); \
    }
ROW_LENGTH(m)
ROW_LENGTH(n)
ROW_LENGTH(k)
#undef ROW_LENGTH

#define ROW_FLAG(field)                                                           \
    static bool read_##field(struct clg_scan *scan, void *out) {                  \
        return clg_scan_flag(scan, &((struct clg_tuning_row *)out)->shape.field); \
    }
ROW_FLAG(ta)
ROW_FLAG(tb)
ROW_FLAG(aligned)
#undef ROW_FLAG

static bool read_family(struct clg_scan *scan, void *out) {
    char name[FAMILY_NAME];
    if (!clg_scan_text(scan, name, sizeof name))
        return false;
    const struct clg_family *family = clg_family_find(name);
    ((struct clg_tuning_row *)out)->family = family;
    return family || clg_scan_fail(scan, "no family is called \"%s\"", name);
}

/* Tunables that are not named are 0. */
static bool read_params(struct clg_scan *scan, void *out) {
    struct clg_params *params = &((struct clg_tuning_row *)out)->params;
    if (!clg_scan_mark(scan, '{'))
        return false;
    do {
        char name[FAMILY_NAME];
        int64_t value;
        if (!clg_scan_text(scan, name, sizeof name) || !clg_scan_mark(scan, ':'))
            return false;
        const struct clg_tunable *tunable = clg_tunable_find(name);
        if (!tunable)
            return clg_scan_fail(scan, "no tunable is called \"%s\"", name);
        if (clg_params_get(params, tunable))
            return clg_scan_fail(scan, "\"%s\" is there twice", name);
        if (!clg_scan_integer(scan, 1, MOST_VALUE, &value))
            return false;
        clg_params_set(params, tunable, (int)value);
    } while (clg_scan_has(scan, ','));
    return clg_scan_mark(scan, '}');
}

static bool read_ms(struct clg_scan *scan, void *out) {
    return clg_scan_decimal(scan, &((struct clg_tuning_row *)out)->ms);
}

static bool read_date(struct clg_scan *scan, void *out) {
    return clg_scan_date(scan, ((struct clg_tuning_row *)out)->date);
}

static bool read_version(struct clg_scan *scan, void *out) {
    return clg_scan_text(scan, ((struct clg_tuning_row *)out)->version, CLG_TUNING_VERSION);
}

/* ---- Lines ---- */

static bool read_row(struct clg_scan *scan, struct clg_tuning_row *row) {
    static const struct clg_member members[] = {{"m", read_m},
                                                {"n", read_n},
                                                {"k", read_k},
                                                {"ta", read_ta},
                                                {"tb", read_tb},
                                                {"aligned", read_aligned},
                                                {"family", read_family},
                                                {"params", read_params},
                                                {"ms", read_ms},
                                                {"date", read_date},
                                                {"version", read_version}};
    *row = (struct clg_tuning_row){0};
    if (!clg_scan_object(scan, members, sizeof members / sizeof *members, row))
        return false;
    clg_scan_has(scan, ',');
    return clg_scan_at_end(scan) || clg_scan_fail(scan, "something follows the row");
}

/* ---- Files ---- */

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

static bool add_row(struct clg_tuning_file *file, const struct clg_tuning_row *row, int line) {
    if ((file->count & (file->count - 1)) == 0) { /* full: it grows by powers of two */
        const size_t room = file->count ? 2 * file->count : 1;
        struct clg_tuning_row *rows = realloc(file->rows, room * sizeof *rows);
        file->rows = rows ? rows : file->rows;
        int *lines = rows ? realloc(file->lines, room * sizeof *lines) : NULL;
        file->lines = lines ? lines : file->lines;
        if (!lines)
            return false;
    }
    file->lines[file->count] = line;
    file->rows[file->count++] = *row;
    return true;
}

/* One line after the head. False where memory is out. */
static bool read_line(struct clg_tuning_file *file, const char *name, int line,
                      struct clg_scan *scan, bool *closed) {
    struct clg_tuning_row row;
    if (clg_scan_at_end(scan))
        return true;
    if (*closed) {
        clg_tuning_file_fault(file, name, line, "something follows the end ]}");
        return true;
    }
    if (clg_scan_has(scan, ']')) {
        *closed = clg_scan_mark(scan, '}') && clg_scan_at_end(scan);
        if (!*closed)
            clg_tuning_file_fault(file, name, line, "the end is not ]}");
        return true;
    }
    if (read_row(scan, &row))
        return add_row(file, &row, line);
    clg_tuning_file_fault(file, name, line, scan->why);
    return true;
}

bool clg_tuning_file_parse(struct clg_tuning_file *out, const char *name, const char *text,
                           size_t size, const struct clg_tuning_device *only) {
    *out = (struct clg_tuning_file){0};
    const char *end = text + size;
    bool closed = false, good = true;
    int line = 0;
    while (text < end && good) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        struct clg_scan scan = clg_scan_start(text, (size_t)((newline ? newline : end) - text));
        text = newline ? newline + 1 : end;
        if (++line > 1) {
            good = read_line(out, name, line, &scan, &closed);
        } else if (!clg_tuning_head_read(&scan, &out->device, &out->break_even)) {
            clg_tuning_file_fault(out, name, line, scan.why);
            return false;
        } else if (only && !clg_tuning_same_device(&out->device, only)) {
            return true;
        }
    }
    if (good && !closed)
        clg_tuning_file_fault(out, name, line, "the file ends before its ]}");
    if (!good)
        clg_tuning_file_fault(out, name, line, "memory is out");
    return good;
}

void clg_tuning_file_release(struct clg_tuning_file *file) {
    free(file->rows);
    free(file->lines);
    *file = (struct clg_tuning_file){0};
}
