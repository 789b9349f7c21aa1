/* SPDX-License-Identifier: Apache-2.0
 * What `clgemm tune` prints: tables in Markdown, everything in JSON. */
#include <math.h>

#include "base/json_writer.h"
#include "clgemm.h"
#include "src/common/host_speeds.h"
#include "src/tool.h"
#include "src/tune/tune.h"
#include "tuning/head.h"

static void write_break_even(struct clg_json *json, const struct tune_job *job) {
    for (int type = 0; type < CLG_TYPE_COUNT; type++) {
        const struct clg_break_even *break_even = &job->break_evens[type];
        char member[CLG_TYPE_MEMBER];
        if (!break_even->flops)
            continue;
        clg_json_open(json, clg_type_member(member, "break_even", break_even->type), '{');
        clg_json_count(json, "flops", (uint64_t)break_even->flops);
        clg_json_text(json, "against", break_even->against);
        clg_json_close(json, '}');
    }
    clg_json_text(json, "break_even_failure", *job->break_even_why ? job->break_even_why : NULL);
}

static void write_context(struct clg_json *json, const struct tune_job *job) {
    clg_json_open(json, "context", '{');
    clg_json_text(json, "version", clgemm_version());
    clg_json_text(json, "device", job->facts.name);
    clg_json_text(json, "driver", job->facts.driver);
    clg_json_text(json, "platform", job->facts.platform);
    clg_json_text(json, "scheme", job->scheme < 0 ? NULL : clg_scheme_names[job->scheme]);
    clg_json_count(json, "seed", job->seed);
    clg_json_number(json, "budget_s", job->budget);
    clg_json_number(json, "limit_s", job->limit);
    clg_json_count(json, "builders", (uint64_t)job->builders);
    clg_json_count(json, "passed_over", job->passed_over);
    write_break_even(json, job);
    clg_host_speeds_write(json, &job->speeds);
    clg_json_text(json, "written", *job->written ? job->written : NULL);
    clg_json_close(json, '}');
}

static void write_shape(struct clg_json *json, const struct clg_tuning_shape *shape) {
    char word[CLG_TYPE_WORD];
    const char trans[] = {shape->ta ? 'T' : 'N', shape->tb ? 'T' : 'N', '\0'};
    clg_json_count(json, "m", (uint64_t)shape->m);
    clg_json_count(json, "n", (uint64_t)shape->n);
    clg_json_count(json, "k", (uint64_t)shape->k);
    clg_json_text(json, "trans", trans);
    clg_json_bool(json, "aligned", shape->aligned);
    clg_json_text(json, "type", clg_type_word(word, shape->type));
    clg_json_count(json, "batch", (uint64_t)(shape->batch ? shape->batch : 1));
}

static void write_numbers(struct clg_json *json, const char *key, const double *values, int count) {
    clg_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        clg_json_number(json, NULL, values[i]);
    clg_json_close(json, ']');
}

static void write_finalist(struct clg_json *json, const struct tune_finalist *f) {
    char text[CLG_DESCRIPTION], options[CLG_MAX_OPTIONS];
    clg_params_options(&f->candidate.params, options, sizeof options);
    clg_json_open(json, NULL, '{');
    clg_json_text(json, "family", f->candidate.family->name);
    clg_json_text(json, "candidate", clg_candidate_text(text, &f->candidate));
    clg_json_text(json, "parameters", options);
    clg_json_number(json, "median_s", f->median);
    clg_json_number(json, "spread", f->trial.spread);
    write_numbers(json, "search_s", f->trial.seconds, f->trial.runs);
    write_numbers(json, "rounds_s", f->rounds, f->num_rounds);
    clg_json_close(json, '}');
}

static void write_faults(struct clg_json *json, const struct tune_result *r) {
    clg_json_open(json, "faults", '[');
    for (size_t i = 0; i < r->num_faults; i++) {
        clg_json_open(json, NULL, '{');
        clg_json_text(json, "candidate", r->faults[i].candidate);
        clg_json_text(json, "verdict", clg_verdict_name(r->faults[i].verdict));
        clg_json_text(json, "why", r->faults[i].why);
        clg_json_close(json, '}');
    }
    clg_json_close(json, ']');
}

