/* SPDX-License-Identifier: Apache-2.0
 * What a compiled program depends on, as one text: programs with the same key are interchangeable.
 */
#ifndef CLG_PROGRAM_KEY_H
#define CLG_PROGRAM_KEY_H

#include "device/facts.h"
#include "program/source.h"

/* One line each: library version, device name and version, driver, platform and its version, source
 * name and hash of its text, build options (which contain all parameters). The caller frees it.
 * NULL if memory is short. */
char *clg_key_make(const struct clg_facts *device, const struct clg_source *source,
                   const char *options);

/* The text after "name: " in a key's line, copied to `out` and cut to its size; "" if there is no
 * such line. */
void clg_key_field(const char *key, const char *name, char *out, size_t size);

#endif
