/* SPDX-License-Identifier: Apache-2.0
 * The programs of one open device. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "program/programs.h"

#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "program/build.h"
#include "program/key.h"

enum { POOLED_KERNELS = 16 };

struct clg_program {
    struct clg_program *next;
    struct clg_programs *owner;
    const struct clg_source *source;
    char *options;
    char *key;        /* NULL if memory was short */
    cl_program built; /* NULL while a thread builds it */
    struct clg_kernel idle[POOLED_KERNELS];
    int num_idle;
};

struct clg_programs {
    struct clg_device *device;
    struct clg_binaries *store;
    pthread_mutex_t lock; /* guards all below, and what changes in programs */
    pthread_cond_t built; /* a build ended, successfully or not */
    struct clg_program *list;
    unsigned counts[CLG_ORIGINS];
};

clgemm_status clg_programs_open(struct clg_programs **out, struct clg_device *device,
                                struct clg_binaries *store) {
    struct clg_programs *programs = calloc(1, sizeof *programs);
    *out = programs;
    if (!programs)
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a table of programs");
    programs->device = device;
    programs->store = store;
    pthread_mutex_init(&programs->lock, NULL);
    pthread_cond_init(&programs->built, NULL);
    return CLGEMM_SUCCESS;
}

static void free_program(struct clg_program *program) {
    for (int i = 0; i < program->num_idle; i++)
        clReleaseKernel(program->idle[i].object);
    if (program->built)
        clReleaseProgram(program->built);
    free(program->key);
    free(program->options);
    free(program);
}

void clg_programs_close(struct clg_programs *programs) {
    if (!programs)
        return;
    for (struct clg_program *program = programs->list, *next; program; program = next) {
        next = program->next;
        free_program(program);
    }
    pthread_cond_destroy(&programs->built);
    pthread_mutex_destroy(&programs->lock);
    free(programs);
}

unsigned clg_programs_count(struct clg_programs *programs, enum clg_origin origin) {
    pthread_mutex_lock(&programs->lock);
    const unsigned count = programs->counts[origin];
    pthread_mutex_unlock(&programs->lock);
    return count;
}

/* The caller holds the lock. */
static struct clg_program *find(struct clg_programs *programs, const char *source,
                                const char *options) {
    struct clg_program *program = programs->list;
    while (program &&
           (strcmp(program->source->name, source) != 0 || strcmp(program->options, options) != 0))
        program = program->next;
    return program;
}

/* Adds an entry that means "being built". The caller holds the lock. NULL if memory is short. */
static struct clg_program *announce(struct clg_programs *programs, const struct clg_source *source,
                                    const char *options) {
    struct clg_program *program = calloc(1, sizeof *program);
    char *copy = strdup(options);
    if (!program || !copy) {
        free(program);
        free(copy);
        return NULL;
    }
    program->owner = programs;
    program->source = source;
    program->options = copy;
    program->key = clg_key_make(&programs->device->facts, source, options, NULL);
    program->next = programs->list;
    programs->list = program;
    return program;
}

/* The caller holds the lock. */
static void retract(struct clg_programs *programs, struct clg_program *program) {
    struct clg_program **link = &programs->list;
    while (*link != program)
        link = &(*link)->next;
    *link = program->next;
    free_program(program);
}

/* Finds or announces a program. Success with *out NULL means that the caller must build *announced.
 * Without `may_wait`, it also means that another thread is building the program; then nothing is
 * announced. */
static clgemm_status find_or_announce(struct clg_programs *programs, const char *source,
                                      const char *options, bool may_wait, struct clg_program **out,
                                      struct clg_program **announced) {
    const struct clg_source *text = clg_source_find(source);
    clgemm_status status = CLGEMM_SUCCESS;
    *out = *announced = NULL;
    if (!text)
        return clg_fail((clgemm_status)CL_INVALID_KERNEL_NAME, "no kernel source \"%s\"", source);
    pthread_mutex_lock(&programs->lock);
    /* A failed build removes its entry, so the search is repeated after each wait. */
    while ((*out = find(programs, source, options)) && !(*out)->built && may_wait)
        pthread_cond_wait(&programs->built, &programs->lock);
    if (*out && !(*out)->built)
        *out = NULL;
    else if (!*out && clg_is_exiting())
        status = clg_fail(CLGEMM_STATUS_EXITING, "%s is not built, and exit() has begun", source);
    else if (!*out && !(*announced = announce(programs, text, options)))
        status = clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a program");
    pthread_mutex_unlock(&programs->lock);
    return status;
}

