/* SPDX-License-Identifier: Apache-2.0
 * Decides which plans an engine trusts. */
#include "run/trust.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/probe.h"
#include "gemm/small.h"
#include "program/cache.h"
#include "run/check.h"

static char *key_of(const struct clg_trust *trust, const struct clg_plan *plan,
                    enum clg_kind kind) {
    const bool widths = clg_compiles_at_launch(trust->device);
    struct clg_checked programs[CLG_MAX_STEPS];
    char what[CLG_MAX_STEPS][48];
    for (int s = 0; s < plan->num_steps; s++) {
        const char *width = !widths                             ? ""
                            : clg_step_is_wide(&plan->steps[s]) ? "wide grid"
                                                                : "narrow grid";
        snprintf(what[s], sizeof what[s], "%s%s%s", width, widths && kind ? ", " : "",
                 clg_kind_names[kind]);
        programs[s] = (struct clg_checked){plan->steps[s].source, plan->steps[s].options, what[s]};
    }
    return clg_finding_key(&trust->device->facts, programs, plan->num_steps);
}

/* ---- Spills ---- */

/* Asks what the compiler made of the plan's kernels, and records it. */
static uint64_t ask(struct clg_trust *trust, const struct clg_prepared *prepared) {
    const struct clg_plan *plan = &prepared->plan;
    uint64_t bytes = 0;
    for (int s = 0; s < plan->num_steps; s++)
        bytes += clg_program_spills(prepared->programs[s]);
    if (bytes > 0) {
        clg_log(CLG_LOG_PLANS, "family %s [%s] spills %llu bytes", clg_plan_family_name(plan),
                plan->steps[plan->num_steps - 1].options, (unsigned long long)bytes);
        clg_avoid_spills(trust->avoided, plan, bytes);
    }
    return bytes;
}

/* ---- Findings ---- */

static int policy_for(struct clg_trust *trust, const struct clg_plan *plan) {
    const int verify = __atomic_load_n(&trust->verify, __ATOMIC_RELAXED);
    return clg_plan_is_to_prove(plan) && verify == CLGEMM_VERIFY_OFF ? CLGEMM_VERIFY_FIRST : verify;
}

/* The known result. "Right" of another engine or process is trusted unless everything must be
 * checked here; "wrong" always is. */
static enum clg_finding known(struct clg_trust *trust, const struct clg_plan *plan,
                              enum clg_kind kind, const char *key, int policy) {
    enum { TRIES = 2 };
    if (clg_is_avoided(trust->avoided, plan, CLG_AVOID_WRONG))
        return CLG_FINDING_WRONG;
    uint64_t spills;
    const enum clg_finding finding = clg_finding_find(trust->store, key, &spills);
    if (finding == CLG_FINDING_WRONG)
        clg_avoid(trust->avoided, plan, CLG_AVOID_WRONG);
    if (spills > 0)
        clg_avoid_spills(trust->avoided, plan, spills);
    if (kind == CLG_KIND_ANY && finding == CLG_FINDING_NONE &&
        clg_avoided_alike(trust->avoided, plan) >= TRIES)
        return CLG_FINDING_WRONG;
    return finding == CLG_FINDING_RIGHT && policy == CLGEMM_VERIFY_ALWAYS ? CLG_FINDING_NONE
                                                                          : finding;
}

bool clg_trust_is_wrong(struct clg_trust *trust, const struct clg_plan *plan) {
    const int policy = policy_for(trust, plan);
    bool wrong = false;
    if (policy == CLGEMM_VERIFY_OFF || plan->num_steps == 0)
        return false;
    for (int kind = 0; kind < CLG_KINDS && !wrong; kind++) {
        char *key = clg_plan_is(plan, (enum clg_kind)kind)
                        ? key_of(trust, plan, (enum clg_kind)kind)
                        : NULL;
        wrong = key && known(trust, plan, (enum clg_kind)kind, key, policy) == CLG_FINDING_WRONG;
        free(key);
    }
    return wrong;
}

bool clg_trust_knows(struct clg_trust *trust, const struct clg_plan *plan) {
    struct clg_plan twin;
    uint64_t spills;
    if (policy_for(trust, plan) == CLGEMM_VERIFY_OFF || plan->num_steps == 0)
        return true;
    char *key = key_of(trust, plan, CLG_KIND_ANY);
    const bool known = key && clg_finding_find(trust->store, key, &spills) != CLG_FINDING_NONE;
    free(key);
    return known || !clg_plan_twin(&twin, plan, &trust->device->facts,
                                   clg_compiles_at_launch(trust->device));
}

