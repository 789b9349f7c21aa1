/* SPDX-License-Identifier: Apache-2.0
 * Shapes drawn at random. */
#include "base/random.h"
#include "src/common/shape.h"

static int64_t draw_below(uint64_t *state, int64_t end) {
    return (int64_t)(clg_random_next(state) % (uint64_t)end);
}

/* Draws an octave (16 to 31, 32 to 63 ...) uniformly, then a size within it uniformly. Keeps the
 * size with a probability of octave / size, and otherwise starts again. */
static int64_t draw_size(uint64_t *state, int64_t largest, bool odd) {
    int octaves = 1;
    while ((int64_t)RANDOM_SMALLEST << octaves <= largest)
        octaves++;
    for (;;) {
        const int64_t octave = (int64_t)RANDOM_SMALLEST << draw_below(state, octaves);
        const int64_t size = octave + draw_below(state, octave);
        const bool kept = draw_below(state, size) < octave;
        if (kept && size <= largest && (size % 2 == 1) == odd)
            return size;
    }
}

bool shapes_add_random(struct shape_list *list, const struct random_shapes *random, char *why,
                       size_t room) {
    uint64_t state = (uint64_t)random->seed;
    for (int i = 0; i < random->count; i++) {
        const bool odd = i % 2 == 0;
        const int64_t m = draw_size(&state, random->largest, odd);
        const int64_t n = draw_size(&state, random->largest, odd);
        const int64_t k = draw_size(&state, random->largest, odd);
        if (!shapes_add(list, (struct shape){m, n, k}, why, room))
            return false;
    }
    return true;
}
