/* SPDX-License-Identifier: Apache-2.0
 * Candidates compared and in words. */
#include "tune/candidate.h"

#include <stdarg.h>
#include <stdio.h>
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

const char *const clg_scheme_names[CLG_SCHEMES] = {"none",    "local", "local-private",
                                                   "private", "both",  "packed"};

enum clg_scheme clg_candidate_scheme(const struct clg_candidate *candidate) {
    const struct clg_params *p = &candidate->params;
    if (candidate->family == &clg_family_direct)
        return CLG_SCHEME_NONE;
    if (candidate->family == &clg_family_panel)
        return CLG_SCHEME_PACKED;
    return p->in_place                    ? CLG_SCHEME_LOCAL
           : p->private_a && p->private_b ? CLG_SCHEME_PRIVATE
           : p->private_a || p->private_b ? CLG_SCHEME_LOCAL_PRIVATE
                                          : CLG_SCHEME_BOTH;
}

__attribute__((format(printf, 2, 3))) static void append(char text[CLG_CANDIDATE_TEXT],
                                                         const char *format, ...) {
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, CLG_CANDIDATE_TEXT - used, format, args);
    va_end(args);
}

const char *clg_candidate_text(char text[CLG_CANDIDATE_TEXT],
                               const struct clg_candidate *candidate) {
    const struct clg_params *p = &candidate->params;
    snprintf(text, CLG_CANDIDATE_TEXT, "%s %dx%d", candidate->family->name, p->tile_m, p->tile_n);
    if (p->tile_k)
        append(text, "x%d", p->tile_k);
    if (p->wg_m)
        append(text, ", %dx%d", p->wg_m, p->wg_n);
    if (p->wg_k > 1)
        append(text, "x%d", p->wg_k);
    if (p->lanes_m)
        append(text, " in %dx%d", p->lanes_m, p->lanes_n);
    if (p->vec)
        append(text, ", %d floats", p->vec);
    if (p->reg_n)
        append(text, ", %d columns", p->reg_n);
    if (p->vec_a)
        append(text, ", vectors %d and %d", p->vec_a, p->vec_b);
    if (p->stages)
        append(text, ", %d stage%s", p->stages, p->stages > 1 ? "s" : "");
    if (p->private_a || p->private_b)
        append(text, ", private %s%s", p->private_a ? "A" : "", p->private_b ? "B" : "");
    if (p->in_place)
        append(text, ", in place");
    if (p->pad_local)
        append(text, ", pad %d", p->pad_local);
    if (p->band_m)
        append(text, ", band %d", p->band_m);
    if (p->split_k > 1)
        append(text, ", split %d", p->split_k);
    if (p->split_tail > 1)
        append(text, ", tail %d", p->split_tail);
    if (p->pack_a || p->pack_b)
        append(text, ", pack %s%s", p->pack_a ? "A" : "", p->pack_b ? "B" : "");
    return text;
}
