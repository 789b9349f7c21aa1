/* SPDX-License-Identifier: Apache-2.0
 * Shapes to measure: a growable list, the readers of --shape, --size and --suite, and drawn ones.
 */
#ifndef CLGEMM_COMMON_SHAPE_H
#define CLGEMM_COMMON_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shape {
    int64_t m, n, k;
};

/* All zero is an empty list. */
struct shape_list {
    struct shape *items;
    size_t count, room;
};

/* Each adds to `list` and returns false with a sentence in `why` when it cannot. */
bool shapes_add(struct shape_list *list, struct shape shape, char *why, size_t room);
bool shapes_parse(struct shape_list *list, const char *text, char *why, size_t room);
bool shapes_parse_sizes(struct shape_list *list, const char *text, char *why, size_t room);
bool shapes_add_suite(struct shape_list *list, const char *name, char *why, size_t room);

/* Problems drawn at random: `count` of them by `seed`, each size from 16 to `largest`, which is 32
 * at least. The first, third ... have only odd sizes, the others only even ones; among these a size
 * x is drawn with a probability of 1/x, so that their logarithms are uniform. Whole numbers alone
 * decide: a seed means the same on every machine, and fewer problems are the first ones of more. */
struct random_shapes {
    int count, seed, largest;
};
enum { RANDOM_SMALLEST = 16, RANDOM_LARGEST_LEAST = 2 * RANDOM_SMALLEST };
bool shapes_add_random(struct shape_list *list, const struct random_shapes *random, char *why,
                       size_t room);

/* The list measured when the command line names none. */
bool shapes_add_default(struct shape_list *list, char *why, size_t room);

void shapes_release(struct shape_list *list);

#endif
