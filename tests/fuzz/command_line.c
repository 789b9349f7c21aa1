/* SPDX-License-Identifier: Apache-2.0
 * A command line from a text. */
#define _POSIX_C_SOURCE 200809L
#include "command_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/* stderr remains open for sanitizers, which write to its descriptor. */
static void be_quiet(void) {
    static int done;
    if (!done++ && (!freopen("/dev/null", "w", stdout) || !(stderr = fopen("/dev/null", "w"))))
        abort();
}

void command_line_make(struct command_line *out, const uint8_t *data, size_t size) {
    static char name[] = "fuzz";
    be_quiet();
    *out = (struct command_line){.text = fuzz_text(data, size), .argv = {name}, .argc = 1};
    char *rest = NULL;
    for (char *word = strtok_r(out->text, "\n", &rest); word && out->argc < COMMAND_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        out->argv[out->argc++] = word;
}

void command_line_release(struct command_line *line) {
    free(line->text);
}
