/* SPDX-License-Identifier: Apache-2.0
 * The programs of one open device. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "program/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "device/error.h"
#include "program/build.h"

enum { POOLED_KERNELS = 16 };

struct clg_program {
    struct clg_program *next;
    struct clg_programs *owner;
    const struct clg_source *source;
    char *options;
    cl_program built; /* NULL while a thread builds it */
    cl_kernel idle[POOLED_KERNELS];
    int num_idle;
};

struct clg_programs {
    struct clg_device *device;
    struct clg_binaries *store;
    pthread_mutex_t lock; /* guards all below, and the pools of the programs */
    pthread_cond_t built; /* a build ended, well or not */
    struct clg_program *list;
    struct clg_program_counts counts;
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
        clReleaseKernel(program->idle[i]);
    if (program->built)
        clReleaseProgram(program->built);
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

struct clg_program_counts clg_programs_counts(struct clg_programs *programs) {
    pthread_mutex_lock(&programs->lock);
    struct clg_program_counts counts = programs->counts;
    pthread_mutex_unlock(&programs->lock);
    return counts;
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

/* From the store if it can, else from source, which the store then gets. Runs without the lock. */
static clgemm_status build(struct clg_programs *programs, const struct clg_program *program,
                           cl_program *out, bool *compiled) {
    struct clg_device *device = programs->device;
    const char *name = program->source->name;
    size_t size = 0;
    unsigned char *binary =
        clg_binaries_find(programs->store, &device->facts, name, program->options, &size);
    *compiled =
        !binary || clg_build_binary(device, binary, size, program->options, out) != CLGEMM_SUCCESS;
    clgemm_status status = CLGEMM_SUCCESS;
    if (*compiled) {
        free(binary);
        binary = NULL;
        status = clg_build_source(device, program->source, program->options, out);
        if (status == CLGEMM_SUCCESS && (binary = clg_program_binary(*out, &size)))
            clg_binaries_keep(programs->store, &device->facts, name, program->options, binary,
                              size);
    }
    free(binary);
    clg_log(CLG_LOG_PLANS, "program %s [%s] %s", name, program->options,
            status      ? "could not be built"
            : *compiled ? "compiled"
                        : "loaded from memory");
    return status;
}

clgemm_status clg_programs_get(struct clg_programs *programs, const char *source,
                               const char *options, struct clg_program **out) {
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

    cl_program built = NULL;
    bool compiled = false;
    clgemm_status status = build(programs, program, &built, &compiled);

    pthread_mutex_lock(&programs->lock);
    if (status == CLGEMM_SUCCESS) {
        program->built = built;
        *(compiled ? &programs->counts.compiled : &programs->counts.loaded) += 1;
        *out = program;
    } else {
        retract(programs, program);
    }
    pthread_cond_broadcast(&programs->built);
    pthread_mutex_unlock(&programs->lock);
    return status;
}

clgemm_status clg_kernel_take(struct clg_program *program, cl_kernel *out) {
    *out = NULL;
    pthread_mutex_lock(&program->owner->lock);
    if (program->num_idle > 0)
        *out = program->idle[--program->num_idle];
    pthread_mutex_unlock(&program->owner->lock);
    if (*out)
        return CLGEMM_SUCCESS;
    char name[64];
    snprintf(name, sizeof name, "clg_%s", program->source->name);
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program->built, name, &error);
    if (error)
        return clg_cl_fail(error, "clCreateKernel");
    *out = kernel;
    return CLGEMM_SUCCESS;
}

void clg_kernel_give(struct clg_program *program, cl_kernel kernel) {
    if (!kernel)
        return;
    pthread_mutex_lock(&program->owner->lock);
    bool keep = program->num_idle < POOLED_KERNELS;
    if (keep)
        program->idle[program->num_idle++] = kernel;
    pthread_mutex_unlock(&program->owner->lock);
    if (!keep)
        clReleaseKernel(kernel);
}
