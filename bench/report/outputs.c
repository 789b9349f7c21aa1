/* SPDX-License-Identifier: Apache-2.0
 * The files that a run writes. */
#include "bench/report/outputs.h"

#include <stdlib.h>

#include "bench/console.h"
#include "bench/report/page.h"

/* A measure has at most one drawing. */
static const char *drawing(const struct options *o) {
    return o->timeline ? o->timeline : o->plot;
}

bool outputs_open(struct outputs *outputs, const struct options *o) {
    outputs->report = stdout;
    return output_open(&outputs->report, o->output.path, PROGRAM) &&
           output_open(&outputs->plot, drawing(o), PROGRAM) &&
           output_open(&outputs->page, o->page, PROGRAM);
}

/* The page around the report's JSON; false if memory is short. */
static bool write_page(FILE *out, report_writer *write, const void *report) {
    char *json = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&json, &size);
    if (memory)
        write(memory, FORMAT_JSON, report);
    const bool whole = memory && !fclose(memory);
    if (whole)
        page_write(out, json);
    else
        complain("out of memory");
    free(json);
    return whole;
}

bool outputs_write(struct outputs *outputs, const struct options *o, report_writer *write,
                   const void *report) {
    write(outputs->report, o->output.format, report);
    bool wrote = !outputs->page || write_page(outputs->page, write, report);
    wrote = output_close(&outputs->report, o->output.path, PROGRAM) && wrote;
    wrote = output_close(&outputs->plot, drawing(o), PROGRAM) && wrote;
    return output_close(&outputs->page, o->page, PROGRAM) && wrote;
}

void outputs_release(struct outputs *outputs) {
    FILE *const files[] = {outputs->report, outputs->plot, outputs->page};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] && files[i] != stdout)
            fclose(files[i]);
    *outputs = (struct outputs){0};
}
