/* SPDX-License-Identifier: Apache-2.0
 * Reads --trans, and writes its items as text. */
#include "src/common/transposes.h"

#include <stdio.h>
#include <string.h>

static clgemm_transpose named(char letter) {
    return letter == 'N' ? CLGEMM_NO_TRANS : letter == 'T' ? CLGEMM_TRANS : CLGEMM_CONJ_TRANS;
}

bool transposes_parse(struct transpose_list *list, const char *text, char *why, size_t room) {
    list->count = 0;
    for (bool more = true; more; text += 3) {
        if (!text[0] || !strchr("NTC", text[0]) || !text[1] || !strchr("NTC", text[1]) ||
            (text[2] && text[2] != ',')) {
            snprintf(why, room, "\"%s\" is not a list of NN, NT, TN, TT", text);
            return false;
        }
        if (list->count == MAX_TRANSPOSES) {
            snprintf(why, room, "there are more than four transposes");
            return false;
        }
        list->items[list->count++] = (struct transposes){named(text[0]), named(text[1])};
        more = text[2] == ',';
    }
    return true;
}

static int index_of(clgemm_transpose t) {
    return t == CLGEMM_NO_TRANS ? 0 : t == CLGEMM_TRANS ? 1 : 2;
}

const char *trans_name(struct transposes t) {
    static const char *const names[3][3] = {
        {"NN", "NT", "NC"}, {"TN", "TT", "TC"}, {"CN", "CT", "CC"}};
    return names[index_of(t.ta)][index_of(t.tb)];
}
