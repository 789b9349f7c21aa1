/* SPDX-License-Identifier: Apache-2.0
 * The process that builds programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/cubin.h"
#include "run/choose.h"
#include "run/warm_launch.h"
#include "src/common/build.h"
#include "src/common/exit.h"

struct opened {
    struct clg_device *device;
    struct clg_binaries *store;
    struct clg_programs *programs;
    struct clg_tuning *tuning;
    struct clg_cubin_context *linking; /* NULL where there is none */
};

static void close_all(struct opened *opened) {
    clg_cubin_context_release(opened->linking);
    clg_programs_close(opened->programs);
    clg_tuning_release(opened->tuning);
    clg_binaries_free(opened->store);
    clg_device_close(opened->device);
    *opened = (struct opened){.device = NULL};
}

static clgemm_status open_all(struct opened *out, const char *request) {
    clgemm_status status = clg_device_open(&out->device, request);
    if (status)
        return status;
    out->store = clg_binaries_new();
    out->tuning = clg_tuning_load(&out->device->facts);
    status = out->store ? clg_programs_open(&out->programs, out->device, out->store)
                        : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "out of memory for programs");
    if (status)
        close_all(out);
    else
        out->linking = clg_cubin_context_keep(out->device);
    return status;
}

/* The plan that a call would use, or the family's. */
static clgemm_status make_plan(struct clg_plan *out, const struct opened *opened,
                               const struct build_request *request) {
    const struct clg_facts *facts = &opened->device->facts;
    if (request->family < 0)
        return clg_choose_plan(out, &request->problem, facts, opened->tuning);
    clg_plan_with(out, clg_families[request->family], &request->params, &request->problem, facts);
    return CLGEMM_SUCCESS;
}

/* Builds it as a call would. */
static clgemm_status build(const struct opened *opened, const struct build_request *request) {
    struct clg_plan plan;
    struct clg_program *program;
    clgemm_status status = make_plan(&plan, opened, request);
    if (status)
        return status;
    if (request->step >= plan.num_steps) /* the tuning has changed meanwhile */
        return clg_fail((clgemm_status)CL_INVALID_VALUE, "the plan no longer has this step");
    const struct clg_step *step = &plan.steps[request->step];
    const struct clg_warm_step warm = {opened->device, &plan, request->step};
    const struct clg_warm_launch launch = {clg_warm_launch_run, &warm};
    return clg_programs_get(opened->programs, step->source, step->options, &launch, &program);
}

int build_worker_main(const char *request) {
    struct opened opened = {.device = NULL};
    struct build_request asked;
    struct build_answer answer;
    worker_begin();
    while (worker_read(&asked, sizeof asked)) {
        memset(&answer, 0, sizeof answer);
        if (!opened.device && open_all(&opened, request))
            answer.unusable = true;
        else
            answer.built = !build(&opened, &asked);
        if (!answer.built)
            snprintf(answer.why, sizeof answer.why, "%s", clg_last_error());
        if (!worker_answer(&answer, sizeof answer))
            break;
    }
    if (opened.device)
        close_all(&opened);
    return EXIT_FINE;
}
