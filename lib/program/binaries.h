/* SPDX-License-Identifier: Apache-2.0
 * Built programs as host memory, so that another context of the same device need not compile.
 *
 * Entries are found by their key (see program/key.h) and stay until the store is freed; there are
 * as many as distinct programs, a few dozen kilobytes each. Safe for any number of threads. */
#ifndef CLG_PROGRAM_BINARIES_H
#define CLG_PROGRAM_BINARIES_H

#include <stdbool.h>
#include <stddef.h>

struct clg_binaries;

/* NULL where memory is short. Free with clg_binaries_free (NULL is fine). */
struct clg_binaries *clg_binaries_new(void);
void clg_binaries_free(struct clg_binaries *store);

/* A copy of the binary, owned by the caller (free), or NULL if there is none. */
unsigned char *clg_binaries_find(struct clg_binaries *store, const char *key, size_t *size);

/* Keeps a copy, or replaces the one that is there. Without memory, nothing is kept. */
void clg_binaries_keep(struct clg_binaries *store, const char *key, const unsigned char *bytes,
                       size_t size);

/* True if the caller is to make this binary; he then ends that with clg_binaries_unclaim. Waits
 * while another one makes it. False if it is there now, or was made before: a binary is asked of a
 * driver once in a process, since PoCL 3.1 does not survive it while the program runs. */
bool clg_binaries_claim(struct clg_binaries *store, const char *key);

/* `made`: whether the program was built, with or without a binary in the end. */
void clg_binaries_unclaim(struct clg_binaries *store, const char *key, bool made);

#endif
