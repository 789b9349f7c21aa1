/* SPDX-License-Identifier: Apache-2.0
 * `clgemm run`: the program's process. */
#ifndef CLGEMM_RUN_PROGRAM_H
#define CLGEMM_RUN_PROGRAM_H

/* Runs the program (its argv) with the present environment and waits for its end; returns its exit
 * code as the command's. Signals that are sent to this process meanwhile go to the program, but for
 * those that stop a process; what a terminal sends the program has of itself. `file`, unless it is
 * "", is removed when the program has ended, before any signal can end this process. */
int run_program(const char *command, char **program, const char *file);

#endif
