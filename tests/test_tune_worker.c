/* SPDX-License-Identifier: Apache-2.0
 * The tuner's processes, without a device: this program plays the worker too, with made-up times
 * and faults. Whatever a candidate does there costs that candidate alone. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/space.h"
#include "tune_shape.h"

/* How a candidate behaves; by its parameters, so that both processes know. */
enum conduct { WORKS, CRASHES, HANGS, IS_WRONG, LEAVES, LOSES_DEVICE };

enum { LOST_M = 77 }; /* no problem of such an m can be loaded */

static enum conduct conduct_of(const struct tune_request *request) {
    const struct clg_params *p = &request->params;
    if (request->shape.m == LOST_M)
        return LOSES_DEVICE;
    if (request->family != 2 || p->tile_n != 1) /* direct's row of one column */
        return WORKS;
    return p->wg_m > 1      ? WORKS
           : p->tile_m == 1 ? HANGS
           : p->tile_m == 2 ? CRASHES
           : p->tile_m == 4 ? IS_WRONG
           : p->tile_m == 8 ? LEAVES
                            : WORKS;
}

static double time_of(const struct clg_params *p) {
    return 1e-3 * (1 + fabs(log2(p->tile_m / 4.0)) + fabs(log2(p->tile_n / 4.0)) + p->wg_m);
}

static void answer_good(struct tune_answer *answer, double seconds) {
    answer->trial = (struct clg_trial){
        .verdict = CLG_TRIAL_GOOD, .runs = 1, .seconds = {seconds}, .median = seconds};
}

static int play_worker(void) {
    struct tune_request request;
    while (tune_worker_read(&request)) {
        struct tune_answer answer;
        memset(&answer, 0, sizeof answer);
        answer_good(&answer, time_of(&request.params));
        switch (conduct_of(&request)) {
        case CRASHES:
            raise(SIGTERM);
            break;
        case HANGS:
            pause();
            break;
        case LEAVES:
            return 3;
        case IS_WRONG:
            answer_good(&answer, 1e-9);
            answer.trial.verdict = CLG_TRIAL_WRONG;
            answer.trial.suspect = true;
            snprintf(answer.trial.why, sizeof answer.trial.why, "C(0, 0) = 1, not 2");
            break;
        case LOSES_DEVICE:
            answer.unusable = true;
            answer.trial.verdict = CLG_TRIAL_FAILED;
            snprintf(answer.trial.why, sizeof answer.trial.why, "no such device");
            break;
        case WORKS:
            break;
        }
        if (!tune_worker_answer(&answer))
            return 1;
    }
    return 0;
}

static const struct clg_tuning_shape shape = {5, 3, 2, false, false, false};

static struct clg_candidate direct(int tile_m, int tile_n) {
    return (struct clg_candidate){&clg_family_direct,
                                  {.tile_m = tile_m, .tile_n = tile_n, .wg_m = 1, .wg_n = 1}};
}

static struct tune_worker new_worker(void) {
    return (struct tune_worker){.device = "0:0", .limit = 0.3, .start_limit = 30};
}

static struct tune_answer ask(struct tune_worker *worker, const struct clg_candidate *candidate) {
    struct tune_answer answer;
    assert_true(tune_worker_try(worker, &shape, candidate, INFINITY, &answer));
    return answer;
}

static void faults_cost_one_candidate(void **state) {
    static const struct {
        int tile_m;
        const char *says;
    } faults[] = {
        {1, "it took more than"},
        {2, "its process was ended by signal 15"},
        {8, "its process left with status 3"},
    };
    struct tune_worker worker = new_worker();
    const struct clg_candidate good = direct(16, 16);
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct clg_candidate bad = direct(faults[i].tile_m, 1);
        assert_int_equal(ask(&worker, &good).trial.verdict, CLG_TRIAL_GOOD);
        assert_int_equal(worker.started, i + 1);
        const struct tune_answer answer = ask(&worker, &bad);
        assert_int_equal(answer.trial.verdict, CLG_TRIAL_FAILED);
        assert_false(answer.unusable);
        if (!strstr(answer.trial.why, faults[i].says))
            fail_msg("\"%s\" does not say \"%s\"", answer.trial.why, faults[i].says);
        assert_int_equal(worker.process, 0);
    }
    const struct tune_answer answer = ask(&worker, &good);
    assert_true(answer.trial.median == time_of(&good.params));
    tune_worker_end(&worker);
    assert_int_equal(worker.process, 0);
    tune_worker_end(&worker);
}

static void a_stop_gives_the_candidate_up(void **state) {
    struct tune_worker worker = new_worker();
    struct tune_answer answer;
    const struct clg_candidate hangs = direct(1, 1);
    (void)state;
    tune_stop = 1;
    assert_false(tune_worker_try(&worker, &shape, &hangs, INFINITY, &answer));
    tune_stop = 0;
    assert_int_equal(worker.process, 0);
}

