/* SPDX-License-Identifier: Apache-2.0
 * Shapes to measure: a growable list, and the readers of --shape, --size and --suite. */
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

/* The list measured when the command line names none. */
bool shapes_add_default(struct shape_list *list, char *why, size_t room);

void shapes_release(struct shape_list *list);

#endif
