/* SPDX-License-Identifier: Apache-2.0
 * Finds the programs that a target of `clgemm inspect` names. */
#include <stdio.h>
#include <string.h>

#include "gemm/family.h"
#include "run/choose.h"
#include "src/inspect/inspect.h"
#include "tuning/table.h"

/* ---- Plans ---- */

/* Column-major, NN, in separate buffers without gaps. */
static clgemm_status describe(const struct inspect_job *job, struct shape s, double alpha,
                              struct clg_problem *out) {
    enum { ALIGNMENT = 64 };
    const int64_t rows[CLG_MATRICES] = {s.m, s.k, s.m};
    struct clg_call call = {.type = job->type,
                            .math = job->math,
                            .layout = CLGEMM_COL_MAJOR,
                            .ta = CLGEMM_NO_TRANS,
                            .tb = CLGEMM_NO_TRANS,
                            .m = s.m,
                            .n = s.n,
                            .k = s.k,
                            .scalars = {.alpha = alpha}};
    for (int i = 0; i < CLG_MATRICES; i++)
        call.operand[i] = (struct clg_operand){
            .ld = rows[i] ? rows[i] : 1, .bytes = UINT64_MAX, .alignment = ALIGNMENT};
    return clg_problem_init(out, &call);
}

/* Adds the plan's program `step` as a subject, unless an identical one exists. */
static void add_step(struct inspect_job *job, int step) {
    const struct clg_step *s = &job->plan.steps[step];
    for (int i = 0; i < job->count; i++)
        if (!strcmp(job->subjects[i].source->name, s->source) &&
            !strcmp(job->subjects[i].options, s->options))
            return;
    struct inspect_subject *subject = &job->subjects[job->count++];
    *subject = (struct inspect_subject){.source = clg_source_find(s->source),
                                        .group = {s->group_size, 1},
                                        .plan = &job->plan,
                                        .plan_step = step};
    snprintf(subject->name, sizeof subject->name, "%d-%s", job->count, s->source);
    memcpy(subject->options, s->options, sizeof s->options);
}

static bool find_plan(struct inspect_job *job, const char *text, const struct clg_facts *facts,
                      char *why, size_t room) {
    struct shape_list shapes = {0};
    struct clg_problem problem;
    struct clg_tuning *tuning = clg_tuning_load(facts);
    bool found = shapes_parse(&shapes, text, why, room);
    if (found && shapes.count != 1) {
        snprintf(why, room, "plan:MxNxK takes exactly one size");
        found = false;
    }
    if (found && (describe(job, shapes.items[0], 1, &problem) ||
                  clg_choose_plan(&job->plan, &problem, facts, tuning))) {
        snprintf(why, room, "%s", clgemm_last_error());
        found = false;
    }
    if (found && job->plan.family)
        clg_choose_list(&job->list, &problem, facts, tuning, 0);
    for (int i = 0; found && i < job->plan.num_steps; i++)
        add_step(job, i);
    if (found && !job->count) {
        snprintf(why, room, "%s needs no kernel", text);
        found = false;
    }
    shapes_release(&shapes);
    clg_tuning_release(tuning);
    return found;
}

/* ---- A kernel ---- */

static bool uses(struct inspect_job *job, const char *kernel) {
    for (int i = 0; i < job->plan.num_steps; i++)
        if (!strcmp(job->plan.steps[i].source, kernel)) {
            add_step(job, i);
            snprintf(job->subjects->name, sizeof job->subjects->name, "%s", kernel);
            return true;
        }
    return false;
}

/* A problem, and the work around the main kernel, so that each helper kernel is needed once. */
static const struct attempt {
    struct shape shape;
    bool pack, split;
} attempts[] = {{{1024, 1024, 1024}, false, false},
                {{1023, 1023, 1023}, true, false},
                {{2048, 2048, 2048}, true, false},
                {{64, 64, 65536}, false, true}};

static bool try_candidate(struct inspect_job *job, const struct attempt *attempt,
                          const struct clg_candidate *candidate, const struct clg_problem *problem,
                          const struct clg_facts *facts) {
    struct clg_params params = candidate->params;
    if (attempt->pack)
        params.pack_a = params.pack_b = 1;
    if (attempt->split && !params.split_k && !params.split_tail)
        params.split_k = 2;
    if (clg_family_unsupported_reason(candidate->family, problem, facts, &params))
        return false;
    clg_plan_with(&job->plan, candidate->family, &params, problem, facts);
    return uses(job, job->target);
}

