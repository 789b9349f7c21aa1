/* SPDX-License-Identifier: Apache-2.0
 * What checks of programs have shown (run/check.h), kept as binaries are: in memory for another
 * context of this process, on disk for the next process. */
#ifndef CLG_PROGRAM_FINDING_H
#define CLG_PROGRAM_FINDING_H

#include "device/facts.h"
#include "program/binaries.h"

enum clg_finding {
    CLG_FINDING_NONE, /* not known */
    CLG_FINDING_RIGHT,
    CLG_FINDING_WRONG
};

/* "", "right", "wrong". */
extern const char *const clg_finding_words[];

struct clg_checked {
    const char *source; /* the name of an embedded one */
    const char *options;
    const char *what; /* more words where there is more than one thing to find of it, as where a
                         device makes other code of the program for some launches; "" */
};

/* A key as program/key.h makes it of a program, of all that were checked together, in their order.
 * Owned by the caller (free); NULL where memory is short. */
char *clg_finding_key(const struct clg_facts *device, const struct clg_checked *programs,
                      int count);

/* Whether a key is one of these, no program's. */
bool clg_finding_is_key(const char *key);

/* The finding in such an entry. */
enum clg_finding clg_finding_read(const unsigned char *bytes, size_t size);

/* From memory, else from disk; and into both. `store` NULL: from and to neither. */
enum clg_finding clg_finding_find(struct clg_binaries *store, const char *key);
void clg_finding_keep(struct clg_binaries *store, const char *key, enum clg_finding finding);

#endif
