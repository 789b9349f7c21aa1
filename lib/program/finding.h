/* SPDX-License-Identifier: Apache-2.0
 * Results of checks of programs (run/check.h), with what their kernels spill, kept as binaries are:
 * in memory for other contexts of this process, on disk for later processes. */
#ifndef CLG_PROGRAM_FINDING_H
#define CLG_PROGRAM_FINDING_H

#include "device/facts.h"
#include "program/binaries.h"

enum clg_finding {
    CLG_FINDING_NONE, /* unknown */
    CLG_FINDING_RIGHT,
    CLG_FINDING_WRONG
};

/* "", "right", "wrong". */
extern const char *const clg_finding_words[];

struct clg_checked {
    const char *source; /* name of an embedded source */
    const char *options;
    const char *what; /* tells several results of one program apart, as when a device makes
                         different code for some launches; else "" */
};

/* The key, as in program/key.h, of all programs that were checked together, in their order. The
 * caller frees it. NULL if memory is short. */
char *clg_finding_key(const struct clg_facts *device, const struct clg_checked *programs,
                      int count);

/* The result in such an entry: "right", "wrong", or "right spills 64", whose number of bytes
 * (clg_kernel_spills, of all kernels together) becomes *spills; else that is 0. */
enum clg_finding clg_finding_read(const unsigned char *bytes, size_t size, uint64_t *spills);

/* Finds a result in memory, else on disk, or keeps it in both. With `store` NULL they do nothing.
 */
enum clg_finding clg_finding_find(struct clg_binaries *store, const char *key, uint64_t *spills);
void clg_finding_keep(struct clg_binaries *store, const char *key, enum clg_finding finding,
                      uint64_t spills);

#endif
