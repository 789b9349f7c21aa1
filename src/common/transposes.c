/* SPDX-License-Identifier: Apache-2.0
 * Reads --trans, and writes its items as text. */
#include "src/common/transposes.h"

#include <stdio.h>
#include <string.h>

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
        list->items[list->count++] =
            (struct transposes){text[0] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                text[1] == 'N' ? CLGEMM_NO_TRANS : CLGEMM_TRANS};
        more = text[2] == ',';
    }
    return true;
}

const char *trans_name(struct transposes t) {
    if (t.ta == CLGEMM_NO_TRANS)
        return t.tb == CLGEMM_NO_TRANS ? "NN" : "NT";
    return t.tb == CLGEMM_NO_TRANS ? "TN" : "TT";
}
