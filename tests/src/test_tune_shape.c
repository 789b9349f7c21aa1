/* SPDX-License-Identifier: Apache-2.0
 * Searches of the tuner, without a device: this program plays the worker processes, with made-up
 * times and faults. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "play_worker.h"
#include "src/tune/shape.h"
#include "support/check.h"
#include "support/space.h"

static const struct clg_tuning_shape shape = {5, 3, 2, false, false, false, CLGEMM_F32, 0, 0};

static const struct tune_settings settings = {.seed = 1,
                                              .budget = 1000 /* the space ends before that */};

/* Searches for that shape, with this many builders. */
static void tune(struct tune_result *r, const struct clg_tuning_shape *of,
                 const struct clg_candidate *known, const struct tune_settings *how, int builders,
                 bool shares_cores) {
    const struct tune_worker like = {.device = "0:0", .limit = 0.3, .start_limit = 30};
    static struct tune_crew crew;
    struct clg_space space;
    tune_crew_open(&crew, &like, builders, shares_cores);
    assert_int_equal(crew.num_builders, builders);
    clg_test_space(&space, &clg_test_cpu, CLGEMM_F32, of->m, of->n, of->k);
    *r = (struct tune_result){.shape = *of};
    tune_shape(r, &space, known, how, &crew);
    worker_stop = 0;
    const bool has_cache = *crew.cache;
    assert_int_equal(has_cache, builders > 0);
    tune_crew_end(&crew);
    assert_int_equal(tune_crew_running(&crew), 0);
    assert_true(!has_cache || access(crew.cache, F_OK) != 0);
}

/* The least made-up time of those that run, and the number that fail when built and when run. The
 * best ones are built, too. */
static double least_time(const struct clg_space *space, size_t *bad_builds, size_t *bad_runs) {
    struct clg_point point;
    double least = INFINITY;
    *bad_builds = *bad_runs = 0;
    for (int f = 0; f < space->count; f++)
        for (bool more = clg_space_first(space, f, &point); more;
             more = clg_space_next(space, &point)) {
            struct clg_candidate candidate;
            assert_true(clg_space_at(space, &point, &candidate));
            const bool builds = play_conduct_of(&candidate, TUNE_BUILD) == PLAY_WORKS;
            const bool runs = play_conduct_of(&candidate, TUNE_TRY) == PLAY_WORKS;
            *bad_builds += !builds;
            *bad_runs += !runs;
            if (runs)
                least = fmin(least, play_time_of(&candidate.params));
        }
    return least;
}

/* Each candidate that was tried is in the history once, in the order of time. */
static void check_history(const struct tune_result *r) {
    size_t counts[TUNE_VERDICTS] = {0};
    assert_int_equal(r->num_history, tune_tried(r));
    for (size_t i = 0; i < r->num_history; i++) {
        const struct tune_record *record = &r->history[i];
        counts[record->verdict]++;
        assert_true(record->at >= (i ? r->history[i - 1].at : 0) && record->at <= r->seconds);
        assert_true((record->median > 0) == (record->verdict <= CLG_TRIAL_SLOW));
        for (size_t j = 0; j < i; j++)
            assert_false(clg_candidate_equal(&record->candidate, &r->history[j].candidate));
    }
    assert_memory_equal(counts, r->counts, sizeof counts);
}

/* The whole of a small space, including faults. */
static void a_search_survives_all_faults(void **state) {
    static struct tune_result r;
    struct clg_space space;
    size_t bad_builds, bad_runs;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, CLGEMM_F32, shape.m, shape.n, shape.k);
    const double least = least_time(&space, &bad_builds, &bad_runs);
    assert_true(bad_builds >= 4 && bad_runs >= 4);
    for (int form = 0; form < 3; form++) {
        const size_t bad = bad_runs + (form ? bad_builds : 0);
        tune(&r, &shape, NULL, &settings, form ? 3 : 0, form == 2);
        assert_string_equal(r.why, "");
        assert_true(r.whole);
        assert_false(r.stopped);
        assert_int_equal(r.counts[CLG_TRIAL_WRONG], 1);
        assert_int_equal(r.counts[CLG_TRIAL_WRONG] + r.counts[CLG_TRIAL_FAILED], bad);
        assert_int_equal(r.num_faults, bad);
        /* Each fault costs a process, which is replaced if there is more to do. */
        assert_true(r.processes > bad && r.processes <= bad + (form ? 4 : 1));
        assert_true(tune_tried(&r) > 100);
        check_history(&r);
        /* The best by the made-up times, not the wrong one with the best time of all. */
        assert_true(r.best > 0);
        assert_int_equal(r.finalists[r.best].num_rounds, TUNE_ROUNDS);
        assert_true(r.finalists[r.best].median == least);
        assert_true(tune_ratio(&r) > 1);
        assert_true(r.drift_least == 1 && r.drift_most == 1);
        tune_result_release(&r);
    }
}

static void stop_after_ten(const struct tune_result *so_far, double seconds_left, void *user) {
    (void)seconds_left;
    (void)user;
    worker_stop = tune_tried(so_far) >= 10;
}

