/* SPDX-License-Identifier: Apache-2.0
 * The report as JSON, one result per line: the format that --baseline reads. */
#include "bench/report/report.h"

#include "bench/coretype.h"

/* ---- What all reports have in common ---- */

struct clg_json json_begin(FILE *out, const char *schema, const struct context *context) {
    struct clg_json json = {.out = out, .flat = true};
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", schema);
    clg_json_line(&json, 0);
    clg_json_open(&json, "context", '{');
    for (int i = 0; i < context->count; i++) {
        clg_json_line(&json, 2);
        clg_json_text(&json, context->items[i].key, context->items[i].value);
    }
    clg_json_line(&json, 0);
    clg_json_close(&json, '}');
    clg_json_line(&json, 0);
    return json;
}

void json_results(struct clg_json *json) {
    clg_json_line(json, 0);
    clg_json_open(json, "results", '[');
}

void json_result(struct clg_json *json) {
    clg_json_line(json, 2);
    clg_json_open(json, NULL, '{');
}

void json_end(struct clg_json *json) {
    clg_json_line(json, 0);
    clg_json_close(json, ']');
    clg_json_close(json, '}');
}

void json_problem(struct clg_json *json, const struct options *o, struct shape shape,
                  struct transposes trans) {
    char text[SHAPE_TEXT];
    clg_json_text(json, "shape", shape_text(text, shape));
    clg_json_text(json, "trans", trans_name(trans));
    clg_json_text(json, "layout", o->layout == CLGEMM_ROW_MAJOR ? "row" : "col");
    const int digits = element_of(o->type)->digits;
    clg_json_digits(json, "alpha", o->alpha.re, digits);
    clg_json_digits(json, "beta", o->beta.re, digits);
    if (o->alpha.im != 0)
        clg_json_digits(json, "alpha_imag", o->alpha.im, digits);
    if (o->beta.im != 0)
        clg_json_digits(json, "beta_imag", o->beta.im, digits);
}

void json_samples(struct clg_json *json, const char *key, const double *seconds, int count,
                  double scale) {
    clg_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        clg_json_digits(json, NULL, scale * seconds[i], JSON_DIGITS);
    clg_json_close(json, ']');
}

void json_timing(struct clg_json *json, const char *key, const struct timing *t) {
    clg_json_open(json, key, '{');
    clg_json_digits(json, "median_us", 1e6 * t->median, JSON_DIGITS);
    clg_json_digits(json, "min_us", 1e6 * t->min, JSON_DIGITS);
    clg_json_digits(json, "p95_us", 1e6 * t->p95, JSON_DIGITS);
    clg_json_count(json, "calls_per_sample", (uint64_t)t->calls);
    json_samples(json, "samples_us", t->seconds, t->samples, 1e6);
    clg_json_close(json, '}');
}

void json_series(struct clg_json *json, const char *key, const struct series *s) {
    const struct timing *t = &s->timing;
    clg_json_open(json, key, '{');
    clg_json_text(json, "outcome", outcome_name(s->outcome));
    clg_json_text(json, "check", checked_name(s->checked));
    if (*s->why)
        clg_json_text(json, "why", s->why);
    if (s->outcome == OUTCOME_OK) {
        clg_json_digits(json, "gflops", s->gflops, JSON_DIGITS);
        if (s->checked)
            clg_json_digits(json, "error", s->error, JSON_DIGITS);
        clg_json_digits(json, "median_ms", 1e3 * t->median, JSON_DIGITS);
        clg_json_digits(json, "min_ms", 1e3 * t->min, JSON_DIGITS);
        clg_json_digits(json, "p95_ms", 1e3 * t->p95, JSON_DIGITS);
        clg_json_digits(json, "spread", t->spread, JSON_RATIO_DIGITS);
        clg_json_count(json, "calls_per_sample", (uint64_t)t->calls);
        json_samples(json, "samples_ms", t->seconds, t->samples, 1e3);
        if (s->heaps.quick_count)
            clg_json_digits(json, "quick_heap_ms", 1e3 * s->heaps.quick, JSON_DIGITS);
        if (s->memory.workspace >= 0)
            clg_json_decimals(json, "workspace_bytes", s->memory.workspace, 0);
        if (s->memory.resident >= 0)
            clg_json_decimals(json, "resident_bytes", s->memory.resident, 0);
    }
    clg_json_close(json, '}');
}

/* ---- The usual report ---- */

enum { PAIR_TEXT = 64 };

