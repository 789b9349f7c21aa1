/* SPDX-License-Identifier: Apache-2.0
 * Results of checks of programs. */
#include "program/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/disk.h"
#include "program/key.h"
#include "program/source.h"

#define SPILLS " spills "
enum { ENTRY = 64 };

const char *const clg_finding_words[] = {"", "right", "wrong"};

char *clg_finding_key(const struct clg_facts *device, const struct clg_checked *programs,
                      int count) {
    char *all = NULL;
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        const struct clg_source *source = clg_source_find(programs[i].source);
        char *one =
            source ? clg_key_make(device, source, programs[i].options, programs[i].what) : NULL;
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

/* Writes the entry of a result, and returns its length. */
static size_t write(char text[ENTRY], enum clg_finding finding, uint64_t spills) {
    const char *word = clg_finding_words[finding];
    return (size_t)(spills ? snprintf(text, ENTRY, "%s" SPILLS "%" PRIu64, word, spills)
                           : snprintf(text, ENTRY, "%s", word));
}

enum clg_finding clg_finding_read(const unsigned char *bytes, size_t size, uint64_t *spills) {
    char text[ENTRY] = "", same[ENTRY];
    *spills = 0;
    if (!bytes || size >= sizeof text)
        return CLG_FINDING_NONE;
    memcpy(text, bytes, size);
    const char *number = strstr(text, SPILLS);
    const uint64_t found = number ? strtoull(number + strlen(SPILLS), NULL, 10) : 0;
    for (int finding = CLG_FINDING_RIGHT; finding <= CLG_FINDING_WRONG; finding++)
        if (write(same, (enum clg_finding)finding, found) == size && !memcmp(same, bytes, size)) {
            *spills = found;
            return (enum clg_finding)finding;
        }
    return CLG_FINDING_NONE;
}

enum clg_finding clg_finding_find(struct clg_binaries *store, const char *key, uint64_t *spills) {
    *spills = 0;
    if (!store || !key)
        return CLG_FINDING_NONE;
    size_t size = 0;
    unsigned char *bytes = clg_binaries_find(store, key, &size);
    if (!bytes && (bytes = clg_disk_find(key, &size)))
        clg_binaries_keep(store, key, bytes, size);
    const enum clg_finding finding = clg_finding_read(bytes, size, spills);
    free(bytes);
    return finding;
}

void clg_finding_keep(struct clg_binaries *store, const char *key, enum clg_finding finding,
                      uint64_t spills) {
    if (!store || !key)
        return;
    char text[ENTRY];
    const size_t size = write(text, finding, spills);
    clg_binaries_keep(store, key, (const unsigned char *)text, size);
    clg_disk_keep(key, (const unsigned char *)text, size);
}
