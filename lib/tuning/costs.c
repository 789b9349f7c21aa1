/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes files of costs. */
#include "tuning/costs.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "gemm/estimate.h"
#include "program/source.h"

#define SCHEMA "clgemm-costs/1"

enum { MOST_LENGTH = 1 << 30, MOST_RESIDENT = 64 };

/* ---- The head ---- */

#define FIGURE(name, meaning) {CLG_FIELD(clg_costs, name, #name, NUMBER, true)},
static const struct clg_field figures[] = {CLG_FIGURES(FIGURE)};
#undef FIGURE
static const struct clg_fields figure_fields = CLG_FIELDS(figures);

static const struct clg_field head[] = {
    {CLG_FIELD(clg_costs_file, device, "device", OBJECT, true),
     .fields = &clg_tuning_device_fields},
    {CLG_FIELD(clg_costs_file, costs.source, "source", TEXT, true)},
    {CLG_FIELD(clg_costs_file, costs, "figures", OBJECT, true), .fields = &figure_fields,
     .begins_line = true}};
static const struct clg_fields head_fields = CLG_FIELDS(head);

/* ---- Rows ---- */

static const char *const uses[] = {"any", "singles", "whole", "batches", NULL};

#define WHOLE(name, most_, absent_)                                                     \
    {                                                                                   \
        CLG_FIELD(clg_cost_row, name, #name, WHOLE, true), .least = 1, .most = (most_), \
                                                           .absent = (absent_)          \
    }
#define FIELD(name, kind) \
    { CLG_FIELD(clg_cost_row, name, #name, kind, true) }
static const struct clg_field fields_of_rows[] = {
    {CLG_FIELD(clg_cost_row, family, "family", FAMILY, false)},
    FIELD(types, TYPES),
    {CLG_FIELD(clg_cost_row, use, "use", WORD, true), .words = uses},
    WHOLE(least_k, MOST_LENGTH, 0),
    WHOLE(most_k, MOST_LENGTH, INT64_MAX),
    WHOLE(least_vector, CLG_WIDEST_VECTOR, 0),
    WHOLE(most_vector, CLG_WIDEST_VECTOR, CLG_WIDEST_VECTOR),
    FIELD(along_k, FLAG),
    FIELD(fixed_us, FLOATS),
    FIELD(round_us, FLOATS),
    FIELD(step_ns, FLOATS),
    FIELD(scalars, FLOATS),
    WHOLE(resident, MOST_RESIDENT, 1),
    WHOLE(resident_scalars, MOST_RESIDENT, 1),
    FIELD(measured, FLAG),
    {CLG_FIELD(clg_cost_row, params, "params", PARAMS, false)}};
#undef FIELD
#undef WHOLE
static const struct clg_fields row_fields = CLG_FIELDS(fields_of_rows);

static bool read_row(struct clg_json_scan *scan, struct clg_cost_row *row) {
    *row = (struct clg_cost_row){.types = ~0U,
                                 .most_k = INT64_MAX,
                                 .most_vector = CLG_WIDEST_VECTOR,
                                 .resident = 1,
                                 .resident_scalars = 1};
    if (!clg_fields_read_line(scan, &row_fields, row, NULL))
        return false;
    const char *why = clg_params_unsupported_reason(&row->params);
    return !why || clg_json_scan_fail(scan, "%s", why);
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

bool clg_costs_read(struct clg_costs_file *out, const char *name, const char *text, size_t size) {
    const char *const end = text + size, *at = end_of_head(text, end);
    struct clg_json_scan scan = clg_json_scan_start(text, (size_t)(at - text));
    bool closed = false;
    int line = 1;
    *out = (struct clg_costs_file){.faults = 0};
    if (!clg_fields_read_head(&scan, SCHEMA, &head_fields, out)) {
        clg_tuning_fault(&out->faults, out->why, name, line, scan.why);
        return false;
    }
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
            clg_tuning_fault(&out->faults, out->why, name, line, scan.why);
        else if (!add(&out->costs, &row))
            clg_tuning_fault(&out->faults, out->why, name, line, "there are too many rows");
    }
    if (!closed)
        clg_tuning_fault(&out->faults, out->why, name, line, "the file ends before its last row");
    return true;
}

static void write_rows(struct clg_json *json, const void *written) {
    const struct clg_costs_file *file = written;
    for (size_t i = 0; i < file->costs.count; i++) {
        clg_json_line(json, 0);
        clg_fields_write(json, NULL, &row_fields, &file->costs.rows[i]);
    }
}

char *clg_costs_format(const struct clg_costs_file *file, size_t *size) {
    return clg_fields_format(SCHEMA, &head_fields, file, write_rows, size);
}

/* ---- Those in the library ---- */

extern const struct clg_source clg_cost_files[];
extern const size_t clg_cost_file_count;

static struct clg_costs_file of_cpus, of_hopper, variants;

static void read_built_in(void) {
    for (size_t i = 0; i < clg_cost_file_count; i++) {
        const struct clg_source *file = &clg_cost_files[i];
        struct clg_costs_file *out = strcmp(file->name, "cpu") == 0      ? &of_cpus
                                     : strcmp(file->name, "hopper") == 0 ? &of_hopper
                                                                         : &variants;
        clg_costs_read(out, file->name, file->text, file->length);
    }
}

const struct clg_costs *clg_costs_for(const struct clg_facts *facts, struct clg_costs *room) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_built_in);
    if (facts->kind == CLG_DEVICE_CPU)
        return &of_cpus.costs;
    if (facts->capability == CLG_HOPPER && !clg_env_is_off("CLGEMM_COSTS"))
        return &of_hopper.costs;
    *room = of_hopper.costs;
    for (size_t i = 0; i < variants.costs.count; i++)
        add(room, &variants.costs.rows[i]);
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
