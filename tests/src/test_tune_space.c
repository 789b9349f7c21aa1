/* SPDX-License-Identifier: Apache-2.0
 * The tuner's space, without a device: what is in it, that nothing is in it twice, and walks
 * through it. */
#include <stdlib.h>
#include <string.h>

#include "run/choose.h"
#include "support/check.h"
#include "support/random.h"
#include "support/space.h"

static int by_bytes(const void *left, const void *right) {
    return memcmp(left, right, sizeof(struct clg_candidate));
}

/* Counting finds as many candidates as walking, for each scheme. */
static void check_count(const struct clg_space *space, int family,
                        const struct clg_test_candidates *found) {
    uint64_t walked[CLG_SCHEMES] = {0}, counted[CLG_SCHEMES];
    for (size_t i = 0; i < found->count; i++)
        walked[clg_candidate_scheme(&found->all[i])]++;
    assert_int_equal(clg_space_count(space, family, counted), found->count);
    for (int s = 0; s < CLG_SCHEMES; s++)
        assert_int_equal(counted[s], walked[s]);
}

static void check_all_different(struct clg_test_candidates *found) {
    qsort(found->all, found->count, sizeof *found->all, by_bytes);
    for (size_t i = 1; i < found->count; i++)
        assert_int_not_equal(by_bytes(&found->all[i - 1], &found->all[i]), 0);
}

/* The present counts. A change of a bound, an axis or an unsupported_reason that changes them must
 * be intended. */
static void every_candidate_is_valid_and_none_is_twice(void **state) {
    static const struct {
        const struct clg_facts *facts;
        clgemm_type type;
        int64_t m, n, k;
        size_t counts[CLG_FAMILIES];
    } cases[] = {
        {&clg_test_gpu, CLGEMM_F32, 16, 4, 40, {188974, 115}},
        {&clg_test_gpu, CLGEMM_F32, 33, 7, 5, {92240, 156}},
        {&clg_test_gpu, CLGEMM_F64, 33, 7, 5, {55476, 156}},
        {&clg_test_gpu, CLGEMM_F32, 2000, 1, 64, {173259, 47}}, /* with slices, and with a tail */
        {&clg_test_gpu, CLGEMM_F32, 40, 1, 300, {2063, 78629, 47}},
        {&clg_test_cpu, CLGEMM_F32, 100, 9, 7, {200, 321082, 427}},
        {&clg_test_cpu, CLGEMM_F32, 300, 3, 51, {1476, 260}},
        {&clg_test_cpu, CLGEMM_F64, 300, 3, 51, {2292, 260}},
        {&clg_test_cpu, CLGEMM_F32, 5, 3, 2, {24, 144}},
        {&clg_test_cpu, CLGEMM_F64, 5, 3, 2, {24, 144}},
    };
    enum { PARTS = 3 };
    const int drawn = clg_test_is_long() ? -1 : clg_test_draw(PARTS);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct clg_space space;
        if (drawn >= 0 && (int)(c % PARTS) != drawn)
            continue;
        clg_test_space(&space, cases[c].facts, cases[c].type, cases[c].m, cases[c].n, cases[c].k);
        for (int f = 0; f < space.count; f++) {
            struct clg_test_candidates found = clg_test_space_walk(&space, f);
            check_all_different(&found);
            check_count(&space, f, &found);
            if (found.count != cases[c].counts[f])
                fail_msg("case %zu, %s: %zu", c, space.families[f]->name, found.count);
            free(found.all);
        }
    }
}

/* The same for batches, which have a family of their own, beginning with its choice. */
static void batches_have_a_family_of_their_own(void **state) {
    struct clg_space space;
    struct clg_candidate seeds[8];
    int many = -1;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 16, 16, 16);
    struct clg_problem problem = space.problem;
    problem.batch = 100000;
    for (int i = 0; i < CLG_MATRICES; i++)
        problem.matrix[i].stride = 16 * 16;
    clg_space_init(&space, &problem, &clg_test_gpu);
    for (int f = 0; f < space.count; f++)
        if (space.families[f] == &clg_family_many)
            many = f;
    assert_true(many >= 0);
    struct clg_test_candidates found = clg_test_space_walk(&space, many);
    check_all_different(&found);
    check_count(&space, many, &found);
    assert_int_equal(found.count, 8190);
    free(found.all);
    assert_true(clg_space_seeds(&space, seeds, 8) > 2);
    assert_ptr_equal(seeds[0].family, &clg_family_many);
    assert_int_equal(seeds[0].params.products, 2);
}

