/* SPDX-License-Identifier: Apache-2.0
 * --regret from the command line to the exit code. */
#include "regret.h"

#include <stdlib.h>

#include "console.h"

double regret_of(const struct regret_result *r) {
    return r->outcome == OUTCOME_OK
               ? r->finalists[0].timing.median / r->finalists[r->best].timing.median
               : 0;
}

static void measure_all(struct regret_result *results, struct device *device,
                        const struct options *o) {
    size_t done = 0, total = o->shapes.count * o->trans_count;
    for (size_t s = 0; s < o->shapes.count; s++)
        for (size_t t = 0; t < o->trans_count; t++) {
            char text[SHAPE_TEXT];
            shape_text(text, o->shapes.items[s]);
            progress(done + 1, total, text, trans_name(o->trans[t]));
            regret_measure(&results[done++], device, o, o->shapes.items[s], o->trans[t]);
        }
    progress(0, 0, NULL, NULL);
}

int regret(const struct options *o) {
    const size_t count = o->shapes.count * o->trans_count;
    struct regret_result *results = calloc(count, sizeof *results);
    struct regret_report report = {.options = o, .results = results, .count = count};
    struct device device = {0};
    FILE *out = stdout;
    int code = results ? context_open(&report.context, &device, o) : EXIT_USAGE;
    if (!code && !output_open(&out, o->out))
        code = EXIT_USAGE;
    if (!code) {
        measure_all(results, &device, o);
        regret_report_write(out, &report);
        if (!output_close(&out, o->out))
            code = EXIT_USAGE;
    }
    for (size_t i = 0; i < count && !code; i++)
        if (results[i].outcome == OUTCOME_FAILED)
            code = EXIT_FAILED;
    device_close(&device);
    free(results);
    return code;
}
