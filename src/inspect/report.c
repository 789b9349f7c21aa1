/* SPDX-License-Identifier: Apache-2.0
 * The reports of `clgemm inspect`. */
#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "clgemm.h"
#include "src/inspect/inspect.h"

/* ---- Markdown ---- */

static void row_text(FILE *out, const char *label, const char *text) {
    fprintf(out, "| %s | ", label);
    md_cell(out, text);
    fputs(" |\n", out);
}

static void row_count(FILE *out, const char *label, int64_t value, const char *unit) {
    if (value >= 0)
        fprintf(out, "| %s | %" PRId64 "%s |\n", label, value, unit);
}

static void row_bytes(FILE *out, const char *label, uint64_t bytes) {
    fprintf(out, "| %s | ", label);
    md_bytes(out, bytes);
    fputs(" |\n", out);
}

static void write_counts_md(FILE *out, const struct inspect_finding *f) {
    if (!f->counted) {
        row_text(out, "instructions", f->uncounted);
        return;
    }
    row_text(out, "counted in", f->counted);
    for (int i = 0; i < COUNTS; i++)
        row_count(out, inspect_count_labels[i], f->values[i], "");
}

static void write_subject_md(FILE *out, const struct inspect_subject *s,
                             const struct inspect_finding *f) {
    fprintf(out, "\n## %s\n\n| what | |\n|---|---|\n", s->name);
    row_text(out, "kernel", s->source->name);
    row_text(out, "options", s->options);
    fprintf(out, "| work-group | %" PRIu64 " x %" PRIu64 " |\n", s->group[0], s->group[1]);
    if (*f->failure) {
        fprintf(out, "\nIt could not be built:\n\n```\n%s\n```\n", f->failure);
        return;
    }
    row_count(out, "registers per work-item", f->registers, "");
    row_count(out, "spilled, stores", f->spill_stores, " bytes");
    row_count(out, "spilled, loads", f->spill_loads, " bytes");
    row_bytes(out, "local memory", f->local_memory);
    row_bytes(out, "private memory", f->private_memory);
    row_count(out, "largest work-group", (int64_t)f->max_group, "");
    fprintf(out, "| binary | %s, %zu bytes |\n", f->binary_kind, f->binary_size);
    for (int i = 0; i < 2; i++)
        if (*f->files[i])
            row_text(out, "written", f->files[i]);
    write_counts_md(out, f);
    if (f->log && strspn(f->log, " \t\r\n") != strlen(f->log))
        fprintf(out, "\nBuild log:\n\n```\n%s\n```\n", f->log);
    else
        fputs("\nThe build log is empty.\n", out);
}

/* The plan's parameters, if the target is a plan. */
static void write_params_md(FILE *out, const struct inspect_job *job) {
    const struct clg_family *family = job->plan.family;
    if (job->list.count == 0)
        return;
    fprintf(out, "\n## Parameters\n\n| %s | | |\n|---|---:|---|\n", family->name);
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++)
        if (clg_family_has(family, &clg_tunables[i]))
            fprintf(out, "| %s | %d | %s |\n", clg_tunables[i].name,
                    clg_params_get(&job->plan.params, &clg_tunables[i]), clg_tunables[i].meaning);
}

/* All that the plan was chosen from, the fastest first. */
static void write_list_md(FILE *out, const struct inspect_job *job) {
    const struct clg_list *list = &job->list;
    char text[CLG_DESCRIPTION];
    if (list->count == 0)
        return;
    fputs("\n## Candidates\n\n| | us | limit |\n|---|---:|---|\n", out);
    for (int i = 0; i < list->count; i++) {
        fprintf(out, "| %s | %.1f | %s", clg_candidate_text(text, &list->at[i]), list->at[i].us,
                list->at[i].limit);
        if (job->spills[i])
            fprintf(out, "; spills %" PRIu64 " bytes", job->spills[i]);
        fputs(" |\n", out);
    }
}

static void write_md(FILE *out, const struct inspect_job *job, const struct clg_facts *facts) {
    fprintf(out, "# %s\n\nOn ", job->target);
    md_cell(out, facts->name);
    fputs(", driver ", out);
    md_cell(out, facts->driver);
    fputc('\n', out);
    for (int i = 0; i < job->count; i++)
        write_subject_md(out, &job->subjects[i], &job->findings[i]);
    write_params_md(out, job);
    write_list_md(out, job);
}

