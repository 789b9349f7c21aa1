/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes a row of a tuning file. */
#include "tuning/row_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "gemm/family.h"
#include "tuning/head.h"

enum { MOST_LENGTH = 1 << 30, MOST_VALUE = 1 << 28, NAME = 32, MS_DECIMALS = 6 };

/* A row that is being read. */
struct reading {
    struct clg_tuning_row row;
    char unserved[128]; /* why this version does not support it; "" if it does */
};

/* ---- The row's problem, family and parameters ---- */

/* Notes an unknown value, which is not an error but belongs to another version. Returns true. */
__attribute__((format(printf, 2, 3))) static bool note_unserved(struct reading *reading,
                                                                const char *format, ...) {
    va_list args;
    if (*reading->unserved)
        return true;
    va_start(args, format);
    clg_format_args(reading->unserved, sizeof reading->unserved, format, args);
    va_end(args);
    return true;
}

/* Storage type of A, B and C; default: f32. */
static bool read_type(struct clg_json_scan *scan, void *out) {
    struct reading *reading = out;
    char name[NAME], word[CLG_TYPE_WORD];
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        if (clg_types[type].options && strcmp(name, clg_type_word(word, (clgemm_type)type)) == 0) {
            reading->row.shape.type = (clgemm_type)type;
            return true;
        }
    return note_unserved(reading, "its type is \"%s\"", name);
}

/* Math mode; default: strict. */
static bool read_math(struct clg_json_scan *scan, void *out) {
    struct reading *reading = out;
    char name[NAME];
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    clgemm_math math;
    if (!clg_math_of_word(name, &math))
        return note_unserved(reading, "its math is \"%s\"", name);
    reading->row.shape.math = clg_tuning_math(math);
    return true;
}

/* Products of one call; default: one. */
static bool read_batch(struct clg_json_scan *scan, void *out) {
    int64_t batch;
    if (!clg_json_scan_integer(scan, 1, MOST_LENGTH, &batch))
        return false;
    ((struct reading *)out)->row.shape.batch = clg_tuning_batch(batch);
    return true;
}

static bool read_family(struct clg_json_scan *scan, void *out) {
    struct reading *reading = out;
    char name[NAME];
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    reading->row.family = clg_family_find(name);
    return reading->row.family || note_unserved(reading, "no family is called \"%s\"", name);
}

static bool read_tunable(struct clg_json_scan *scan, struct clg_params *params,
                         char unknown[NAME]) {
    char name[NAME];
    int64_t value;
    if (!clg_json_scan_name(scan, name, sizeof name))
        return false;
    const struct clg_tunable *tunable = clg_tunable_find(name);
    if (!tunable) {
        memcpy(unknown, name, sizeof name);
        return clg_json_scan_skip(scan);
    }
    if (clg_params_get(params, tunable))
        return clg_json_scan_fail(scan, "\"%s\" appears twice", name);
    if (!clg_json_scan_integer(scan, 1, MOST_VALUE, &value))
        return false;
    clg_params_set(params, tunable, (int)value);
    return true;
}

/* Tunables without a value are 0. `unknown`: the last one that this version does not have. */
static bool read_tunables(struct clg_json_scan *scan, struct clg_params *params,
                          char unknown[NAME]) {
    if (!clg_json_scan_mark(scan, '{'))
        return false;
    if (clg_json_scan_has(scan, '}'))
        return true;
    do
        if (!read_tunable(scan, params, unknown))
            return false;
    while (clg_json_scan_has(scan, ','));
    return clg_json_scan_mark(scan, '}');
}

bool clg_tuning_params_read(struct clg_json_scan *scan, struct clg_params *out) {
    char unknown[NAME] = "";
    return read_tunables(scan, out, unknown) &&
           (!*unknown || clg_json_scan_fail(scan, "no tunable is called \"%s\"", unknown));
}

/* The effect of an unknown tunable is not known, so the row does not hold for this version. */
static bool read_params(struct clg_json_scan *scan, void *out) {
    struct reading *reading = out;
    char unknown[NAME] = "";
    return read_tunables(scan, &reading->row.params, unknown) &&
           (!*unknown || note_unserved(reading, "no tunable is called \"%s\"", unknown));
}

/* ---- The other members ---- */

#define ROW_LENGTH(field)                                                        \
    static bool read_##field(struct clg_json_scan *scan, void *out) {            \
        return clg_json_scan_integer(scan, 1, MOST_LENGTH,                       \
                                     &((struct reading *)out)->row.shape.field); \
    }
ROW_LENGTH(m)
ROW_LENGTH(n)
ROW_LENGTH(k)
#undef ROW_LENGTH