static void a_stopped_search_keeps_its_best(void **state) {
    struct tune_settings stopping = settings;
    static struct tune_result r;
    (void)state;
    stopping.progress = stop_after_ten;
    for (int builders = 0; builders <= 3; builders += 3) {
        tune(&r, &shape, NULL, &stopping, builders, false);
        assert_string_equal(r.why, "");
        assert_true(r.stopped);
        assert_false(r.whole);
        assert_int_equal(tune_tried(&r), 10);
        check_history(&r);
        assert_true(isfinite(r.finalists[r.best].median));
        assert_true(r.finalists[r.best].median <= r.finalists[0].median);
        tune_result_release(&r);
    }
}

/* A known candidate is tried second, and wins if it is the best. */
static void what_is_known_is_tried(void **state) {
    struct tune_settings stopping = settings;
    static struct tune_result r;
    const struct clg_candidate known = play_direct(4, 4);
    (void)state;
    stopping.progress = stop_after_ten;
    for (int builders = 0; builders <= 3; builders += 3) {
        tune(&r, &shape, &known, &stopping, builders, false);
        assert_true(clg_candidate_equal(&r.finalists[r.best].candidate, &known));
        assert_true(clg_candidate_equal(&r.history[1].candidate, &known));
        assert_true(clg_candidate_equal(&r.history[0].candidate, &r.finalists[0].candidate));
        assert_int_equal(r.known, r.best);
        tune_result_release(&r);
    }
}

/* It is timed with the others at the end, however slow it is. */
static void what_is_known_is_a_finalist(void **state) {
    static struct tune_result r;
    const struct clg_candidate known = {
        .family = &clg_family_direct,
        .params = {.tile_m = 64, .tile_n = 64, .wg_m = 64, .wg_n = 64}};
    (void)state;
    tune(&r, &shape, &known, &settings, 0, false);
    assert_int_equal(r.num_finalists, 1 + TUNE_FINALISTS);
    assert_int_equal(r.known, TUNE_FINALISTS);
    assert_true(clg_candidate_equal(&r.finalists[r.known].candidate, &known));
    assert_int_equal(r.finalists[r.known].num_rounds, TUNE_ROUNDS);
    assert_true(r.best != r.known);
    tune_result_release(&r);
}

/* Programs that were built once are not built again: names identify them, without a device. */
static void candidates_share_programs(void **state) {
    const struct clg_candidate wide = play_direct(4, 4), narrow = play_direct(4, 2);
    uint64_t of_wide[CLG_MEASURE_PROGRAMS], of_other[CLG_MEASURE_PROGRAMS];
    struct clg_space space;
    struct clg_candidate panel;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, CLGEMM_F32, 4096, 4096, 4096);
    assert_int_equal(clg_measure_programs(&space.problem, &space.facts, &wide, of_wide), 2);
    assert_true(of_wide[0] == of_wide[1]); /* that of a run with small k is the same */
    clg_test_space(&space, &clg_test_cpu, CLGEMM_F32, 500, 500, 500); /* not worth one */
    assert_int_equal(clg_measure_programs(&space.problem, &space.facts, &wide, of_wide), 1);
    assert_int_equal(clg_measure_programs(&space.problem, &space.facts, &narrow, of_other), 1);
    assert_true(of_wide[0] != of_other[0]);

    assert_true(clg_space_model_choice(&space, &panel));
    assert_ptr_equal(panel.family, &clg_family_panel);
    const int count = clg_measure_programs(&space.problem, &space.facts, &panel, of_wide);
    assert_true(count > 0);
    panel.params.tile_m += 2 * panel.params.vec; /* an argument, not an option */
    assert_int_equal(clg_measure_programs(&space.problem, &space.facts, &panel, of_other), count);
    assert_memory_equal(of_wide, of_other, (size_t)count * sizeof *of_wide);
    panel.params.tile_m = -1;
    assert_int_equal(clg_measure_programs(&space.problem, &space.facts, &panel, of_other), 0);
}

static void an_unusable_device_ends_the_search(void **state) {
    const struct clg_tuning_shape lost = {PLAY_LOST_M, 3, 2, false, false, false, CLGEMM_F32, 0, 0};
    static struct tune_result r;
    (void)state;
    for (int builders = 0; builders <= 3; builders += 3) {
        tune(&r, &lost, NULL, &settings, builders, true);
        assert_string_equal(r.why, "no such device");
        assert_int_equal(tune_tried(&r), 0);
        assert_true(tune_ratio(&r) == 0);
        tune_result_release(&r);
    }
}

/* If only one process may use the device, it builds what it runs. */
static void builders_may_all_be_refused(void **state) {
    const struct clg_tuning_shape one = {PLAY_NO_BUILDERS_M, 3, 2, false, false, false,
                                         CLGEMM_F32,         0, 0};
    struct tune_settings stopping = settings;
    static struct tune_result r;
    (void)state;
    stopping.progress = stop_after_ten;
    tune(&r, &one, NULL, &stopping, 3, false);
    assert_string_equal(r.why, "");
    assert_int_equal(r.counts[CLG_TRIAL_GOOD], 10);
    assert_int_equal(r.processes, 4);
    tune_result_release(&r);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_survives_all_faults),
        cmocka_unit_test(a_stopped_search_keeps_its_best),
        cmocka_unit_test(what_is_known_is_tried),
        cmocka_unit_test(what_is_known_is_a_finalist),
        cmocka_unit_test(candidates_share_programs),
        cmocka_unit_test(an_unusable_device_ends_the_search),
        cmocka_unit_test(builders_may_all_be_refused),
    };
    if (argc > 2 && !strcmp(argv[2], TUNE_WORKER_OPTION))
        return play_worker();
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
