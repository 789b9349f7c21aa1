/* SPDX-License-Identifier: Apache-2.0
 * The report as CSV: a line for every contender and problem. */
#include <inttypes.h>
#include <string.h>

#include "bench/report/report.h"

void csv_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_problem(FILE *out, const struct options *o, struct shape shape, struct transposes trans) {
    char alpha[FACTOR_TEXT], beta[FACTOR_TEXT];
    const char *quote = clg_type_is_complex(o->type) ? "\"" : ""; /* of what may have a comma */
    fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s,%s,%d,%s%s%s,%s%s%s,", shape.m, shape.n,
            shape.k, trans_name(trans), o->layout == CLGEMM_ROW_MAJOR ? "row" : "col",
            element_of(o->type)->name, o->batch, quote, factor_text(alpha, o->type, o->alpha),
            quote, quote, factor_text(beta, o->type, o->beta), quote);
}

static void write_bytes(FILE *out, const struct series *s, double bytes) {
    if (s->outcome == OUTCOME_OK && bytes >= 0)
        fprintf(out, "%.0f", bytes);
    fputc(',', out);
}

static void write_series(FILE *out, const struct report *r, const struct result *row, int index) {
    const struct series *s = &row->series[index];
    const struct timing *t = &s->timing;
    char routine[ROUTINE_TEXT];
    csv_problem(out, r->options, row->shape, row->trans);
    fprintf(out, "%s,%s,%s,%s,%s,", result_coretype(row), row->is_best ? row->coretype : "",
            r->contenders[index].ops->key, outcome_name(s->outcome), checked_name(s->checked));
    if (s->outcome == OUTCOME_OK)
        fprintf(out, "%.6f,%.6f,%.6f,%.4f,%d,%d,%.4f,", 1e3 * t->median, 1e3 * t->min, 1e3 * t->p95,
                t->spread, t->samples, t->calls, s->gflops);
    else
        fputs(",,,,,,,", out);
    double ratio = index > OURS_DEVICE ? result_ratio(row, report_rival(r, index), index) : 0;
    if (ratio > 0)
        fprintf(out, "%.4f", ratio);
    fputc(',', out);
    if (s->heaps.quick_count)
        fprintf(out, "%.6f", 1e3 * s->heaps.quick);
    fputc(',', out);
    write_bytes(out, s, s->memory.workspace);
    write_bytes(out, s, s->memory.resident);
    csv_string(out, s->why);
    fprintf(out, ",%s\n", routine_text(routine, r->options));
}

void report_csv(FILE *out, const struct report *r) {
    fputs(CSV_PROBLEM
          "coretype,fastest_coretype,series,outcome,check,median_ms,min_ms,p95_ms,spread,samples,"
          "calls_per_sample,gflops,ours_over_this,quick_heap_ms,workspace_bytes,resident_bytes,"
          "why,routine\n",
          out);
    for (size_t row = 0; row < r->count; row++)
        for (int i = 0; i < CONTENDERS; i++)
            if (r->contenders[i].open)
                write_series(out, r, &r->results[row], i);
}
