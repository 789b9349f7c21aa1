/* SPDX-License-Identifier: Apache-2.0
 * The table of element types. */
#include "gemm/type.h"

#include <string.h>

const struct clg_type clg_types[CLG_TYPE_COUNT] = {
#define ROW(name, letters, storage, scalar, needs, options) \
    [CLGEMM_##name] = {#name, letters, sizeof(storage), sizeof(scalar), options},
    CLG_TYPES(ROW)
#undef ROW
};

const char *clg_math_word(clgemm_math math) {
    switch (math) {
#define WORD(name, word)     \
    case CLGEMM_MATH_##name: \
        return word;
        CLG_MATHS(WORD)
#undef WORD
    }
    return NULL;
}

bool clg_math_of_word(const char *word, clgemm_math *out) {
    for (int math = CLGEMM_MATH_STRICT; clg_math_word((clgemm_math)math); math++)
        if (strcmp(word, clg_math_word((clgemm_math)math)) == 0) {
            *out = (clgemm_math)math;
            return true;
        }
    return false;
}

const char *clg_type_word(char text[CLG_TYPE_WORD], clgemm_type type) {
    size_t used = 0;
    for (const char *c = clg_types[type].name; *c && used + 1 < CLG_TYPE_WORD; c++)
        text[used++] = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    text[used] = '\0';
    return text;
}

bool clg_type_is_known(clgemm_type type) {
    return (int)type >= 0 && (int)type < CLG_TYPE_COUNT;
}

const char *clg_type_unsupported_reason(clgemm_type type, const struct clg_facts *facts) {
    switch (type) {
#define NEEDS(name, letters, storage, scalar, needs, options) \
    case CLGEMM_##name:                                       \
        return facts->needs ? NULL : "the device has no arithmetic for " #name;
        CLG_TYPES(NEEDS)
#undef NEEDS
    }
    return "the type is unknown";
}

double clg_type_peak(clgemm_type type, const struct clg_facts *facts) {
    const double share = clg_type_is_soft(type, facts)       ? 1. / CLG_SOFT_SLOWER
                         : clg_type_real(type) == CLGEMM_F64 ? facts->arch.doubles
                                                             : 1;
    return 2 * 1e6 * facts->clock_mhz * facts->compute_units * facts->arch.lanes * share;
}