/* Completes an announcement with the program, or, if `built` is NULL, withdraws it. */
static void settle(struct clg_programs *programs, struct clg_program *program, cl_program built,
                   enum clg_origin origin) {
    pthread_mutex_lock(&programs->lock);
    if (built) {
        program->built = built;
        programs->counts[origin]++;
    } else {
        retract(programs, program);
    }
    pthread_cond_broadcast(&programs->built);
    pthread_mutex_unlock(&programs->lock);
}

static struct clg_recipe recipe_of(const struct clg_programs *programs,
                                   const struct clg_program *program,
                                   const struct clg_warm_launch *warm_launch) {
    return (struct clg_recipe){programs->device, programs->store, program->source,
                               program->options, program->key,    warm_launch};
}

clgemm_status clg_programs_get(struct clg_programs *programs, const char *source,
                               const char *options, const struct clg_warm_launch *warm_launch,
                               struct clg_program **out) {
    struct clg_program *ours;
    clgemm_status status = find_or_announce(programs, source, options, true, out, &ours);
    if (!ours)
        return status;
    /* Other threads see the program only once it is built, so this needs no lock. */
    const struct clg_recipe recipe = recipe_of(programs, ours, warm_launch);
    cl_program built = NULL;
    enum clg_origin origin = CLG_FROM_SOURCE;
    if (!(status = clg_cache_build(&recipe, &built, &origin)))
        *out = ours;
    clg_exiting_watch();
    settle(programs, ours, status ? NULL : built, origin);
    return status;
}

struct clg_program *clg_programs_find(struct clg_programs *programs, const char *source,
                                      const char *options) {
    struct clg_program *found, *ours;
    if (find_or_announce(programs, source, options, false, &found, &ours) || !ours)
        return found;
    const struct clg_recipe recipe = recipe_of(programs, ours, NULL);
    cl_program built = NULL;
    enum clg_origin origin = CLG_FROM_SOURCE;
    const bool loaded = clg_cache_load(&recipe, &built, &origin);
    settle(programs, ours, loaded ? built : NULL, origin);
    return loaded ? ours : NULL;
}

clgemm_status clg_program_launch(struct clg_program *program,
                                 const struct clg_warm_launch *warm_launch) {
    return warm_launch->run(warm_launch->user, program->built);
}

clgemm_status clg_kernel_take(struct clg_program *program, struct clg_kernel *out) {
    out->object = NULL;
    out->known = 0;
    pthread_mutex_lock(&program->owner->lock);
    if (program->num_idle > 0)
        *out = program->idle[--program->num_idle];
    pthread_mutex_unlock(&program->owner->lock);
    if (out->object)
        return CLGEMM_SUCCESS;
    return clg_kernel_create(program->source, program->built, &out->object);
}

void clg_kernel_give(struct clg_program *program, const struct clg_kernel *kernel) {
    if (!kernel->object)
        return;
    pthread_mutex_lock(&program->owner->lock);
    bool keep = program->num_idle < POOLED_KERNELS;
    if (keep)
        program->idle[program->num_idle++] = *kernel;
    pthread_mutex_unlock(&program->owner->lock);
    if (!keep)
        clReleaseKernel(kernel->object);
}

uint64_t clg_program_spills(struct clg_program *program) {
    const struct clg_device *device = program->owner->device;
    struct clg_kernel kernel;
    if (device->facts.kind != CLG_DEVICE_GPU || clg_kernel_take(program, &kernel))
        return 0;
    const uint64_t bytes = clg_kernel_spills(device, kernel.object);
    clg_kernel_give(program, &kernel);
    return bytes;
}
