/* SPDX-License-Identifier: Apache-2.0
 * The library's facts of a persona, without a device. */
#ifndef CLG_TESTS_PERSONAS_NO_OPENCL_H
#define CLG_TESTS_PERSONAS_NO_OPENCL_H

#include "personas/persona.h"

#include "device/select.h"

/* Why the library does not use such a device, or NULL and the facts in *out. */
const char *persona_facts(const struct persona *persona, struct clg_facts *out);

#endif
