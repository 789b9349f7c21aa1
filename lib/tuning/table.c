/* SPDX-License-Identifier: Apache-2.0
 * Tuning tables: construction, and the search for a problem's row. */
#include "tuning/table.h"
#include "base/checked.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gemm/family.h"

struct entry {
    struct clg_tuning_row row;
    enum clg_tuning_origin origin;
    bool own_driver;
};

/* Those of the device's own driver precede others; in the same order of origins. */
struct whole {
    struct clg_tuning_once once;
    struct clg_costs *costs; /* NULL: none */
};
enum { WHOLES = 2 * CLG_TUNING_ORIGINS };

struct clg_tuning {
    atomic_int owners;
    struct entry *entries; /* ordered by origin */
    size_t count, room;
    struct clg_tuning_source sources[CLG_TUNING_ORIGINS];
    struct whole wholes[WHOLES];
};

struct clg_tuning *clg_tuning_new(void) {
    struct clg_tuning *tuning = calloc(1, sizeof *tuning);
    if (tuning)
        atomic_init(&tuning->owners, 1);
    return tuning;
}

struct clg_tuning *clg_tuning_retain(struct clg_tuning *tuning) {
    if (tuning)
        atomic_fetch_add(&tuning->owners, 1);
    return tuning;
}

void clg_tuning_release(struct clg_tuning *tuning) {
    if (!tuning || atomic_fetch_sub(&tuning->owners, 1) > 1)
        return;
    for (int i = 0; i < WHOLES; i++)
        free(tuning->wholes[i].costs);
    free(tuning->entries);
    free(tuning);
}

/* ---- Construction ---- */

static struct whole *whole_of(struct clg_tuning *table, enum clg_tuning_origin origin,
                              bool own_driver) {
    return &table->wholes[(own_driver ? 0 : CLG_TUNING_ORIGINS) + (int)origin];
}

/* Inserts an entry after the last one of its origin or an earlier one; NULL if memory is short. */
static struct entry *insert(struct clg_tuning *table, enum clg_tuning_origin origin) {
    size_t at = table->count;
    if (!clg_array_reserve(&table->entries, &table->room, at + 1, sizeof *table->entries))
        return NULL;
    while (at > 0 && table->entries[at - 1].origin > origin)
        at--;
    struct entry *place = &table->entries[at];
    memmove(place + 1, place, (table->count++ - at) * sizeof *place);
    return place;
}

bool clg_tuning_add(struct clg_tuning *table, const struct clg_tuning_row *row,
                    enum clg_tuning_origin origin, bool own_driver, bool always) {
    for (size_t i = 0; i < table->count; i++) {
        struct entry *old = &table->entries[i];
        if (old->origin == origin && old->own_driver == own_driver &&
            clg_tuning_same_class(&old->row.shape, &row->shape)) {
            if (always || clg_tuning_supersedes(row, &old->row))
                old->row = *row;
            return true;
        }
    }
    struct entry *place = insert(table, origin);
    if (!place)
        return false;
    *place = (struct entry){*row, origin, own_driver};
    struct clg_tuning_source *source = &table->sources[origin];
    ++*(own_driver ? &source->rows : &source->other_rows);
    return true;
}

void clg_tuning_add_once(struct clg_tuning *table, const struct clg_tuning_once *once,
                         enum clg_tuning_origin origin, bool own_driver, bool always) {
    struct clg_tuning_once *old = &whole_of(table, origin, own_driver)->once;
    for (int type = 0; type < CLG_TYPE_COUNT; type++) {
        const struct clg_break_even *is = &once->break_evens[type], *was = &old->break_evens[type];
        if (is->flops && (!was->flops || always || strcmp(is->date, was->date) > 0))
            old->break_evens[type] = *is;
    }
    const struct clg_host_speeds *is = &once->speeds, *was = &old->speeds;
    if (is->up_mb_s && (!was->up_mb_s || always || strcmp(is->date, was->date) > 0))
        old->speeds = *is;
}