#define ROW_FLAG(field)                                                             \
    static bool read_##field(struct clg_json_scan *scan, void *out) {               \
        return clg_json_scan_flag(scan, &((struct reading *)out)->row.shape.field); \
    }
ROW_FLAG(ta)
ROW_FLAG(tb)
ROW_FLAG(aligned)
#undef ROW_FLAG

static const double MOST_MS = 1e9;

static bool read_ms(struct clg_json_scan *scan, void *out) {
    double *ms = &((struct reading *)out)->row.ms;
    return clg_json_scan_number(scan, ms) &&
           ((*ms > 0 && *ms <= MOST_MS) ||
            clg_json_scan_fail(scan, "a number is not above zero, or larger than %g", MOST_MS));
}

static bool read_date(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_date(scan, ((struct reading *)out)->row.date);
}

static bool read_version(struct clg_json_scan *scan, void *out) {
    return clg_tuning_read_text(scan, ((struct reading *)out)->row.version, CLG_TUNING_VERSION);
}

/* ---- Lines ---- */

static bool read_line(struct clg_json_scan *scan, const struct clg_json_member *members,
                      size_t count, struct reading *reading) {
    *reading = (struct reading){0};
    if (!clg_json_scan_object(scan, members, count, reading))
        return false;
    clg_json_scan_has(scan, ',');
    return clg_json_scan_at_end(scan) || clg_json_scan_fail(scan, "something follows the row");
}

enum clg_tuning_row_kind clg_tuning_row_read(struct clg_json_scan *scan,
                                             struct clg_tuning_row *row) {
    static const struct clg_json_member members[] = {{"m", read_m, false},
                                                     {"n", read_n, false},
                                                     {"k", read_k, false},
                                                     {"ta", read_ta, false},
                                                     {"tb", read_tb, false},
                                                     {"aligned", read_aligned, false},
                                                     {"family", read_family, false},
                                                     {"params", read_params, false},
                                                     {"ms", read_ms, false},
                                                     {"date", read_date, false},
                                                     {"version", read_version, false},
                                                     {"type", read_type, true},
                                                     {"math", read_math, true},
                                                     {"batch", read_batch, true}};
    /* These members show that a row belongs to another version, whatever its other members are. */
    static const struct clg_json_member telling[] = {{"type", read_type, true},
                                                     {"math", read_math, true},
                                                     {"batch", read_batch, true},
                                                     {"family", read_family, true},
                                                     {"params", read_params, true}};
    struct clg_json_scan again = *scan;
    struct reading reading;
    bool good = read_line(scan, members, sizeof members / sizeof *members, &reading);
    if (good && !*reading.unserved) {
        *row = reading.row;
        clg_family_rename(row->family, &row->params);
        return CLG_TUNING_ROW_GOOD;
    }
    good = good || read_line(&again, telling, sizeof telling / sizeof *telling, &reading);
    if (!good || !*reading.unserved)
        return CLG_TUNING_ROW_DAMAGED;
    memcpy(scan->why, reading.unserved, sizeof reading.unserved);
    return CLG_TUNING_ROW_UNSERVED;
}

void clg_tuning_params_write(struct clg_json *json, const struct clg_params *params) {
    clg_json_open(json, "params", '{');
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++) {
        const int value = clg_params_get(params, &clg_tunables[i]);
        if (value)
            clg_json_count(json, clg_tunables[i].name, (uint64_t)value);
    }
    clg_json_close(json, '}');
}

void clg_tuning_row_write(struct clg_json *json, const struct clg_tuning_row *row) {
    const struct clg_tuning_shape *shape = &row->shape;
    char word[CLG_TYPE_WORD];
    clg_json_open(json, NULL, '{');
    /* Defaults are omitted, so that older versions read the row. */
    if (shape->type != CLGEMM_F32)
        clg_json_text(json, "type", clg_type_word(word, shape->type));
    if (shape->math)
        clg_json_text(json, "math", clg_math_word(shape->math));
    if (shape->batch)
        clg_json_count(json, "batch", (uint64_t)shape->batch);
    clg_json_count(json, "m", (uint64_t)shape->m);
    clg_json_count(json, "n", (uint64_t)shape->n);
    clg_json_count(json, "k", (uint64_t)shape->k);
    clg_json_bool(json, "ta", shape->ta);
    clg_json_bool(json, "tb", shape->tb);
    clg_json_bool(json, "aligned", shape->aligned);
    clg_json_text(json, "family", row->family->name);
    clg_tuning_params_write(json, &row->params);
    clg_json_decimals(json, "ms", fmax(row->ms, 1e-6), MS_DECIMALS); /* 0 is not valid */
    clg_json_text(json, "date", row->date);
    clg_json_text(json, "version", row->version);
    clg_json_close(json, '}');
}
