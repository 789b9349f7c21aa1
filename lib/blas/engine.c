/* SPDX-License-Identifier: Apache-2.0
 * Opens the device once, and tracks whether it works. */
#include "blas/engine.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "base/process.h"
#include "base/thread.h"
#include "blas/config.h"
#include "blas/cpu.h"
#include "blas/element.h"
#include "blas/known.h"
#include "blas/library.h"
#include "blas/names.h"
#include "blas/opener.h"
#include "blas/spare.h"

/* The break-even is known only once a device is open, unless an earlier process has saved it.
 * Opening takes from milliseconds to a second of one processor. So the device is not opened for
 * calls that a CPU finishes before any device could respond, nor before calls that might pay have
 * added up to some milliseconds of a CPU's work. A thread opens it, so that no call waits. If
 * CLGEMM_MIN_FLOPS is set, the first such call opens it and waits. */
static const double least_flops = 1e7, work_worth_opening = 1e10;

/* An OpenCL runtime's compiler runs on the thread's stack. PoCL 3.1 needs no more than 128 KiB; the
 * needs of others are not known. */
enum { FAILURES_IN_A_ROW = 3, STACK = 512 << 10 };

/* KNOWN: not open, but an earlier process has saved the break-even. */
enum state { CLOSED, KNOWN, OPENING, OPEN, OFF };
static enum state state;           /* atomic */
static enum clg_where off;         /* atomic; the reason; set before `state` becomes OFF */
static uint64_t work_seen;         /* atomic; operations of calls that might pay */
static int failures;               /* atomic; in a row */
static bool said;                  /* atomic */
static struct clg_library library; /* set before `state` becomes OPEN */
static clgemm_handle *handle;      /* likewise */
static clgemm_type opening_type;   /* of the call for which the device is being opened */
static struct clg_work opening_work;
static bool transfers; /* atomic; matrices cross a bus; false if the user has set the break-even;
                        * set before `state` becomes KNOWN or OPEN */

static bool is_set; /* atomic; the break-evens are, by the device or an earlier process */

/* By clgemm_type. */
static struct {
    int64_t min_flops; /* atomic; set before `state` becomes KNOWN or OPEN */
    bool lacking;      /* atomic; the device cannot compute with it */
} types[CLG_BLAS_TYPE_COUNT];

static void turn_off(enum clg_where why) {
    __atomic_store_n(&off, why, __ATOMIC_RELAXED);
    __atomic_store_n(&state, OFF, __ATOMIC_RELEASE);
}

/* OpenCL runtimes hang in a child: their threads do not exist there, and locks may be held. */
static void after_fork_in_child(void) {
    const enum state now = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (now != CLOSED && now != KNOWN)
        turn_off(CLG_ON_FORKED);
}

/* Registered when the library is loaded: fork() runs only handlers that were registered when it
 * began. One that is registered while the device is opened would be too late for a child that
 * another thread is forking. */
static bool watches_forks;

__attribute__((constructor)) static void watch_forks(void) {
    watches_forks = pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
}

/* ---- What pays ----------------------------------------------------------------------------- */

/* Whether a call has too few operations for what it transfers.
 *
 * At the break-even the fixed cost of a call and the transfers of A, B and C take about equal parts
 * of a cube's time. Large calls and products in one call hardly notice the fixed cost. Without it
 * half as many operations for each element pay, as in a cube of half the edge. */
static bool is_thin(clgemm_type type, const struct clg_work *work, double least) {
    enum { HALVES = 2, MATRICES = 3 };
    const double operations = clg_operations(type);
    const double edge = HALVES * MATRICES * work->per_element / operations;
    return operations * edge * edge * edge < least;
}

/* Why a call would not pay, as far as that is known; else CLG_ON_DEVICE. The user's break-even is
 * all that the user asks for of a single product. */
