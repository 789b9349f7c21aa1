/* SPDX-License-Identifier: Apache-2.0
 * The state of calls without a handle: the default device's handle, and the handles of the last
 * SHARED_CONTEXTS pairs of context and device that callers' queues had. Besides api/packed, this is
 * the only global state of the library. clgemm_clear_cache and
 * clgemm_set_option are here.
 *
 * The first call for a device opens it without the lock, because that takes long: it may compile.
 * Only calls for the same device wait for it. */
#include "api/handle.h"

#include <limits.h>
#include <pthread.h>

#include "base/caller.h"
#include "base/env.h"
#include "base/log.h"
#include "base/process.h"
#include "gemm/type.h"
#include "program/binaries.h"

struct clg_binaries *clg_store(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct clg_binaries *binaries;
    pthread_mutex_lock(&lock);
    if (!binaries)
        binaries = clg_binaries_new();
    struct clg_binaries *store = binaries;
    pthread_mutex_unlock(&lock);
    return store;
}

enum { SHARED_CONTEXTS = 8 }; /* as stated in clgemm_cl.h */

struct place {
    cl_context context; /* that it is for, with the device; NULL: free, or the default device */
    cl_device_id device;
    clgemm_handle *handle; /* NULL: none is open */
    bool opening;          /* by one call */
    uint64_t used;         /* when it was last used */
};
enum { PLACES = 1 + SHARED_CONTEXTS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER; /* or failed to */
static struct place places[PLACES];                      /* the first is the default device's */
static uint64_t uses;                                    /* the clock of `used` */

/* A child process inherits the state of the lock. If OpenCL was in use, the child never takes the
 * lock. Otherwise there are no handles yet, but a thread that does not exist in the child may hold
 * it. */
static void free_lock_in_child(void) {
    if (!clg_process_is_child())
        pthread_mutex_init(&lock, NULL);
}

/* Registered when the library is loaded. fork() runs the handlers that exist when it begins, so one
 * that the first call registered while another thread forks would be too late for that child. */
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(NULL, NULL, free_lock_in_child);
}

/* Options of all calls without a handle, accessed atomically. */
enum { NO_CHOICE = -1 };
static int default_math, default_choices[CLG_CHOICES] = {NO_CHOICE, NO_CHOICE};
static int wanted_math = NO_CHOICE; /* the environment's, read at the first call */

/* Removes a user of a handle. A table counts as one user, so a handle that leaves it while calls
 * use it is closed by the last of them. The caller holds the lock. Returns the handle if the caller
 * must close it after unlocking. */
static clgemm_handle *drop_user(clgemm_handle *handle) {
    return handle && --handle->users == 0 ? handle : NULL;
}

/* Opens a handle with the options set without a handle. If the general programs cannot be built on
 * a device, calls wait for the compiler. */
static clgemm_status open_handle(clgemm_handle **out, cl_context context, cl_device_id device) {
    const clgemm_status status =
        context ? clg_handle_adopt(out, context, device) : clg_handle_open(out, NULL);
    if (status)
        return status;
    (*out)->users = 1;
    for (int i = 0; i < CLG_CHOICES; i++) {
        const int value = __atomic_load_n(&default_choices[i], __ATOMIC_RELAXED);
        if (value != NO_CHOICE)
            clg_handle_choose(*out, (clgemm_option)(CLG_FIRST_CHOICE + i), value);
    }
    return CLGEMM_SUCCESS;
}

static bool is_for(const struct place *place, cl_context context, cl_device_id device) {
    return place->context == context && place->device == device;
}

/* The pair's place, or the one that it gets: the least recently used. NULL if handles are being
 * opened for all. The caller holds the lock. */
static struct place *place_for(cl_context context, cl_device_id device) {
    struct place *least = NULL;
    if (!context)
        return &places[0];
    for (struct place *place = &places[1]; place < places + PLACES; place++) {
        if (is_for(place, context, device))
            return place;
        if (!place->opening && (!least || place->used < least->used))
            least = place;
    }
    return least;
}

/* Checks for a fork before taking the lock, which another thread may have held at the fork. Notes
 * the process before a place says `opening`, which would never end in a child. */
