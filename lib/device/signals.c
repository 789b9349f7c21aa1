/* SPDX-License-Identifier: Apache-2.0
 * Preserves the process's signal handlers. */
#define _GNU_SOURCE /* NSIG, dl_iterate_phdr */
#include "device/signals.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/array.h"
#include "base/process.h"
#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;
static struct sigaction saved[NSIG]; /* the program's */
static void (*foreign[NSIG])(int);   /* handlers found to be a runtime's */
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t watcher; /* the thread of the outermost save, if it has started */
static bool has_watcher;
static uintptr_t watch; /* its number, or that of the next one */

/* The mask belongs to the thread, so each thread keeps its own. */
static _Thread_local sigset_t saved_mask;
static _Thread_local int thread_depth;

/* ---- Loaded objects ---- */

/* Loaded objects, identified by their start addresses. */
struct objects {
    uintptr_t *starts;
    size_t count, room;
};
static struct objects program; /* loaded before the outermost save, without the runtime's */
static struct objects runtime; /* loaded between a save and its restore */

static bool has(const struct objects *objects, uintptr_t start) {
    for (size_t i = 0; i < objects->count; i++)
        if (objects->starts[i] == start)
            return true;
    return false;
}

struct object {
    uintptr_t address; /* an address in it */
    uintptr_t start;   /* 0: no object contains the address */
    const char *name;
};

/* The start of the object, and whether the address is in it. */
static uintptr_t start_of(const struct dl_phdr_info *info, uintptr_t address, bool *within) {
    uintptr_t start = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t part = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        start = start ? start : part;
        *within |= address >= part && address - part < info->dlpi_phdr[i].p_memsz;
    }
    return start;
}

static int compare_object(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    struct object *object = user;
    bool within = false;
    const uintptr_t start = start_of(info, object->address, &within);
    if (!within)
        return 0;
    object->start = start;
    object->name = info->dlpi_name;
    return 1;
}

static struct object object_at(uintptr_t address) {
    struct object object = {.address = address, .name = ""};
    dl_iterate_phdr(compare_object, &object);
    return object;
}

struct listing {
    struct objects *to;
    const struct objects *without;
};

/* If memory is short, objects are left out. */
static int list_object(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    const struct listing *listing = user;
    struct objects *to = listing->to;
    bool within = false;
    const uintptr_t start = start_of(info, 0, &within);
    if (!has(listing->without, start) &&
        clg_array_reserve(&to->starts, &to->room, to->count + 1, sizeof *to->starts))
        to->starts[to->count++] = start;
    return 0;
}

static void list_loaded(struct objects *to, const struct objects *without) {
    struct listing listing = {to, without};
    to->count = 0;
    dl_iterate_phdr(list_object, &listing);
}

/* ---- The owner of a handler ---- */

static bool is_driver(const struct object *object) {
    void *handle = dlopen(object->name, RTLD_LAZY | RTLD_NOLOAD);
    const void *entry = handle ? dlsym(handle, "clGetExtensionFunctionAddress") : NULL;
    if (handle)
        dlclose(handle);
    dlerror(); /* the caller must not see this error */
    return entry && object_at((uintptr_t)entry).start == object->start;
}

static bool is_runtimes(const struct sigaction *action) {
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN)
        return false;
    const struct object object = object_at((uintptr_t)action->sa_handler);
    if (!object.start)
        return false;
    return !has(&program, object.start) || strstr(object.name, "libLLVM") || is_driver(&object);
}

/* Notes the program's handlers. The first time, all handlers count as the program's. */
static void note(bool first) {
    struct sigaction now;
    for (int s = 1; s < NSIG; s++) {
        if (sigaction(s, NULL, &now))
            continue;
        if (first || now.sa_handler == saved[s].sa_handler ||
            (now.sa_handler != foreign[s] && !is_runtimes(&now)))
            saved[s] = now;
        else
            foreign[s] = now.sa_handler;
    }
}

/* Does so all the time while a runtime may install handlers. */
static void *keep_noting(void *number) {
    enum { NAP_NS = 50000, SECOND = 1000000000 };
    prctl(PR_SET_TIMERSLACK, 1); /* ns; the default would double the nap */
    pthread_mutex_lock(&lock);
    while (watch == (uintptr_t)number) {
        struct timespec until;
        note(false);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += NAP_NS;
        until.tv_sec += until.tv_nsec / SECOND;
        until.tv_nsec %= SECOND;
        pthread_cond_timedwait(&ended, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void undo(void) {
    struct sigaction now;
    for (int s = 1; s < NSIG; s++)
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != saved[s].sa_handler)
            sigaction(s, &saved[s], NULL);
}

/* ---- Saving and restoring ---- */

void clg_signals_save(void) {
    if (thread_depth++ == 0)
        pthread_sigmask(SIG_SETMASK, NULL, &saved_mask);
    pthread_mutex_lock(&lock);
    const bool first = depth++ == 0;
    if (first)
        list_loaded(&program, &runtime);
    note(first);
    if (first)
        has_watcher = !clg_filters_grew() &&
                      clg_thread_start(&watcher, keep_noting, (void *)watch, "clgemm-signals");
    pthread_mutex_unlock(&lock);
}

void clg_signals_restore(void) {
    bool joins = false;
    pthread_mutex_lock(&lock);
    const pthread_t last = watcher;
    note(false);
    if (--depth == 0) {
        undo();
        list_loaded(&runtime, &program);
        joins = has_watcher;
        watch++;
        pthread_cond_broadcast(&ended);
    }
    pthread_mutex_unlock(&lock);
    if (joins)
        pthread_join(last, NULL);
    if (--thread_depth == 0)
        pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
}
