/* SPDX-License-Identifier: Apache-2.0
 * Seeded random numbers. */
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

enum { DEFAULT_SEED = 20111 };

uint64_t clg_test_seed(void) {
    const char *text = getenv("CLGEMM_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : DEFAULT_SEED;
}

int clg_test_draw(int parts) {
    struct clg_test_random random = clg_test_random_start((uint64_t)parts);
    const int part = (int)clg_test_range(&random, 0, parts - 1);
    printf(
        "part %d of %d was drawn: CLGEMM_TEST_SEED=%llu repeats it, CLGEMM_TEST_LONG=1 does all\n",
        part + 1, parts, (unsigned long long)clg_test_seed());
    return part;
}

void clg_test_deal(const double *costs, int count, int parts, int *part) {
    double *sums = calloc((size_t)parts, sizeof *sums);
    if (!sums)
        abort();
    for (int i = 0; i < count; i++)
        part[i] = -1;
    for (int dealt = 0; dealt < count; dealt++) {
        int most = -1, least = 0;
        for (int i = 0; i < count; i++)
            if (part[i] < 0 && (most < 0 || costs[i] > costs[most]))
                most = i;
        for (int p = 1; p < parts; p++)
            if (sums[p] < sums[least])
                least = p;
        part[most] = least;
        sums[least] += costs[most];
    }
    free(sums);
}

struct clg_test_random clg_test_random_start(uint64_t stream) {
    struct clg_test_random random = {clg_test_seed() ^ (stream * UINT64_C(0xD1342543DE82EF95))};
    clg_test_next(&random);
    return random;
}

uint64_t clg_test_next(struct clg_test_random *random) {
    return clg_random_next(&random->state);
}

int64_t clg_test_range(struct clg_test_random *random, int64_t low, int64_t high) {
    return low + (int64_t)(clg_test_next(random) % (uint64_t)(high - low + 1));
}

float clg_test_value(struct clg_test_random *random) {
    int32_t steps = (int32_t)(clg_test_next(random) >> 40) - (1 << 23);
    return (float)steps * 0x1p-23f;
}
