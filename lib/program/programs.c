/* SPDX-License-Identifier: Apache-2.0
 * The programs of one open device. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "program/programs.h"

#include <stdlib.h>
#include <string.h>

#include "program/build.h"
#include "program/key.h"

enum { POOLED_KERNELS = 16 };

struct clg_program {
    struct clg_program *next;
    struct clg_programs *owner;
    const struct clg_source *source;
    char *options;
    char *key;        /* NULL where memory is out */
    cl_program built; /* NULL while a thread builds it */
    struct clg_kernel idle[POOLED_KERNELS];
    int num_idle;
};

struct clg_programs {
    struct clg_device *device;
    struct clg_binaries *store;
    pthread_mutex_t lock; /* guards all below, and what changes in the programs */
    pthread_cond_t built; /* a build ended, well or not */
    struct clg_program *list;
    unsigned counts[CLG_ORIGINS], kept;
};

clgemm_status clg_programs_open(struct clg_programs **out, struct clg_device *device,
                                struct clg_binaries *store) {
    struct clg_programs *programs = calloc(1, sizeof *programs);
    *out = programs;
    if (!programs) {
        clg_device_close(device);
        return clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a table of programs");
    }
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
    clg_device_close(programs->device);
    pthread_cond_destroy(&programs->built);
    pthread_mutex_destroy(&programs->lock);
    free(programs);
}

struct clg_device *clg_programs_device(const struct clg_programs *programs) {
    return programs->device;
}

unsigned clg_programs_count(struct clg_programs *programs, enum clg_origin origin) {
    pthread_mutex_lock(&programs->lock);
    const unsigned count = programs->counts[origin];
    pthread_mutex_unlock(&programs->lock);
    return count;
}

unsigned clg_programs_kept(struct clg_programs *programs) {
    pthread_mutex_lock(&programs->lock);
    const unsigned kept = programs->kept;
    pthread_mutex_unlock(&programs->lock);
    return kept;
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

/* Adds an entry that says "being built". The caller holds the lock. NULL where memory is out. */
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
    program->key = clg_key_make(&programs->device->facts, source, options);
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

clgemm_status clg_programs_get(struct clg_programs *programs, const char *source,
                               const char *options, const struct clg_primer *primer,
                               struct clg_program **out) {
    *out = NULL;
    const struct clg_source *text = clg_source_find(source);
    if (!text)
        return clg_fail((clgemm_status)CL_INVALID_KERNEL_NAME, "no kernel source \"%s\"", source);

    pthread_mutex_lock(&programs->lock);
    struct clg_program *program;
    /* A failed build leaves the list, so an entry must be found anew after each wait. */
    while ((program = find(programs, source, options)) && !program->built)
        pthread_cond_wait(&programs->built, &programs->lock);
    if (program || !(program = announce(programs, text, options))) {
        pthread_mutex_unlock(&programs->lock);
        *out = program;
        return program ? CLGEMM_SUCCESS
                       : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY, "no memory for a program");
    }
    pthread_mutex_unlock(&programs->lock);

    /* Others see the program only once it is built, so nothing of it needs the lock here. */
    cl_program built = NULL;
    enum clg_origin origin = CLG_FROM_SOURCE;
    const struct clg_recipe recipe = {programs->device, programs->store, text,
                                      program->options, program->key,    primer};
    bool kept = false;
    clgemm_status status = clg_cache_build(&recipe, &built, &origin, &kept);

    pthread_mutex_lock(&programs->lock);
    if (status == CLGEMM_SUCCESS) {
        program->built = built;
        programs->counts[origin]++;
        programs->kept += kept;
        *out = program;
    } else {
        retract(programs, program);
    }
    pthread_cond_broadcast(&programs->built);
    pthread_mutex_unlock(&programs->lock);
    return status;
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
