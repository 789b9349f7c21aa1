/* SPDX-License-Identifier: Apache-2.0
 * Built programs as host memory. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "program/binaries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char *key;
    unsigned char *bytes;
    size_t size;
};

struct clg_binaries {
    pthread_mutex_t lock;
    struct entry *entries;
};

struct clg_binaries *clg_binaries_new(void) {
    struct clg_binaries *store = calloc(1, sizeof *store);
    if (store)
        pthread_mutex_init(&store->lock, NULL);
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

unsigned char *clg_binaries_find(struct clg_binaries *store, const char *key, size_t *size) {
    unsigned char *copy = NULL;
    pthread_mutex_lock(&store->lock);
    const struct entry *entry = find(store, key);
    if (entry) {
        copy = copy_bytes(entry->bytes, entry->size);
        *size = entry->size;
    }
    pthread_mutex_unlock(&store->lock);
    return copy;
}

void clg_binaries_keep(struct clg_binaries *store, const char *key, const unsigned char *bytes,
                       size_t size) {
    char *own_key = strdup(key);
    unsigned char *copy = copy_bytes(bytes, size);
    struct entry *fresh = calloc(1, sizeof *fresh);
    if (!own_key || !copy || !fresh) {
        free(own_key);
        free(copy);
        free(fresh);
        return;
    }
    pthread_mutex_lock(&store->lock);
    struct entry *entry = find(store, key);
    if (entry) {
        free(entry->bytes);
        free(own_key);
        free(fresh);
    } else {
        entry = fresh;
        entry->key = own_key;
        entry->next = store->entries;
        store->entries = entry;
    }
    entry->bytes = copy;
    entry->size = size;
    pthread_mutex_unlock(&store->lock);
}
