/* SPDX-License-Identifier: Apache-2.0
 * The table of tunables as build options. */
#include "gemm/params.h"

#include <stdio.h>

size_t clg_params_options(const struct clg_params *params, char *out, size_t size) {
    const struct {
        const char *option;
        int value;
    } tunables[] = {
#define ENTRY(option, field, meaning) {#option, params->field},
        CLG_TUNABLES(ENTRY)
#undef ENTRY
    };
    size_t used = 0;
    if (size > 0)
        out[0] = '\0';
    for (size_t i = 0; i < sizeof tunables / sizeof tunables[0]; i++)
        if (tunables[i].value)
            used += (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0,
                                     "%s-D%s=%d", used ? " " : "", tunables[i].option,
                                     tunables[i].value);
    return used;
}
