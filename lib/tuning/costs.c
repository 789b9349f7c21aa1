/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes files of costs. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tuning/costs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/json_scan.h"
#include "base/log.h"
#include "gemm/estimate.h"
#include "gemm/family.h"
#include "program/source.h"
#include "tuning/row_text.h"

enum { NAME = 32, MOST_LENGTH = 1 << 30, MOST_RESIDENT = 64, DIGITS = 5 };

static const char *const uses[] = {"any", "singles", "whole", "batches"};

/* ---- Figures ---- */

static const struct figure {
    const char *name;
    size_t offset;
} figures[] = {
#define FIGURE(name, meaning) {#name, offsetof(struct clg_costs, name)},
    CLG_FIGURES(FIGURE)
#undef FIGURE
};

enum { FIGURES = sizeof figures / sizeof *figures };

static double *value_of(const struct clg_costs *costs, const struct figure *figure) {
    return (double *)((char *)costs + figure->offset);
}

static bool read_figure(struct clg_json_scan *scan, struct clg_costs *costs) {
    char name[NAME + 1];
    double value;
    if (!clg_json_scan_name(scan, name, sizeof name))
        return false;
    for (size_t i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0) {
            if (!clg_json_scan_number(scan, &value))
                return false;
            if (value < 0)
                return clg_json_scan_fail(scan, "\"%s\" is negative", name);
            *value_of(costs, &figures[i]) = value;
            return true;
        }
    return clg_json_scan_unknown(scan, name);
}

static bool read_figures(struct clg_json_scan *scan, struct clg_costs *costs) {
    if (!clg_json_scan_mark(scan, '{'))
        return false;
    do
        if (!read_figure(scan, costs))
            return false;
    while (clg_json_scan_has(scan, ','));
    return clg_json_scan_mark(scan, '}');
}

/* {"schema": ..., "device": ..., "source": ..., "figures": ..., "rows": [ */
static bool read_head(struct clg_json_scan *scan, struct clg_costs *costs,
                      struct clg_tuning_device *device) {
    char text[NAME] = "";
    if (!clg_json_scan_mark(scan, '{') || !clg_json_scan_name(scan, text, sizeof text) ||
        strcmp(text, "schema") != 0 || !clg_json_scan_text(scan, text, sizeof text) ||
        strcmp(text, CLG_COSTS_SCHEMA) != 0)
        return clg_json_scan_fail(scan, "its schema is not " CLG_COSTS_SCHEMA);
    while (clg_json_scan_mark(scan, ',') && clg_json_scan_name(scan, text, sizeof text)) {
        if (strcmp(text, "rows") == 0)
            return clg_json_scan_mark(scan, '[');
        if (!(strcmp(text, "figures") == 0  ? read_figures(scan, costs)
              : strcmp(text, "device") == 0 ? clg_tuning_device_read(scan, device)
              : strcmp(text, "source") == 0
                  ? clg_tuning_read_text(scan, costs->source, sizeof costs->source)
                  : clg_json_scan_unknown(scan, text)))
            return false;
    }
    return false;
}

/* ---- Rows ---- */

static bool read_family(struct clg_json_scan *scan, void *out) {
    char name[NAME];
    struct clg_cost_row *row = out;
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    row->family = clg_family_find(name);
    return row->family || clg_json_scan_fail(scan, "no family is called \"%s\"", name);
}

static bool read_type(struct clg_json_scan *scan, void *out) {
    char name[NAME], word[CLG_TYPE_WORD];
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        if (strcmp(name, clg_type_word(word, (clgemm_type)type)) == 0) {
            ((struct clg_cost_row *)out)->types |= 1U << type;
            return true;
        }
    return clg_json_scan_fail(scan, "there is no type \"%s\"", name);
}

static bool read_types(struct clg_json_scan *scan, void *out) {
    return clg_json_scan_array(scan, read_type, out);
}

