/* SPDX-License-Identifier: Apache-2.0
 * The registry of families, and the queries that apply to any of them. */
#include "gemm/family.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "gemm/complex.h"

const struct clg_family *const clg_families[CLG_FAMILIES + 1] = {
    &clg_family_skinny,     &clg_family_tensor, &clg_family_mma,    &clg_family_residues,
    &clg_family_dot,        &clg_family_panel,  &clg_family_many,   &clg_family_thin,
    &clg_family_multistage, &clg_family_tiled,  &clg_family_direct, NULL};

const char *const clg_scheme_names[CLG_SCHEMES] = {"none", "local",  "local-private", "private",
                                                   "both", "packed", "tensor"};

unsigned clg_family_bit(const struct clg_family *family) {
    unsigned f = 0;
    while (clg_families[f] != family)
        f++;
    return 1U << f;
}

static int halved(int length) {
    return length % 2 ? length : length / 2;
}

/* The form in which it takes complex products in a mode; CLG_FORM_OPEN: any. */
static enum clg_form form_only(const struct clg_family *family, clgemm_math math) {
    return family->pairs && math == CLGEMM_MATH_NORMWISE ? CLG_FORM_PARTS : CLG_FORM_OPEN;
}

void clg_family_pose(struct clg_posed *out, const struct clg_family *family,
                     const struct clg_problem *problem, const struct clg_facts *facts) {
    clg_pose(out, family->types, form_only(family, problem->math), family->expands, problem, facts);
}

struct clg_tile clg_family_tile(const struct clg_family *family, const struct clg_problem *problem,
                                const struct clg_params *p) {
    const struct clg_tile tile =
        family->tile ? family->tile(p) : (struct clg_tile){p->tile_m, p->tile_n, p->tile_k};
    if (!clg_type_is_complex(problem->type) || family->types >> problem->type & 1)
        return tile;
    switch (problem->form) {
    case CLG_FORM_B:
        return (struct clg_tile){tile.m, halved(tile.n), halved(tile.k)};
    case CLG_FORM_PARTS:
        if (form_only(family, problem->math))
            return tile; /* of pairs */
        return (struct clg_tile){halved(tile.m), halved(tile.n), tile.k};
    default:
        return (struct clg_tile){halved(tile.m), tile.n, halved(tile.k)};
    }
}

bool clg_family_has(const struct clg_family *family, const struct clg_tunable *tunable) {
    for (int a = 0; a < family->axes->count; a++) {
        const struct clg_axis *axis = &family->axes->axes[a];
        if (axis->field == tunable->offset ||
            (axis->kind == CLG_AXIS_PATCH && tunable == &clg_tunables[CLG_TUNABLE_LANES_N]))
            return true;
    }
    return false;
}

struct clg_params clg_family_own(const struct clg_family *family, const struct clg_params *params) {
    struct clg_params own = *params;
    for (size_t i = 0; i < CLG_TUNABLE_COUNT; i++)
        if (!clg_family_has(family, &clg_tunables[i]))
            clg_params_set(&own, &clg_tunables[i], 0);
    return own;
}

void clg_family_rename(const struct clg_family *family, struct clg_params *params) {
    static const struct {
        const struct clg_family *family;
        int old, own;
    } renamed[] = {{&clg_family_tensor, CLG_TUNABLE_SPLIT_TAIL, CLG_TUNABLE_SHARERS},
                   {&clg_family_mma, CLG_TUNABLE_SPLIT_TAIL, CLG_TUNABLE_SHARERS},
                   {&clg_family_skinny, CLG_TUNABLE_SPLIT_TAIL, CLG_TUNABLE_SHARERS},
                   {&clg_family_skinny, CLG_TUNABLE_PACK_A, CLG_TUNABLE_NARROW_A},
                   {&clg_family_skinny, CLG_TUNABLE_PACK_B, -1}};
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const struct clg_tunable *old = &clg_tunables[renamed[i].old];
        const int value = clg_params_get(params, old);
        if (renamed[i].family != family || !value)
            continue;
        if (renamed[i].own >= 0)
            clg_params_set(params, &clg_tunables[renamed[i].own], value);
        clg_params_set(params, old, 0);
    }
}

/* Reasons that do not depend on parameters. */
const char *clg_family_kind_unsupported_reason(const struct clg_family *family,
                                               const struct clg_problem *problem,
                                               const struct clg_facts *facts) {
    if (!clg_family_computes(family, problem->type))
        return "the family does not support this type";
    if (problem->math == CLGEMM_MATH_STRICT && !family->strict)
        return "the family does not support strict mode";
    if (problem->triangle != CLG_ALL && !family->triangles)
        return "the family does not compute a triangle of C";
    if (problem->stored.triangle != CLG_ALL &&
        (!family->stored || clg_type_is_complex(problem->type)))
        return "the family takes no operand of which a triangle is stored";
    if (clg_type_is_soft(problem->type, facts) && !family->soft)
        return "the device has no arithmetic for F64";
    return clg_type_unsupported_reason(problem->type, facts);
}

