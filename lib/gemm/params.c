/* SPDX-License-Identifier: Apache-2.0
 * The table of tunables: by name, and as build options. */
#include "gemm/params.h"

#include <stdio.h>
#include <string.h>

/* TILE_N may be as long as C is wide; all others count work-items, lanes, steps or slices. */
enum { LARGEST_TILE = 1 << 28, LARGEST = 4096, LONGEST_OPTIONS = 240 };

const struct clg_tunable clg_tunables[CLG_TUNABLE_COUNT] = {
#define ENTRY(option, field, meaning) \
    {#option, #field, meaning, offsetof(struct clg_params, field)},
    CLG_TUNABLES(ENTRY)
#undef ENTRY
};

int clg_params_get(const struct clg_params *params, const struct clg_tunable *tunable) {
    int value;
    memcpy(&value, (const char *)params + tunable->offset, sizeof value);
    return value;
}

void clg_params_set(struct clg_params *params, const struct clg_tunable *tunable, int value) {
    memcpy((char *)params + tunable->offset, &value, sizeof value);
}

bool clg_params_equal(const struct clg_params *left, const struct clg_params *right) {
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++)
        if (clg_params_get(left, &clg_tunables[i]) != clg_params_get(right, &clg_tunables[i]))
            return false;
    return true;
}

const char *clg_params_unsupported_reason(const struct clg_params *params) {
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++) {
        const struct clg_tunable *tunable = &clg_tunables[i];
        const int value = clg_params_get(params, tunable);
        const bool is_tile = strncmp(tunable->name, "TILE_", 5) == 0;
        if (value < 0)
            return "a value is negative";
        if (value > (is_tile ? LARGEST_TILE : LARGEST))
            return "a value is too large";
    }
    return clg_params_options(params, NULL, 0) > LONGEST_OPTIONS ? "there are too many values"
                                                                 : NULL;
}

size_t clg_params_options(const struct clg_params *params, char *out, size_t size) {
    size_t used = 0;
    if (size > 0)
        out[0] = '\0';
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++) {
        const int value = clg_params_get(params, &clg_tunables[i]);
        if (value)
            used += (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0,
                                     "%s-D%s=%d", used ? " " : "", clg_tunables[i].name, value);
    }
    return used;
}