static bool read_use(struct clg_json_scan *scan, void *out) {
    char name[NAME];
    if (!clg_json_scan_text(scan, name, sizeof name))
        return false;
    for (int i = 0; i < 4; i++)
        if (strcmp(name, uses[i]) == 0) {
            ((struct clg_cost_row *)out)->use = (enum clg_row_use)i;
            return true;
        }
    return clg_json_scan_fail(scan, "there is no use \"%s\"", name);
}

static bool read_params(struct clg_json_scan *scan, void *out) {
    return clg_tuning_params_read(scan, &((struct clg_cost_row *)out)->params);
}

#define FLAG(field)                                                            \
    static bool read_##field(struct clg_json_scan *scan, void *out) {          \
        return clg_json_scan_flag(scan, &((struct clg_cost_row *)out)->field); \
    }
FLAG(along_k)
FLAG(measured)
#undef FLAG

#define LENGTH(field)                                                                             \
    static bool read_##field(struct clg_json_scan *scan, void *out) {                             \
        return clg_json_scan_integer(scan, 1, MOST_LENGTH, &((struct clg_cost_row *)out)->field); \
    }
LENGTH(least_k)
LENGTH(most_k)
#undef LENGTH

#define COUNT(field, most)                                            \
    static bool read_##field(struct clg_json_scan *scan, void *out) { \
        int64_t value;                                                \
        if (!clg_json_scan_integer(scan, 1, most, &value))            \
            return false;                                             \
        ((struct clg_cost_row *)out)->field = (int)value;             \
        return true;                                                  \
    }
COUNT(resident, MOST_RESIDENT)
COUNT(resident_scalars, MOST_RESIDENT)
COUNT(least_vector, CLG_WIDEST_VECTOR)
COUNT(most_vector, CLG_WIDEST_VECTOR)
#undef COUNT

static bool read_time(struct clg_json_scan *scan, float *out) {
    double value;
    if (!clg_json_scan_number(scan, &value))
        return false;
    *out = (float)value;
    return value >= 0 || clg_json_scan_fail(scan, "a time is negative");
}

#define TIME(field)                                                   \
    static bool read_##field(struct clg_json_scan *scan, void *out) { \
        return read_time(scan, &((struct clg_cost_row *)out)->field); \
    }
TIME(fixed_us)
TIME(round_us)
TIME(scalars)
#undef TIME

static bool read_step_ns(struct clg_json_scan *scan, void *out) {
    float *steps = ((struct clg_cost_row *)out)->step_ns;
    return clg_json_scan_mark(scan, '[') && read_time(scan, &steps[0]) &&
           clg_json_scan_mark(scan, ',') && read_time(scan, &steps[1]) &&
           clg_json_scan_mark(scan, ',') && read_time(scan, &steps[2]) &&
           clg_json_scan_mark(scan, ']');
}

