/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: the report at the end. */
#include <inttypes.h>

#include "json.h"
#include "run.h"
#include "tool.h"

#define RUN_SCHEMA "clgemm-run/1"

static const char *const routines[CLG_SUMMARY_ROUTINES] = {"sgemm", "ssyrk"};

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
    for (int r = 0; r < CLG_SUMMARY_ROUTINES; r++)
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

static void write_md(FILE *out, const struct clg_summary *summary) {
    const struct clg_count device = sum_of(summary, true), cpu = sum_of(summary, false);
    if (device.calls + cpu.calls == 0) {
        fputs("clgemm: the program called neither sgemm nor ssyrk of a library, or could not be "
              "preloaded for\n",
              out);
        return;
    }
    fprintf(out, "clgemm: %" PRIu64 " calls, %" PRIu64 " on the device, %" PRIu64 " on the CPU\n\n",
            device.calls + cpu.calls, device.calls, cpu.calls);
    fputs("| routine | on | calls | seconds | GFLOP/s | why |\n|---|---|---:|---:|---:|---|\n",
          out);
    for (int r = 0; r < CLG_SUMMARY_ROUTINES; r++)
        for (int w = 0; w < CLG_WHERES; w++)
            if (summary->counts[r][w].calls)
                write_count_md(out, routines[r], w == CLG_ON_DEVICE ? "device" : "CPU",
                               w == CLG_ON_DEVICE ? "" : wheres[w].sentence,
                               &summary->counts[r][w]);
}

static void write_json(FILE *out, const struct clg_summary *summary) {
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_text(&json, "schema", RUN_SCHEMA);
    json_open(&json, "context", '{');
    json_count(&json, "processes", summary->processes);
    json_count(&json, "on_device", sum_of(summary, true).calls);
    json_count(&json, "on_cpu", sum_of(summary, false).calls);
    json_close(&json, '}');
    json_open(&json, "results", '[');
    for (int r = 0; r < CLG_SUMMARY_ROUTINES; r++)
        for (int w = 0; w < CLG_WHERES; w++) {
            const struct clg_count *count = &summary->counts[r][w];
            if (!count->calls)
                continue;
            json_open(&json, NULL, '{');
            json_text(&json, "routine", routines[r]);
            json_text(&json, "on", w == CLG_ON_DEVICE ? "device" : "cpu");
            json_text(&json, "why", wheres[w].word);
            json_count(&json, "calls", count->calls);
            json_number(&json, "seconds", (double)count->ns * 1e-9);
            json_number(&json, "gflops", gflops_of(count));
            json_close(&json, '}');
        }
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', out);
}

struct job {
    const struct output *output;
    const struct clg_summary *summary;
};

static int report(FILE *out, void *user) {
    const struct job *job = user;
    if (job->output->json)
        write_json(out, job->summary);
    else
        write_md(out, job->summary);
    return TOOL_OK;
}

int run_report(const struct output *output, const char *command,
               const struct clg_summary *summary) {
    struct job job = {output, summary};
    /* Standard output is the program's. */
    return output->path ? output_write(output, command, report, &job) : report(stderr, &job);
}
