/* SPDX-License-Identifier: Apache-2.0
 * What the tuner asks of candidates. */
#ifndef CLG_TUNE_CANDIDATE_H
#define CLG_TUNE_CANDIDATE_H

#include "gemm/family.h"

enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate);

/* Writes for example "tiled 64x64x16, 8x8, split 4, pack A" to `text`, and returns it. */
enum { CLG_CANDIDATE_TEXT = CLG_DESCRIPTION };
const char *clg_candidate_text(char text[CLG_CANDIDATE_TEXT],
                               const struct clg_candidate *candidate);

#endif
