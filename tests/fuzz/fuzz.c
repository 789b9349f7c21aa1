/* SPDX-License-Identifier: Apache-2.0
 * What the fuzz targets share. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/matrix.h"

void fuzz_check(int holds, const char *condition, const char *file, int line) {
    if (holds)
        return;
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = clg_test_alloc(size + 1);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

int fuzz_take(struct fuzz_bytes *bytes, int low, int high) {
    const int byte = bytes->at < bytes->end ? *bytes->at++ : 0;
    return low + byte % (high - low + 1);
}
