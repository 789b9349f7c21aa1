/* SPDX-License-Identifier: Apache-2.0
 * Inserts a report's JSON into the page. */
#include "bench/report/page.h"

#include <string.h>

#include "program/source.h"

/* The page, embedded by the build: page.html with its style and scripts. */
extern const struct clg_source page_sources[];

/* Where the JSON goes. */
#define PLACE "@JSON@"

/* In JSON, "<" occurs in strings only. Escaped there, nothing can end the script element that holds
 * the JSON, or begin a comment in it. */
static void write_json(FILE *out, const char *json) {
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", out);
        else
            fputc(*json, out);
}

void page_write(FILE *out, const char *json) {
    const char *text = page_sources[0].text, *place = strstr(text, PLACE);
    fwrite(text, 1, (size_t)(place - text), out);
    write_json(out, json);
    fputs(place + strlen(PLACE), out);
}
