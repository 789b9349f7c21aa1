/* SPDX-License-Identifier: Apache-2.0
 * The `clgemm` command line tool: the declarations that its commands share. */
#ifndef CLGEMM_TOOL_H
#define CLGEMM_TOOL_H

#include "src/common/exit.h"

/* The commands. argv[0] is "clgemm NAME"; each returns an exit code and has a row in main.c's
 * table. */
int info_command(int argc, char **argv);
int cache_command(int argc, char **argv);
int inspect_command(int argc, char **argv);
int run_command(int argc, char **argv);
int tune_command(int argc, char **argv);

#endif
