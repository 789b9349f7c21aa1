/* SPDX-License-Identifier: Apache-2.0
 * Reads back our own JSON. It need not read anyone else's: a result stands on one line, in the
 * order in which report_json() writes. */
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* The text from `start` up to `end`, which must follow. */
static bool copy_between(char *out, size_t room, const char *start, const char *end) {
    const char *stop = strstr(start, end);
    if (!stop || (size_t)(stop - start) >= room)
        return false;
    memcpy(out, start, (size_t)(stop - start));
    out[stop - start] = '\0';
    return true;
}

/* The rate of one of our two series in a result's line; 0 if it is not there. */
static double read_rate(const char *line, const char *series) {
    char mark[64];
    snprintf(mark, sizeof mark, "\"%s\": {", series);
    const char *start = strstr(line, mark);
    if (!start)
        return 0;
    const char *end = strchr(start + strlen(mark), '}');
    const char *rate = strstr(start, "\"gflops\": ");
    return rate && end && rate < end ? strtod(rate + strlen("\"gflops\": "), NULL) : 0;
}

/* Takes in one line; false only when out of memory. */
static bool read_line(struct baseline *b, const char *line) {
    static const char result[] = "{\"shape\": ", device[] = "\"device\": \"";
    line += strspn(line, " ,");
    if (!strncmp(line, device, strlen(device)))
        copy_between(b->device, sizeof b->device, line + strlen(device), "\"");
    if (strncmp(line, result, strlen(result)) != 0)
        return true;
    struct baseline_entry entry;
    if (!copy_between(entry.key, sizeof entry.key, line + 1, ", \"m\": "))
        return true;
    entry.gflops[OURS_HOST] = read_rate(line, ours_host_ops.key);
    entry.gflops[OURS_DEVICE] = read_rate(line, ours_device_ops.key);
    struct baseline_entry *grown = realloc(b->entries, (b->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    b->entries = grown;
    b->entries[b->count++] = entry;
    return true;
}

bool baseline_read(struct baseline *b, const char *path, char *why, size_t room) {
    *b = (struct baseline){0};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t line_room = 0;
    bool ours = false, memory = true;
    if (!file) {
        snprintf(why, room, "%s: %s", path, strerror(errno));
        return false;
    }
    if (getline(&line, &line_room, file) > 0)
        ours = strstr(line, "\"schema\": \"" REPORT_SCHEMA "\"") != NULL;
    while (ours && memory && getline(&line, &line_room, file) > 0)
        memory = read_line(b, line);
    free(line);
    fclose(file);
    if (!memory)
        snprintf(why, room, "%s: out of memory", path);
    else if (!ours || !b->count)
        snprintf(why, room, "%s: not a JSON report of clgemm-bench (" REPORT_SCHEMA ")", path);
    return memory && ours && b->count;
}

void baseline_release(struct baseline *b) {
    free(b->entries);
    *b = (struct baseline){0};
}

const char *baseline_key(char key[BASELINE_KEY], const struct options *o,
                         const struct result *row) {
    const char *coretype = result_coretype(row);
    char shape[SHAPE_TEXT];
    snprintf(key, BASELINE_KEY,
             "\"shape\": \"%s\", \"trans\": \"%s\", \"layout\": \"%s\", \"alpha\": %.9g, "
             "\"beta\": %.9g%s%s%s",
             shape_text(shape, row->shape), trans_name(row->trans),
             o->layout == CLGEMM_ROW_MAJOR ? "row" : "col", o->alpha, o->beta,
             *coretype ? ", \"coretype\": \"" : "", coretype, *coretype ? "\"" : "");
    return key;
}

double baseline_ratio(const struct baseline *b, const struct options *o, const struct result *r,
                      int ours) {
    char key[BASELINE_KEY];
    baseline_key(key, o, r);
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->entries[i].key, key) != 0 || b->entries[i].gflops[ours] <= 0)
            continue;
        const struct series *s = &r->series[ours];
        return s->outcome == OUTCOME_OK ? s->gflops / b->entries[i].gflops[ours] : -1;
    }
    return 0;
}
