/* SPDX-License-Identifier: Apache-2.0
 * The library's version as a string literal, from the numbers in clgemm.h. */
#ifndef CLG_BASE_VERSION_H
#define CLG_BASE_VERSION_H

#include "clgemm.h"

#define CLG_STRING_OF(x) #x
#define CLG_DOTTED(major, minor, patch) \
    CLG_STRING_OF(major) "." CLG_STRING_OF(minor) "." CLG_STRING_OF(patch)
#define CLG_VERSION CLG_DOTTED(CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR, CLGEMM_VERSION_PATCH)

#endif