static const struct tune_settings settings = {.seed = 1,
                                              .budget = 1000 /* the space ends before that */};

/* The whole of a small space, faults and all. */
static void a_search_survives_all_faults(void **state) {
    struct tune_worker worker = new_worker();
    struct tune_settings all = settings;
    struct clg_space space;
    static struct tune_result r;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, shape.m, shape.n, shape.k);
    all.strategy = clg_strategy_find("exhaustive");
    r.shape = shape;
    tune_shape(&r, &space, NULL, &all, &worker);
    tune_worker_end(&worker);
    assert_string_equal(r.why, "");
    assert_true(r.whole);
    assert_false(r.stopped);
    assert_true(r.counts[CLG_TRIAL_WRONG] >= 1);
    assert_true(r.counts[CLG_TRIAL_FAILED] >= 3);
    assert_int_equal(r.num_faults, r.counts[CLG_TRIAL_WRONG] + r.counts[CLG_TRIAL_FAILED]);
    assert_int_equal(r.processes, 1 + r.num_faults);
    assert_true(tune_tried(&r) > 100);
    /* The best by the made-up times, not the wrong one with the best time of all. */
    struct clg_point point;
    double least = INFINITY;
    for (int f = 0; f < space.count; f++)
        for (bool more = clg_space_first(&space, f, &point); more;
             more = clg_space_next(&space, &point)) {
            struct clg_candidate candidate;
            assert_true(clg_space_at(&space, &point, &candidate));
            const struct tune_request request = {.shape = shape,
                                                 .family =
                                                     candidate.family == clg_families[2] ? 2 : 0,
                                                 .params = candidate.params};
            if (conduct_of(&request) == WORKS)
                least = fmin(least, time_of(&candidate.params));
        }
    assert_true(r.best > 0);
    assert_int_equal(r.finalists[r.best].num_rounds, TUNE_ROUNDS);
    assert_true(r.finalists[r.best].median == least);
    assert_true(tune_ratio(&r) > 1);
    assert_true(r.drift_least == 1 && r.drift_most == 1);
}

static void stop_after_ten(const struct tune_result *so_far, double seconds_left, void *user) {
    (void)seconds_left;
    (void)user;
    tune_stop = tune_tried(so_far) >= 10;
}

static void a_stopped_search_keeps_its_best(void **state) {
    struct tune_worker worker = new_worker();
    struct tune_settings stopping = settings;
    struct clg_space space;
    static struct tune_result r;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, shape.m, shape.n, shape.k);
    stopping.strategy = clg_strategy_find("neighbours");
    stopping.progress = stop_after_ten;
    r.shape = shape;
    tune_shape(&r, &space, NULL, &stopping, &worker);
    tune_stop = 0;
    tune_worker_end(&worker);
    assert_string_equal(r.why, "");
    assert_true(r.stopped);
    assert_int_equal(tune_tried(&r), 10);
    assert_true(isfinite(r.finalists[r.best].median));
    assert_true(r.finalists[r.best].median <= r.finalists[0].median);
}

/* What is known already is tried second, and wins where it is the best. */
static void what_is_known_is_tried(void **state) {
    struct tune_worker worker = new_worker();
    struct tune_settings stopping = settings;
    struct clg_space space;
    static struct tune_result r;
    const struct clg_candidate known = direct(4, 4);
    (void)state;
    clg_test_space(&space, &clg_test_cpu, shape.m, shape.n, shape.k);
    stopping.strategy = clg_strategy_find("random");
    stopping.progress = stop_after_ten;
    r.shape = shape;
    tune_shape(&r, &space, &known, &stopping, &worker);
    tune_stop = 0;
    tune_worker_end(&worker);
    assert_true(clg_candidate_equal(&r.finalists[r.best].candidate, &known));
}

static void an_unusable_device_ends_the_search(void **state) {
    struct tune_worker worker = new_worker();
    struct tune_settings first = settings;
    struct clg_space space;
    static struct tune_result r;
    (void)state;
    clg_test_space(&space, &clg_test_cpu, LOST_M, 3, 2);
    first.strategy = clg_strategies[0];
    r.shape = (struct clg_tuning_shape){LOST_M, 3, 2, false, false, false};
    tune_shape(&r, &space, NULL, &first, &worker);
    tune_worker_end(&worker);
    assert_string_equal(r.why, "no such device");
    assert_int_equal(tune_tried(&r), 0);
    assert_true(tune_ratio(&r) == 0);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_cost_one_candidate),
        cmocka_unit_test(a_stop_gives_the_candidate_up),
        cmocka_unit_test(a_search_survives_all_faults),
        cmocka_unit_test(a_stopped_search_keeps_its_best),
        cmocka_unit_test(what_is_known_is_tried),
        cmocka_unit_test(an_unusable_device_ends_the_search),
    };
    if (argc > 2 && !strcmp(argv[2], TUNE_WORKER_OPTION))
        return play_worker();
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
