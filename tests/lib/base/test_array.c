/* SPDX-License-Identifier: Apache-2.0
 * Growing arrays keep their content, also when memory is short. No device is needed. */
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "support/check.h"

static void grows_by_doubling(void **state) {
    int *numbers = NULL;
    size_t room = 0, grown = 0;
    (void)state;
    for (size_t count = 0; count < 10000; count++) {
        const size_t before = room;
        assert_true(clg_array_reserve(&numbers, &room, count + 1, sizeof *numbers));
        assert_true(room > count);
        assert_true(room == before || room >= 2 * before);
        grown += room != before;
        numbers[count] = (int)count;
    }
    assert_true(grown < 12);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(numbers[i], i);
    assert_true(clg_array_reserve(&numbers, &room, 100000, sizeof *numbers));
    assert_true(room >= 100000);
    numbers[99999] = 1;
    assert_int_equal(numbers[9999], 9999);
    free(numbers);
}

static void has_nothing_to_do_where_there_is_room(void **state) {
    int *numbers = NULL;
    size_t room = 0;
    (void)state;
    assert_true(clg_array_reserve(&numbers, &room, 0, sizeof *numbers));
    assert_null(numbers);
    assert_true(clg_array_reserve(&numbers, &room, 3, sizeof *numbers));
    const int *const place = numbers;
    const size_t had = room;
    assert_true(clg_array_reserve(&numbers, &room, had, sizeof *numbers));
    assert_ptr_equal(numbers, place);
    assert_int_equal(room, had);
    free(numbers);
}

static void stays_as_it_is_where_memory_is_short(void **state) {
    /* Volatile, because a compiler that knew the sizes would warn. */
    const volatile size_t too_many[] = {SIZE_MAX, SIZE_MAX / sizeof(int) + 1,
                                        PTRDIFF_MAX / sizeof(int) + 1};
    int *numbers = NULL;
    size_t room = 0;
    (void)state;
#if defined(CLG_TEST_ASAN) || defined(CLG_TEST_TSAN)
    skip(); /* it ends a process that asks for so much memory */
#endif
    assert_true(clg_array_reserve(&numbers, &room, 1, sizeof *numbers));
    numbers[0] = 7;
    const int *const place = numbers;
    const size_t had = room;
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        assert_false(clg_array_reserve(&numbers, &room, too_many[i], sizeof *numbers));
        assert_ptr_equal(numbers, place);
        assert_int_equal(room, had);
        assert_int_equal(numbers[0], 7);
    }
    free(numbers);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_by_doubling),
        cmocka_unit_test(has_nothing_to_do_where_there_is_room),
        cmocka_unit_test(stays_as_it_is_where_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
