/* SPDX-License-Identifier: Apache-2.0
 * A command line from a text, one word a line. */
#ifndef CLG_TESTS_FUZZ_COMMAND_LINE_H
#define CLG_TESTS_FUZZ_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { COMMAND_WORDS = 16 }; /* at most, including the program's name */

struct command_line {
    char *text;
    char *argv[COMMAND_WORDS + 1];
    int argc;
};

/* Messages of the option reader go to /dev/null from the first call on. */
void command_line_make(struct command_line *out, const uint8_t *data, size_t size);
void command_line_release(struct command_line *line);

#endif
