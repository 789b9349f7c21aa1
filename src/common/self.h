/* SPDX-License-Identifier: Apache-2.0
 * The executable of this process. */
#ifndef CLGEMM_SELF_H
#define CLGEMM_SELF_H

/* A path to it, to start it again or to find files beside it. Works without /proc too, unless the
 * working directory or the file has changed since the start. NULL if it cannot be found. The text
 * is static. */
const char *self_program(void);

#endif