static void log_finding(const struct clg_plan *plan, enum clg_kind kind, enum clg_finding finding,
                        double seconds) {
    const bool right = finding == CLG_FINDING_RIGHT, wrong = finding == CLG_FINDING_WRONG;
    clg_log(wrong ? CLG_LOG_CALLS : CLG_LOG_PLANS, "family %s [%s]%s%s %s%s in %.1f ms",
            clg_plan_family_name(plan), plan->steps[plan->num_steps - 1].options,
            kind ? " with " : "", clg_kind_names[kind],
            right   ? "checked"
            : wrong ? "gives wrong results or none here and is not used: "
                    : "could not be checked: ",
            right ? "" : clg_last_error(), 1e3 * seconds);
}

static enum clg_finding check(struct clg_trust *trust, const struct clg_prepared *prepared,
                              enum clg_kind kind, const char *key, bool patient) {
    const double start = clg_clock_seconds();
    const enum clg_finding finding = clg_check(trust->device, prepared, kind, patient);
    log_finding(&prepared->plan, kind, finding, clg_clock_seconds() - start);
    const uint64_t spills = kind ? 0 : ask(trust, prepared);
    if (finding == CLG_FINDING_WRONG)
        clg_avoid(trust->avoided, &prepared->plan, CLG_AVOID_WRONG);
    if (finding != CLG_FINDING_NONE)
        clg_finding_keep(trust->store, key, finding, spills);
    return finding;
}

/* Checks that take seconds are made only if everything must be checked here. */
static enum clg_finding check_once(struct clg_trust *trust, const struct clg_prepared *prepared,
                                   enum clg_kind kind, int policy) {
    const bool patient = policy == CLGEMM_VERIFY_ALWAYS;
    char *key = key_of(trust, &prepared->plan, kind);
    if (!key) {
        clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the key of a check");
        return CLG_FINDING_NONE;
    }
    enum clg_finding finding = known(trust, &prepared->plan, kind, key, policy);
    if (finding == CLG_FINDING_WRONG)
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "its programs were wrong when they were checked");
    else if (finding == CLG_FINDING_NONE && (patient || kind != CLG_KIND_MANY))
        finding = check(trust, prepared, kind, key, patient);
    free(key);
    return finding;
}

enum clg_finding clg_trust_check(struct clg_trust *trust, const struct clg_prepared *prepared) {
    const int policy = policy_for(trust, &prepared->plan);
    if (policy == CLGEMM_VERIFY_OFF) {
        ask(trust, prepared);
        return CLG_FINDING_RIGHT;
    }
    if (prepared->plan.num_steps == 0)
        return CLG_FINDING_RIGHT;
    enum clg_finding finding = check_once(trust, prepared, CLG_KIND_ANY, policy);
    for (int kind = 1; kind < CLG_KINDS && finding != CLG_FINDING_WRONG; kind++) {
        enum clg_finding found = CLG_FINDING_NONE;
        if (clg_plan_is(&prepared->plan, (enum clg_kind)kind))
            found = check_once(trust, prepared, (enum clg_kind)kind, policy);
        finding = found ? found : finding;
    }
    return finding;
}

/* ---- Families that pay ---- */

/* The result for the family's program, whatever its options, because all depend on the same
 * instructions. Nothing is kept if it could not be measured. */
static enum clg_finding pays(struct clg_trust *trust, const struct clg_plan *plan) {
    const struct clg_facts *facts = &trust->device->facts;
    const struct clg_checked what = {plan->steps[plan->num_steps - 1].source, "", "pays"};
    struct clg_rates rates;
    char *key = clg_finding_key(facts, &what, 1);
    uint64_t spills;
    enum clg_finding finding = clg_finding_find(trust->store, key, &spills);
    if (finding == CLG_FINDING_NONE && clg_probe_rates(trust->device->id, facts, &rates)) {
        finding = plan->family->pays(facts, &rates) ? CLG_FINDING_RIGHT : CLG_FINDING_WRONG;
        clg_log(CLG_LOG_PLANS, "family %s %s: tensor cores make %.1f products per multiply-add",
                plan->family->name, finding == CLG_FINDING_RIGHT ? "pays" : "does not pay",
                rates.products / rates.multiply_adds);
        clg_finding_keep(trust->store, key, finding, 0);
    }
    free(key);
    return finding;
}

bool clg_trust_pays(struct clg_trust *trust, const struct clg_plan *plan) {
    const struct clg_family *family = plan->family;
    if (!family || !family->pays || family->pays(&trust->device->facts, NULL))
        return true;
    const enum clg_finding finding = pays(trust, plan);
    if (finding == CLG_FINDING_NONE)
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the speed of its tensor cores could not be measured");
    else if (finding == CLG_FINDING_WRONG)
        clg_fail(CLGEMM_STATUS_UNSUPPORTED, "the device's tensor cores are not fast enough for it");
    return finding == CLG_FINDING_RIGHT;
}
