/* SPDX-License-Identifier: Apache-2.0
 * What the contenders have in common. */
#include "bench/peers/contender.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct contender_ops *const all[CONTENDERS] = {
    [OURS_HOST] = &ours_host_ops,     [OURS_DEVICE] = &ours_device_ops,
    [OPENBLAS] = &openblas_ops,       [CLBLAST] = &clblast_ops,
    [CUBLAS] = &cublas_ops,           [VIENNACL] = &viennacl_ops,
    [CUBLASXT] = &cublasxt_ops,       [CUBLASXT_PINNED] = &cublasxt_pinned_ops,
    [OURS_PACKED] = &ours_packed_ops,
};

const char *outcome_name(enum outcome outcome) {
    static const char *const outcomes[] = {"ok", "skipped", "failed"};
    return outcomes[outcome];
}

void contenders_open(struct contender contenders[CONTENDERS], struct device *device,
                     unsigned peers) {
    for (int i = 0; i < CONTENDERS; i++) {
        struct contender *c = &contenders[i];
        *c = (struct contender){.ops = all[i], .device = device};
        c->wanted = !c->ops->peer || (c->ops->peer & peers);
        if (c->wanted)
            c->open = c->ops->open(c) == OUTCOME_OK;
    }
}

void contenders_close(struct contender contenders[CONTENDERS]) {
    for (int i = 0; i < CONTENDERS; i++)
        if (contenders[i].wanted)
            contenders[i].ops->close(&contenders[i]);
}

enum outcome contender_say(struct contender *c, enum outcome outcome, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->why, sizeof c->why, format, args);
    va_end(args);
    /* A reason goes into one cell of a table, so a build log is cut to its first line. */
    c->why[strcspn(c->why, "\n")] = '\0';
    return outcome;
}

static bool is_beyond_device(clgemm_status status) {
    switch ((int)status) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
    case CL_OUT_OF_HOST_MEMORY:
    case CLGEMM_STATUS_OUT_OF_MEMORY:
    case CLGEMM_STATUS_SIZE_OVERFLOW:
    case CLGEMM_STATUS_UNSUPPORTED:
        return true;
    default:
        return false;
    }
}

enum outcome contender_status(struct contender *c, clgemm_status status) {
    if (!status)
        return OUTCOME_OK;
    const char *more = clgemm_last_error();
    return contender_say(c, is_beyond_device(status) ? OUTCOME_SKIPPED : OUTCOME_FAILED, "%s%s%s",
                         clgemm_status_name(status), *more ? ": " : "", more);
}

/* OpenCL's own codes have no text of the library. */
static enum outcome cl_outcome(struct contender *c, cl_int code) {
    if (!code)
        return OUTCOME_OK;
    return contender_say(c,
                         is_beyond_device((clgemm_status)code) ? OUTCOME_SKIPPED : OUTCOME_FAILED,
                         "%s", clgemm_status_name((clgemm_status)code));
}

enum outcome contender_type(struct contender *c) {
    const struct clg_facts *facts = &c->device->open->facts;
    const char *reason = clg_type_is_soft(c->problem->type, facts) /* ours alone */
                             ? "the device has no arithmetic for F64"
                             : clg_type_unsupported_reason(c->problem->type, facts);
    return reason ? contender_say(c, OUTCOME_SKIPPED, "%s", reason) : OUTCOME_OK;
}

enum outcome contender_no_routine(struct contender *c) {
    const struct problem *p = c->problem;
    return contender_say(c, OUTCOME_SKIPPED, "its routine for %s%s%s is not called",
                         clg_types[p->type].name, p->routine ? "'s " : "",
                         p->routine ? routine_name(p->routine) : "");
}

enum outcome contender_start_device_c(struct contender *c, void *scratch) {
    return cl_outcome(c, device_start_c(c->device, c->problem, scratch));
}

enum outcome contender_fetch_device_c(struct contender *c, void *out) {
    return cl_outcome(c, device_fetch_c(c->device, c->problem, out));
}

enum outcome contender_start_host_c(struct contender *c, void *scratch) {
    (void)scratch;
    problem_start_c(c->problem, c->problem->c);
    return OUTCOME_OK;
}

enum outcome contender_fetch_host_c(struct contender *c, void *out) {
    if (out != c->problem->c)
        memcpy(out, c->problem->c, problem_c_bytes(c->problem));
    return OUTCOME_OK;
}

void *contender_library(struct contender *c, const char *const *names) {
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        const char *error = dlerror();
        contender_say(c, OUTCOME_SKIPPED, "%s", error ? error : *names);
    }
    return NULL;
}

bool contender_symbol(struct contender *c, void *library, const char *name, void *slot) {
    void *address = dlsym(library, name);
    if (!address) {
        contender_say(c, OUTCOME_SKIPPED, "its library lacks %s", name);
        return false;
    }
    /* ISO C has no conversion from void * to a function pointer; POSIX promises the same bytes. */
    memcpy(slot, &address, sizeof address);
    return true;
}