static enum clg_where why_not(clgemm_type type, const struct clg_work *work, enum state now) {
    const double set = clg_config()->min_flops;
    const bool knows = now == KNOWN || now == OPEN;
    const double least = set >= 0 ? set
                         : knows ? (double)__atomic_load_n(&types[type].min_flops, __ATOMIC_RELAXED)
                                 : least_flops;
    if (work->each < least)
        return work->at_once && work->flops >= least && !is_thin(type, work, least) ? CLG_ON_DEVICE
                                                                                    : CLG_ON_SMALL;
    return knows && __atomic_load_n(&transfers, __ATOMIC_RELAXED) && is_thin(type, work, least)
               ? CLG_ON_TRANSFER
               : CLG_ON_DEVICE;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static bool open_handle(const char *device) {
    char why[1024];
    if (!clg_library_load(&library, why, sizeof why)) {
        clg_log(CLG_LOG_CALLS, "no device: %s", why);
        return false;
    }
    if (library.clgemm_create(&handle, *device ? device : NULL) != CLGEMM_SUCCESS) {
        clg_log(CLG_LOG_CALLS, "no device: %s", library.clgemm_last_error());
        return false;
    }
    /* The program does not know of this library, so its calls should not wait for a compiler, and
     * none should run in its process. */
    if (!clg_env("CLGEMM_BUILD") &&
        library.clgemm_set_option(handle, CLGEMM_OPTION_BUILD, CLGEMM_BUILD_HELPER)) {
        clg_log(CLG_LOG_CALLS, "no device: %s", library.clgemm_last_error());
        return false;
    }
    return true;
}

/* Builds the programs that can compute all products of a type, and those that scale C, for which
 * the first call would wait. One element needs just these. If that fails, the call will say so. */
static void warm_up(clgemm_type type) {
    clgemm_desc descs[2];
    for (int k = 0; k < 2; k++)
        descs[k] = (clgemm_desc){.size = sizeof descs[k],
                                 .type = type,
                                 .layout = CLGEMM_COL_MAJOR,
                                 .ta = CLGEMM_NO_TRANS,
                                 .tb = CLGEMM_NO_TRANS,
                                 .m = 1,
                                 .n = 1,
                                 .k = k,
                                 .lda = 1,
                                 .ldb = 1,
                                 .ldc = 1};
    library.clgemm_warmup_gemm(handle, descs, 2);
}

static void set_known(const struct clg_break_evens *known, const char *from) {
    __atomic_store_n(&transfers, known->transfers, __ATOMIC_RELAXED);
    for (int r = 0; r < CLG_ROUTINES; r++) {
        const clgemm_type type = clg_routines[r].type;
        if (clg_routines[r].kind != CLG_GEMM)
            continue;
        __atomic_store_n(&types[type].min_flops, known->min_flops[type], __ATOMIC_RELAXED);
        clg_log(CLG_LOG_CALLS, "%s break-even=%.4g%s", clg_routines[r].name,
                (double)known->min_flops[type], from);
    }
    __atomic_store_n(&is_set, true, __ATOMIC_RELEASE);
}

/* Asks the open device for its break-evens, and saves them for later processes. */
static void ask(const char *device) {
    struct clg_break_evens known = {.transfers = !library.clgemm_shares_memory(handle)};
    for (int type = 0; type < CLG_BLAS_TYPE_COUNT; type++)
        known.min_flops[type] = library.clgemm_min_flops_of(handle, (clgemm_type)type);
    set_known(&known, "");
    clg_break_evens_write(device, &known);
}

/* Called by the thread that set `state` to OPENING, or by the one that it has started, for which no
 * call waits. */
static void open_device(const char *device, bool beside) {
    if (!open_handle(device)) {
        turn_off(CLG_ON_NO_DEVICE);
        return;
    }
    if (clg_config()->min_flops < 0)
        ask(device);
    if (beside && __atomic_load_n(&types[opening_type].min_flops, __ATOMIC_RELAXED) < INT64_MAX)
        warm_up(opening_type);
    __atomic_store_n(&state, OPEN, __ATOMIC_RELEASE);
}

/* Whether an earlier process has saved the break-evens, which are set then. */
static bool learn(const char *device) {
    struct clg_break_evens known;
    const bool is_saved = clg_break_evens_read(device, &known);
    if (is_saved)
        set_known(&known, ", as an earlier process found");
    return is_saved;
}

/* Whether the call does not pay by what an earlier process has saved. Then further calls must add
 * up to as much work again. */
static bool is_known_not_to_pay(const char *device) {
    return learn(device) && why_not(opening_type, &opening_work, KNOWN) != CLG_ON_DEVICE;
}

/* Runs in the opener's thread. */
static void open_beside(void) {
    char device[300];
    clg_config_device(device, sizeof device);
    if (clg_opener_is_late()) {
        turn_off(CLG_ON_NO_DEVICE);
    } else if (!clg_thread_has_stack(STACK)) {
        turn_off(CLG_ON_STACK);
    } else if (is_known_not_to_pay(device)) {
        __atomic_store_n(&work_seen, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&state, KNOWN, __ATOMIC_RELEASE);
    } else {
        open_device(device, true);
    }
    clg_spare_end();
}

/* Begins to open the device for a call: in the background, or now if the user has set a
 * break-even. */
static void begin_to_open(clgemm_type type, const struct clg_work *work, enum state before) {
    char device[300];
    opening_type = type;
    opening_work = *work;
    if (!watches_forks) {
        turn_off(CLG_ON_NO_DEVICE);
    } else if (clg_config()->min_flops >= 0) {
        clg_config_device(device, sizeof device);
        open_device(device, false);
    } else if (clg_opener_start(open_beside)) {
        clg_spare_begin();
        if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != OPENING) /* it has ended meanwhile */
            clg_spare_end();
    } else {
        __atomic_store_n(&work_seen, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&state, before, __ATOMIC_RELEASE);
    }
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* A thread must not be cancelled within a runtime that holds locks. Returns what leave() takes. */
static int enter(void) {
    clg_depth++;
    return clg_cancel_hold();
}

static void leave(int cancel) {
    clg_depth--;
    clg_cancel_release(cancel);
}

/* Whether this call and those before it are enough work to open the device. */
static bool is_worth_opening(double flops) {
    const uint64_t more =
        flops < work_worth_opening ? (uint64_t)flops : (uint64_t)work_worth_opening;
    return clg_config()->min_flops >= 0 ||
           (double)__atomic_add_fetch(&work_seen, more, __ATOMIC_RELAXED) >= work_worth_opening;
}

/* Whether this thread must not open a device. Even to look at its stack takes a file. */
static bool is_filtered(void) {
    static bool told; /* atomic */
    const bool filtered = clg_filters_grew();
    if (filtered && !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "no device: the program has set a filter of system calls (seccomp)");
    return filtered;
}

/* For calls that may pay. */
static enum clg_where choose(clgemm_type type, const struct clg_work *work, enum state now) {
    if ((now == CLOSED || now == KNOWN) && is_filtered())
        return CLG_ON_NO_DEVICE;
    if (now != OFF && !clg_thread_has_stack(STACK))
        return CLG_ON_STACK;
    if ((now == CLOSED || now == KNOWN) && !is_worth_opening(work->flops))
        return CLG_ON_LITTLE;
    const enum state before = now;
    if ((now == CLOSED || now == KNOWN) &&
        __atomic_compare_exchange_n(&state, &now, OPENING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        begin_to_open(type, work, before);
        now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
        const enum clg_where why = why_not(type, work, now);
        if (why != CLG_ON_DEVICE)
            return why;
    }
    switch (now) {
    case CLOSED:
    case KNOWN:
        return CLG_ON_LITTLE;
    case OPENING:
        clg_opener_watch_thread();
        return CLG_ON_OPENING;
    case OFF:
        return __atomic_load_n(&off, __ATOMIC_RELAXED);
    case OPEN:
        break;
    }
    return __atomic_load_n(&types[type].lacking, __ATOMIC_RELAXED) ? CLG_ON_PRECISION
                                                                   : CLG_ON_DEVICE;
}

/* A call may need programs that a process of the library then builds. */
static void spare_while_building(void) {
    const bool builds = library.clgemm_is_building(handle);
    if (builds && !clg_spare_is_on())
        clg_spare_begin();
    else if (!builds && clg_spare_is_on())
        clg_spare_end();
}

enum clg_where clg_engine_choose(clgemm_type type, const struct clg_work *work) {
    const enum state now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (now == OPEN && clg_spare_is_on())
        spare_while_building();
    if (clg_config()->disabled)
        return CLG_ON_DISABLED;
    const enum clg_where why = why_not(type, work, now);
    if (why != CLG_ON_DEVICE)
        return why;
    const int cancel = enter();
    const enum clg_where where = choose(type, work, now);
    leave(cancel);
    return where;
}

/* In a thread of the program. */
static void learn_before_opening(void) {
    char device[300];
    const int cancel = enter();
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == CLOSED && !is_filtered() &&
        clg_thread_has_stack(STACK)) {
        clg_config_device(device, sizeof device);
        learn(device);
    }
    leave(cancel);
}

bool clg_engine_is_known_to_pay(clgemm_type type, const struct clg_work *work) {
    const bool asks = clg_config()->min_flops < 0;
    if (clg_config()->disabled || __atomic_load_n(&state, __ATOMIC_ACQUIRE) == OFF)
        return false;
    if (asks && !__atomic_load_n(&is_set, __ATOMIC_ACQUIRE))
        learn_before_opening();
    return (!asks || __atomic_load_n(&is_set, __ATOMIC_ACQUIRE)) &&
           why_not(type, work, KNOWN) == CLG_ON_DEVICE &&
           !__atomic_load_n(&types[type].lacking, __ATOMIC_RELAXED);
}

static enum clg_where note_lack(clgemm_type type) {
    if (!__atomic_exchange_n(&types[type].lacking, true, __ATOMIC_RELAXED))
        clg_log(CLG_LOG_CALLS, "%s; such calls stay on the CPU", library.clgemm_last_error());
    return CLG_ON_PRECISION;
}

static enum clg_where note_failure(clgemm_status status) {
    const bool first = !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED);
    const bool forked = status == CLGEMM_STATUS_FORKED;
    if (first && !forked) {
        const char *why = library.clgemm_last_error();
        clg_log(
            CLG_LOG_ALWAYS,
            "the device failed (%s: %.*s); the CPU computes this call, and later ones that fail",
            library.clgemm_status_name(status), (int)strcspn(why, "\n"), why);
    }
    const int row = __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    if (forked)
        turn_off(CLG_ON_FORKED);
    else if (status == CLGEMM_STATUS_DEVICE_LOST || row >= FAILURES_IN_A_ROW)
        turn_off(CLG_ON_GIVEN_UP);
    return forked ? CLG_ON_FORKED : CLG_ON_FAILED;
}

