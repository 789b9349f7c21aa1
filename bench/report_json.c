/* SPDX-License-Identifier: Apache-2.0
 * The report as JSON, one result a line: the form that --baseline reads back. */
#include <inttypes.h>

#include "report.h"

void json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

void json_context(FILE *out, const struct context *context) {
    fputs("\"context\": {", out);
    for (int i = 0; i < context->count; i++) {
        fprintf(out, "%s\n  ", i ? "," : "");
        json_string(out, context->items[i].key);
        fputs(": ", out);
        json_string(out, context->items[i].value);
    }
    fputs("\n},\n", out);
}

void json_series(FILE *out, const struct series *s) {
    const struct timing *t = &s->timing;
    fprintf(out, "{\"outcome\": \"%s\", \"check\": \"%s\"", outcome_name(s->outcome),
            checked_name(s->checked));
    if (*s->why) {
        fputs(", \"why\": ", out);
        json_string(out, s->why);
    }
    if (s->outcome == OUTCOME_OK) {
        fprintf(out,
                ", \"gflops\": %.6g, \"median_ms\": %.6g, \"min_ms\": %.6g, \"p95_ms\": %.6g, "
                "\"spread\": %.4g, \"calls_per_sample\": %d, \"samples_ms\": [",
                s->gflops, 1e3 * t->median, 1e3 * t->min, 1e3 * t->p95, t->spread, t->calls);
        for (int i = 0; i < t->samples; i++)
            fprintf(out, "%s%.6g", i ? ", " : "", 1e3 * t->seconds[i]);
        fputs("]", out);
        if (s->memory.workspace >= 0)
            fprintf(out, ", \"workspace_bytes\": %.0f", s->memory.workspace);
        if (s->memory.resident >= 0)
            fprintf(out, ", \"resident_bytes\": %.0f", s->memory.resident);
    }
    fputs("}", out);
}

static void write_ratios(FILE *out, const struct report *r, const struct result *row) {
    const char *comma = "";
    fputs(", \"ratios\": {", out);
    for (int i = OPENBLAS; i < CONTENDERS; i++) {
        int rival = report_rival(r, i);
        double ratio = result_ratio(row, rival, i);
        if (ratio <= 0)
            continue;
        fprintf(out, "%s\"%s/%s\": %.4g", comma, r->contenders[rival].ops->key,
                r->contenders[i].ops->key, ratio);
        comma = ", ";
    }
    fputs("}", out);
}

static void write_result(FILE *out, const struct report *r, const struct result *row) {
    char key[BASELINE_KEY];
    const char *comma = "";
    fprintf(out,
            "  {%s, \"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 ", \"failed\": %s",
            baseline_key(key, r->options, row), row->shape.m, row->shape.n, row->shape.k,
            result_failed(row) ? "true" : "false");
    if (row->is_best)
        fprintf(out, ", \"fastest_coretype\": \"%s\"", row->coretype);
    fputs(", \"series\": {", out);
    for (int i = 0; i < CONTENDERS; i++) {
        if (!r->contenders[i].open)
            continue;
        fprintf(out, "%s\"%s\": ", comma, r->contenders[i].ops->key);
        json_series(out, &row->series[i]);
        comma = ", ";
    }
    fputs("}", out);
    write_ratios(out, r, row);
    fputs("}", out);
}

void report_json(FILE *out, const struct report *r) {
    fputs("{\"schema\": \"" REPORT_SCHEMA "\",\n", out);
    json_context(out, &r->context);
    fputs("\"results\": [", out);
    for (size_t i = 0; i < r->count; i++) {
        fputs(i ? ",\n" : "\n", out);
        write_result(out, r, &r->results[i]);
    }
    fputs("\n]}\n", out);
}
