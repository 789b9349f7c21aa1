/* SPDX-License-Identifier: Apache-2.0
 * Compiled programs in host memory. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "program/binaries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char *key;
    unsigned char *bytes; /* NULL: none, or none yet */
    size_t size;
    bool claimed, made;
};

struct clg_binaries {
    pthread_mutex_t lock;
    pthread_cond_t unclaimed;
    struct entry *entries;
};

struct clg_binaries *clg_binaries_new(void) {
    struct clg_binaries *store = calloc(1, sizeof *store);
    if (store)
        pthread_mutex_init(&store->lock, NULL);
    if (store)
        pthread_cond_init(&store->unclaimed, NULL);
    return store;
}

void clg_binaries_free(struct clg_binaries *store) {
    if (!store)
        return;
    for (struct entry *entry = store->entries, *next; entry; entry = next) {
        next = entry->next;
        free(entry->key);
        free(entry->bytes);
        free(entry);
    }
    pthread_cond_destroy(&store->unclaimed);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static unsigned char *copy_bytes(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size ? size : 1);
    if (copy)
        memcpy(copy, bytes, size);
    return copy;
}

/* The caller holds the lock. */
static struct entry *find(struct clg_binaries *store, const char *key) {
    struct entry *entry = store->entries;
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

/* Finds or adds an entry. The caller holds the lock. NULL if memory is short. */
static struct entry *reach(struct clg_binaries *store, const char *key) {
    struct entry *entry = find(store, key);
    if (entry || !(entry = calloc(1, sizeof *entry)))
        return entry;
    if (!(entry->key = strdup(key))) {
        free(entry);
        return NULL;
    }
    entry->next = store->entries;
    store->entries = entry;
    return entry;
}

unsigned char *clg_binaries_find(struct clg_binaries *store, const char *key, size_t *size) {
    unsigned char *copy = NULL;
    pthread_mutex_lock(&store->lock);
    const struct entry *entry = find(store, key);
    if (entry && entry->bytes && (copy = copy_bytes(entry->bytes, entry->size)))
        *size = entry->size;
    pthread_mutex_unlock(&store->lock);
    return copy;
}

void clg_binaries_keep(struct clg_binaries *store, const char *key, const unsigned char *bytes,
                       size_t size) {
    unsigned char *copy = copy_bytes(bytes, size);
    if (!copy)
        return;
    pthread_mutex_lock(&store->lock);
    struct entry *entry = reach(store, key);
    if (entry) {
        free(entry->bytes);
        entry->bytes = copy;
        entry->size = size;
        copy = NULL;
    }
    pthread_mutex_unlock(&store->lock);
    free(copy);
}

bool clg_binaries_claim(struct clg_binaries *store, const char *key) {
    pthread_mutex_lock(&store->lock);
    struct entry *entry = reach(store, key);
    while (entry && entry->claimed)
        pthread_cond_wait(&store->unclaimed, &store->lock);
    const bool ours = entry && !entry->made;
    if (ours)
        entry->claimed = true;
    pthread_mutex_unlock(&store->lock);
    return ours;
}

void clg_binaries_unclaim(struct clg_binaries *store, const char *key, bool made) {
    pthread_mutex_lock(&store->lock);
    struct entry *entry = find(store, key);
    entry->claimed = false;
    entry->made = made;
    pthread_cond_broadcast(&store->unclaimed);
    pthread_mutex_unlock(&store->lock);
}
