/* SPDX-License-Identifier: Apache-2.0
 * Programs with instructions that the OpenCL compiler refuses. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "program/rewrite.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "//@ ", target[] = ".target sm_90";
enum { MARK = sizeof mark - 1, TARGET = sizeof target - 1 };

const char *clg_rewrite_of(const struct clg_source *source) {
    return strstr(source->text, "\"//@ ") ? "sm_90a" : NULL;
}

/* Copies `ptx` without its marks to `out`, which has room for one byte more. Whether it is PTX for
 * the expected target, with marks. */
static bool rewrite(char *out, const char *ptx) {
    int marks = 0, targets = 0;
    while (*ptx)
        if (strncmp(ptx, mark, MARK) == 0) {
            ptx += MARK;
            marks++;
        } else if (strncmp(ptx, target, TARGET) == 0 && (ptx[TARGET] < '0' || ptx[TARGET] > '9') &&
                   ptx[TARGET] != 'a') {
            memcpy(out, target, TARGET);
            out[TARGET] = 'a';
            out += TARGET + 1;
            ptx += TARGET;
            targets++;
        } else {
            *out++ = *ptx++;
        }
    *out = '\0';
    return marks > 0 && targets == 1;
}

bool clg_rewrite_ptx(unsigned char **binary, size_t *size) {
    char *ptx = strndup((const char *)*binary, *size);
    char *out = ptx ? malloc(strlen(ptx) + 2) : NULL;
    const bool good = out && rewrite(out, ptx);
    free(ptx);
    if (!good) {
        free(out);
        return false;
    }
    free(*binary);
    *binary = (unsigned char *)out;
    *size = strlen(out) + 1; /* with the final NUL, as the driver returns it */
    return true;
}