static void write_history(struct clg_json *json, const struct tune_result *r) {
    clg_json_open(json, "history", '[');
    for (size_t i = 0; i < r->num_history; i++) {
        const struct tune_record *record = &r->history[i];
        char options[CLG_MAX_OPTIONS];
        clg_params_options(&record->candidate.params, options, sizeof options);
        clg_json_open(json, NULL, '{');
        clg_json_number(json, "at_s", record->at);
        clg_json_text(json, "family", record->candidate.family->name);
        clg_json_text(json, "scheme", clg_scheme_names[clg_candidate_scheme(&record->candidate)]);
        clg_json_text(json, "parameters", options);
        clg_json_text(json, "verdict", clg_verdict_name(record->verdict));
        clg_json_number(json, "median_s", record->median > 0 ? record->median : NAN);
        clg_json_close(json, '}');
    }
    clg_json_close(json, ']');
}

static void write_result(struct clg_json *json, const struct tune_result *r) {
    clg_json_open(json, NULL, '{');
    write_shape(json, &r->shape);
    clg_json_text(json, "failure", *r->why ? r->why : NULL);
    clg_json_number(json, "ratio", tune_ratio(r));
    clg_json_count(json, "best", (uint64_t)r->best);
    if (r->known > 0)
        clg_json_count(json, "known", (uint64_t)r->known);
    clg_json_open(json, "finalists", '[');
    for (int i = 0; i < r->num_finalists; i++)
        write_finalist(json, &r->finalists[i]);
    clg_json_close(json, ']');
    clg_json_open(json, "tried", '{');
    for (int v = 0; v < TUNE_VERDICTS; v++)
        clg_json_count(json, clg_verdict_name((enum clg_verdict)v), r->counts[v]);
    clg_json_close(json, '}');
    write_faults(json, r);
    write_history(json, r);
    clg_json_number(json, "drift_least", r->drift_least);
    clg_json_number(json, "drift_most", r->drift_most);
    clg_json_number(json, "seconds", r->seconds);
    clg_json_count(json, "processes", r->processes);
    clg_json_bool(json, "whole_space", r->whole);
    clg_json_bool(json, "stopped", r->stopped);
    clg_json_close(json, '}');
}

static void write_json(FILE *out, const struct tune_job *job) {
    struct clg_json json = {.out = out};
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", TUNE_SCHEMA);
    write_context(&json, job);
    clg_json_open(&json, "results", '[');
    for (size_t i = 0; i < job->count; i++)
        write_result(&json, &job->results[i]);
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
}

static void print_row(FILE *out, const struct tune_result *r) {
    const struct tune_finalist *best = &r->finalists[r->best];
    char shape[TUNE_SHAPE_TEXT], text[CLG_DESCRIPTION];
    fprintf(out, "| %s | ", tune_shape_text(shape, &r->shape));
    if (*r->why) {
        fputs("- | - | - | ", out);
        md_cell(out, r->why);
    } else {
        if (isfinite(r->finalists[0].median))
            fprintf(out, "%.4g | %.4g | %.3f | ", 1e3 * r->finalists[0].median, 1e3 * best->median,
                    tune_ratio(r));
        else
            fprintf(out, "fails | %.4g | - | ", 1e3 * best->median);
        fputs(r->best ? clg_candidate_text(text, &best->candidate) : "the model's", out);
    }
    fprintf(out, " | %zu | %zu | %zu | %.2f-%.2f | %.0f%s |\n", tune_tried(r),
            r->counts[CLG_TRIAL_WRONG], r->counts[CLG_TRIAL_FAILED], r->drift_least, r->drift_most,
            r->seconds,
            r->stopped ? " (stopped)"
            : r->whole ? " (whole space)"
                       : "");
}

static void print_faults(FILE *out, const struct tune_job *job) {
    char shape[TUNE_SHAPE_TEXT];
    for (size_t i = 0; i < job->count; i++)
        for (size_t f = 0; f < job->results[i].num_faults; f++) {
            const struct tune_fault *fault = &job->results[i].faults[f];
            fprintf(out, "- %s, %s: %s: ", tune_shape_text(shape, &job->results[i].shape),
                    fault->candidate, clg_verdict_name(fault->verdict));
            md_cell(out, fault->why);
            fputc('\n', out);
        }
}

