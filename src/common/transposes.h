/* SPDX-License-Identifier: Apache-2.0
 * The option --trans: a list of NN, NT, TN, TT. */
#ifndef CLGEMM_COMMON_TRANSPOSES_H
#define CLGEMM_COMMON_TRANSPOSES_H

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

/* Replaces the list. Returns false with a sentence in `why` if the text is not valid. */
bool transposes_parse(struct transpose_list *list, const char *text, char *why, size_t room);

/* "NN", "NT" ... as on the command line. */
const char *trans_name(struct transposes trans);

#endif
