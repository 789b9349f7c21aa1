/* SPDX-License-Identifier: Apache-2.0
 * `clgemm tune --worker P:D`: the process that builds or runs candidates. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "src/tool.h"
#include "src/tune/worker.h"

static void refuse(struct tune_answer *answer) {
    answer->unusable = true;
    answer->trial.verdict = CLG_TRIAL_FAILED;
    snprintf(answer->trial.why, sizeof answer->trial.why, "%s", clg_last_error());
}

int tune_worker_main(const char *device) {
    struct clg_measure *measure = NULL;
    struct tune_request request;
    struct tune_answer answer;
    struct clg_tuning_shape shape;
    bool loaded = false;
    worker_begin();
    while (tune_worker_read(&request)) {
        const struct clg_candidate candidate =
            clg_candidate_of(clg_families[request.family], &request.params);
        memset(&answer, 0, sizeof answer);
        if (!measure && clg_measure_open(&measure, device)) {
            refuse(&answer);
        } else if (request.task == TUNE_BUILD) {
            clg_measure_build(measure, &request.shape, &candidate, &answer.trial);
        } else if (request.task == TUNE_CALLS) {
            clg_measure_calls(measure, &request.shape, &candidate, &answer.trial);
        } else if ((!loaded || !clg_tuning_same_class(&shape, &request.shape)) &&
                   clg_measure_load(measure, &request.shape)) {
            loaded = false;
            refuse(&answer);
        } else {
            shape = request.shape;
            loaded = true;
            clg_measure_try(measure, &candidate, request.best, &answer.trial);
        }
        if (!tune_worker_answer(&answer))
            break;
    }
    clg_measure_close(measure);
    return EXIT_FINE;
}