static clgemm_status use_place(clgemm_handle **out, cl_context context, cl_device_id device) {
    struct place *place;
    *out = NULL;
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    pthread_mutex_lock(&lock);
    while (!(place = place_for(context, device)) || place->opening)
        pthread_cond_wait(&opened, &lock);
    if (!place->handle || !is_for(place, context, device)) {
        clgemm_handle *handle = NULL, *evicted = drop_user(place->handle);
        clg_process_note();
        *place = (struct place){context, device, .opening = true};
        pthread_mutex_unlock(&lock);
        clg_handle_close(evicted);
        status = open_handle(&handle, context, device);
        pthread_mutex_lock(&lock);
        *place = status ? (struct place){0} : (struct place){context, device, .handle = handle};
        pthread_cond_broadcast(&opened);
    }
    if (place->handle) {
        place->handle->users++;
        place->used = ++uses;
        *out = place->handle;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

clgemm_status clg_shared_use(clgemm_handle *handle, clgemm_handle **out) {
    *out = handle;
    return handle ? clg_handle_check(handle) : use_place(out, NULL, NULL);
}

clgemm_status clg_shared_use_for(clgemm_handle *handle, cl_context context, cl_device_id device,
                                 clgemm_handle **out) {
    *out = handle;
    if (!handle)
        return use_place(out, context, device);
    const struct clg_device *own = handle->engine.device;
    return own->context == context && own->id == device
               ? CLGEMM_SUCCESS
               : clg_fail(CLGEMM_STATUS_INVALID_QUEUE,
                          "queue belongs to another context or device than the handle");
}

static void release(clgemm_handle *handle, clgemm_status status) {
    pthread_mutex_lock(&lock);
    clgemm_handle *last = drop_user(handle);
    if (handle == places[0].handle && status == CLGEMM_STATUS_DEVICE_LOST) {
        places[0] = (struct place){0};
        last = drop_user(handle);
    }
    pthread_mutex_unlock(&lock);
    clg_handle_close(last);
}

void clg_shared_end(const clgemm_handle *handle, clgemm_handle *used, clgemm_status status) {
    if (!handle)
        release(used, status);
}

/* CLGEMM_MATH. An unknown word is reported, and means strict. */
static clgemm_math math_of_environment(void) {
    const int known = __atomic_load_n(&wanted_math, __ATOMIC_RELAXED);
    if (known != NO_CHOICE)
        return (clgemm_math)known;
    const char *word = clg_env("CLGEMM_MATH");
    clgemm_math math = CLGEMM_MATH_STRICT;
    if (word && !clg_math_of_word(word, &math))
        clg_log(CLG_LOG_CALLS, "CLGEMM_MATH is \"%s\", which is not a mode; using strict", word);
    __atomic_store_n(&wanted_math, (int)math, __ATOMIC_RELAXED);
    return math;
}

clgemm_math clg_handle_math(const clgemm_handle *handle) {
    const int math = __atomic_load_n(handle ? &handle->math : &default_math, __ATOMIC_RELAXED);
    return math ? (clgemm_math)math : math_of_environment();
}

static clgemm_status set_math(clgemm_handle *handle, int64_t value) {
    const char *word = value < 0 || value > INT_MAX ? NULL : clg_math_word((clgemm_math)value);
    if (!word)
        return clg_fail(CLGEMM_STATUS_INVALID_OPTION, "%lld is not a clgemm_math",
                        (long long)value);
    __atomic_store_n(handle ? &handle->math : &default_math, (int)value, __ATOMIC_RELAXED);
    return CLGEMM_SUCCESS;
}

/* Sets an option of all handles that calls without a handle use, and of later ones. One that is
 * being opened may have the old option. */
static clgemm_status set_default_choice(clgemm_option option, int value) {
    clgemm_handle *held[PLACES];
    clgemm_status status = CLGEMM_SUCCESS;
    __atomic_store_n(&default_choices[option - CLG_FIRST_CHOICE], value, __ATOMIC_RELAXED);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PLACES; i++) {
        while (places[i].opening)
            pthread_cond_wait(&opened, &lock);
        if ((held[i] = places[i].handle))
            held[i]->users++;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < PLACES; i++)
        if (held[i]) {
            if (!status)
                status = clg_handle_choose(held[i], option, value);
            release(held[i], status);
        }
    return status;
}

static clgemm_status set_option(clgemm_handle *handle, clgemm_option option, int64_t value) {
    clgemm_status status = handle ? clg_handle_check(handle) : clg_process_check_fork();
    if (status)
        return status;
    if (option == CLGEMM_OPTION_MATH)
        return set_math(handle, value);
    if ((status = clg_handle_check_choice(option, value)))
        return status;
    return handle ? clg_handle_choose(handle, option, (int)value)
                  : set_default_choice(option, (int)value);
}

int clgemm_is_building(clgemm_handle *handle) {
    const struct clg_caller caller = clg_caller_hold();
    clgemm_handle *used;
    int builds = 0;
    if (!clg_shared_use(handle, &used)) {
        for (clgemm_handle *each = used; each; each = each->next)
            builds |= clg_engine_is_building(&each->engine);
        clg_shared_end(handle, used, CLGEMM_SUCCESS);
    }
    clg_caller_release(&caller, CLGEMM_SUCCESS);
    return builds;
}

clgemm_status clgemm_set_option(clgemm_handle *handle, clgemm_option option, int64_t value) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, set_option(handle, option, value));
}

static clgemm_status clear(void) {
    clgemm_status status = clg_process_check_fork();
    if (status)
        return status;
    clgemm_handle *closing[PLACES];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PLACES; i++) {
        closing[i] = drop_user(places[i].handle);
        if (!places[i].opening)
            places[i] = (struct place){0};
    }
    __atomic_store_n(&wanted_math, NO_CHOICE, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < PLACES; i++)
        clg_handle_close(closing[i]);
    return CLGEMM_SUCCESS;
}

clgemm_status clgemm_clear_cache(void) {
    const struct clg_caller caller = clg_caller_hold();
    return clg_caller_release(&caller, clear());
}
