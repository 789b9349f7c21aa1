/* SPDX-License-Identifier: Apache-2.0
 * Readers for the values of options that several programs have. */
#include "src/common/option_readers.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gemm/type.h"
#include "src/common/ladder_steps.h"
#include "src/common/output.h"
#include "src/common/shape.h"
#include "src/common/transposes.h"

bool option_on(void *field, const char *text, char *why, size_t room) {
    (void)text, (void)why, (void)room;
    *(bool *)field = true;
    return true;
}

bool option_off(void *field, const char *text, char *why, size_t room) {
    (void)text, (void)why, (void)room;
    *(bool *)field = false;
    return true;
}

bool option_text(void *field, const char *text, char *why, size_t room) {
    (void)why, (void)room;
    *(const char **)field = text;
    return true;
}

bool option_shapes(void *field, const char *text, char *why, size_t room) {
    return shapes_parse(field, text, why, room);
}

bool option_sizes(void *field, const char *text, char *why, size_t room) {
    return shapes_parse_sizes(field, text, why, room);
}

bool option_suite(void *field, const char *text, char *why, size_t room) {
    return shapes_add_suite(field, text, why, room);
}

bool option_trans(void *field, const char *text, char *why, size_t room) {
    return transposes_parse(field, text, why, room);
}

/* Named by the letters of the BLAS routines. */
bool option_type(void *field, const char *text, char *why, size_t room) {
    for (int i = 0; i < CLG_TYPE_COUNT; i++)
        if (strcmp(text, clg_types[i].letters) == 0) {
            *(clgemm_type *)field = (clgemm_type)i;
            return true;
        }
    snprintf(why, room, "\"%s\" is not one of s, d, h, bf16, c, z", text);
    return false;
}

bool option_format(void *field, const char *text, char *why, size_t room) {
    return format_parse(field, text, false, why, room);
}

bool option_format_csv(void *field, const char *text, char *why, size_t room) {
    return format_parse(field, text, true, why, room);
}

bool option_ladder_setting(void *field, const char *text, char *why, size_t room) {
    return ladder_set(field, text, why, room);
}

bool option_math(void *field, const char *text, char *why, size_t room) {
    for (int math = CLGEMM_MATH_STRICT; clg_math_word((clgemm_math)math); math++)
        if (!strcasecmp(text, clg_math_word((clgemm_math)math))) {
            *(clgemm_math *)field = (clgemm_math)math;
            return true;
        }
    snprintf(why, room, "\"%s\" is not a mode: strict, accurate, normwise, tf32, bf16 or f16",
             text);
    return false;
}

bool option_read_number(double *value, const char *text, char *why, size_t room) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value)) {
        snprintf(why, room, "\"%s\" is not a finite number", text);
        return false;
    }
    return true;
}

bool option_read_count(int *count, int least, int most, const char *text, char *why, size_t room) {
    double wide;
    if (!option_read_number(&wide, text, why, room))
        return false;
    if (wide < least || wide > most || wide != floor(wide)) {
        snprintf(why, room, "\"%s\" is not an integer from %d to %d", text, least, most);
        return false;
    }
    *count = (int)wide;
    return true;
}

bool option_count(void *field, const char *text, char *why, size_t room) {
    return option_read_count(field, 1, INT_MAX, text, why, room);
}