/* Tries everything that the library would consider for the problem. */
static bool try_problem(struct inspect_job *job, const struct attempt *attempt,
                        const struct clg_facts *facts) {
    struct clg_problem problem;
    struct clg_list list;
    if (describe(job, attempt->shape, 1, &problem))
        return false;
    clg_choose_list(&list, &problem, facts, NULL, 0);
    for (int i = 0; i < list.count; i++)
        if (try_candidate(job, attempt, &list.at[i], &problem, facts))
            return true;
    return false;
}

static bool find_kernel(struct inspect_job *job, const struct clg_facts *facts, char *why,
                        size_t room) {
    struct clg_problem problem;
    if (!clg_source_find(job->target)) {
        size_t used = (size_t)snprintf(why, room,
                                       "\"%s\" is neither ladder:N, plan:MxNxK nor a "
                                       "kernel:",
                                       job->target);
        for (size_t i = 0; i < clg_source_count && used < room; i++)
            used += (size_t)snprintf(why + used, room - used, " %s", clg_sources[i].name);
        return false;
    }
    if (!describe(job, attempts[0].shape, 0, &problem) && /* alpha 0: C is only scaled */
        !clg_choose_plan(&job->plan, &problem, facts, NULL) && uses(job, job->target))
        return true;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (try_problem(job, &attempts[i], facts))
            return true;
    snprintf(why, room, "no built-in parameters of %s suit this device", job->target);
    return false;
}

/* ---- The ladder ---- */

static bool add_ladder(struct inspect_job *job, const struct ladder_step *row,
                       struct clg_device *device, char *why, size_t room) {
    struct inspect_subject *subject = &job->subjects[job->count];
    *subject = (struct inspect_subject){.step = *row, .source = ladder_source_find(row->source)};
    ladder_apply(&subject->step, &job->settings);
    const char *unsupported_reason =
        ladder_unsupported_reason(&subject->step, &device->facts, &subject->launch);
    if (unsupported_reason) {
        snprintf(why, room, "step %d: %s", row->number, unsupported_reason);
        return false;
    }
    ladder_find_extras(&subject->step, device->id, &job->settings);
    char options[LADDER_OPTIONS];
    snprintf(subject->options, sizeof subject->options, "%s",
             ladder_options(&subject->step, "-D", options));
    subject->group[0] = (uint64_t)subject->launch.group_m;
    subject->group[1] = (uint64_t)subject->launch.group_n;
    snprintf(subject->name, sizeof subject->name, "%s%s%s", row->source, *row->variant ? "-" : "",
             row->variant);
    for (int i = 0; i < job->count; i++) /* with the given settings, variants may be identical */
        if (!strcmp(job->subjects[i].options, subject->options))
            return true;
    job->count++;
    return true;
}

static bool find_ladder(struct inspect_job *job, const char *text, struct clg_device *device,
                        char *why, size_t room) {
    unsigned steps;
    if (!ladder_parse_steps(&steps, text, why, room))
        return false;
    if (steps & (steps - 1)) {
        snprintf(why, room, "ladder:N takes exactly one step");
        return false;
    }
    for (int i = 0; i < ladder_step_count; i++)
        if (steps >> ladder_steps[i].number & 1 &&
            !add_ladder(job, &ladder_steps[i], device, why, room))
            return false;
    return true;
}

bool inspect_find(struct inspect_job *job, struct clg_device *device, char *why, size_t room) {
    const bool of_ladder = !strncmp(job->target, "ladder:", 7);
    const char *reason = clg_type_unsupported_reason(job->type, &device->facts);
    if (of_ladder && job->type != CLGEMM_F32)
        reason = "the ladder has single precision only";
    else if (!of_ladder && job->settings.count)
        reason = "--set needs ladder:N";
    if (reason) {
        snprintf(why, room, "%s", reason);
        return false;
    }
    if (of_ladder)
        return find_ladder(job, job->target + 7, device, why, room);
    return strncmp(job->target, "plan:", 5) != 0
               ? find_kernel(job, &device->facts, why, room)
               : find_plan(job, job->target + 5, &device->facts, why, room);
}
