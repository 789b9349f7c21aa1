/* SPDX-License-Identifier: Apache-2.0
 * Several devices that share calls on host matrices. */
#include "host/team.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/error.h"

enum { SPLITS_KNOWN = 64 };

struct clg_team {
    struct clg_host *hosts[CLG_DEVICES_MOST];
    int lost[CLG_DEVICES_MOST]; /* atomic */
    int count;
    struct clg_workers *workers;   /* a thread for each device but one; NULL: none */
    struct clg_known_table splits; /* struct known_split */
};

/* ---- Shares, which are remembered ---- */

struct split_key {
    struct clg_problem problem;
    bool has_beta;
    uint64_t devices; /* a bit for each that is not lost */
};

struct known_split {
    struct clg_known known;
    struct split_key key;
    struct clg_split split;
};

static bool is_for(const void *known, const void *key) {
    const struct split_key *left = &((const struct known_split *)known)->key, *right = key;
    return left->has_beta == right->has_beta && left->devices == right->devices &&
           clg_problem_equal(&left->problem, &right->problem);
}

static uint64_t devices_left(struct clg_team *team) {
    uint64_t left = 0;
    for (int i = 0; i < team->count; i++)
        left |= (uint64_t)!__atomic_load_n(&team->lost[i], __ATOMIC_RELAXED) << i;
    return left;
}

static void make_split(struct clg_team *team, const struct split_key *key, struct clg_split *out) {
    struct clg_split_device devices[CLG_DEVICES_MOST];
    struct clg_tuning *tuning[CLG_DEVICES_MOST];
    int number[CLG_DEVICES_MOST], count = 0;
    for (int i = 0; i < team->count; i++) {
        struct clg_host *host = team->hosts[i];
        if (!(key->devices >> i & 1U))
            continue;
        number[count] = i;
        tuning[count] = clg_engine_tuning(host->engine);
        devices[count] = (struct clg_split_device){&host->engine->device->facts, tuning[count],
                                                   clg_host_access_of(host) == CLG_HOST_COPY};
        count++;
    }
    clg_split_make(out, &key->problem, key->has_beta, devices, count, clg_thread_processors());
    for (int i = 0; i < count; i++)
        clg_tuning_release(tuning[i]);
    for (int i = 0; i < out->count; i++)
        out->shares[i].device = number[out->shares[i].device];
}

/* The shares for a problem, which the caller releases. *status: why there are none. */
static struct known_split *split_of(struct clg_team *team, const struct clg_problem *problem,
                                    bool has_beta, clgemm_status *status) {
    const struct split_key key = {*problem, has_beta, devices_left(team)};
    const uint64_t hash = clg_problem_hash(problem);
    uint64_t since;
    *status = CLGEMM_SUCCESS;
    if (key.devices == 0) {
        *status =
            clg_fail((clgemm_status)CL_DEVICE_NOT_AVAILABLE, "every device of the handle is lost");
        return NULL;
    }
    struct known_split *known = clg_known_find(&team->splits, hash, &key, &since);
    if (known)
        return known;
    if (!(known = calloc(1, sizeof *known))) {
        *status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for the shares of devices");
        return NULL;
    }
    known->known = (struct clg_known){.hash = hash, .users = 1};
    known->key = key;
    make_split(team, &key, &known->split);
    clg_known_keep(&team->splits, &known->known, since);
    return known;
}

/* ---- Calls ---- */

struct run {
    struct clg_team *team;
    const struct clg_split *split;
    const struct clg_host_call *call;
    char *sums;       /* a C for each share but the first, if they are slices of k */
    size_t sum_bytes; /* of each */
    int taken;        /* atomic: shares that a thread has begun with */
    struct clg_failure failure;
};

