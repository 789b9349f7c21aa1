/* SPDX-License-Identifier: Apache-2.0
 * The verbose line of a call. */
#include "api/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/format.h"
#include "base/log.h"

/* The benchmark command that repeats the call's problem, without a batch's strides. */
static void write_replay(const struct clg_call *call, char *out, size_t size) {
    const int digits = clg_types[call->type].scalar_size == sizeof(double) ? 17 : 9;
    char type[16] = "", math[24] = "", batch[32] = "";
    if (call->type != CLGEMM_F32)
        snprintf(type, sizeof type, " --type %s", clg_types[call->type].letters);
    if (call->math > CLGEMM_MATH_STRICT)
        snprintf(math, sizeof math, " --math %s", clg_math_word(call->math));
    if (call->batch > 1)
        snprintf(batch, sizeof batch, " --batch %" PRId64, call->batch);
    clg_format(out, size,
               "clgemm-bench --shape %" PRId64 "x%" PRId64 "x%" PRId64
               "%s%s%s --trans %c%c --layout %s --alpha %.*g --beta %.*g",
               call->m, call->n, call->k, type, math, batch,
               call->ta == CLGEMM_NO_TRANS ? 'N' : 'T', call->tb == CLGEMM_NO_TRANS ? 'N' : 'T',
               call->layout == CLGEMM_ROW_MAJOR ? "row" : "col", digits, call->scalars.alpha,
               digits, call->scalars.beta);
}

/* The caller's operand whose packed layout the plan uses: 'a', 'b', or 0. */
static char packed_operand(const struct clg_call *call, const struct clg_plan *plan) {
    const bool swapped = call->layout == CLGEMM_ROW_MAJOR; /* the plan may belong to another call */
    if (plan->packed < 0)
        return 0;
    return (plan->problem.ahead.which == CLG_A) == swapped ? 'b' : 'a';
}

void clg_trace_call(const struct clg_call *call, const struct clg_plan *plan,
                    const struct clg_facts *facts, double ms) {
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    char replay[256], time[32] = "", note[16] = "";
    const char packed = packed_operand(call, plan);
    write_replay(call, replay, sizeof replay);
    if (packed)
        snprintf(note, sizeof note, "packed=%c ", packed);
    if (ms >= 0)
        clg_format(time, sizeof time, "ms=%.4f ", ms);
    clg_log(CLG_LOG_CALLS, "%sgemm on=device why=%s device=\"%s\" family=%s %s%sreplay=\"%s%s\"",
            clg_types[call->type].letters, plan->why, facts->name, clg_plan_family_name(plan), note,
            time, replay, packed == 'b' ? " --packed-b" : "");
    for (int s = packed != 0; s < plan->num_steps; s++)
        clg_log(CLG_LOG_PLANS, "  step %s [%s] %" PRIu64 " groups of %" PRIu64,
                plan->steps[s].source, plan->steps[s].options, plan->steps[s].groups,
                plan->steps[s].group_size);
}

void clg_trace_failure(const struct clg_call *call, clgemm_status status) {
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    char replay[256];
    write_replay(call, replay, sizeof replay);
    clg_log(CLG_LOG_CALLS, "%sgemm failed status=%d error=\"%s\" replay=\"%s\"",
            clg_types[call->type].letters, (int)status, clg_last_error(), replay);
}
