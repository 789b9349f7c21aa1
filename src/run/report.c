/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: the report at the end. */
#define _POSIX_C_SOURCE 200809L /* strsignal */
#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "src/run/run.h"

#define RUN_SCHEMA "clgemm-run/1"

static const char *const routines[CLG_ROUTINES] = {
#define ROUTINE_NAME(NAME, name, kind, type) #name,
    CLG_BLAS_ROUTINES(ROUTINE_NAME)
#undef ROUTINE_NAME
};

static const struct where {
    const char *word, *sentence;
} wheres[CLG_WHERES] = {
#define WHERE_ROW(name, word, sentence) {word, sentence},
    CLG_BLAS_WHERE(WHERE_ROW)
#undef WHERE_ROW
};

static double gflops_of(const struct clg_count *count) {
    return count->ns ? (double)count->flops / (double)count->ns : 0;
}

static struct clg_count sum_of(const struct clg_summary *summary, bool device) {
    struct clg_count sum = {0};
    for (int r = 0; r < CLG_ROUTINES; r++)
        for (int w = 0; w < CLG_WHERES; w++) {
            const struct clg_count *count = &summary->counts[r][w];
            if ((w == CLG_ON_DEVICE) != device)
                continue;
            sum.calls += count->calls;
            sum.ns += count->ns;
            sum.flops += count->flops;
        }
    return sum;
}

static void write_count_md(FILE *out, const char *first, const char *where, const char *why,
                           const struct clg_count *count) {
    fprintf(out, "| %s | %s | %" PRIu64 " | %.3f | ", first, where, count->calls,
            (double)count->ns * 1e-9);
    if (count->flops)
        fprintf(out, "%.1f | %s |\n", gflops_of(count), why);
    else
        fprintf(out, "| %s |\n", why);
}

/* Nothing of a program that ended well. The counts lack calls that never returned. */
static void write_end_md(FILE *out, const struct run_end *end, const struct clg_summary *summary) {
    if (end->signal)
        fprintf(out, "clgemm: signal %d (%s) ended the program", end->signal,
                strsignal(end->signal));
    else if (end->code)
        fprintf(out, "clgemm: the program ended with code %d", end->code);
    else
        return;
    if (*summary->last.line)
        fprintf(out, "; the last line of the log: %s", summary->last.line);
    fputc('\n', out);
}

static void write_md(FILE *out, const struct run_end *end, const struct clg_summary *summary) {
    const struct clg_count device = sum_of(summary, true), cpu = sum_of(summary, false);
    write_end_md(out, end, summary);
    if (end->code && device.calls + cpu.calls == 0) {
        fputs("clgemm: no call of level 3 returned\n", out);
        return;
    }
    if (device.calls + cpu.calls == 0) {
        fputs("clgemm: the program called no level 3 of a shared BLAS, or could not be preloaded\n",
              out);
        return;
    }
    fprintf(out, "clgemm: %" PRIu64 " calls, %" PRIu64 " on the device, %" PRIu64 " on the CPU\n\n",
            device.calls + cpu.calls, device.calls, cpu.calls);
    fputs("| routine | on | calls | seconds | GFLOP/s | why |\n|---|---|---:|---:|---:|---|\n",
          out);
    for (int r = 0; r < CLG_ROUTINES; r++)
        for (int w = 0; w < CLG_WHERES; w++)
            if (summary->counts[r][w].calls)
                write_count_md(out, routines[r], w == CLG_ON_DEVICE ? "device" : "CPU",
                               w == CLG_ON_DEVICE ? "" : wheres[w].sentence,
                               &summary->counts[r][w]);
}

static void write_json(FILE *out, const struct run_end *end, const struct clg_summary *summary) {
    struct clg_json json = {.out = out};
    clg_json_open(&json, NULL, '{');
    clg_json_text(&json, "schema", RUN_SCHEMA);
    clg_json_open(&json, "context", '{');
    clg_json_count(&json, "code", (uint64_t)end->code);
    clg_json_count(&json, "signal", (uint64_t)end->signal);
    clg_json_text(&json, "last_line", *summary->last.line ? summary->last.line : NULL);
    clg_json_count(&json, "processes", summary->processes);
    clg_json_count(&json, "on_device", sum_of(summary, true).calls);
    clg_json_count(&json, "on_cpu", sum_of(summary, false).calls);
    clg_json_close(&json, '}');
    clg_json_open(&json, "results", '[');
    for (int r = 0; r < CLG_ROUTINES; r++)
        for (int w = 0; w < CLG_WHERES; w++) {
            const struct clg_count *count = &summary->counts[r][w];
            if (!count->calls)
                continue;
            clg_json_open(&json, NULL, '{');
            clg_json_text(&json, "routine", routines[r]);
            clg_json_text(&json, "on", w == CLG_ON_DEVICE ? "device" : "cpu");
            clg_json_text(&json, "why", wheres[w].word);
            clg_json_count(&json, "calls", count->calls);
            clg_json_number(&json, "seconds", (double)count->ns * 1e-9);
            clg_json_number(&json, "gflops", gflops_of(count));
            clg_json_close(&json, '}');
        }
    clg_json_close(&json, ']');
    clg_json_close(&json, '}');
    fputc('\n', out);
}

void run_report(FILE *out, bool json, const struct run_end *end,
                const struct clg_summary *summary) {
    if (json)
        write_json(out, end, summary);
    else
        write_md(out, end, summary);
}
