/* SPDX-License-Identifier: Apache-2.0
 * What a compiled program depends on. */
#include "program/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/version.h"
#include "program/rewrite.h"

#define CHECKED "checked"

/* Every value is made a single line, because drivers' texts may contain anything. */
static void append(char *key, size_t size, size_t *length, const char *name, const char *value) {
    const size_t start = *length;
    int wrote = snprintf(key ? key + start : NULL, key ? size - start : 0, "%s: %s", name, value);
    *length = start + (wrote > 0 ? (size_t)wrote : 0) + 1;
    if (!key)
        return;
    for (char *c = key + start; *c; c++)
        if (*c == '\n')
            *c = ' ';
    key[*length - 1] = '\n';
}

char *clg_key_make(const struct clg_facts *device, const struct clg_source *source,
                   const char *options, const char *checked) {
    char hash[CLG_HASH_TEXT];
    const struct clg_hash text = clg_hash_of(source->text, source->length, NULL, 0);
    clg_hash_text(&text, hash);
    const struct {
        const char *name, *value;
    } lines[] = {
        {"library", CLG_VERSION},
        {"device", device->name},
        {"device version", device->version},
        {"driver", device->driver},
        {"platform", device->platform},
        {"platform version", device->platform_version},
        {"kernel", source->name},
        {"source", hash},
        {"options", options},
        {"rewritten for", clg_rewrite_of(source)}, /* NULL, as the next: it does not apply */
        {CHECKED, checked},
    };
    /* The first pass measures, the second writes. */
    char *key = NULL;
    size_t size = 0, length = 0;
    for (int pass = 0; pass < 2; pass++) {
        length = 0;
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            if (lines[i].value)
                append(key, size, &length, lines[i].name, lines[i].value);
        if (pass == 0 && !(key = malloc(size = length + 1)))
            return NULL;
    }
    key[length] = '\0';
    return key;
}

bool clg_key_is_checks(const char *key) {
    return strstr(key, "\n" CHECKED ": ");
}

void clg_key_field(const char *key, const char *name, char *out, size_t size) {
    const size_t name_length = strlen(name);
    out[0] = '\0';
    for (const char *line = key; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(line, name, name_length) == 0 && strncmp(line + name_length, ": ", 2) == 0) {
            const char *value = line + name_length + 2;
            snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
            return;
        }
}
