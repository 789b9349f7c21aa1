/* SPDX-License-Identifier: Apache-2.0
 * A set of programs, identified by source and options. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "src/common/build.h"

static uint64_t hash_step(const struct clg_step *step) {
    const struct clg_hash hash =
        clg_hash_of(step->source, strlen(step->source) + 1, step->options, strlen(step->options));
    uint64_t out;
    memcpy(&out, hash.bytes, sizeof out);
    return out;
}

static bool has(const struct build_set *set, uint64_t hash) {
    for (size_t i = 0; i < set->count + set->left; i++)
        if (set->hashes[i] == hash)
            return true;
    return false;
}

static void add_step(struct build_set *out, const struct clg_plan *plan, bool chosen, int s) {
    const struct clg_step *step = &plan->steps[s];
    const uint64_t hash = hash_step(step);
    const size_t known = out->count + out->left;
    if (out->no_memory || has(out, hash))
        return;
    if (!clg_array_reserve(&out->hashes, &out->hash_room, known + 1, sizeof *out->hashes) ||
        !clg_array_reserve(&out->items, &out->room, out->count + 1, sizeof *out->items)) {
        out->no_memory = true;
        return;
    }
    out->hashes[known] = hash;
    if (out->most && out->count == out->most) {
        out->left++;
        return;
    }
    struct build_program *item = &out->items[out->count++];
    memset(item, 0, sizeof *item);
    item->source = step->source;
    memcpy(item->options, step->options, sizeof item->options);
    item->problem = plan->problem;
    item->family = chosen ? NULL : plan->family;
    item->params = plan->params;
    item->step = s;
}

void build_set_add(struct build_set *set, const struct clg_plan *plan, bool chosen) {
    for (int s = 0; s < plan->num_steps; s++)
        add_step(set, plan, chosen, s);
}

void build_set_release(struct build_set *set) {
    free(set->items);
    free(set->hashes);
    *set = (struct build_set){.items = NULL};
}
