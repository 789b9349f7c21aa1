/* SPDX-License-Identifier: Apache-2.0
 * The file of the program that runs. */
#ifndef CLGEMM_SELF_H
#define CLGEMM_SELF_H

/* A path to it, to start it again or to look beside it: also where there is no /proc, unless the
 * working directory or the file has changed since the start. NULL where there is none. The text is
 * static. */
const char *self_program(void);

#endif
