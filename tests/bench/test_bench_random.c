/* SPDX-License-Identifier: Apache-2.0
 * What `clgemm-bench --random` draws: the same on every machine, within range, half of the sizes
 * odd, and log-uniform. No device is needed. */
#include <math.h>
#include <string.h>

#include "bench/options.h"
#include "support/check.h"

static struct shape_list draw(int count, int seed, int largest) {
    const struct random_shapes random = {count, seed, largest};
    struct shape_list list = {0};
    char why[160] = "";
    if (!shapes_add_random(&list, &random, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(list.count, count);
    return list;
}

/* Measurements with a seed are compared with later ones, so the shapes must not change. */
static void a_seed_means_the_same_problems_for_ever(void **state) {
    (void)state;
    static const struct shape expected[] = {{615, 953, 885}, {394, 264, 1466}, {1047, 193, 47}};
    struct shape_list list = draw(3, 1, 8192), other = draw(3, 2, 8192);
    assert_memory_equal(list.items, expected, sizeof expected);
    assert_memory_not_equal(list.items, other.items, sizeof expected);
    shapes_release(&list);
    shapes_release(&other);
}

static void fewer_are_the_first_of_more(void **state) {
    (void)state;
    struct shape_list all = draw(40, 7, 8192), some = draw(13, 7, 8192);
    assert_memory_equal(all.items, some.items, some.count * sizeof *some.items);
    shapes_release(&all);
    shapes_release(&some);
}

static void sizes_are_in_range_and_every_other_problem_is_odd(void **state) {
    (void)state;
    static const int largest[] = {32, 33, 100, 8192, 1 << 30};
    for (size_t l = 0; l < sizeof largest / sizeof *largest; l++)
        for (int seed = 1; seed <= 20; seed++) {
            struct shape_list list = draw(50, seed, largest[l]);
            for (size_t i = 0; i < list.count; i++) {
                const int64_t sizes[] = {list.items[i].m, list.items[i].n, list.items[i].k};
                for (int s = 0; s < 3; s++) {
                    assert_in_range(sizes[s], RANDOM_SMALLEST, largest[l]);
                    assert_int_equal(sizes[s] % 2, i % 2 == 0);
                }
            }
            shapes_release(&list);
        }
}

/* Over many draws every size up to the largest occurs with a frequency proportional to its
 * reciprocal, within five standard deviations. */
static void sizes_are_log_uniform(void **state) {
    (void)state;
    enum { LARGEST = 75, COUNT = 10000 };
    int seen[LARGEST + 1] = {0};
    struct shape_list list = draw(COUNT, 3, LARGEST);
    for (size_t i = 0; i < list.count; i++) {
        seen[list.items[i].m]++;
        seen[list.items[i].n]++;
        seen[list.items[i].k]++;
    }
    for (int odd = 0; odd < 2; odd++) {
        double sum = 0;
        for (int size = RANDOM_SMALLEST + odd; size <= LARGEST; size += 2)
            sum += 1.0 / size;
        for (int size = RANDOM_SMALLEST + odd; size <= LARGEST; size += 2) {
            const double expected = 1.5 * COUNT / size / sum;
            assert_true(fabs(seen[size] - expected) < 5 * sqrt(expected));
        }
    }
    shapes_release(&list);
}

/* The list that the command line makes. */
static enum parsed read_line(struct options *o, const char *const *words) {
    char text[8][24], *argv[9] = {NULL};
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = memcpy(text[argc], words[argc], strlen(words[argc]) + 1);
    return options_parse(o, argc, argv);
}

static void what_is_drawn_is_added_to_what_is_named(void **state) {
    (void)state;
    const char *const line[] = {PROGRAM, "--random", "2", "--shape", "3x4x5", NULL};
    struct options o;
    assert_int_equal(read_line(&o, line), PARSED_RUN);
    assert_int_equal(o.shapes.count, 3);
    assert_int_equal(o.shapes.items[0].m, 3);
    assert_int_equal(o.shapes.items[1].m, 615); /* the default seed is 1, the default limit 8192 */
    assert_int_equal(o.shapes.items[2].k, 1466);
    options_release(&o);
}

static void seed_and_largest_are_taken(void **state) {
    (void)state;
    const char *const line[] = {PROGRAM, "--seed", "5", "--largest", "64", "--random", "9", NULL};
    struct shape_list expected = draw(9, 5, 64);
    struct options o;
    assert_int_equal(read_line(&o, line), PARSED_RUN);
    assert_int_equal(o.shapes.count, 9);
    assert_memory_equal(o.shapes.items, expected.items, 9 * sizeof *expected.items);
    options_release(&o);
    shapes_release(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_means_the_same_problems_for_ever),
        cmocka_unit_test(fewer_are_the_first_of_more),
        cmocka_unit_test(sizes_are_in_range_and_every_other_problem_is_odd),
        cmocka_unit_test(sizes_are_log_uniform),
        cmocka_unit_test(what_is_drawn_is_added_to_what_is_named),
        cmocka_unit_test(seed_and_largest_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