bool clg_tuning_add_costs(struct clg_tuning *table, const struct clg_costs *costs,
                          enum clg_tuning_origin origin, bool own_driver, bool always) {
    struct clg_costs **place = &whole_of(table, origin, own_driver)->costs;
    if (*place && !always)
        return true;
    if (!*place && !(*place = malloc(sizeof **place)))
        return false;
    **place = *costs;
    return true;
}

void clg_tuning_add_faults(struct clg_tuning *table, enum clg_tuning_origin origin, size_t faults,
                           const char *why) {
    struct clg_tuning_source *source = &table->sources[origin];
    if (!source->faults && faults)
        snprintf(source->why, sizeof source->why, "%s", why);
    source->faults += faults;
}

bool clg_tuning_add_all(struct clg_tuning *table, const struct clg_tuning *other) {
    bool good = true;
    for (size_t i = 0; other && i < other->count && good; i++) {
        const struct entry *entry = &other->entries[i];
        good = clg_tuning_add(table, &entry->row, entry->origin, entry->own_driver, true);
    }
    for (int i = 0; other && i < WHOLES; i++) {
        const struct whole *whole = &other->wholes[i];
        const enum clg_tuning_origin origin = i % CLG_TUNING_ORIGINS;
        const bool own_driver = i < CLG_TUNING_ORIGINS;
        if (own_driver)
            clg_tuning_add_faults(table, origin, other->sources[origin].faults,
                                  other->sources[origin].why);
        if (whole->costs)
            good = good && clg_tuning_add_costs(table, whole->costs, origin, own_driver, true);
        clg_tuning_add_once(table, &whole->once, origin, own_driver, true);
    }
    return good;
}

/* ---- Search ---- */

/* The distance of two lengths: the squared difference of their logarithms; infinite beyond 2 : 3.
 */
static double distance(int64_t row, int64_t here) {
    const double ratio = (double)row / (double)here;
    if (2 * ratio > 3 || 3 * ratio < 2)
        return HUGE_VAL;
    return log2(ratio) * log2(ratio);
}

/* The same for batches. A row for one product is never used for a batch, nor the reverse: what is
 * fastest for one may distribute the other badly over the compute units. */
static double batch_distance(int64_t row, int64_t here) {
    if (!row || !here)
        return row == here ? 0 : HUGE_VAL;
    return distance(row, here);
}

/* Decides between two rows: the first member that differs. */
struct merit {
    int rank;
    double distance, ms;
};

static struct merit merit_of(const struct entry *entry, const struct clg_tuning_shape *shape) {
    const struct clg_tuning_shape *row = &entry->row.shape;
    struct merit merit = {(int)entry->origin + (entry->own_driver ? 0 : CLG_TUNING_ORIGINS),
                          HUGE_VAL, entry->row.ms};
    if (row->type == shape->type && row->math == shape->math && row->ta == shape->ta &&
        row->tb == shape->tb && row->aligned == shape->aligned)
        merit.distance = distance(row->m, shape->m) + distance(row->n, shape->n) +
                         distance(row->k, shape->k) + batch_distance(row->batch, shape->batch);
    return merit;
}

static bool is_better(const struct merit *left, const struct merit *right) {
    if (left->rank != right->rank)
        return left->rank < right->rank;
    if (left->distance != right->distance)
        return left->distance < right->distance;
    return left->ms < right->ms;
}

/* Whether the compute units are about as busy, and no more of each tile lies past the edges of C.
 * Measured on an H200 (docs/log): a row usually loses at a nearby shape whose number of tiles
 * differs by a factor of 1.4 or more, and stays good at one with the same number. */
static bool carries_over(const struct clg_tuning_row *row, const struct clg_problem *problem) {
    const struct clg_tile tile = clg_family_tile(row->family, problem, &row->params);
    if (!tile.m || !tile.n || !tile.k) /* `direct` and `panel` have no rounds of such tiles */
        return true;
    const int64_t m = row->shape.m, n = row->shape.n;
    const int64_t there = clg_ceil_div(m, tile.m) * clg_ceil_div(n, tile.n);
    const int64_t here = clg_ceil_div(problem->m, tile.m) * clg_ceil_div(problem->n, tile.n);
    return 10 * here <= 11 * there && 10 * there <= 11 * here &&
           (here > 1 || 10 * m * n <= 11 * problem->m * problem->n);
}