static void print_results(FILE *out, const struct tune_job *job) {
    fprintf(out, "Seed %llu, %.0f s per shape. Times in ms, medians on the device.\n\n",
            (unsigned long long)job->seed, job->budget);
    fputs("| shape | the model's choice | best | ratio | best candidate | tried | wrong | failed | "
          "drift | s |\n|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < job->count; i++)
        print_row(out, &job->results[i]);
    fputc('\n', out);
    print_faults(out, job);
}

static void print_break_even(FILE *out, const struct clg_break_even *break_even) {
    char word[CLG_TYPE_WORD];
    if (!break_even->flops)
        return;
    fprintf(out, "Calls on host matrices of %s ", clg_type_word(word, break_even->type));
    if (break_even->flops == INT64_MAX)
        fputs("are nowhere faster than ", out);
    else
        fprintf(out, "pay from %.4g operations on (%.0f cubed), against ",
                (double)break_even->flops,
                cbrt((double)break_even->flops / (double)clg_type_operations(break_even->type)));
    fprintf(out, "%s.\n", break_even->against);
}

static void print_md(FILE *out, const struct tune_job *job) {
    fprintf(out, "# %s, driver %s\n\n", job->facts.name, job->facts.driver);
    if (!job->break_even_only)
        print_results(out, job);
    for (int type = 0; type < CLG_TYPE_COUNT; type++)
        print_break_even(out, &job->break_evens[type]);
    if (job->speeds.up_mb_s) {
        host_speeds_print(out, &job->speeds);
        fputc('\n', out);
    }
    if (job->passed_over)
        fprintf(out, "Skipped, as the file has them: %zu\n", job->passed_over);
    if (*job->written)
        fprintf(out, "Written: %s\n", job->written);
}

void tune_report(FILE *out, const struct tune_job *job) {
    if (job->output.format == FORMAT_JSON)
        write_json(out, job);
    else
        print_md(out, job);
}

/* Counts one shape's space into the table or the JSON. */
static void list_shape(FILE *out, struct clg_json *json, const struct tune_job *job,
                       const struct clg_tuning_shape *shape, const struct clg_space *space) {
    uint64_t all[CLG_FAMILIES], schemes[CLG_FAMILIES][CLG_SCHEMES];
    char text[TUNE_SHAPE_TEXT];
    for (int f = 0; f < space->count; f++) {
        all[f] = clg_space_count(space, f, schemes[f]);
        for (int s = 0; job->output.format == FORMAT_MD && s < CLG_SCHEMES; s++)
            if (schemes[f][s])
                fprintf(out, "| %s | %s | %s | %llu |\n", tune_shape_text(text, shape),
                        space->families[f]->name, clg_scheme_names[s],
                        (unsigned long long)schemes[f][s]);
    }
    if (job->output.format == FORMAT_MD)
        return;
    clg_json_open(json, NULL, '{');
    write_shape(json, shape);
    clg_json_open(json, "candidates", '{');
    for (int f = 0; f < space->count; f++)
        clg_json_count(json, space->families[f]->name, all[f]);
    clg_json_close(json, '}');
    clg_json_open(json, "schemes", '{');
    for (int s = 0; s < CLG_SCHEMES; s++)
        for (int f = 0; f < space->count; f++)
            if (schemes[f][s]) /* a scheme belongs to one family */
                clg_json_count(json, clg_scheme_names[s], schemes[f][s]);
    clg_json_close(json, '}');
    clg_json_close(json, '}');
}

int tune_report_list(FILE *out, const struct tune_job *job) {
    struct clg_json json = {.out = out};
    static struct clg_space space; /* large */
    int code = EXIT_FINE;
    if (job->output.format == FORMAT_JSON) {
        clg_json_open(&json, NULL, '{');
        clg_json_text(&json, "schema", TUNE_LIST_SCHEMA);
        write_context(&json, job);
        clg_json_open(&json, "results", '[');
    } else {
        fprintf(out, "# %s\n\n| shape | family | scheme | candidates |\n|---|---|---|---|\n",
                job->facts.name);
    }
    for (size_t i = 0; i < tune_shape_count(job) && code == EXIT_FINE; i++) {
        const struct clg_tuning_shape shape = tune_shape_at(job, i);
        struct clg_problem problem;
        if (clg_measure_problem(&problem, &shape)) {
            fprintf(stderr, "%s: %s\n", job->command, clgemm_last_error());
            code = EXIT_FAILED;
            continue;
        }
        clg_space_init(&space, &problem, &job->facts);
        if (job->scheme >= 0)
            clg_space_keep(&space, (enum clg_scheme)job->scheme);
        list_shape(out, &json, job, &shape, &space);
    }
    if (job->output.format == FORMAT_JSON) {
        clg_json_close(&json, ']');
        clg_json_close(&json, '}');
    }
    return code;
}