const char *clg_family_unsupported_reason(const struct clg_family *family,
                                          const struct clg_problem *problem,
                                          const struct clg_facts *facts,
                                          const struct clg_params *params) {
    struct clg_params own = *params, form;
    struct clg_posed posed;
    const char *why = clg_family_kind_unsupported_reason(family, problem, facts);
    if (!why)
        why = clg_params_unsupported_reason(params);
    if (!why) {
        clg_family_pose(&posed, family, problem, facts);
        why = posed.unsupported_reason;
    }
    if (why)
        return why;
    if (!clg_family_keeps_form(family, problem, facts, params))
        return "an operand is packed in another layout";
    clg_family_form(family, problem, facts, &own, &form);
    return family->unsupported_reason(posed.problem, posed.facts, &own);
}

bool clg_is_ahead(const struct clg_problem *problem, const struct clg_family *family,
                  enum clg_matrix_index which) {
    const struct clg_ahead *ahead = &problem->ahead;
    return family->form && !clg_type_is_complex(problem->type) && ahead->wanted &&
           ahead->which == (int)which && (!ahead->family || ahead->family == family) &&
           (family->strict || ahead->math == problem->math);
}

bool clg_family_form(const struct clg_family *family, const struct clg_problem *problem,
                     const struct clg_facts *facts, struct clg_params *params,
                     struct clg_params *form) {
    const enum clg_matrix_index which = (enum clg_matrix_index)problem->ahead.which;
    *form = (struct clg_params){0};
    return family->form && clg_is_ahead(problem, family, which) &&
           family->form(problem, facts, which, params, form);
}

bool clg_family_keeps_form(const struct clg_family *family, const struct clg_problem *problem,
                           const struct clg_facts *facts, const struct clg_params *params) {
    struct clg_params own = *params, form;
    return !problem->ahead.family || !clg_family_form(family, problem, facts, &own, &form) ||
           clg_params_equal(&form, &problem->ahead.form);
}

const char *clg_families_unsupported_reason(clgemm_type type, const struct clg_facts *facts,
                                            char *text, size_t size) {
    bool any = false;
    for (size_t i = 0; clg_families[i]; i++)
        any = any || clg_family_computes(clg_families[i], type);
    if (!any) {
        snprintf(text, size, "this version does not support type %s", clg_types[type].name);
        return text;
    }
    return facts ? clg_type_unsupported_reason(type, facts) : NULL;
}

const char *clg_group_unsupported_reason(const struct clg_facts *facts, int64_t group_size) {
    if ((uint64_t)group_size > facts->max_work_group)
        return "the device's work-groups are smaller";
    if ((uint64_t)group_size > facts->max_work_items[0])
        return "the device takes fewer work-items along a dimension";
    return NULL;
}

int64_t clg_local_bytes(const struct clg_facts *facts) {
    static const int64_t kib = 1024;
    switch (facts->capability) {
    case CLG_AMPERE:
    case 87:
        return 163 * kib;
    case CLG_HOPPER:
    case CLG_BLACKWELL:
    case 103:
        return 227 * kib;
    default:
        return 99 * kib;
    }
}

int64_t clg_groups_in_local(const struct clg_facts *facts, int64_t bytes) {
    const int64_t reserved = facts->capability >= CLG_AMPERE ? 1024 : 0; /* CUDA's guide */
    return (int64_t)facts->arch.unit_local / (bytes + reserved);
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

__attribute__((format(printf, 2, 3))) static void append(char text[CLG_DESCRIPTION],
                                                         const char *format, ...) {
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    clg_format_args(text + used, CLG_DESCRIPTION - used, format, args);
    va_end(args);
}

static void append_sizes(char text[CLG_DESCRIPTION], int first, int second, int third) {
    append(text, "%dx%d", first, second);
    if (third)
        append(text, "x%d", third);
}

/* By its field's name, and its value unless that can only be 1. */
static void append_tunable(char text[CLG_DESCRIPTION], const struct clg_tunable *tunable,
                           int value) {
    append(text, ", %s", tunable->field);
    if (strncmp(tunable->meaning, "1:", 2) != 0)
        append(text, " %d", value);
}

const char *clg_candidate_text(char text[CLG_DESCRIPTION], const struct clg_candidate *candidate) {
    const struct clg_params *p = &candidate->params;
    text[0] = '\0';
    append(text, "%s ", candidate->family->name);
    append_sizes(text, p->tile_m, p->tile_n, p->tile_k);
    if (p->wg_m) {
        append(text, ", ");
        append_sizes(text, p->wg_m, p->wg_n, p->wg_k);
    }
    if (p->lanes_m)
        append(text, " in %dx%d", p->lanes_m, p->lanes_n);
    for (int i = 0; i < CLG_TUNABLE_COUNT; i++) {
        const int value = clg_params_get(p, &clg_tunables[i]);
        const bool is_told = i <= CLG_TUNABLE_LANES_N && i != CLG_TUNABLE_PRODUCTS;
        if (value && !is_told)
            append_tunable(text, &clg_tunables[i], value);
    }
    return text;
}
