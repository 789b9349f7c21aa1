/* SPDX-License-Identifier: Apache-2.0
 * The library's facts of a persona, without any device. */
#ifndef CLG_TESTS_PERSONAS_NO_OPENCL_H
#define CLG_TESTS_PERSONAS_NO_OPENCL_H

#include "personas/persona.h"

#include "device/select.h"

/* Why the library does not use such a device, or NULL; *out is then what it knows of it. */
const char *persona_facts(const struct persona *persona, struct clg_facts *out);

#endif
