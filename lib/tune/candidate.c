/* SPDX-License-Identifier: Apache-2.0
 * Schemes and text of candidates. */
#include "tune/candidate.h"

enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate) {
    const struct clg_family *family = candidate->family;
    unsigned only = 0;
    if (family->scheme)
        return family->scheme(&candidate->params);
    while (!(family->schemes >> only & 1))
        only++;
    return (enum clg_scheme)only;
}

const char *clg_candidate_text(char text[CLG_CANDIDATE_TEXT],
                               const struct clg_candidate *candidate) {
    text[0] = '\0';
    clg_describe(text, "%s ", candidate->family->name);
    candidate->family->describe(text, &candidate->params);
    return text;
}
