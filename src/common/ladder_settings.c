/* SPDX-License-Identifier: Apache-2.0
 * The ladder's settings and sizes: reads --set and --steps, and says what is not possible. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/ladder_steps.h"

/* Larger values are typing errors, and products of values must fit an int64_t. */
#define VALUE_MAX 4096

/* The least value that any step has for the name; that value means "off" or "none". -1: no step has
 * the name. */
static int least_value(const char *name) {
    static const char *const may_be_zero[] = {"PAD", "PTX_LOAD", "PTX_SHUFFLE", "SUBGROUP_SHUFFLE"};
    bool known = false;
    for (int i = 0; i < ladder_step_count; i++)
        known = known || ladder_value(&ladder_steps[i], name, -1) >= 0;
    for (size_t i = 0; i < sizeof may_be_zero / sizeof *may_be_zero; i++)
        if (!strcmp(name, may_be_zero[i]))
            return 0;
    return known ? 1 : -1;
}

bool ladder_set(struct ladder_settings *settings, const char *text, char *why, size_t room) {
    char name[LADDER_NAME] = "", *end;
    const size_t length = strcspn(text, "=");
    if (length < sizeof name)
        memcpy(name, text, length);
    const int least = least_value(name);
    if (least < 0) {
        snprintf(why, room, "no step has a parameter \"%.*s\"", (int)length, text);
        return false;
    }
    const char *digits = text[length] ? text + length + 1 : "";
    const long value = strtol(digits, &end, 10);
    if (end == digits || *end || value < least || value > VALUE_MAX) {
        snprintf(why, room, "\"%s\": %s=N takes an integer from %d to %d", text, name, least,
                 VALUE_MAX);
        return false;
    }
    int at = 0;
    while (at < settings->count && strcmp(settings->items[at].name, name) != 0)
        at++;
    if (at == sizeof settings->items / sizeof *settings->items) {
        snprintf(why, room, "more settings than there are parameters");
        return false;
    }
    memcpy(settings->items[at].name, name, sizeof name);
    settings->items[at].value = (int)value;
    settings->count += at == settings->count;
    return true;
}

bool ladder_apply(struct ladder_step *step, const struct ladder_settings *settings) {
    bool any = false;
    for (int i = 0; i < settings->count; i++)
        for (struct ladder_setting *s = step->settings; s->name; s++)
            if (!strcmp(s->name, settings->items[i].name)) {
                s->value = settings->items[i].value;
                any = true;
            }
    return any;
}

const char *ladder_options(const struct ladder_step *step, const char *prefix,
                           char out[LADDER_OPTIONS]) {
    size_t used = 0;
    out[0] = '\0';
    for (const struct ladder_setting *s = step->settings; s->name; s++)
        used += (size_t)snprintf(out + used, LADDER_OPTIONS - used, "%s%s%s=%d", used ? " " : "",
                                 prefix, s->name, s->value);
    /* Sub-groups are not part of OpenCL C 1.2, the compilers' default. */
    if (*prefix && ladder_value(step, "SUBGROUP_SHUFFLE", 0) == 1)
        snprintf(out + used, LADDER_OPTIONS - used, " -cl-std=CL3.0");
    return out;
}

const char *ladder_unsupported_reason(const struct ladder_step *step, const struct clg_facts *facts,
                                      struct ladder_launch *out) {
    step->launch(step, out);
    const char *wrong = step->wrong(step, out);
    if (wrong)
        return wrong;
    if ((uint64_t)out->group_m * (uint64_t)out->group_n > facts->max_work_group)
        return "the device's work-groups are smaller";
    if ((uint64_t)out->group_m > facts->max_work_items[0] ||
        (uint64_t)out->group_n > facts->max_work_items[1])
        return "the device takes fewer work-items along a dimension";
    if ((uint64_t)out->local_bytes > facts->local_memory)
        return "the device has less local memory";
    return NULL;
}

/* The multiple of `unit` (at least 1) that is nearest to `size`, at least one unit. */
static int64_t nearest(int64_t size, int64_t unit) {
    if (unit < 1)
        return size;
    const int64_t below = size / unit * unit;
    const int64_t multiple = size - below < unit - (size - below) ? below : below + unit;
    return multiple < unit ? unit : multiple;
}

static int64_t common_multiple(int64_t a, int64_t b) {
    int64_t x = a, y = b;
    while (y) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x > 0 ? a / x * b : 1;
}

/* In whole tiles; a square stays a square. */
static struct shape nearest_shape(const struct ladder_launch *tile, struct shape s) {
    if (s.m == s.n && s.n == s.k) {
        const int64_t size = nearest(
            s.m, common_multiple(common_multiple(tile->tile_m, tile->tile_n), tile->tile_k));
        return (struct shape){size, size, size};
    }
    return (struct shape){nearest(s.m, tile->tile_m), nearest(s.n, tile->tile_n),
                          nearest(s.k, tile->tile_k)};
}

/* Elements of the largest matrix as the kernels see it. */
static double largest_matrix(const struct ladder_launch *tile, struct shape s) {
    const double m = (double)s.m + tile->tile_m, n = (double)s.n + tile->tile_n;
    const double k = (double)s.k + tile->tile_k;
    const double largest = m * k > k * n ? m * k : k * n;
    return m * n > largest ? m * n : largest;
}

bool ladder_takes(const struct ladder_step *step, struct shape s, char *why, size_t room) {
    static const int64_t reach = 40960; /* its square plus a tile fits an int */
    struct ladder_launch tile;
    char reason[96];
    step->launch(step, &tile);
    const bool small = s.m < 1 || s.n < 1 || s.k<1, large = largest_matrix(&tile, s)> INT_MAX;
    const bool whole = step->needs == LADDER_PADDED ||
                       (s.m % tile.tile_m == 0 && s.n % tile.tile_n == 0 && s.k % tile.tile_k == 0);
    if (!small && !large && whole)
        return true;
    if (large) {
        snprintf(reason, sizeof reason, "its 32-bit indices cannot address the whole matrix");
        s = (struct shape){reach, reach, reach};
    } else if (small)
        snprintf(reason, sizeof reason, "there is nothing to compute");
    else
        snprintf(reason, sizeof reason, "it takes whole tiles only, of %d x %d, and %d along k",
                 tile.tile_m, tile.tile_n, tile.tile_k);
    const struct shape best = nearest_shape(&tile, s);
    snprintf(why, room, "%s; the nearest size it can do is %" PRId64 "x%" PRId64 "x%" PRId64,
             reason, best.m, best.n, best.k);
    return false;
}

/* A step's number at *text, which moves behind it; 0 if there is none. */
static int read_step(const char **text) {
    char *end;
    const long number = **text >= '0' && **text <= '9' ? strtol(*text, &end, 10) : 0;
    if (number < 1 || number > LADDER_STEPS)
        return 0;
    *text = end;
    return (int)number;
}

bool ladder_parse_steps(unsigned *steps, const char *text, char *why, size_t room) {
    const char *at = text;
    *steps = 0;
    for (;;) {
        const int first = read_step(&at);
        int last = first;
        if (first && *at == '-') {
            at++;
            last = read_step(&at);
        }
        if (!first || last < first || (*at && *at != ',')) {
            snprintf(why, room, "\"%s\" is not a list of steps such as 1-11 or 1,3,5-7", text);
            return false;
        }
        for (int s = first; s <= last; s++)
            *steps |= 1u << s;
        if (!*at++)
            return true;
    }
}