/* Doubles in modes, on tensor cores and by dot products of bytes. */
static void modes_have_a_space(void **state) {
    const struct clg_family *const families[] = {&clg_family_residues, &clg_family_dot};
    struct clg_facts facts[] = {clg_test_hopper, clg_test_gpu};
    (void)state;
    facts[1].arch.doubles = 1. / 64;
    facts[1].dots = 4;
    for (int i = 0; i < 2; i++) {
        struct clg_space space;
        size_t walked = 0;
        clg_test_space(&space, &facts[i], CLGEMM_F64, 4096, 4096, 4096);
        struct clg_problem problem = space.problem;
        problem.math = CLGEMM_MATH_NORMWISE;
        clg_space_init(&space, &problem, &facts[i]);
        for (int f = 0; f < space.count; f++) {
            if (space.families[f] != families[i])
                continue;
            struct clg_test_candidates found = clg_test_space_walk(&space, f);
            walked = found.count;
            check_all_different(&found);
            free(found.all);
        }
        assert_true(walked > 1);
    }
}

/* The space depends on the problem's type: a CPU's vectors hold half as many doubles as floats. */
static void vectors_are_as_wide_as_the_devices(void **state) {
    (void)state;
    for (int type = CLGEMM_F32; type <= CLGEMM_F64; type++) {
        const size_t bytes = clg_test_cpu.float_vector * clg_type_size(CLGEMM_F32);
        struct clg_space space;
        size_t whole = 0, half = 0;
        clg_test_space(&space, &clg_test_cpu, (clgemm_type)type, 64, 48, 32);
        assert_ptr_equal(space.families[0], &clg_family_panel);
        struct clg_test_candidates found = clg_test_space_walk(&space, 0);
        for (size_t i = 0; i < found.count; i++) {
            const size_t width = (size_t)found.all[i].params.vec * clg_type_size((clgemm_type)type);
            whole += width == bytes;
            half += width == bytes / 2;
        }
        assert_true(whole > 0 && half > 0);
        assert_int_equal(whole + half, found.count);
        free(found.all);
    }
}

/* The walk leaves out whole branches. It must find the same as a check of every point. */
static void the_walk_misses_nothing(void **state) {
    struct clg_space space;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, CLGEMM_F64, 40, 30, 20);
    for (int f = 0; f < space.count; f++) {
        const struct clg_axes *axes = space.families[f]->axes;
        struct clg_point point = {.family = (uint8_t)f};
        struct clg_candidate candidate;
        size_t count = 0;
        if (space.families[f] == &clg_family_tiled)
            continue; /* it has too many points */
        for (int a = 0; a < axes->count;) {
            count += clg_space_at(&space, &point, &candidate);
            for (a = 0; a < axes->count && ++point.at[a] == axes->axes[a].count; a++)
                point.at[a] = 0;
        }
        struct clg_test_candidates found = clg_test_space_walk(&space, f);
        assert_int_equal(found.count, count);
        free(found.all);
    }
}

static void steps_stay_in_the_space_and_change_one_axis(void **state) {
    struct clg_space space;
    struct clg_candidate candidate;
    struct clg_point start;
    int moved = 0;
    (void)state;
    clg_test_space(&space, &clg_test_gpu, CLGEMM_F32, 1024, 1024, 1024);
    assert_true(clg_space_model_choice(&space, &candidate));
    assert_true(clg_space_near(&space, &candidate, &start));
    for (int axis = 0; axis < clg_space_axes(&space, &start); axis++)
        for (int step = -1; step <= 1; step += 2) {
            struct clg_point point = start;
            if (!clg_space_step(&space, &point, axis, step))
                continue;
            moved++;
            assert_true(clg_space_at(&space, &point, &candidate));
            assert_true(step < 0 ? point.at[axis] < start.at[axis]
                                 : point.at[axis] > start.at[axis]);
            point.at[axis] = start.at[axis];
            assert_memory_equal(&point, &start, sizeof start);
        }
    assert_true(moved > 4);
}

/* A candidate of the space is nearest to its own point, so that a search can continue from it. */
static void a_candidate_is_nearest_to_its_own_point(void **state) {
    static const struct clg_facts *const all[] = {&clg_test_gpu, &clg_test_cpu};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct clg_space space;
        clg_test_space(&space, all[i], i ? CLGEMM_F64 : CLGEMM_F32, 640, 480, 320);
        for (int f = 0; f < space.count; f++) {
            struct clg_point point, near;
            struct clg_candidate candidate, again;
            size_t count = 0;
            for (bool more = clg_space_first(&space, f, &point); more && count < 2000;
                 more = clg_space_next(&space, &point), count++) {
                assert_true(clg_space_at(&space, &point, &candidate));
                assert_true(clg_space_near(&space, &candidate, &near));
                assert_true(clg_space_at(&space, &near, &again));
                assert_true(clg_candidate_equal(&candidate, &again));
            }
            assert_true(count > 10);
        }
    }
}

