/* SPDX-License-Identifier: Apache-2.0
 * The search for the break-even. */
#include "src/tune/break_even.h"

const int64_t break_even_sizes[BREAK_EVEN_SIZES] = {4096, 3072, 2048, 1536, 1024, 768, 512,
                                                    384,  256,  192,  128,  96,   64};

struct shape break_even_shape(int64_t size, int number) {
    const int64_t twice = 2 * size, half = size / 2;
    const struct shape shapes[BREAK_EVEN_SHAPES] = {{size, size, size},
                                                    {twice, half / 2, twice},
                                                    {twice, twice, half / 2},
                                                    {half, half, 2 * twice}};
    return shapes[number];
}

/* Whether the device wins with each shape of that size. */
static enum break_even_winner winner_of(int64_t size, break_even_contest *contest, void *user) {
    enum break_even_winner winner = WINS_DEVICE;
    for (int number = 0; number < BREAK_EVEN_SHAPES && winner == WINS_DEVICE; number++)
        winner = contest(break_even_shape(size, number), user);
    return winner;
}

bool break_even_find(int64_t largest, break_even_contest *contest, void *user, int64_t *flops) {
    int first = 0, lost = BREAK_EVEN_SIZES;
    while (first < BREAK_EVEN_SIZES && break_even_sizes[first] > largest)
        first++;
    int won = first - 1;
    for (int i = first; i < lost; i = won + 2 < lost ? won + 2 : won + 1) {
        const enum break_even_winner winner = winner_of(break_even_sizes[i], contest, user);
        if (winner == WINS_NOBODY)
            return false;
        *(winner == WINS_DEVICE ? &won : &lost) = i;
    }
    const int64_t least = won < first ? 0 : break_even_sizes[won];
    *flops = least ? 2 * least * least * least : INT64_MAX;
    return true;
}
