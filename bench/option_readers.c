/* SPDX-License-Identifier: Apache-2.0
 * Readers of option values that only this program has. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/option_readers.h"
#include "bench/options.h"
#include "bench/problem.h"
#include "gemm/family.h"

#define CORETYPE_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The next item of a comma list; false at its end. An empty item has length 0. */
static bool next_item(const char **text, const char **item, size_t *length) {
    if (!*text)
        return false;
    *item = *text;
    *length = strcspn(*text, ",");
    *text = (*text)[*length] ? *text + *length + 1 : NULL;
    return true;
}

static bool is_word(const char *item, size_t length, const char *word) {
    return strlen(word) == length && !memcmp(item, word, length);
}

bool option_peers(void *field, const char *text, char *why, size_t room) {
    static const struct {
        const char *word;
        unsigned peer;
    } peers[] = {{"openblas", PEER_OPENBLAS},
                 {"clblast", PEER_CLBLAST},
                 {"cublas", PEER_CUBLAS},
                 {"viennacl", PEER_VIENNACL},
                 {"cublasxt", PEER_CUBLASXT}};
    const size_t count = sizeof peers / sizeof *peers;
    const char *item;
    size_t length;
    unsigned *out = field;
    *out = 0;
    if (!strcmp(text, "none"))
        return true;
    while (next_item(&text, &item, &length)) {
        size_t i = 0;
        while (i < count && !is_word(item, length, peers[i].word))
            i++;
        if (i == count) {
            snprintf(why, room,
                     "\"%.*s\" is not one of openblas, clblast, cublas, viennacl, cublasxt, none",
                     (int)length, item);
            return false;
        }
        *out |= peers[i].peer;
    }
    return true;
}

bool option_families(void *field, const char *text, char *why, size_t room) {
    const char *item;
    size_t length;
    unsigned *out = field;
    *out = 0;
    while (next_item(&text, &item, &length)) {
        size_t i = 0;
        while (clg_families[i] && !is_word(item, length, clg_families[i]->name))
            i++;
        if (!clg_families[i]) {
            snprintf(why, room, "\"%.*s\" is not a family: see docs/design.md", (int)length, item);
            return false;
        }
        *out |= 1u << i;
    }
    return true;
}

/* A number, or the two of a complex one. */
bool option_factor(void *field, const char *text, char *why, size_t room) {
    struct factor *factor = field;
    char re[FACTOR_TEXT];
    const size_t length = strcspn(text, ",");
    *factor = (struct factor){0};
    if (!text[length] || length >= sizeof re)
        return option_read_number(&factor->re, text, why, room);
    memcpy(re, text, length);
    re[length] = '\0';
    return option_read_number(&factor->re, re, why, room) &&
           option_read_number(&factor->im, text + length + 1, why, room);
}

bool option_gate(void *field, const char *text, char *why, size_t room) {
    double *ratio = field;
    if (!option_read_number(ratio, text, why, room))
        return false;
    if (*ratio <= 0) {
        snprintf(why, room, "the ratio must be above 0");
        return false;
    }
    return true;
}

/* Which of two words it is. */
static bool one_of(const char *text, const char *first, const char *second, bool *is_second,
                   char *why, size_t room) {
    *is_second = !strcmp(text, second);
    if (*is_second || !strcmp(text, first))
        return true;
    snprintf(why, room, "\"%s\" is neither %s nor %s", text, first, second);
    return false;
}

bool option_layout(void *field, const char *text, char *why, size_t room) {
    bool second;
    const bool read = one_of(text, "row", "col", &second, why, room);
    *(clgemm_layout *)field = second ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
    return read;
}

bool option_side(void *field, const char *text, char *why, size_t room) {
    bool second;
    const bool read = one_of(text, "left", "right", &second, why, room);
    *(clgemm_side *)field = second ? CLGEMM_RIGHT : CLGEMM_LEFT;
    return read;
}

bool option_uplo(void *field, const char *text, char *why, size_t room) {
    bool second;
    const bool read = one_of(text, "lower", "upper", &second, why, room);
    *(clgemm_uplo *)field = second ? CLGEMM_UPPER : CLGEMM_LOWER;
    return read;
}

bool option_routine(void *field, const char *text, char *why, size_t room) {
    for (int routine = 0; routine <= CLGEMM_TRSM; routine++)
        if (!strcmp(text, routine_name((clgemm_routine)routine))) {
            *(clgemm_routine *)field = (clgemm_routine)routine;
            return true;
        }
    snprintf(why, room, "\"%s\" is not a routine of level 3", text);
    return false;
}

bool option_coretypes(void *field, const char *text, char *why, size_t room) {
    struct coretype_list *list = field;
    const char *item;
    size_t length;
    list->count = 0;
    while (next_item(&text, &item, &length)) {
        if (list->count == CORETYPES_MAX || !length || length >= CORETYPE_NAME ||
            strspn(item, CORETYPE_LETTERS) < length) {
            snprintf(why, room, "\"%.*s\" is not a core type's name, or there are more than %d",
                     (int)length, item, CORETYPES_MAX);
            return false;
        }
        char *name = list->names[list->count++];
        for (size_t i = 0; i < length; i++)
            name[i] = (char)toupper((unsigned char)item[i]);
        name[length] = '\0';
    }
    return true;
}

bool option_repeat(void *field, const char *text, char *why, size_t room) {
    return option_read_count(field, 1, REPEAT_MAX, text, why, room);
}

bool option_samples(void *field, const char *text, char *why, size_t room) {
    return option_read_count(field, 1, TIMING_SAMPLES_MAX, text, why, room);
}

bool option_largest(void *field, const char *text, char *why, size_t room) {
    return option_read_count(field, RANDOM_LARGEST_LEAST, INT_MAX, text, why, room);
}

bool option_steps(void *field, const char *text, char *why, size_t room) {
    return ladder_parse_steps(field, text, why, room);
}