static bool read_row(struct clg_json_scan *scan, struct clg_cost_row *row) {
#define MEMBER(name, optional) \
    { #name, read_##name, optional }
    static const struct clg_json_member members[] = {
        MEMBER(family, false),      MEMBER(params, false),     MEMBER(types, true),
        MEMBER(use, true),          MEMBER(least_k, true),     MEMBER(most_k, true),
        MEMBER(least_vector, true), MEMBER(most_vector, true), MEMBER(along_k, true),
        MEMBER(fixed_us, true),     MEMBER(round_us, true),    MEMBER(resident, true),
        MEMBER(step_ns, true),      MEMBER(scalars, true),     MEMBER(resident_scalars, true),
        MEMBER(measured, true)};
#undef MEMBER
    *row = (struct clg_cost_row){.most_k = INT64_MAX,
                                 .most_vector = CLG_WIDEST_VECTOR,
                                 .resident = 1,
                                 .resident_scalars = 1};
    if (!clg_json_scan_object(scan, members, sizeof members / sizeof *members, row))
        return false;
    if (!row->types)
        row->types = ~0U;
    const char *why = clg_params_unsupported_reason(&row->params);
    clg_json_scan_has(scan, ',');
    return (clg_json_scan_at_end(scan) || clg_json_scan_fail(scan, "something follows the row")) &&
           (!why || clg_json_scan_fail(scan, "%s", why));
}

/* Adds a row behind those of its family. */
static bool add(struct clg_costs *costs, const struct clg_cost_row *row) {
    size_t at = costs->count;
    const struct clg_cost_rows same = clg_costs_of(costs, row->family);
    if (costs->count == CLG_COST_ROWS)
        return false;
    if (same.count > 0)
        at = (size_t)(same.rows - costs->rows) + same.count;
    memmove(&costs->rows[at + 1], &costs->rows[at], (costs->count - at) * sizeof *costs->rows);
    costs->rows[at] = *row;
    costs->count++;
    return true;
}

/* ---- Files ---- */

static void fault(const char *name, int line, const char *what, size_t *faults,
                  char why[CLG_TUNING_WHY]) {
    char text[CLG_TUNING_WHY];
    snprintf(text, sizeof text, "%.250s:%d: %.200s", name, line, what);
    clg_log(CLG_LOG_CALLS, "costs: %s", text);
    if (!(*faults)++)
        memcpy(why, text, sizeof text);
}

bool clg_costs_are_in(const char *text, size_t size) {
    static const char start[] = "{\"schema\": \"clgemm-costs/";
    return size >= sizeof start && memcmp(text, start, sizeof start - 1) == 0;
}

/* The first line that begins with a row: what precedes it is the head. */
static const char *end_of_head(const char *text, const char *end) {
    static const char mark[] = "\"rows\": [\n";
    for (; (size_t)(end - text) >= sizeof mark - 1; text++)
        if (memcmp(text, mark, sizeof mark - 1) == 0)
            return text + sizeof mark - 1;
    return end;
}

bool clg_costs_read(struct clg_costs *out, struct clg_tuning_device *device, const char *name,
                    const char *text, size_t size, size_t *faults, char why[CLG_TUNING_WHY]) {
    const char *const end = text + size, *at = end_of_head(text, end);
    struct clg_json_scan scan = clg_json_scan_start(text, (size_t)(at - text));
    struct clg_tuning_device named = {.compute_units = 0};
    bool closed = false;
    int line = 1;
    *out = (struct clg_costs){.count = 0};
    *faults = 0;
    if (!read_head(&scan, out, &named)) {
        fault(name, line, scan.why, faults, why);
        return false;
    }
    if (device)
        *device = named;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    for (; at < end && !closed; line++) {
        struct clg_cost_row row;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        scan = clg_json_scan_start(at, (size_t)((newline ? newline : end) - at));
        at = newline ? newline + 1 : end;
        if ((closed = clg_json_scan_has(&scan, ']')))
            continue;
        if (!read_row(&scan, &row))
            fault(name, line, scan.why, faults, why);
        else if (!add(out, &row))
            fault(name, line, "there are too many rows", faults, why);
    }
    if (!closed)
        fault(name, line, "the file ends before its last row", faults, why);
    return true;
}

void clg_costs_stamp(struct clg_costs *costs) {
    struct clg_host_speeds today;
    clg_host_speeds_stamp(&today);
    snprintf(costs->source, sizeof costs->source, "measured on %s", today.date);
    costs->computed = false;
}

static void write_row(struct clg_json *json, const struct clg_cost_row *row) {
    char word[CLG_TYPE_WORD];
    clg_json_line(json, 0);
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "family", row->family->name);
    if (row->types != ~0U) {
        clg_json_open(json, "types", '[');
        for (int type = 0; type < CLG_TYPE_COUNT; type++)
            if (row->types >> type & 1)
                clg_json_text(json, NULL, clg_type_word(word, (clgemm_type)type));
        clg_json_close(json, ']');
    }
    if (row->use != CLG_FOR_ANY)
        clg_json_text(json, "use", uses[row->use]);
#define COUNT(field, absent)    \
    if (row->field != (absent)) \
    clg_json_count(json, #field, (uint64_t)row->field)
    COUNT(least_k, 0);
    COUNT(most_k, INT64_MAX);
    COUNT(least_vector, 0);
    COUNT(most_vector, CLG_WIDEST_VECTOR);
    if (row->along_k)
        clg_json_bool(json, "along_k", true);
    if (row->step_ns[0] > 0) {
        clg_json_digits(json, "fixed_us", row->fixed_us, DIGITS);
        clg_json_digits(json, "round_us", row->round_us, DIGITS);
        clg_json_open(json, "step_ns", '[');
        for (int i = 0; i < 3; i++)
            clg_json_digits(json, NULL, row->step_ns[i], DIGITS);
        clg_json_close(json, ']');
        clg_json_digits(json, "scalars", row->scalars, DIGITS);
    }
    COUNT(resident, 1);
    COUNT(resident_scalars, 1);
    if (row->measured)
        clg_json_bool(json, "measured", true);
#undef COUNT
    clg_tuning_params_write(json, &row->params);
    clg_json_close(json, '}');
}

char *clg_costs_format(const struct clg_costs *costs, const struct clg_tuning_device *device,
                       size_t *size) {
    char *text = NULL;
    struct clg_json json = {.out = open_memstream(&text, size), .flat = true};
    if (!json.out)
        return NULL;
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", CLG_COSTS_SCHEMA);
    clg_tuning_device_write(&json, device);
    clg_json_text(&json, "source", costs->source);
    clg_json_line(&json, 0);
    clg_json_open(&json, "figures", '{');
    for (size_t i = 0; i < FIGURES; i++)
        if (*value_of(costs, &figures[i]) > 0)
            clg_json_digits(&json, figures[i].name, *value_of(costs, &figures[i]), DIGITS);
    clg_json_close(&json, '}');
    clg_json_line(&json, 0);
    clg_json_open(&json, "rows", '[');
    for (size_t i = 0; i < costs->count; i++)
        write_row(&json, &costs->rows[i]);
    clg_json_line(&json, 0);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
    if (fclose(json.out) == 0 && !json.failed)
        return text;
    free(text);
    return NULL;
}

/* ---- Those in the library ---- */

extern const struct clg_source clg_cost_files[];
extern const size_t clg_cost_file_count;

static struct clg_costs of_cpus, of_hopper, variants;

static void read_built_in(void) {
    char why[CLG_TUNING_WHY];
    size_t faults;
    for (size_t i = 0; i < clg_cost_file_count; i++) {
        const struct clg_source *file = &clg_cost_files[i];
        struct clg_costs *out = strcmp(file->name, "cpu") == 0      ? &of_cpus
                                : strcmp(file->name, "hopper") == 0 ? &of_hopper
                                                                    : &variants;
        clg_costs_read(out, NULL, file->name, file->text, file->length, &faults, why);
    }
}

const struct clg_costs *clg_costs_for(const struct clg_facts *facts, struct clg_costs *room) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_built_in);
    if (facts->kind == CLG_DEVICE_CPU)
        return &of_cpus;
    if (facts->capability == CLG_HOPPER && !clg_env_is_off("CLGEMM_COSTS"))
        return &of_hopper;
    *room = of_hopper;
    for (size_t i = 0; i < variants.count; i++)
        add(room, &variants.rows[i]);
    snprintf(room->source, sizeof room->source, "computed for architecture %.20s",
             facts->arch.name);
    clg_costs_estimate(room, facts);
    return room;
}

const struct clg_costs *clg_costs_in_force(const struct clg_tuning *tuning,
                                           const struct clg_facts *facts, struct clg_costs *room) {
    const struct clg_costs *costs = clg_tuning_costs(tuning);
    return costs ? costs : clg_costs_for(facts, room);
}
