/* SPDX-License-Identifier: Apache-2.0
 * Searches the loaded libraries for the program's own routine, and remembers what it found. */
#define _GNU_SOURCE /* dladdr, RTLD_NEXT, dl_iterate_phdr */
#include "blas/find.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/thread.h"
#include "blas/config.h"

/* ---- Loaded objects ------------------------------------------------------------------------- */

static const char *without_folders(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool clg_object_is_named(const char *path, const char *part) {
    char *real = realpath(path, NULL);
    const bool is =
        strstr(without_folders(path), part) || (real && strstr(without_folders(real), part));
    free(real);
    return is;
}

struct names {
    char *text;
    size_t used, room;
    bool failed;
};

/* Runs under the loader's lock: copies names and opens nothing. */
static int add_name(struct dl_phdr_info *info, size_t info_size, void *user) {
    (void)info_size;
    struct names *names = user;
    const size_t length = strlen(info->dlpi_name) + 1;
    if (length == 1)
        return 0;
    if (!clg_array_reserve(&names->text, &names->room, names->used + length + 1, 1)) {
        names->failed = true;
        return 1;
    }
    memcpy(names->text + names->used, info->dlpi_name, length);
    names->used += length;
    names->text[names->used] = '\0';
    return 0;
}

/* The names of all loaded objects except the program itself, each ended by a NUL. An empty name
 * ends the list. NULL if memory is short. */
static char *list_loaded(void) {
    struct names names = {.text = calloc(1, 1), .room = 1};
    if (names.text)
        dl_iterate_phdr(add_name, &names);
    if (names.failed) {
        free(names.text);
        return NULL;
    }
    return names.text;
}

/* Whether an object is this library or another copy of it. One copy may be preloaded while another
 * is the system's libblas.so.3. */
static bool is_ours(const Dl_info *object) {
    static const char any = 0;
    Dl_info own;
    return (dladdr(&any, &own) && own.dli_fbase == object->dli_fbase) ||
           clg_object_is_named(object->dli_fname, "libclgemm_blas");
}

/* The parts are those of OpenBLAS and the reference BLAS, of BLIS, and of MKL. */
static bool has_long_integers(const Dl_info *object) {
    static const char *const parts[] = {"blas64", "blis64", "ilp64"};
    bool has = false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        has |= clg_object_is_named(object->dli_fname, parts[i]);
    return has;
}

/* ---- One search ---------------------------------------------------------------------------- */

/* Without RTLD_DEEPBIND, by which the library would get another malloc() than the C library if the
 * program has its own (jemalloc, AddressSanitizer). Its own calls of ?gemm come back: clg_depth. */
enum { ALONE = RTLD_LOCAL | RTLD_LAZY };

/* The names to search for: those of a function, then those of the product that can replace it. */
struct wanted {
    const char *names[4];
    int functions; /* how many names precede the product's */
};

struct found {
    Dl_info object;
    bool is_product;
};

static const struct clg_name *name_of(const char *symbol) {
    int id = 0;
    while (id < CLG_NAMES && strcmp(clg_names[id].name, symbol) != 0)
        id++;
    return id < CLG_NAMES ? &clg_names[id] : NULL;
}

static struct wanted wanted_of(const struct clg_name *name, bool or_product) {
    struct wanted wanted = {.names = {name->name, name->second}, .functions = 2};
    const struct clg_name *product = or_product ? name_of(name->gemm) : NULL;
    if (product) {
        wanted.names[2] = product->name;
        wanted.names[3] = product->second;
    }
    return wanted;
}

/* Returns the symbol if it is not ours. The object that has it stays loaded. */
static void *foreign(void *handle, const struct wanted *wanted, struct found *out) {
    enum { NAMES = sizeof wanted->names / sizeof wanted->names[0] };
    for (int i = 0; i < NAMES && wanted->names[i]; i++) {
        void *found = dlsym(handle, wanted->names[i]);
        if (!found || !dladdr(found, &out->object) || is_ours(&out->object))
            continue;
        dlopen(out->object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        out->is_product = i >= wanted->functions;
        return found;
    }
    return NULL;
}

/* Searches a library, which is opened if necessary. */
static void *foreign_in(const char *file, int mode, const struct wanted *wanted,
                        struct found *out) {
    void *handle = file && *file ? dlopen(file, mode) : NULL;
    void *found = handle ? foreign(handle, wanted, out) : NULL;
    if (handle)
        dlclose(handle); /* foreign() keeps what it found loaded */
    return found;
}

/* Searches what the program has loaded: behind this library, or for the calling object alone. */
static void *search_loaded(const struct wanted *wanted, const void *site, struct found *out) {
    Dl_info caller;
    void *found = foreign(RTLD_NEXT, wanted, out);
    if (!found && dladdr(site, &caller))
        found = foreign_in(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD, wanted, out);
    return found;
}

/* Searches all loaded libraries. A tail call seems to come from the caller's object, which need not
 * have a BLAS. For names without a suffix, libraries with 32-bit integers take precedence. */
static void *search_anywhere(const struct wanted *wanted, bool is_long, struct found *out) {
    char *loaded = list_loaded();
    struct found where;
    void *usual = NULL, *found = NULL;
    for (const char *file = loaded; file && *file && !usual; file += strlen(file) + 1) {
        void *here = foreign_in(file, RTLD_LAZY | RTLD_NOLOAD, wanted, &where);
        const bool is_usual = here && (is_long || !has_long_integers(&where.object));
        if (is_usual)
            usual = here;
        if (is_usual || (here && !found)) {
            found = here;
            *out = where;
        }
    }
    free(loaded);
    return found;
}

static void *search(const struct wanted *wanted, bool is_long, const void *site,
                    struct found *out) {
    void *found = search_loaded(wanted, site, out);
    if (!found)
        found = foreign_in(clg_config()->cpu_blas, ALONE, wanted, out);
    if (!found)
        found = search_anywhere(wanted, is_long, out);
    if (!found)
        found = foreign_in("libblas.so.3", ALONE, wanted, out);
    if (!found)
        found = foreign_in(CLG_BLAS_BEHIND, ALONE, wanted, out);
    dlerror(); /* the program must not see errors of this search */
    return found;
}

static void trace_route(const struct clg_route *route) {
    Dl_info caller, object;
    void *const onwards = (void *)(route->next ? route->next : route->gemm);
    const bool from = dladdr(route->site, &caller), to = onwards && dladdr(onwards, &object);
    clg_log(CLG_LOG_PLANS, "%s from %s goes on to %s%s%s", route->name->name,
            from ? caller.dli_fname : "code without a file", to ? object.dli_fname : "plain loops",
            to && !route->next ? ", product by product" : "",
            route->is_long ? ", with 64-bit integers" : "");
}

static void resolve(struct clg_route *out, enum clg_name_id id, const void *site) {
    const struct clg_name *name = &clg_names[id];
    const enum clg_kind kind = clg_routines[name->routine].kind;
    const bool single = kind == CLG_GEMM || kind == CLG_GEMM3M;
    const struct wanted wanted = wanted_of(name, !clg_kind_is_level3(kind));
    struct found found;
    *out = (struct clg_route){.name = name, .site = site, .is_long = name->is_long};
    void (*symbol)(void) = (void (*)(void))search(&wanted, name->is_long, site, &found);
    if (!symbol)
        return;
    out->is_long |= has_long_integers(&found.object);
    if (found.is_product || single)
        out->gemm = symbol;
    if (found.is_product && !single)
        return;
    out->next = symbol;
    const struct clg_name *product = clg_kind_is_batch(kind) ? name_of(name->gemm) : NULL;
    if (product) {
        const struct wanted beside = wanted_of(product, false);
        out->gemm = (void (*)(void))foreign_in(found.object.dli_fname, RTLD_LAZY | RTLD_NOLOAD,
                                               &beside, &found);
    }
}

/* ---- Routes -------------------------------------------------------------------------------- */

enum { BUCKETS = 512 };
static struct clg_route *buckets[BUCKETS]; /* lists; grow at their heads, atomically */

/* Returns NULL if memory is short. */
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

/* Fibonacci hashing: the product's high bits depend on all of the address's. */
static struct clg_route **bucket_of(const struct clg_name *name, const void *site) {
    const uint64_t hash = ((uint64_t)(uintptr_t)site + (uintptr_t)name) * 0x9e3779b97f4a7c15U;
    return &buckets[(hash >> 32) % BUCKETS];
}

static const struct clg_route *remembered(struct clg_route *const *bucket,
                                          const struct clg_name *name, const void *site) {
    const struct clg_route *route = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    while (route && (route->site != site || route->name != name))
        route = route->following;
    return route;
}

const struct clg_route *clg_route_find(enum clg_name_id id, const void *site) {
    struct clg_route **bucket = bucket_of(&clg_names[id], site);
    const struct clg_route *route = remembered(bucket, &clg_names[id], site);
    if (route)
        return route;
    static _Thread_local struct clg_route unkept;
    struct clg_route found;
    const int cancel = clg_cancel_hold(); /* constructors of libraries run */
    resolve(&found, id, site);
    trace_route(&found);
    route = remember(bucket, &found);
    clg_cancel_release(cancel);
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

void (*clg_next_function(const struct clg_name *name, const void *site))(void) {
    struct clg_route **bucket = bucket_of(name, site), found = {.name = name, .site = site};
    const struct clg_route *route = remembered(bucket, name, site);
    if (route)
        return route->next;
    const struct wanted wanted = {.names = {name->name}, .functions = 1};
    struct found where;
    const int error = errno, cancel = clg_cancel_hold();
    found.next = (void (*)(void))search_loaded(&wanted, site, &where);
    dlerror();
    remember(bucket, &found);
    clg_cancel_release(cancel);
    errno = error;
    return found.next;
}