static enum clg_where where_of(clgemm_status status) {
    if (status == CLGEMM_STATUS_UNSUPPORTED)
        return CLG_ON_UNSUPPORTED;
    if (status == CLGEMM_STATUS_EXITING)
        return CLG_ON_EXITING;
    if (status)
        return note_failure(status);
    if (__atomic_load_n(&failures, __ATOMIC_RELAXED))
        __atomic_store_n(&failures, 0, __ATOMIC_RELAXED);
    return CLG_ON_DEVICE;
}

enum clg_where clg_engine_gemm(const struct clg_batch *batch) {
    const int cancel = enter();
    const struct clg_gemm *call = &batch->gemm;
    const bool by_arrays = batch->c && batch->count > 1;
    const clgemm_desc desc = {.size = sizeof desc,
                              .type = call->type,
                              .layout = (clgemm_layout)call->layout,
                              .ta = (clgemm_transpose)call->ta,
                              .tb = (clgemm_transpose)call->tb,
                              .m = call->m,
                              .n = call->n,
                              .k = call->k,
                              .lda = call->lda,
                              .ldb = call->ldb,
                              .ldc = call->ldc,
                              .batch = by_arrays ? 0 : batch->count,
                              .stride_a = batch->stride_a,
                              .stride_b = batch->stride_b,
                              .stride_c = batch->stride_c};
    const clgemm_status status =
        by_arrays ? library.clgemm_gemm_batch(handle, &desc, (size_t)batch->count, &call->alpha,
                                              batch->a, batch->b, &call->beta, batch->c)
                  : library.clgemm_gemm(handle, &desc, &call->alpha, call->a, call->b, &call->beta,
                                        call->c);
    const enum clg_where where =
        status == CLGEMM_STATUS_UNSUPPORTED ? note_lack(call->type) : where_of(status);
    spare_while_building();
    leave(cancel);
    return where;
}

enum clg_where clg_engine_level3(const struct clg_level3 *call) {
    const int cancel = enter();
    const enum clg_where where = where_of(library.clgemm_level3(
        handle, &call->desc, &call->alpha, call->a, call->b, &call->beta, call->c));
    spare_while_building();
    leave(cancel);
    return where;
}
