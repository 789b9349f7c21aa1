/* SPDX-License-Identifier: Apache-2.0
 * The option --trans: a list of NN, NT, TN, TT. */
#ifndef CLGEMM_TRANSPOSES_H
#define CLGEMM_TRANSPOSES_H

#include <stdbool.h>
#include <stddef.h>

#include "clgemm.h"

enum { MAX_TRANSPOSES = 4 };

struct transposes {
    clgemm_transpose ta, tb;
};

struct transpose_list {
    struct transposes items[MAX_TRANSPOSES];
    size_t count;
};

/* Adds to the list; false with a sentence in `why` where the text is none. */
bool transposes_parse(struct transpose_list *list, const char *text, char *why, size_t room);

#endif
