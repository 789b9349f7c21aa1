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

/* Fills the list anew; false with a sentence in `why` where the text is none. */
bool transposes_parse(struct transpose_list *list, const char *text, char *why, size_t room);

/* "NN", "NT" ... as the command line spells them. */
const char *trans_name(struct transposes trans);

#endif