/* "clgemm_device/cublas": the two sides of a peer's ratio. */
static const char *pair_text(char text[PAIR_TEXT], const struct report *r, int peer) {
    snprintf(text, PAIR_TEXT, "%s/%s", r->contenders[report_rival(r, peer)].ops->key,
             r->contenders[peer].ops->key);
    return text;
}

static void write_ratios(struct clg_json *json, const struct report *r, const struct result *row) {
    char key[PAIR_TEXT];
    clg_json_open(json, "ratios", '{');
    for (int i = OPENBLAS; i < CONTENDERS; i++) {
        const double ratio = result_ratio(row, report_rival(r, i), i);
        if (ratio > 0)
            clg_json_digits(json, pair_text(key, r, i), ratio, JSON_RATIO_DIGITS);
    }
    clg_json_close(json, '}');
}

static void write_mean(struct clg_json *json, const char *key, const struct mean *mean) {
    clg_json_open(json, key, '{');
    clg_json_count(json, "problems", mean->count);
    clg_json_digits(json, "geometric_mean", mean_geometric(mean), JSON_RATIO_DIGITS);
    clg_json_digits(json, "least", mean->least, JSON_RATIO_DIGITS);
    clg_json_open(json, "below", '{');
    for (int i = 0; i < MEAN_LINES; i++) {
        char line[16];
        snprintf(line, sizeof line, "%.2f", mean_lines[i]);
        clg_json_count(json, line, mean->below[i]);
    }
    clg_json_close(json, '}');
    clg_json_close(json, '}');
}

/* Over the last block: the only one, or the best core type's. */
static void write_means(struct clg_json *json, const struct report *r) {
    const size_t count = r->count / coretype_blocks(r->options);
    char key[PAIR_TEXT];
    clg_json_open(json, "means", '{');
    for (int i = OPENBLAS; i < CONTENDERS; i++) {
        const struct mean mean = report_mean(r, i, r->count - count, count);
        if (mean.count > 0)
            write_mean(json, pair_text(key, r, i), &mean);
    }
    clg_json_close(json, '}');
}

static void write_result(struct clg_json *json, const struct report *r, const struct result *row) {
    const char *coretype = result_coretype(row);
    json_result(json);
    json_problem(json, r->options, row->shape, row->trans);
    if (*coretype)
        clg_json_text(json, "coretype", coretype);
    clg_json_count(json, "m", (uint64_t)row->shape.m);
    clg_json_count(json, "n", (uint64_t)row->shape.n);
    clg_json_count(json, "k", (uint64_t)row->shape.k);
    clg_json_bool(json, "failed", result_failed(row));
    if (row->is_best)
        clg_json_text(json, "fastest_coretype", row->coretype);
    clg_json_open(json, "series", '{');
    for (int i = 0; i < CONTENDERS; i++)
        if (r->contenders[i].open)
            json_series(json, r->contenders[i].ops->key, &row->series[i]);
    clg_json_close(json, '}');
    if (row->copies.up > 0) {
        clg_json_digits(json, "up_ms", 1e3 * row->copies.up, JSON_DIGITS);
        clg_json_digits(json, "down_ms", 1e3 * row->copies.down, JSON_DIGITS);
    }
    write_ratios(json, r, row);
    clg_json_close(json, '}');
}

/* For a page only. */
static void write_page_members(struct clg_json *json, const struct report *r) {
    if (r->ceilings.gflops > 0)
        clg_json_digits(json, "ceiling_gflops", r->ceilings.gflops, JSON_DIGITS);
    if (r->ceilings.gbytes > 0)
        clg_json_digits(json, "ceiling_gbytes", r->ceilings.gbytes, JSON_DIGITS);
    if (r->host_access)
        clg_json_text(json, "host_access", r->host_access);
}

void report_json(FILE *out, const struct report *r) {
    struct clg_json json = json_begin(out, REPORT_SCHEMA, &r->context);
    write_page_members(&json, r);
    clg_json_line(&json, 0);
    write_means(&json, r);
    json_results(&json);
    for (size_t i = 0; i < r->count; i++)
        write_result(&json, r, &r->results[i]);
    json_end(&json);
}

void report_write(FILE *out, enum format format, const void *report) {
    static void (*const writers[])(FILE *, const struct report *) = {
        [FORMAT_MD] = report_md, [FORMAT_CSV] = report_csv, [FORMAT_JSON] = report_json};
    writers[format](out, report);
}
