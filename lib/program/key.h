/* SPDX-License-Identifier: Apache-2.0
 * What a compiled program depends on, as one text: programs with the same key are interchangeable.
 */
#ifndef CLG_PROGRAM_KEY_H
#define CLG_PROGRAM_KEY_H

#include <stdbool.h>

#include "device/facts.h"
#include "program/source.h"

/* One line each: library version, device name and version, driver, platform and its version, source
 * name and hash of its text, build options (which contain all parameters); of a check of the
 * program what it is of (`checked`; NULL: the program's own key). The caller frees it. NULL if
 * memory is short. */
char *clg_key_make(const struct clg_facts *device, const struct clg_source *source,
                   const char *options, const char *checked);

/* Whether a key is that of a check, or of several. */
bool clg_key_is_checks(const char *key);

/* The text after "name: " in a key's line, copied to `out` and cut to its size; "" if there is no
 * such line. */
void clg_key_field(const char *key, const char *name, char *out, size_t size);

#endif