/* ---- JSON ---- */

/* A count, or null if it is not known. */
static void json_known(struct clg_json *json, const char *key, int64_t value) {
    if (value < 0)
        clg_json_text(json, key, NULL);
    else
        clg_json_count(json, key, (uint64_t)value);
}

static void write_subject_json(struct clg_json *json, const struct inspect_subject *s,
                               const struct inspect_finding *f) {
    const bool built = !*f->failure;
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "name", s->name);
    clg_json_text(json, "kernel", s->source->name);
    clg_json_text(json, "options", s->options);
    clg_json_open(json, "work_group", '[');
    clg_json_count(json, NULL, s->group[0]);
    clg_json_count(json, NULL, s->group[1]);
    clg_json_close(json, ']');
    clg_json_bool(json, "built", built);
    clg_json_text(json, "log", built ? f->log : f->failure);
    json_known(json, "registers", f->registers);
    json_known(json, "spill_stores_bytes", f->spill_stores);
    json_known(json, "spill_loads_bytes", f->spill_loads);
    json_known(json, "local_memory", built ? (int64_t)f->local_memory : -1);
    json_known(json, "private_memory", built ? (int64_t)f->private_memory : -1);
    json_known(json, "max_work_group", built ? (int64_t)f->max_group : -1);
    clg_json_text(json, "binary_kind", f->binary_kind);
    clg_json_count(json, "binary_bytes", f->binary_size);
    clg_json_open(json, "files", '[');
    for (int i = 0; i < 2; i++)
        if (*f->files[i])
            clg_json_text(json, NULL, f->files[i]);
    clg_json_close(json, ']');
    clg_json_text(json, "counted_in", f->counted);
    clg_json_text(json, "not_counted", f->counted ? NULL : f->uncounted);
    clg_json_open(json, "counts", '{');
    for (int i = 0; i < COUNTS; i++)
        json_known(json, inspect_count_keys[i], f->values[i]);
    clg_json_close(json, '}');
    clg_json_close(json, '}');
}

static void write_params_json(struct clg_json *json, const struct inspect_job *job) {
    clg_json_open(json, "parameters", '{');
    for (size_t i = 0; job->list.count > 0 && i < CLG_TUNABLE_COUNT; i++)
        if (clg_family_has(job->plan.family, &clg_tunables[i]))
            clg_json_count(json, clg_tunables[i].name,
                           (uint64_t)clg_params_get(&job->plan.params, &clg_tunables[i]));
    clg_json_close(json, '}');
}

static void write_list_json(struct clg_json *json, const struct inspect_job *job) {
    const struct clg_list *list = &job->list;
    char text[CLG_DESCRIPTION];
    clg_json_open(json, "candidates", '[');
    for (int i = 0; i < list->count; i++) {
        clg_json_open(json, NULL, '{');
        clg_json_text(json, "candidate", clg_candidate_text(text, &list->at[i]));
        clg_json_decimals(json, "us", list->at[i].us, 3);
        clg_json_text(json, "limit", list->at[i].limit);
        clg_json_count(json, "spills_bytes", job->spills[i]);
        clg_json_close(json, '}');
    }
    clg_json_close(json, ']');
}

static void write_json(FILE *out, const struct inspect_job *job, const struct clg_facts *facts) {
    struct clg_json json = {.out = out};
    char type[CLG_TYPE_WORD];
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", INSPECT_SCHEMA);
    clg_json_open(&json, "context", '{');
    clg_json_text(&json, "version", clgemm_version());
    clg_json_text(&json, "target", job->target);
    clg_json_text(&json, "type", clg_type_word(type, job->type));
    clg_json_text(&json, "device", facts->name);
    clg_json_text(&json, "driver", facts->driver);
    clg_json_close(&json, '}');
    clg_json_open(&json, "results", '[');
    for (int i = 0; i < job->count; i++)
        write_subject_json(&json, &job->subjects[i], &job->findings[i]);
    clg_json_close(&json, ']');
    write_params_json(&json, job);
    write_list_json(&json, job);
    clg_json_close(&json, '}');
}

void inspect_report(FILE *out, const struct inspect_job *job, const struct clg_facts *facts) {
    if (job->output.format == FORMAT_JSON)
        write_json(out, job, facts);
    else
        write_md(out, job, facts);
}
