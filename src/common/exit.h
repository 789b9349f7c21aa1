/* SPDX-License-Identifier: Apache-2.0
 * The exit codes of the programs `clgemm` and `clgemm-bench`. */
#ifndef CLGEMM_COMMON_EXIT_H
#define CLGEMM_COMMON_EXIT_H

/* EXIT_FAILED: a check failed. EXIT_USAGE: the command line is wrong, or a file cannot be read or
 * written. EXIT_NO_DEVICE: test runners read it as "skipped". */
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 77 };

#endif
