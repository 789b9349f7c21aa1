/* SPDX-License-Identifier: Apache-2.0
 * Readers of the values that options take. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_values.h"

#define CORETYPE_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The next item of a comma list; false at its end. An empty item comes back with length 0. */
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

bool option_trans(struct options *o, const char *text, char *why, size_t room) {
    const char *item;
    size_t length;
    o->trans_count = 0;
    while (next_item(&text, &item, &length)) {
        if (length != 2 || !strchr("NTC", item[0]) || !strchr("NTC", item[1])) {
            snprintf(why, room, "\"%.*s\" is none of NN, NT, TN, TT", (int)length, item);
            return false;
        }
        if (o->trans_count == sizeof o->trans / sizeof o->trans[0]) {
            snprintf(why, room, "more than four transposes");
            return false;
        }
        o->trans[o->trans_count++] =
            (struct transposes){item[0] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                item[1] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS};
    }
    return true;
}

bool option_peers(struct options *o, const char *text, char *why, size_t room) {
    static const struct {
        const char *word;
        unsigned peer;
    } peers[] = {{"openblas", PEER_OPENBLAS},
                 {"clblast", PEER_CLBLAST},
                 {"cublas", PEER_CUBLAS},
                 {"viennacl", PEER_VIENNACL}};
    const size_t count = sizeof peers / sizeof *peers;
    const char *item;
    size_t length;
    o->peers = 0;
    if (!strcmp(text, "none"))
        return true;
    while (next_item(&text, &item, &length)) {
        size_t i = 0;
        while (i < count && !is_word(item, length, peers[i].word))
            i++;
        if (i == count) {
            snprintf(why, room, "\"%.*s\" is none of openblas, clblast, cublas, viennacl, none",
                     (int)length, item);
            return false;
        }
        o->peers |= peers[i].peer;
    }
    return true;
}

static bool read_number(double *value, const char *text, char *why, size_t room) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value)) {
        snprintf(why, room, "\"%s\" is not a finite number", text);
        return false;
    }
    return true;
}

bool option_scalar(float *value, const char *text, char *why, size_t room) {
    double wide;
    if (!read_number(&wide, text, why, room))
        return false;
    *value = (float)wide;
    if (!isfinite(*value)) {
        snprintf(why, room, "\"%s\" does not fit single precision", text);
        return false;
    }
    return true;
}

bool option_gate(struct options *o, const char *text, char *why, size_t room) {
    if (!read_number(&o->fail_below, text, why, room))
        return false;
    if (o->fail_below <= 0) {
        snprintf(why, room, "the ratio must be above 0");
        return false;
    }
    return true;
}

bool option_layout(struct options *o, const char *text, char *why, size_t room) {
    if (strcmp(text, "row") && strcmp(text, "col")) {
        snprintf(why, room, "\"%s\" is neither row nor col", text);
        return false;
    }
    o->layout = strcmp(text, "row") ? CLGEMM_COL_MAJOR : CLGEMM_ROW_MAJOR;
    return true;
}

bool option_format(struct options *o, const char *text, char *why, size_t room) {
    static const char *const words[] = {"md", "csv", "json"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, words[i])) {
            o->format = (enum format)i;
            return true;
        }
    snprintf(why, room, "\"%s\" is none of md, csv, json", text);
    return false;
}

bool option_coretypes(struct options *o, const char *text, char *why, size_t room) {
    const char *item;
    size_t length;
    o->coretype_count = 0;
    while (next_item(&text, &item, &length)) {
        if (o->coretype_count == CORETYPES_MAX || !length || length >= CORETYPE_NAME ||
            strspn(item, CORETYPE_LETTERS) < length) {
            snprintf(why, room, "\"%.*s\" is no name of a core type, or one of more than %d",
                     (int)length, item, CORETYPES_MAX);
            return false;
        }
        char *name = o->coretypes[o->coretype_count++];
        for (size_t i = 0; i < length; i++)
            name[i] = (char)toupper((unsigned char)item[i]);
        name[length] = '\0';
    }
    return true;
}

bool option_repeat(struct options *o, const char *text, char *why, size_t room) {
    double wide;
    if (!read_number(&wide, text, why, room))
        return false;
    if (wide < 1 || wide > REPEAT_MAX || wide != floor(wide)) {
        snprintf(why, room, "\"%s\" is no whole number from 1 to %d", text, REPEAT_MAX);
        return false;
    }
    o->repeat = (int)wide;
    return true;
}
