/* SPDX-License-Identifier: Apache-2.0
 * Describes the speed of host and bus. */
#ifndef CLGEMM_COMMON_HOST_SPEEDS_H
#define CLGEMM_COMMON_HOST_SPEEDS_H

#include <stdio.h>

#include "tuning/table.h"

/* One sentence, without a newline. */
void host_speeds_print(FILE *out, const struct clg_host_speeds *speeds);

#endif
