/* SPDX-License-Identifier: Apache-2.0
 * Tables of what was worked out before. */
#include "base/known.h"

#include <stdlib.h>

void clg_known_open(struct clg_known_table *table, int most,
                    bool (*is)(const void *known, const void *key)) {
    *table = (struct clg_known_table){.most = most, .is = is};
    pthread_mutex_init(&table->lock, NULL);
}

void clg_known_close(struct clg_known_table *table) {
    clg_known_forget(table, true);
    pthread_mutex_destroy(&table->lock);
}

void clg_known_release(void *entry) {
    struct clg_known *known = entry;
    if (!known || __atomic_sub_fetch(&known->users, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (known->end)
        known->end(known);
    free(known);
}

static struct clg_known **bucket(struct clg_known_table *table, uint64_t hash) {
    return &table->buckets[hash % CLG_KNOWN_BUCKETS];
}

void *clg_known_find(struct clg_known_table *table, uint64_t hash, const void *key,
                     uint64_t *since) {
    pthread_mutex_lock(&table->lock);
    struct clg_known *known = *bucket(table, hash);
    while (known && !(known->hash == hash && table->is(known, key)))
        known = known->next;
    if (known) {
        known->used = ++table->uses;
        __atomic_add_fetch(&known->users, 1, __ATOMIC_RELAXED);
    }
    table->missed += !known;
    *since = table->forgotten;
    pthread_mutex_unlock(&table->lock);
    return known;
}

/* Removes the entry that a link leads to. The caller holds the lock. */
static void drop(struct clg_known_table *table, struct clg_known **link) {
    struct clg_known *known = *link;
    *link = known->next;
    table->count--;
    clg_known_release(known);
}

/* The caller holds the lock. */
static void drop_least_used(struct clg_known_table *table) {
    struct clg_known **least = NULL;
    for (int b = 0; b < CLG_KNOWN_BUCKETS; b++)
        for (struct clg_known **link = &table->buckets[b]; *link; link = &(*link)->next)
            if (!least || (*link)->used < (*least)->used)
                least = link;
    drop(table, least);
}

void clg_known_keep(struct clg_known_table *table, struct clg_known *known, uint64_t since) {
    struct clg_known **first = bucket(table, known->hash);
    pthread_mutex_lock(&table->lock);
    if (known->interim ? since == table->forgotten : since >= table->all_forgotten) {
        if (table->count == table->most)
            drop_least_used(table);
        __atomic_add_fetch(&known->users, 1, __ATOMIC_RELAXED);
        known->used = ++table->uses;
        known->next = *first;
        *first = known;
        table->count++;
    }
    pthread_mutex_unlock(&table->lock);
}

void clg_known_forget(struct clg_known_table *table, bool all) {
    pthread_mutex_lock(&table->lock);
    for (int b = 0; b < CLG_KNOWN_BUCKETS; b++)
        for (struct clg_known **link = &table->buckets[b]; *link;)
            if (all || (*link)->interim)
                drop(table, link);
            else
                link = &(*link)->next;
    table->forgotten++;
    if (all)
        table->all_forgotten = table->forgotten;
    pthread_mutex_unlock(&table->lock);
}
