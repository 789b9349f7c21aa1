/* SPDX-License-Identifier: Apache-2.0
 * A candidate for a problem: a family with parameters. */
#ifndef CLG_TUNE_CANDIDATE_H
#define CLG_TUNE_CANDIDATE_H

#include "gemm/family.h"

struct clg_candidate {
    const struct clg_family *family;
    struct clg_params params;
};

/* Makes a candidate that can be compared: a single slice of k is always 0. */
struct clg_candidate clg_candidate_of(const struct clg_family *family,
                                      const struct clg_params *params);

bool clg_candidate_equal(const struct clg_candidate *one, const struct clg_candidate *other);

enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate);

/* Writes for example "tiled 64x64x16, 8x8, split 4, pack A" to `text`, and returns it. */
enum { CLG_CANDIDATE_TEXT = CLG_DESCRIPTION };
const char *clg_candidate_text(char text[CLG_CANDIDATE_TEXT],
                               const struct clg_candidate *candidate);

#endif
