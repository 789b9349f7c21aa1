/* SPDX-License-Identifier: Apache-2.0
 * Results of checks of programs. */
#include "program/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/disk.h"
#include "program/key.h"
#include "program/source.h"

static const char title[] = "checked";

const char *const clg_finding_words[] = {"", "right", "wrong"};

/* A program's key with a last line that marks it as that of a check. */
static char *key_of(const struct clg_facts *device, const struct clg_checked *program) {
    const struct clg_source *source = clg_source_find(program->source);
    char *key = source ? clg_key_make(device, source, program->options) : NULL;
    const size_t length = key ? strlen(key) : 0, room = strlen(title) + strlen(program->what) + 4;
    char *longer = key ? realloc(key, length + room) : NULL;
    if (!longer)
        free(key);
    else
        snprintf(longer + length, room, "%s: %s\n", title, program->what);
    return longer;
}

char *clg_finding_key(const struct clg_facts *device, const struct clg_checked *programs,
                      int count) {
    char *all = NULL;
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        char *one = key_of(device, &programs[i]);
        const size_t more = one ? strlen(one) : 0;
        char *longer = one ? realloc(all, length + more + 1) : NULL;
        if (!longer) {
            free(one);
            free(all);
            return NULL;
        }
        all = longer;
        memcpy(all + length, one, more + 1);
        length += more;
        free(one);
    }
    return all;
}

bool clg_finding_is_key(const char *key) {
    char line[sizeof title + 3];
    snprintf(line, sizeof line, "\n%s: ", title);
    return strstr(key, line);
}

enum clg_finding clg_finding_read(const unsigned char *bytes, size_t size) {
    for (int finding = CLG_FINDING_RIGHT; finding <= CLG_FINDING_WRONG; finding++) {
        const char *word = clg_finding_words[finding];
        if (bytes && size == strlen(word) && !memcmp(bytes, word, size))
            return (enum clg_finding)finding;
    }
    return CLG_FINDING_NONE;
}

enum clg_finding clg_finding_find(struct clg_binaries *store, const char *key) {
    if (!store || !key)
        return CLG_FINDING_NONE;
    size_t size = 0;
    unsigned char *bytes = clg_binaries_find(store, key, &size);
    if (!bytes && (bytes = clg_disk_find(key, &size)))
        clg_binaries_keep(store, key, bytes, size);
    const enum clg_finding finding = clg_finding_read(bytes, size);
    free(bytes);
    return finding;
}

void clg_finding_keep(struct clg_binaries *store, const char *key, enum clg_finding finding) {
    if (!store || !key)
        return;
    const unsigned char *word = (const unsigned char *)clg_finding_words[finding];
    const size_t size = strlen(clg_finding_words[finding]);
    clg_binaries_keep(store, key, word, size);
    clg_disk_keep(key, word, size);
}
