/* SPDX-License-Identifier: Apache-2.0
 * The fault layer: commands that are accepted and fail afterwards, through their events.
 *
 * Such a command is enqueued behind a user event that a thread sets to an error a moment later.
 * What follows in its queue fails too, as with a runtime that gives up the queue. If the caller
 * wants an event and the device is to survive, the user event takes the place of the command, and
 * the queue continues without it, as with other runtimes.
 *
 * PoCL 3.1 never ends a command that is enqueued behind an event that has already failed. So while
 * commands may fail, no event fails between the check of the events waited for and the enqueueing.
 * PoCL also ends the process if a command fails whose event has no reference, so all events are
 * kept. */
#define CL_TARGET_OPENCL_VERSION 300
#include "layer_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DELAY_NS = 1000000 };

static atomic_long late_at, commands, under_way;
static atomic_bool loses_device;
static _Atomic(cl_event) doomed;           /* the failing command's own event */
static _Atomic(cl_command_queue) given_up; /* its queue, which fails with it */
static atomic_bool has_come;               /* the failure */
static pthread_rwlock_t events_change = PTHREAD_RWLOCK_INITIALIZER;

/* Events that are released when no failure is under way. */
enum { MOST_KEPT = 4096 };
static cl_event kept[MOST_KEPT];
static atomic_int num_kept;

static void keep(cl_event event) {
    const int at = num_kept++;
    if (at >= MOST_KEPT)
        abort();
    kept[at] = event;
}

void clg_late_arm(long n, bool sticky) {
    commands = 0;
    doomed = NULL;
    given_up = NULL;
    has_come = false;
    loses_device = sticky;
    late_at = n;
}

void clg_late_disarm(void) {
    while (under_way > 0)
        nanosleep(&(struct timespec){.tv_nsec = DELAY_NS / 10}, NULL);
    late_at = 0;
    for (; num_kept > 0; num_kept--)
        clg_fault_next.clReleaseEvent(kept[num_kept - 1]);
}

/* Counts a command; true if it is the one that fails. */
static bool is_due(const char *name) {
    if (late_at == 0 || atomic_fetch_add(&commands, 1) + 1 != late_at)
        return false;
    clg_fault_note(name);
    return true;
}

bool clg_late_hits_blocking(const char *name) {
    const bool due = is_due(name);
    if (due && loses_device)
        clg_fault_lose_device();
    return due;
}

static void *fail_later(void *event) {
    nanosleep(&(struct timespec){.tv_nsec = DELAY_NS}, NULL);
    pthread_rwlock_wrlock(&events_change);
    clg_fault_next.clSetUserEventStatus(event, clg_fault_now());
    has_come = true;
    if (loses_device)
        clg_fault_lose_device();
    pthread_rwlock_unlock(&events_change);
    clg_fault_next.clReleaseEvent(event);
    under_way--;
    return NULL;
}

static cl_event user_event(cl_command_queue q) {
    cl_context context = NULL;
    cl_int error;
    clg_fault_next.clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
    return clg_fault_next.clCreateUserEvent(context, &error);
}

/* An event that fails in a moment. The thread owns a reference. */
static cl_event failing_event(cl_command_queue q) {
    cl_event event = user_event(q);
    pthread_t thread;
    under_way++;
    clg_fault_next.clRetainEvent(event);
    if (pthread_create(&thread, NULL, fail_later, event) != 0)
        abort();
    pthread_detach(thread);
    return event;
}

static bool has_failed(cl_uint count, const cl_event *events) {
    cl_int state = CL_COMPLETE;
    for (cl_uint i = 0; i < count && state >= 0; i++)
        clg_fault_next.clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                      &state, NULL);
    return state < 0;
}

static cl_event failed_event(cl_command_queue q) {
    cl_event event = user_event(q);
    clg_fault_next.clSetUserEventStatus(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return event;
}

static void add_wait(struct late *late, cl_uint *num_wait, const cl_event **wait) {
    late->waits = malloc((*num_wait + 1) * sizeof(cl_event));
    if (!late->waits)
        abort();
    if (*num_wait > 0)
        memcpy(late->waits, *wait, *num_wait * sizeof(cl_event));
    late->waits[*num_wait] = late->other;
    *num_wait += 1;
    *wait = late->waits;
}

struct late clg_late_begin(const char *name, cl_command_queue q, bool blocking, cl_event *event,
                           cl_uint *num_wait, const cl_event **wait) {
    struct late late = {.kind = LATE_NOT, .to = event};
    if (late_at == 0)
        return late;
    late.armed = true;
    late.locks = !blocking; /* what it waits for may be about to fail */
    if (late.locks)
        pthread_rwlock_rdlock(&events_change);
    if (!blocking && is_due(name)) {
        late.kind = event && !loses_device ? LATE_ALONE : LATE_BEHIND;
        late.other = failing_event(q);
        if (late.kind == LATE_BEHIND)
            given_up = q;
    } else if (has_failed(*num_wait, *wait) || (has_come && q == given_up)) {
        late.kind = LATE_ENDED;
        late.other = failed_event(q);
    }
    if (late.kind == LATE_BEHIND)
        add_wait(&late, num_wait, wait);
    return late;
}

cl_event *clg_late_event(struct late *late) {
    return late->armed ? &late->own : late->to;
}

cl_int clg_late_end(struct late *late, cl_int code) {
    if (late->locks)
        pthread_rwlock_unlock(&events_change);
    free(late->waits);
    if (late->kind == LATE_ALONE || late->kind == LATE_ENDED)
        late->own = late->other;
    else if (late->other)
        keep(late->other);
    if (!late->own)
        return code;
    if (late->to) {
        clg_fault_next.clRetainEvent(late->own);
        *late->to = late->own;
    }
    if (late->kind == LATE_BEHIND || late->kind == LATE_ALONE)
        doomed = late->own;
    keep(late->own);
    return code;
}

/* A failed command reports why, and those that waited for it report that. PoCL 3.1 returns -1 for
 * all. */
cl_int CL_API_CALL layer_clGetEventInfo(cl_event o, cl_event_info what, size_t n, void *p,
                                        size_t *r) {
    if (clg_fault_fails("clGetEventInfo"))
        return clg_fault_now();
    const cl_int code = clg_fault_next.clGetEventInfo(o, what, n, p, r);
    if (code == CL_SUCCESS && late_at && what == CL_EVENT_COMMAND_EXECUTION_STATUS && p &&
        *(cl_int *)p < 0)
        *(cl_int *)p = o == doomed ? clg_fault_now() : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return code;
}
