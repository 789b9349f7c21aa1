/* SPDX-License-Identifier: Apache-2.0
 * Searches the loaded libraries for the program's own routine, and remembers what it found. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT */
#include "blas/find.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "blas/config.h"
#include "blas/object.h"

/* Whether an object is this library or another copy of it: one is preloaded where another is the
 * system's libblas.so.3. */
static bool is_ours(const Dl_info *object) {
    static const char any = 0;
    Dl_info own;
    return (dladdr(&any, &own) && own.dli_fbase == object->dli_fbase) ||
           clg_object_is_named(object->dli_fname, "libclgemm_blas");
}

/* OpenBLAS and the reference, BLIS, MKL. */
static bool has_long_integers(const Dl_info *object) {
    static const char *const parts[] = {"blas64", "blis64", "ilp64"};
    bool has = false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        has |= clg_object_is_named(object->dli_fname, parts[i]);
    return has;
}

/* ---- One search ---------------------------------------------------------------------------- */

/* RTLD_DEEPBIND keeps such a library's own calls from coming back to us. AddressSanitizer refuses
 * it; there the depth guard alone must do. */
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif
#if defined(__SANITIZE_ADDRESS__)
enum { ALONE = RTLD_LOCAL | RTLD_LAZY };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { ALONE = RTLD_LOCAL | RTLD_LAZY };
#else
enum { ALONE = RTLD_LOCAL | RTLD_LAZY | RTLD_DEEPBIND };
#endif
#else
enum { ALONE = RTLD_LOCAL | RTLD_LAZY | RTLD_DEEPBIND };
#endif

/* The symbol, by either of its names, if it is somebody else's; the object that has it stays. */
static void *foreign(void *handle, const struct clg_name *name, Dl_info *object) {
    const char *const names[] = {name->name, name->second};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *found = dlsym(handle, names[i]);
        if (!found || !dladdr(found, object) || is_ours(object))
            continue;
        dlopen(object->dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        return found;
    }
    return NULL;
}

/* In a library that is opened if it must be: for itself alone. */
static void *foreign_in(const char *file, int mode, const struct clg_name *name, Dl_info *object) {
    void *handle = file && *file ? dlopen(file, mode) : NULL;
    void *found = handle ? foreign(handle, name, object) : NULL;
    if (handle)
        dlclose(handle); /* `foreign` has marked what it found as there to stay */
    return found;
}

/* What the program has loaded: behind us, or for the caller's object alone. */
static void *search_loaded(const struct clg_name *name, const void *site, Dl_info *object) {
    Dl_info caller;
    void *found = foreign(RTLD_NEXT, name, object);
    if (!found && dladdr(site, &caller))
        found = foreign_in(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD, name, object);
    return found;
}

/* In any loaded library: a call that a function makes as its last comes from its caller's object,
 * which need not have a BLAS. Of plain names, those with 32-bit integers are the usual. */
static void *search_anywhere(const struct clg_name *name, Dl_info *object) {
    char *loaded = clg_objects_loaded();
    Dl_info where;
    void *usual = NULL, *found = NULL;
    for (const char *file = loaded; file && *file && !usual; file += strlen(file) + 1) {
        void *here = foreign_in(file, RTLD_LAZY | RTLD_NOLOAD, name, &where);
        const bool is_usual = here && (name->is_long || !has_long_integers(&where));
        if (is_usual)
            usual = here;
        if (is_usual || (here && !found)) {
            found = here;
            *object = where;
        }
    }
    free(loaded);
    return found;
}

static void *search(const struct clg_name *name, const void *site, Dl_info *object) {
    void *found = search_loaded(name, site, object);
    if (!found)
        found = foreign_in(clg_config()->cpu_blas, ALONE, name, object);
    if (!found)
        found = search_anywhere(name, object);
    if (!found)
        found = foreign_in("libblas.so.3", ALONE, name, object);
    if (!found)
        found = foreign_in(CLG_BLAS_BEHIND, ALONE, name, object);
    dlerror(); /* what was not found is nobody else's error */
    return found;
}

static void trace_route(const struct clg_route *route) {
    Dl_info caller, object;
    const bool from = dladdr(route->site, &caller),
               to = route->next && dladdr((void *)route->next, &object);
    clg_log(CLG_LOG_PLANS, "%s from %s goes on to %s%s", route->name->name,
            from ? caller.dli_fname : "code without a file", to ? object.dli_fname : "plain loops",
            route->is_long ? ", with 64-bit integers" : "");
}

static void resolve(struct clg_route *out, enum clg_name_id id, const void *site) {
    const struct clg_name *name = &clg_names[id];
    *out = (struct clg_route){.name = name, .site = site, .is_long = name->is_long};
    Dl_info object;
    void *next = search(name, site, &object);
    if (!next)
        return;
    out->is_long |= has_long_integers(&object);
    out->next = (void (*)(void))next;
    out->gemm = out->next;
    if (clg_routines[name->routine].kind != CLG_GEMM) {
        const struct clg_name gemm = {.name = name->gemm, .second = name->gemm};
        out->gemm =
            (void (*)(void))foreign_in(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD, &gemm, &object);
    }
}

/* ---- Those found --------------------------------------------------------------------------- */

enum { BUCKETS = 512 };
static struct clg_route *buckets[BUCKETS]; /* lists that only grow, at their heads, atomically */

/* NULL where memory is short. */
static const struct clg_route *remember(struct clg_route **bucket, const struct clg_route *found) {
    struct clg_route *kept = malloc(sizeof *kept);
    if (!kept)
        return NULL;
    *kept = *found;
    kept->following = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(bucket, &kept->following, kept, true, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE)) {
    }
    return kept;
}

const struct clg_route *clg_route_find(enum clg_name_id id, const void *site) {
    /* Fibonacci hashing: the product's high bits depend on all of the address's. */
    const uint64_t hash = ((uint64_t)(uintptr_t)site + id) * 0x9e3779b97f4a7c15U;
    struct clg_route **bucket = &buckets[(hash >> 32) % BUCKETS];
    const struct clg_route *route = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    for (; route; route = route->following)
        if (route->site == site && route->name == &clg_names[id])
            return route;
    static _Thread_local struct clg_route unkept;
    struct clg_route found;
    resolve(&found, id, site);
    trace_route(&found);
    route = remember(bucket, &found);
    if (route)
        return route;
    unkept = found;
    return &unkept;
}

void *clg_route_symbol(const struct clg_route *route, const char *symbol) {
    Dl_info object;
    const void *const places[] = {route->site, (const void *)route->next};
    void *found = dlsym(RTLD_DEFAULT, symbol);
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
        if (!places[i] || !dladdr(places[i], &object))
            continue;
        void *handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        found = handle ? dlsym(handle, symbol) : NULL;
        if (handle)
            dlclose(handle);
    }
    dlerror();
    return found;
}

void *clg_next_symbol(const char *symbol, const void *site) {
    Dl_info object;
    const struct clg_name name = {.name = symbol, .second = symbol};
    void *found = search_loaded(&name, site, &object);
    dlerror();
    return found;
}
