/* SPDX-License-Identifier: Apache-2.0
 * Compiled programs in host memory, so that another context of the same device need not compile.
 *
 * Entries are found by their key (see program/key.h) and stay until the store is freed. There is
 * one for each distinct program, of a few dozen kilobytes. Safe for any number of threads. */
#ifndef CLG_PROGRAM_BINARIES_H
#define CLG_PROGRAM_BINARIES_H

#include <stdbool.h>
#include <stddef.h>

struct clg_binaries;

/* NULL if memory is short. Free with clg_binaries_free (NULL is fine). */
struct clg_binaries *clg_binaries_new(void);
void clg_binaries_free(struct clg_binaries *store);

/* A copy of the binary, which the caller frees, or NULL if there is none. */
unsigned char *clg_binaries_find(struct clg_binaries *store, const char *key, size_t *size);

/* Keeps a copy, which replaces an existing one. If memory is short, nothing is kept. */
void clg_binaries_keep(struct clg_binaries *store, const char *key, const unsigned char *bytes,
                       size_t size);

/* Waits while another thread makes this binary. Returns true if the caller must make it, and then
 * call clg_binaries_unclaim; false if it exists or was made before. Each binary is requested from a
 * driver once per process, because PoCL 3.1 crashes if it is requested while the program runs. */
bool clg_binaries_claim(struct clg_binaries *store, const char *key);

/* `made`: whether the program was built, even if no binary could be kept. */
void clg_binaries_unclaim(struct clg_binaries *store, const char *key, bool made);

#endif