static void seeds_begin_with_the_choice_of_the_model(void **state) {
    static const struct clg_facts *const all[] = {&clg_test_gpu, &clg_test_cpu};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct clg_space space;
        struct clg_plan plan;
        struct clg_candidate seeds[64];
        clg_test_space(&space, all[i % 2], i < 2 ? CLGEMM_F32 : CLGEMM_F64, 2048, 2048, 2048);
        clg_test_assert_success(clg_choose_plan(&plan, &space.problem, &space.facts, NULL));
        const int count = clg_space_seeds(&space, seeds, 64);
        const struct clg_candidate chosen = clg_candidate_of(plan.family, &plan.params);
        assert_true(count > 2);
        assert_true(clg_candidate_equal(&seeds[0], &chosen));
        for (int s = 0; s < count; s++) {
            assert_null(seeds[s].family->unsupported_reason(&space.problem, &space.facts,
                                                            &seeds[s].params));
            for (int t = 0; t < s; t++)
                assert_false(clg_candidate_equal(&seeds[s], &seeds[t]));
        }
        assert_int_equal(clg_space_seeds(&space, seeds, 2), 2);
    }
}

static void candidates_have_schemes(void **state) {
    static const struct {
        const struct clg_family *family;
        struct clg_params params;
        const char *scheme;
    } cases[] = {
        {&clg_family_direct, {.tile_m = 4}, "none"},
        {&clg_family_panel, {.tile_m = 4}, "packed"},
        {&clg_family_tiled, {.tile_m = 4}, "both"},
        {&clg_family_tiled, {.in_place = 1}, "local"},
        {&clg_family_tiled, {.private_a = 1}, "local-private"},
        {&clg_family_tiled, {.private_b = 1}, "local-private"},
        {&clg_family_tiled, {.private_a = 1, .private_b = 1}, "private"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct clg_candidate candidate = clg_candidate_of(cases[i].family, &cases[i].params);
        assert_string_equal(clg_scheme_names[clg_candidate_scheme(&candidate)], cases[i].scheme);
    }
}

/* The parts add up to the whole. */
static void one_scheme_can_be_kept(void **state) {
    struct clg_space whole, part;
    struct clg_candidate seeds[64];
    size_t all = 0, parts = 0;
    (void)state;
    clg_test_space(&whole, &clg_test_gpu, CLGEMM_F32, 4, 4, 4);
    for (int f = 0; f < whole.count; f++) {
        struct clg_test_candidates found = clg_test_space_walk(&whole, f);
        all += found.count;
        free(found.all);
    }
    for (int scheme = 0; scheme < CLG_SCHEMES; scheme++) {
        part = whole;
        clg_space_keep(&part, (enum clg_scheme)scheme);
        assert_true(part.count <= 1);
        struct clg_test_candidates found =
            part.count ? clg_test_space_walk(&part, 0) : (struct clg_test_candidates){0};
        if (part.count)
            check_count(&part, 0, &found);
        for (size_t i = 0; i < found.count; i++)
            assert_int_equal(clg_candidate_scheme(&found.all[i]), scheme);
        parts += found.count;
        free(found.all);
        const int count = clg_space_seeds(&part, seeds, 64);
        for (int i = 1; i < count; i++)
            assert_int_equal(clg_candidate_scheme(&seeds[i]), scheme);
    }
    assert_int_equal(parts, all);
}

static void a_candidate_has_words(void **state) {
    const struct clg_params params = {.tile_m = 64,
                                      .tile_n = 32,
                                      .tile_k = 16,
                                      .wg_m = 8,
                                      .wg_n = 4,
                                      .wg_k = 2,
                                      .stages = 2,
                                      .band_m = 8,
                                      .split_k = 1,
                                      .pack_b = 1};
    const struct clg_candidate candidate = clg_candidate_of(&clg_family_tiled, &params);
    char text[CLG_DESCRIPTION];
    (void)state;
    assert_int_equal(candidate.params.split_k, 0);
    assert_string_equal(clg_candidate_text(text, &candidate),
                        "tiled 64x32x16, 8x4x2, stages 2, band_m 8, pack_b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_is_valid_and_none_is_twice),
        cmocka_unit_test(batches_have_a_family_of_their_own),
        cmocka_unit_test(modes_have_a_space),
        cmocka_unit_test(vectors_are_as_wide_as_the_devices),
        cmocka_unit_test(the_walk_misses_nothing),
        cmocka_unit_test(steps_stay_in_the_space_and_change_one_axis),
        cmocka_unit_test(a_candidate_is_nearest_to_its_own_point),
        cmocka_unit_test(seeds_begin_with_the_choice_of_the_model),
        cmocka_unit_test(candidates_have_schemes),
        cmocka_unit_test(one_scheme_can_be_kept),
        cmocka_unit_test(a_candidate_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
