/* SPDX-License-Identifier: Apache-2.0
 * Shapes to measure: a growable list, the readers of --shape, --size and --suite, and random
 * shapes. */
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

/* Each adds to `list`. On failure returns false with a sentence in `why`. */
bool shapes_add(struct shape_list *list, struct shape shape, char *why, size_t room);
bool shapes_parse(struct shape_list *list, const char *text, char *why, size_t room);
bool shapes_parse_sizes(struct shape_list *list, const char *text, char *why, size_t room);
bool shapes_add_suite(struct shape_list *list, const char *name, char *why, size_t room);

/* Random problems: `count` of them by `seed`, with sizes from 16 to `largest`, which is at least
 * 32. The first, third ... have only odd sizes, the others only even ones. Among these, a size x
 * has a probability proportional to 1/x, so that the logarithms are uniform. The generator uses
 * integers only, so that a seed means the same on every machine, and a smaller count gives the
 * first problems of a larger one. */
struct random_shapes {
    int count, seed, largest;
};
enum { RANDOM_SMALLEST = 16, RANDOM_LARGEST_LEAST = 2 * RANDOM_SMALLEST };
bool shapes_add_random(struct shape_list *list, const struct random_shapes *random, char *why,
                       size_t room);

/* The default list. */
bool shapes_add_default(struct shape_list *list, char *why, size_t room);

void shapes_release(struct shape_list *list);

#endif
