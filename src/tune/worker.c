/* SPDX-License-Identifier: Apache-2.0
 * Asks processes for candidates, and turns their answers into trials. */
#include "src/tune/worker.h"

#include <stdio.h>
#include <string.h>

void tune_worker_ask(struct tune_worker *w, const struct clg_tuning_shape *shape,
                     const struct clg_candidate *candidate, enum tune_task task, double best) {
    struct tune_request request;
    memset(&request, 0, sizeof request); /* its padding is written too */
    request.shape = *shape;
    request.params = candidate->params;
    request.task = task;
    request.best = best;
    while (clg_families[request.family] != candidate->family)
        request.family++;
    w->words[0] = "tune";
    w->words[1] = TUNE_WORKER_OPTION;
    w->words[2] = w->device;
    w->base.words = w->words;
    w->base.answer = &w->answer;
    w->base.answer_size = sizeof w->answer;
    const bool loaded = w->base.process && w->loaded && clg_tuning_same_class(&w->shape, shape);
    w->shape = *shape;
    w->loaded = loaded;
    worker_ask(&w->base, &request, sizeof request, w->limit + (loaded ? 0 : w->start_limit));
}

/* Takes the whole answer, or makes one in its place. */
static void finish(struct tune_worker *w) {
    if (w->base.failed) {
        w->answer = (struct tune_answer){.unusable = w->base.unstartable,
                                         .trial.verdict = CLG_TRIAL_FAILED};
        snprintf(w->answer.trial.why, sizeof w->answer.trial.why, "%s", w->base.why);
    }
    w->loaded = w->base.process != 0;
    if (w->answer.trial.suspect)
        tune_worker_end(w);
}

struct tune_worker *tune_worker_wait(struct tune_worker *const *workers, int count, double until) {
    struct worker *bases[WORKERS_MAX];
    for (int i = 0; i < count; i++)
        bases[i] = &workers[i]->base;
    const int done = worker_wait(bases, count, until);
    if (done < 0)
        return NULL;
    finish(workers[done]);
    return workers[done];
}

void tune_worker_pause(struct tune_worker *w, bool pause) {
    worker_pause(&w->base, pause);
}

void tune_worker_end(struct tune_worker *w) {
    worker_end(&w->base);
}

/* ---- In the worker process ---- */

bool tune_worker_read(struct tune_request *request) {
    return worker_read(request, sizeof *request);
}

bool tune_worker_answer(const struct tune_answer *answer) {
    return worker_answer(answer, sizeof *answer);
}
