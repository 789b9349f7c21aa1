/* SPDX-License-Identifier: Apache-2.0
 * Copies of columns of any length to any place: all of them is copied and nothing else changes. */
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "support/check.h"
#include "support/random.h"

enum { MEMORY = 1 << 16, GUARD = 0xA5 };

static void columns_and_nothing_else(void **state) {
    struct clg_test_random random = clg_test_random_start(1);
    unsigned char *from = malloc(MEMORY), *to = malloc(MEMORY), *wanted = malloc(MEMORY);
    (void)state;
    for (int i = 0; i < MEMORY; i++)
        from[i] = (unsigned char)clg_test_next(&random);
    for (int turn = 0; turn < 2000; turn++) {
        const size_t bytes = (size_t)clg_test_range(&random, 0, turn % 4 ? 700 : 5000);
        const size_t columns = (size_t)clg_test_range(&random, 0, 9);
        const size_t pitch = bytes + (size_t)clg_test_range(&random, 0, 90) * (turn % 3 != 0);
        const size_t to_pitch = bytes + (size_t)clg_test_range(&random, 0, 90) * (turn % 5 != 0);
        const size_t at = (size_t)clg_test_range(&random, 0, 130);
        const size_t to_at = (size_t)clg_test_range(&random, 0, 130);
        memset(to, GUARD, MEMORY);
        memset(wanted, GUARD, MEMORY);
        for (size_t j = 0; j < columns; j++)
            memcpy(wanted + to_at + j * to_pitch, from + at + j * pitch, bytes);
        if (turn % 2)
            clg_copy_columns(to + to_at, to_pitch, from + at, pitch, bytes, columns);
        else
            clg_copy_columns_for_bus(to + to_at, to_pitch, from + at, pitch, bytes, columns,
                                     turn % 8 ? 16 : 1);
        assert_memory_equal(to, wanted, MEMORY);
    }
    free(from);
    free(to);
    free(wanted);
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(columns_and_nothing_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
