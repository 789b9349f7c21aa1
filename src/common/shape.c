/* SPDX-License-Identifier: Apache-2.0
 * The list of shapes, and the readers of its two notations: MxNxK, and ranges of squares. */
#include "src/common/shape.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

/* A range such as 1-1000000000+1 is a typing error, and would exhaust the memory. */
#define SHAPES_MAX 10000

bool shapes_add(struct shape_list *list, struct shape shape, char *why, size_t room) {
    if (list->count == SHAPES_MAX) {
        snprintf(why, room, "more than %d shapes", SHAPES_MAX);
        return false;
    }
    if (!clg_array_reserve(&list->items, &list->room, list->count + 1, sizeof *list->items)) {
        snprintf(why, room, "out of memory for the list of shapes");
        return false;
    }
    list->items[list->count++] = shape;
    return true;
}

void shapes_release(struct shape_list *list) {
    free(list->items);
    *list = (struct shape_list){0};
}

/* Reads one size at *text and moves *text behind it. */
static bool read_size(const char **text, int64_t *value, char *why, size_t room) {
    if (**text == '-') {
        snprintf(why, room, "a size is negative at \"%s\"", *text);
        return false;
    }
    if (!isdigit((unsigned char)**text)) {
        snprintf(why, room, "a number is missing at \"%s\"", *text);
        return false;
    }
    char *end;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    if (errno == ERANGE) {
        snprintf(why, room, "the size at \"%s\" does not fit 64 bits", *text);
        return false;
    }
    *value = number;
    *text = end;
    return true;
}

/* Skips one expected character. */
static bool read_mark(const char **text, char mark, const char *usage, char *why, size_t room) {
    if (**text != mark) {
        snprintf(why, room, "expected %s at \"%s\"", usage, *text);
        return false;
    }
    ++*text;
    return true;
}

/* An item is followed by the end, or by a comma and another item. */
static bool read_comma(const char **text, const char *usage, char *why, size_t room) {
    return **text == '\0' || read_mark(text, ',', usage, why, room);
}

bool shapes_parse(struct shape_list *list, const char *text, char *why, size_t room) {
    static const char usage[] = "MxNxK,...";
    do {
        struct shape s;
        if (!read_size(&text, &s.m, why, room) || !read_mark(&text, 'x', usage, why, room) ||
            !read_size(&text, &s.n, why, room) || !read_mark(&text, 'x', usage, why, room) ||
            !read_size(&text, &s.k, why, room) || !shapes_add(list, s, why, room))
            return false;
        if (!*text)
            return true;
    } while (read_comma(&text, usage, why, room));
    return false;
}

static bool add_square(struct shape_list *list, int64_t size, char *why, size_t room) {
    return shapes_add(list, (struct shape){size, size, size}, why, room);
}

/* Adds first, first (+ or *) by, ... up to and including last. */
static bool add_range(struct shape_list *list, int64_t first, int64_t last, char how, int64_t by,
                      char *why, size_t room) {
    if (last < first || by < (how == '+' ? 1 : 2) || (how == '*' && first == 0)) {
        snprintf(why, room, "the range %" PRId64 "-%" PRId64 "%c%" PRId64 " never reaches its end",
                 first, last, how, by);
        return false;
    }
    for (int64_t size = first;;) {
        if (!add_square(list, size, why, room))
            return false;
        /* Compare before the step, so that it cannot overflow. */
        if (how == '+' ? by > last - size : size > last / by)
            return true;
        size = how == '+' ? size + by : size * by;
    }
}

bool shapes_parse_sizes(struct shape_list *list, const char *text, char *why, size_t room) {
    static const char usage[] = "a, a-b+step or a-b*factor";
    do {
        int64_t first, last, by;
        if (!read_size(&text, &first, why, room))
            return false;
        if (*text == '-') {
            ++text;
            if (!read_size(&text, &last, why, room))
                return false;
            char how = *text;
            if (!read_mark(&text, how == '*' ? '*' : '+', usage, why, room) ||
                !read_size(&text, &by, why, room) ||
                !add_range(list, first, last, how, by, why, room))
                return false;
        } else if (!add_square(list, first, why, room)) {
            return false;
        }
        if (!*text)
            return true;
    } while (read_comma(&text, usage, why, room));
    return false;
}