static bool serves(const struct clg_tuning_row *row, const struct clg_problem *problem,
                   const struct clg_facts *facts) {
    return carries_over(row, problem) &&
           !clg_family_unsupported_reason(row->family, problem, facts, &row->params);
}

const struct clg_tuning_row *clg_tuning_find(const struct clg_tuning *tuning,
                                             const struct clg_problem *problem,
                                             const struct clg_facts *facts) {
    const struct clg_tuning_shape shape = clg_tuning_shape_of(problem);
    const struct clg_tuning_row *found = NULL;
    struct merit best = {INT32_MAX, 0, 0};
    if (problem->triangle != CLG_ALL || problem->stored.triangle != CLG_ALL)
        /* whole products were measured */
        return NULL;
    for (size_t i = 0; tuning && i < tuning->count; i++) {
        const struct clg_tuning_row *row = &tuning->entries[i].row;
        const struct merit merit = merit_of(&tuning->entries[i], &shape);
        if (merit.distance < HUGE_VAL && is_better(&merit, &best) && serves(row, problem, facts)) {
            best = merit;
            found = row;
        }
    }
    return found;
}

const struct clg_break_even *clg_tuning_break_even(const struct clg_tuning *tuning,
                                                   clgemm_type type, bool *own_driver) {
    int i = 0;
    while (tuning && i < WHOLES && !tuning->wholes[i].once.break_evens[type].flops)
        i++;
    if (own_driver)
        *own_driver = i < CLG_TUNING_ORIGINS;
    return tuning && i < WHOLES ? &tuning->wholes[i].once.break_evens[type] : NULL;
}

const struct clg_host_speeds *clg_tuning_host_speeds(const struct clg_tuning *tuning,
                                                     bool *own_driver) {
    int i = 0;
    while (tuning && i < WHOLES && !tuning->wholes[i].once.speeds.up_mb_s)
        i++;
    if (own_driver)
        *own_driver = i < CLG_TUNING_ORIGINS;
    return tuning && i < WHOLES ? &tuning->wholes[i].once.speeds : NULL;
}

const struct clg_costs *clg_tuning_costs(const struct clg_tuning *tuning) {
    int i = 0;
    while (tuning && i < WHOLES && !tuning->wholes[i].costs)
        i++;
    return tuning && i < WHOLES ? tuning->wholes[i].costs : NULL;
}

size_t clg_tuning_count(const struct clg_tuning *tuning) {
    return tuning ? tuning->count : 0;
}

const struct clg_tuning_row *clg_tuning_at(const struct clg_tuning *tuning, size_t index,
                                           enum clg_tuning_origin *origin, bool *own_driver) {
    *origin = tuning->entries[index].origin;
    *own_driver = tuning->entries[index].own_driver;
    return &tuning->entries[index].row;
}

const struct clg_tuning_source *clg_tuning_source(const struct clg_tuning *tuning,
                                                  enum clg_tuning_origin origin) {
    return &tuning->sources[origin];
}

double clg_tuning_rate(const struct clg_tuning *tuning, clgemm_type type, clgemm_math math) {
    const double large = 0x1p33; /* 2048 x 2048 x 1024 */
    double best = 0;
    for (size_t i = 0; tuning && i < tuning->count; i++) {
        const struct clg_tuning_row *row = &tuning->entries[i].row;
        const struct clg_tuning_shape *s = &row->shape;
        const double operations = 2.0 * (double)s->m * (double)s->n * (double)s->k;
        const double rate = 1e3 * operations / row->ms;
        if (s->type == type && s->math == clg_tuning_math(math) && !s->batch &&
            operations >= large && rate > best)
            best = rate;
    }
    return best;
}
