/* SPDX-License-Identifier: Apache-2.0
 * What an engine does not use, and why. */
#include "run/avoid.h"

#include <string.h>

#include "gemm/small.h"

void clg_avoided_open(struct clg_avoided *avoided, bool widths) {
    *avoided = (struct clg_avoided){.widths = widths};
    pthread_mutex_init(&avoided->lock, NULL);
}

void clg_avoided_close(struct clg_avoided *avoided) {
    pthread_mutex_destroy(&avoided->lock);
}

static struct clg_avoided_entry entry_of(const struct clg_avoided *avoided,
                                         const struct clg_plan *plan, enum clg_avoid why) {
    struct clg_avoided_entry entry = {
        .why = why, .family = plan->family, .type = plan->problem.type};
    if (why == CLG_AVOID_REFUTED)
        entry.math = plan->problem.math;
    else
        entry.programs = clg_plan_programs(plan, avoided->widths && why == CLG_AVOID_WRONG);
    return entry;
}

static bool alike(const struct clg_avoided_entry *left, const struct clg_avoided_entry *right) {
    return left->why == right->why && left->family == right->family && left->type == right->type;
}

/* The caller holds the lock. */
static const struct clg_avoided_entry *find(const struct clg_avoided *avoided,
                                            const struct clg_avoided_entry *entry) {
    for (int i = 0; i < avoided->count; i++)
        if (alike(&avoided->entries[i], entry) && avoided->entries[i].math == entry->math &&
            !memcmp(&avoided->entries[i].programs, &entry->programs, sizeof entry->programs))
            return &avoided->entries[i];
    return NULL;
}

static void add(struct clg_avoided *avoided, const struct clg_avoided_entry *entry) {
    pthread_mutex_lock(&avoided->lock);
    if (!find(avoided, entry)) {
        avoided->entries[avoided->oldest] = *entry;
        avoided->oldest = (avoided->oldest + 1) % CLG_AVOIDED_MOST;
        avoided->count += avoided->count < CLG_AVOIDED_MOST;
    }
    pthread_mutex_unlock(&avoided->lock);
}

void clg_avoid(struct clg_avoided *avoided, const struct clg_plan *plan, enum clg_avoid why) {
    const struct clg_avoided_entry entry = entry_of(avoided, plan, why);
    add(avoided, &entry);
}

void clg_avoid_spills(struct clg_avoided *avoided, const struct clg_plan *plan, uint64_t bytes) {
    struct clg_avoided_entry entry = entry_of(avoided, plan, CLG_AVOID_SPILLS);
    entry.spills = bytes;
    add(avoided, &entry);
}

uint64_t clg_avoided_spills(struct clg_avoided *avoided, const struct clg_plan *plan) {
    const struct clg_avoided_entry entry = entry_of(avoided, plan, CLG_AVOID_SPILLS);
    pthread_mutex_lock(&avoided->lock);
    const struct clg_avoided_entry *found = find(avoided, &entry);
    const uint64_t bytes = found ? found->spills : 0;
    pthread_mutex_unlock(&avoided->lock);
    return bytes;
}

bool clg_is_avoided(struct clg_avoided *avoided, const struct clg_plan *plan, enum clg_avoid why) {
    const struct clg_avoided_entry entry = entry_of(avoided, plan, why);
    pthread_mutex_lock(&avoided->lock);
    const bool is = find(avoided, &entry) != NULL;
    pthread_mutex_unlock(&avoided->lock);
    return is;
}

int clg_avoided_alike(struct clg_avoided *avoided, const struct clg_plan *plan) {
    const struct clg_avoided_entry wrong = {
        .why = CLG_AVOID_WRONG, .family = plan->family, .type = plan->problem.type};
    int count = 0;
    pthread_mutex_lock(&avoided->lock);
    for (int i = 0; i < avoided->count; i++)
        count += alike(&avoided->entries[i], &wrong);
    pthread_mutex_unlock(&avoided->lock);
    return count;
}

unsigned clg_avoided_families(struct clg_avoided *avoided, const struct clg_problem *problem) {
    unsigned families = 0;
    pthread_mutex_lock(&avoided->lock);
    for (int i = 0; i < avoided->count; i++) {
        const struct clg_avoided_entry *entry = &avoided->entries[i];
        if (entry->why == CLG_AVOID_REFUTED && entry->type == problem->type &&
            entry->math == problem->math)
            families |= clg_family_bit(entry->family);
    }
    pthread_mutex_unlock(&avoided->lock);
    return families;
}
