/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: the program's process. */
#ifndef CLGEMM_RUN_PROGRAM_H
#define CLGEMM_RUN_PROGRAM_H

/* Runs the program (its argv) with the present environment, waits for its end, and returns its exit
 * code as the command's. *signal is the one that ended it, or 0. Signals sent to this process
 * meanwhile go to the program, except those that stop a process and those that the terminal sends
 * to the program itself. `file`, unless it is
 * "", is removed when the program has ended, before any signal can end this process. */
int run_program(const char *command, char **program, const char *file, int *signal);

#endif
