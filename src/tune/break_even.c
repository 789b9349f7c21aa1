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

bool break_even_find(int64_t largest, enum break_even_winner (*contest)(struct shape, void *user),
                     void *user, int64_t *flops) {
    *flops = INT64_MAX;
    for (int i = 0; i < BREAK_EVEN_SIZES; i++) {
        const int64_t size = break_even_sizes[i];
        enum break_even_winner winner = WINS_DEVICE;
        if (size > largest)
            continue;
        for (int number = 0; number < BREAK_EVEN_SHAPES && winner == WINS_DEVICE; number++)
            winner = contest(break_even_shape(size, number), user);
        if (winner != WINS_DEVICE)
            return winner == WINS_CPU;
        *flops = 2 * size * size * size;
    }
    return true;
}
