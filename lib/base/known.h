/* SPDX-License-Identifier: Apache-2.0
 * Tables of what was worked out before: entries that are found by a hash, and counted. They do not
 * change, so threads use them without a lock or a copy, also after they are forgotten. */
#ifndef CLG_BASE_KNOWN_H
#define CLG_BASE_KNOWN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The first member of what is remembered, which is from malloc(). */
struct clg_known {
    uint64_t hash;
    bool interim;             /* it can be forgotten alone */
    void (*end)(void *known); /* releases what it holds; NULL: nothing */
    int users;                /* atomic; a table is one */
    struct clg_known *next;   /* in its bucket; guarded by the table's lock, as is the next */
    uint64_t used;            /* when it was last found */
};

enum { CLG_KNOWN_BUCKETS = 256 };

struct clg_known_table {
    bool (*is)(const void *known, const void *key);
    int most;
    pthread_mutex_t lock; /* guards all below */
    struct clg_known *buckets[CLG_KNOWN_BUCKETS];
    int count;
    uint64_t uses;                     /* the clock of `used` */
    uint64_t missed;                   /* times that nothing was found */
    uint64_t forgotten, all_forgotten; /* times that some were; that number when all were */
};

/* `is`: whether an entry, whose hash is the key's, is for that key. `most`: the least recently used
 * one is replaced when there are so many. */
void clg_known_open(struct clg_known_table *table, int most,
                    bool (*is)(const void *known, const void *key));
void clg_known_close(struct clg_known_table *table);

/* The entry for that key, which the caller releases, or NULL. *since: what clg_known_keep wants to
 * know of an entry that is made from here on. */
void *clg_known_find(struct clg_known_table *table, uint64_t hash, const void *key,
                     uint64_t *since);

/* Remembers a new entry, unless all were forgotten since then, or, if it is interim, some. The
 * caller, its first user, releases it all the same. Another thread may have added an equal one,
 * which does no harm. */
void clg_known_keep(struct clg_known_table *table, struct clg_known *known, uint64_t since);

/* Forgets the interim ones, or all. */
void clg_known_forget(struct clg_known_table *table, bool all);

/* The last user frees an entry. NULL is fine. */
void clg_known_release(void *known);

#endif