/* A call on one device, which is left out from here on if it is lost. */
static clgemm_status compute(struct clg_team *team, int i, const struct clg_host_call *call) {
    const clgemm_status status = clg_host_gemm(team->hosts[i], call);
    const struct clg_device *device = team->hosts[i]->engine->device;
    if (clg_cl_is_lost((cl_int)status) && !__atomic_exchange_n(&team->lost[i], 1, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "device %s \"%s\" is lost, and left out from here on: %s",
                device->place, device->facts.name, clg_last_error());
    return status;
}

/* ---- Slices of k ---- */

static char *sum_of(const struct run *run, int share) {
    return run->sums + run->sum_bytes * (size_t)(share - 1);
}

/* Makes a C for each share that has one of its own. False if memory is short. */
static bool make_sums(struct run *run) {
    enum { LINE = 64 };
    const struct clg_split_share *last = &run->split->shares[run->split->count - 1];
    if (!clg_split_is_apart(last))
        return true;
    const struct clg_problem part = clg_split_problem(run->call->problem, last);
    const struct clg_matrix *c = &part.matrix[CLG_C];
    run->sum_bytes = (size_t)(c->ld * c->cols) * clg_type_size(part.type);
    run->sums = aligned_alloc(LINE, run->sum_bytes * (size_t)(run->split->count - 1));
    return run->sums != NULL;
}

static void add_floats(float *to, const float *from, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void add_doubles(double *to, const double *from, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* Adds them to the first share's, in their order. */
static void add_sums(const struct run *run) {
    const struct clg_problem *whole = run->call->problem;
    const size_t element = clg_type_size(whole->type), real = clg_type_real_size(whole->type);
    const int64_t parts = (int64_t)(element / real); /* 2: complex */
    for (int s = 1; run->sums && s < run->split->count; s++) {
        const struct clg_problem part = clg_split_problem(whole, &run->split->shares[s]);
        const struct clg_matrix *sum = &part.matrix[CLG_C];
        for (int64_t j = 0; j < sum->cols; j++) {
            const int64_t at = j * whole->matrix[CLG_C].ld;
            void *to = (char *)run->call->matrices->at[CLG_C] + (size_t)at * element;
            const void *from = sum_of(run, s) + (size_t)(j * sum->ld) * element;
            if (clg_type_real(whole->type) == CLGEMM_F64)
                add_doubles(to, from, sum->rows * parts);
            else
                add_floats(to, from, sum->rows * parts);
        }
    }
}

/* ---- The call ---- */

/* The work of each thread: shares, one after the other. There are as many threads as shares, unless
 * some serve another call. */
static void compute_shares(void *user, int who) {
    struct run *run = user;
    const struct clg_split *split = run->split;
    (void)who;
    for (int i; (i = __atomic_fetch_add(&run->taken, 1, __ATOMIC_RELAXED)) < split->count;) {
        const struct clg_split_share *share = &split->shares[i];
        const struct clg_problem problem = clg_split_problem(run->call->problem, share);
        struct clg_scalars scalars = *run->call->scalars;
        struct clg_host_matrices matrices =
            clg_split_matrices(run->call->problem, run->call->matrices, share);
        const struct clg_host_call ours = {&problem, &scalars, &matrices,
                                           i == 0 ? run->call->plan : NULL, split->count};
        if (clg_split_is_apart(share)) {
            matrices.at[CLG_C] = sum_of(run, i);
            scalars.beta = scalars.beta_imag = 0;
        }
        if (clg_failure_is_noted(&run->failure))
            return;
        clg_failure_note(&run->failure, compute(run->team, share->device, &ours));
    }
}

static void log_shares(struct clg_team *team, const struct clg_split *split,
                       const struct clg_problem *problem) {
    const char *places[CLG_DEVICES_MOST];
    char text[1024];
    if (!clg_log_on(CLG_LOG_CALLS))
        return;
    for (int i = 0; i < team->count; i++)
        places[i] = team->hosts[i]->engine->device->place;
    clg_split_describe(split, problem, places, text, sizeof text);
    clg_log(CLG_LOG_CALLS, "shared by %d devices: %s", split->count, text);
}

clgemm_status clg_team_carry_out(struct clg_team *team, const struct clg_split *split,
                                 const struct clg_host_call *call) {
    struct run run = {.team = team, .split = split, .call = call};
    if (split->count == 1 || !make_sums(&run))
        return compute(team, split->shares[0].device, call);
    log_shares(team, split, call->problem);
    clg_workers_run(team->workers, split->count - 1, compute_shares, &run);
    const clgemm_status status = clg_failure_end(&run.failure);
    if (!status)
        add_sums(&run);
    free(run.sums);
    return status;
}

/* Whether C lies apart from A and B. Else one device's copies could undo what another stores. */
static bool is_apart(const struct clg_host_call *call) {
    const struct clg_problem *problem = call->problem;
    uintptr_t begin[CLG_MATRICES] = {0}, end[CLG_MATRICES] = {0};
    for (int i = 0; i < CLG_MATRICES; i++) {
        const struct clg_matrix *m = &problem->matrix[i];
        int64_t span;
        if (!clg_work_needs(problem->work, i))
            continue;
        if (!clg_span(m->rows, m->cols, m->ld, (uint64_t)(problem->batch - 1) * (uint64_t)m->stride,
                      clg_type_size(problem->type), &span))
            return false;
        begin[i] = (uintptr_t)call->matrices->at[i];
        end[i] = begin[i] + (uintptr_t)span * clg_type_size(problem->type);
    }
    return (begin[CLG_C] >= end[CLG_A] || begin[CLG_A] >= end[CLG_C]) &&
           (begin[CLG_C] >= end[CLG_B] || begin[CLG_B] >= end[CLG_C]);
}

clgemm_status clg_team_gemm(struct clg_team *team, const struct clg_host_call *call,
                            const struct clg_device **first) {
    clgemm_status status;
    struct known_split *known =
        split_of(team, call->problem, clg_scalars_read_c(call->scalars), &status);
    if (!known)
        return status;
    const int device = known->split.shares[0].device;
    if (first)
        *first = team->hosts[device]->engine->device;
    status = is_apart(call) ? clg_team_carry_out(team, &known->split, call)
                            : compute(team, device, call);
    clg_known_release(known);
    return status;
}

clgemm_status clg_team_warm(struct clg_team *team, const struct clg_problem *problem) {
    clgemm_status status = CLGEMM_SUCCESS;
    for (int has_beta = 0; has_beta < 2 && !status; has_beta++) {
        struct known_split *known = split_of(team, problem, has_beta, &status);
        for (int i = 0; known && i < known->split.count && !status; i++) {
            const struct clg_split_share *share = &known->split.shares[i];
            const struct clg_problem part = clg_split_problem(problem, share);
            status = clg_host_warm(team->hosts[share->device], &part, known->split.count);
        }
        clg_known_release(known);
    }
    return status;
}

/* ---- Opening and closing ---- */

struct clg_team *clg_team_open(struct clg_host *const hosts[], int count) {
    struct clg_team *team = calloc(1, sizeof *team);
    if (!team)
        return NULL;
    for (int i = 0; i < count; i++)
        team->hosts[i] = hosts[i];
    team->count = count;
    team->workers = clg_workers_new();
    clg_known_open(&team->splits, SPLITS_KNOWN, is_for);
    return team;
}

void clg_team_close(struct clg_team *team) {
    if (!team)
        return;
    clg_workers_free(team->workers);
    clg_known_close(&team->splits);
    free(team);
}

void clg_team_forget(struct clg_team *team) {
    clg_known_forget(&team->splits, true);
}
