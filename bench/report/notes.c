/* SPDX-License-Identifier: Apache-2.0
 * Remarks on the circumstances of figures. */
#include "bench/report/notes.h"

#include <string.h>

void note_restless(struct context *context, const char *who, double cores) {
    static const char key[] = "not_quiet";
    if (cores <= 0)
        return;
    for (int i = 0; i < context->count; i++) {
        char *value = context->items[i].value;
        const size_t length = strlen(value);
        if (!strcmp(context->items[i].key, key)) {
            snprintf(value + length, sizeof context->items[i].value - length, ", %s %.1f", who,
                     cores);
            return;
        }
    }
    context_add(context, key,
                "cores that the process kept busy for %.1f s or longer after calls, so that the "
                "next measurement shared them: %s %.1f",
                QUIET_MOST, who, cores);
}

void note_heaps(FILE *out, const char *what, const struct heaps *heaps, double flops) {
    if (!heaps->quick_count)
        return;
    fprintf(out,
            "\n%s: the samples fall into two clusters, %.2f times apart on %d cores: sometimes the "
            "scheduler let threads share a core with one another or with other processes. The "
            "faster %d have a median of %.4f ms",
            what, heaps->slow / heaps->quick, heaps->cores, heaps->quick_count, 1e3 * heaps->quick);
    if (flops > 0)
        fprintf(out, ", %.1f GFLOP/s", flops / heaps->quick * 1e-9);
    fputs(".\n", out);
}

void note_heap_figure(char cell[], size_t room, const struct heaps *heaps, int digits,
                      double figure) {
    const size_t length = strlen(cell);
    if (heaps->quick_count && length < room)
        snprintf(cell + length, room - length, " (%.*f)", digits, figure);
}
