/* SPDX-License-Identifier: Apache-2.0
 * The `clgemm` command line tool: what its commands share. */
#ifndef CLGEMM_TOOL_H
#define CLGEMM_TOOL_H

#include <stdbool.h>

/* Exit codes. TOOL_USAGE is also that of an output file that cannot be written. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2, TOOL_NO_DEVICE = 77 };

/* What a command line asks for; where it is wrong, stderr has been told. */
enum parsed { PARSED_RUN, PARSED_HELP, PARSED_WRONG };

/* Whether to go on; else prints the help, or where to find it, and sets the exit code. */
bool tool_goes_on(enum parsed parsed, const char *command, const char *help, int *code);

/* Commands: argv[0] is "clgemm NAME"; each returns an exit code. One row each in main.c's table. */
int info_command(int argc, char **argv);
int cache_command(int argc, char **argv);
int inspect_command(int argc, char **argv);
int run_command(int argc, char **argv);
int tune_command(int argc, char **argv);

#endif
