/* SPDX-License-Identifier: Apache-2.0
 * One way to do a problem: a family with parameters. */
#ifndef CLG_TUNE_CANDIDATE_H
#define CLG_TUNE_CANDIDATE_H

#include "gemm/family.h"

struct clg_candidate {
    const struct clg_family *family;
    struct clg_params params;
};

/* In the one spelling that comparisons want: a single slice of k is 0. */
struct clg_candidate clg_candidate_of(const struct clg_family *family,
                                      const struct clg_params *params);

bool clg_candidate_equal(const struct clg_candidate *one, const struct clg_candidate *other);

/* Where a family's candidate has A and B while it multiplies, one word. */
enum clg_scheme {
    CLG_SCHEME_NONE,          /* where they lie */
    CLG_SCHEME_LOCAL,         /* both in local memory */
    CLG_SCHEME_LOCAL_PRIVATE, /* one in local memory, the other in registers */
    CLG_SCHEME_PRIVATE,       /* both in registers */
    CLG_SCHEME_BOTH,          /* both in local memory, and from there in registers */
    CLG_SCHEME_PACKED,        /* in panels in a CPU's caches */
    CLG_SCHEMES
};
extern const char *const clg_scheme_names[CLG_SCHEMES]; /* "none", "local", "local-private" ... */

enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate);

/* "tiled 64x64x16, 8x8, split 4, pack A" into text, which it returns. */
enum { CLG_CANDIDATE_TEXT = 128 };
const char *clg_candidate_text(char text[CLG_CANDIDATE_TEXT],
                               const struct clg_candidate *candidate);

#endif
