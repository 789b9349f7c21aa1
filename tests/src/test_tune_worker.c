/* SPDX-License-Identifier: Apache-2.0
 * The tuner's worker processes, without a device: this program plays them too. Whatever a candidate
 * does there costs only that candidate. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "play_worker.h"
#include "src/tune/worker.h"
#include "support/check.h"

static const struct clg_tuning_shape shape = {5, 3, 2, false, false, false, CLGEMM_F32, 0, 0};

static struct tune_worker new_worker(void) {
    return (struct tune_worker){.device = "0:0", .limit = 0.3, .start_limit = 30};
}

static void start_asking(struct tune_worker *worker, const struct clg_candidate *candidate,
                         enum tune_task task) {
    tune_worker_ask(worker, &shape, candidate, task, INFINITY);
}

static const struct tune_answer *ask(struct tune_worker *worker,
                                     const struct clg_candidate *candidate, enum tune_task task) {
    start_asking(worker, candidate, task);
    assert_ptr_equal(tune_worker_wait(&worker, 1, INFINITY), worker);
    assert_false(worker->base.busy);
    return &worker->answer;
}

static void faults_cost_one_candidate(void **state) {
    static const struct {
        int tile_m;
        const char *says;
    } faults[] = {
        {1, "it took more than"},
        {2, "its process was ended by signal 15"},
        {8, "its process exited with status 3"},
    };
    (void)state;
    for (enum tune_task task = TUNE_BUILD; task <= TUNE_TRY; task++) {
        struct tune_worker worker = new_worker();
        const struct clg_candidate good = play_direct(16, 16);
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            const struct clg_candidate bad =
                play_direct(faults[i].tile_m, task == TUNE_BUILD ? 2 : 1);
            assert_int_equal(ask(&worker, &good, task)->trial.verdict, CLG_TRIAL_GOOD);
            assert_int_equal(worker.base.started, i + 1);
            const struct tune_answer *answer = ask(&worker, &bad, task);
            assert_int_equal(answer->trial.verdict, CLG_TRIAL_FAILED);
            assert_false(answer->unusable);
            if (!strstr(answer->trial.why, faults[i].says))
                fail_msg("\"%s\" does not say \"%s\"", answer->trial.why, faults[i].says);
            assert_int_equal(worker.base.process, 0);
        }
        assert_true(ask(&worker, &good, TUNE_TRY)->trial.median == play_time_of(&good.params));
        tune_worker_end(&worker);
        assert_int_equal(worker.base.process, 0);
        tune_worker_end(&worker);
    }
}

/* The first candidate of a problem has more time, because its matrices are created then. With
 * another type it is another problem. */
static void each_type_is_loaded_anew(void **state) {
    struct tune_worker worker = new_worker(), *one = &worker;
    const struct clg_candidate good = play_direct(16, 16);
    struct clg_tuning_shape of_type = shape;
    (void)state;
    ask(one, &good, TUNE_TRY);
    for (int i = 0; i < 4; i++) {
        of_type.type = i / 2 ? CLGEMM_F32 : CLGEMM_F64;
        tune_worker_ask(one, &of_type, &good, false, INFINITY);
        assert_int_equal(worker.base.limit > worker.limit, i % 2 == 0);
        assert_ptr_equal(tune_worker_wait(&one, 1, INFINITY), one);
    }
    assert_int_equal(worker.base.started, 1);
    tune_worker_end(one);
}

static void a_stop_ends_the_wait(void **state) {
    struct tune_worker worker = new_worker(), *one = &worker;
    const struct clg_candidate hangs = play_direct(1, 1);
    (void)state;
    start_asking(one, &hangs, TUNE_TRY);
    worker_stop = 1;
    assert_null(tune_worker_wait(&one, 1, INFINITY));
    worker_stop = 0;
    assert_true(worker.base.busy);
    assert_null(tune_worker_wait(&one, 1, clg_clock_seconds() + 0.05));
    tune_worker_end(one);
    assert_int_equal(worker.base.process, 0);
    assert_false(worker.base.busy);
    assert_null(tune_worker_wait(&one, 1, INFINITY)); /* because none is busy */
}

/* A worker that hangs does not hold up the others, and is detected while they work. */
static void several_are_waited_for_at_once(void **state) {
    struct tune_worker workers[3] = {new_worker(), new_worker(), new_worker()};
    struct tune_worker *all[] = {&workers[0], &workers[1], &workers[2]};
    const struct clg_candidate hangs = play_direct(1, 1), good = play_direct(16, 16);
    int answers[3] = {0};
    (void)state;
    for (int i = 0; i < 3; i++)
        ask(all[i], &good, TUNE_TRY); /* it has loaded the shape, so its limit is short */
    start_asking(all[1], &hangs, TUNE_TRY);
    while (answers[1] == 0) {
        for (int i = 0; i < 3; i += 2)
            if (!all[i]->base.busy)
                start_asking(all[i], &good, TUNE_TRY);
        const struct tune_worker *done = tune_worker_wait(all, 3, INFINITY);
        assert_non_null(done);
        answers[done - workers]++;
        assert_int_equal(done->answer.trial.verdict,
                         done == all[1] ? CLG_TRIAL_FAILED : CLG_TRIAL_GOOD);
    }
    assert_true(answers[0] > 1 && answers[2] > 1);
    for (int i = 0; i < 3; i++)
        tune_worker_end(all[i]);
}

/* A stopped process is silent and loses no time. */
static void a_pause_does_not_count(void **state) {
    struct tune_worker worker = new_worker(), *one = &worker;
    const struct clg_candidate good = play_direct(16, 16), hangs = play_direct(1, 1);
    (void)state;
    ask(one, &good, TUNE_TRY);
    start_asking(one, &hangs, TUNE_TRY);
    const double until = worker.base.until;
    tune_worker_pause(one, true);
    assert_null(tune_worker_wait(&one, 1, INFINITY));
    usleep(400000); /* longer than its limit */
    tune_worker_pause(one, false);
    assert_true(worker.base.until >= until + 0.4);
    assert_null(tune_worker_wait(&one, 1, clg_clock_seconds() + 0.01));
    assert_ptr_equal(tune_worker_wait(&one, 1, INFINITY), one);
    assert_int_equal(worker.answer.trial.verdict, CLG_TRIAL_FAILED);

    start_asking(one, &good, TUNE_TRY);
    tune_worker_pause(one, true);
    tune_worker_pause(one, false);
    assert_ptr_equal(tune_worker_wait(&one, 1, INFINITY), one);
    assert_int_equal(worker.answer.trial.verdict, CLG_TRIAL_GOOD);
    start_asking(one, &good, TUNE_TRY);
    tune_worker_pause(one, true);
    tune_worker_end(one); /* a stopped process ends too */
    assert_int_equal(worker.base.process, 0);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_cost_one_candidate),
        cmocka_unit_test(each_type_is_loaded_anew),
        cmocka_unit_test(a_stop_ends_the_wait),
        cmocka_unit_test(several_are_waited_for_at_once),
        cmocka_unit_test(a_pause_does_not_count),
    };
    if (argc > 2 && !strcmp(argv[2], TUNE_WORKER_OPTION))
        return play_worker();
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
