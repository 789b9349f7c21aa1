/* SPDX-License-Identifier: Apache-2.0
 * A command line from a text, a word a line. */
#ifndef CLG_TESTS_FUZZ_COMMAND_LINE_H
#define CLG_TESTS_FUZZ_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { COMMAND_WORDS = 16 }; /* at most, the program's name among them */

struct command_line {
    char *text;
    char *argv[COMMAND_WORDS + 1];
    int argc;
};

/* What the options' reader says goes to /dev/null from the first one on. */
void command_line_make(struct command_line *out, const uint8_t *data, size_t size);
void command_line_release(struct command_line *line);

#endif
