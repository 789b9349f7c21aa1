/* SPDX-License-Identifier: Apache-2.0
 * Comparison and text of candidates. */
#include "tune/candidate.h"

#include <string.h>

struct clg_candidate clg_candidate_of(const struct clg_family *family,
                                      const struct clg_params *params) {
    struct clg_candidate out = {family, *params};
    if (out.params.split_k == 1)
        out.params.split_k = 0;
    if (out.params.split_tail == 1)
        out.params.split_tail = 0;
    return out;
}

bool clg_candidate_equal(const struct clg_candidate *one, const struct clg_candidate *other) {
    return one->family == other->family &&
           !memcmp(&one->params, &other->params, sizeof one->params);
}

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
