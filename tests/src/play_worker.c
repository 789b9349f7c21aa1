/* SPDX-License-Identifier: Apache-2.0
 * The tuner's worker process, which builds and runs candidates, simulated without a device. */
#include "play_worker.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/tune/worker.h"

enum play_conduct play_conduct_of(const struct clg_candidate *candidate, enum tune_task task) {
    const struct clg_params *p = &candidate->params;
    if (candidate->family != &clg_family_direct || p->tile_n != (task == TUNE_BUILD ? 2 : 1) ||
        p->wg_m > 1)
        return PLAY_WORKS;
    return p->tile_m == 1   ? PLAY_HANGS
           : p->tile_m == 2 ? PLAY_CRASHES
           : p->tile_m == 4 ? PLAY_IS_WRONG
           : p->tile_m == 8 ? PLAY_LEAVES
                            : PLAY_WORKS;
}

double play_time_of(const struct clg_params *p) {
    return 1e-3 * (1 + fabs(log2(p->tile_m / 4.0)) + fabs(log2(p->tile_n / 4.0)) + p->wg_m);
}

struct clg_candidate play_direct(int tile_m, int tile_n) {
    return (struct clg_candidate){
        .family = &clg_family_direct,
        .params = {.tile_m = tile_m, .tile_n = tile_n, .wg_m = 1, .wg_n = 1}};
}

static void answer_good(struct tune_answer *answer, double seconds) {
    answer->trial = (struct clg_trial){
        .verdict = CLG_TRIAL_GOOD, .runs = 1, .seconds = {seconds}, .median = seconds};
}

static void answer_bad(struct tune_answer *answer, enum clg_verdict verdict, const char *why) {
    answer->trial.verdict = verdict;
    snprintf(answer->trial.why, sizeof answer->trial.why, "%s", why);
}

/* False if the process is to exit. */
static bool play(const struct tune_request *request, struct tune_answer *answer) {
    const struct clg_candidate candidate =
        clg_candidate_of(clg_families[request->family], &request->params);
    const int64_t m = request->shape.m;
    memset(answer, 0, sizeof *answer);
    answer_good(answer, play_time_of(&request->params));
    if (m == PLAY_LOST_M || (m == PLAY_NO_BUILDERS_M && request->task == TUNE_BUILD)) {
        answer->unusable = true;
        answer_bad(answer, CLG_TRIAL_FAILED, "no such device");
        return true;
    }
    switch (play_conduct_of(&candidate, request->task)) {
    case PLAY_CRASHES:
        raise(SIGTERM);
        break;
    case PLAY_HANGS:
        pause();
        break;
    case PLAY_LEAVES:
        return false;
    case PLAY_IS_WRONG:
        answer_good(answer, 1e-9);
        answer_bad(answer, request->task == TUNE_BUILD ? CLG_TRIAL_FAILED : CLG_TRIAL_WRONG,
                   "C(0, 0) = 1, not 2");
        answer->trial.suspect = true;
        break;
    case PLAY_WORKS:
        break;
    }
    return true;
}

int play_worker(void) {
    struct tune_request request;
    struct tune_answer answer;
    while (tune_worker_read(&request)) {
        if (!play(&request, &answer))
            return 3;
        if (!tune_worker_answer(&answer))
            return 1;
    }
    return 0;
}
