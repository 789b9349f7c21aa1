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
    char *key;          /* NULL where memory is out */
    cl_program built;   /* NULL while a thread builds it */
    bool awaits_launch; /* before its binary is kept */
    cl_event launch;    /* the first one, until the binary is kept; or NULL */
    cl_kernel idle[POOLED_KERNELS];
    int num_idle;
};

struct clg_programs {
    struct clg_device *device;
    struct clg_binaries *store;
    bool compile_late;
    pthread_mutex_t lock; /* guards all below, and what changes in the programs */
    pthread_cond_t built; /* a build ended, well or not */
    struct clg_program *list;
    int num_launched; /* programs with a launch to look at */
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
    programs->compile_late = strstr(device->facts.platform, "Portable Computing Language") != NULL;
    pthread_mutex_init(&programs->lock, NULL);
    pthread_cond_init(&programs->built, NULL);
    return CLGEMM_SUCCESS;
}

static struct clg_recipe recipe_of(const struct clg_program *program) {
    return (struct clg_recipe){program->owner->device, program->owner->store, program->source,
                               program->options, program->key};
}

static void free_program(struct clg_program *program) {
    for (int i = 0; i < program->num_idle; i++)
        clReleaseKernel(program->idle[i]);
    if (program->launch)
        clReleaseEvent(program->launch);
    if (program->built)
        clReleaseProgram(program->built);
    free(program->key);
    free(program->options);
    free(program);
}

void clg_programs_close(struct clg_programs *programs) {
    if (!programs)
        return;
    clg_programs_settle(programs);
    for (struct clg_program *program = programs->list, *next; program; program = next) {
        next = program->next;
        if (program->awaits_launch && !program->launch) {
            const struct clg_recipe recipe = recipe_of(program);
            clg_cache_keep(&recipe, program->built);
        }
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

    /* Others see the program only once it is built, so nothing of it needs the lock here. */
    cl_program built = NULL;
    enum clg_origin origin = CLG_FROM_SOURCE;
    const struct clg_recipe recipe = recipe_of(program);
    clgemm_status status = clg_cache_build(&recipe, &built, &origin);
    const bool to_keep = !status && origin == CLG_FROM_SOURCE;
    const bool kept = to_keep && !programs->compile_late && clg_cache_keep(&recipe, built);

    pthread_mutex_lock(&programs->lock);
    if (status == CLGEMM_SUCCESS) {
        program->built = built;
        program->awaits_launch = to_keep && programs->compile_late;
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

clgemm_status clg_kernel_take(struct clg_program *program, cl_kernel *out) {
    *out = NULL;
    pthread_mutex_lock(&program->owner->lock);
    if (program->num_idle > 0)
        *out = program->idle[--program->num_idle];
    pthread_mutex_unlock(&program->owner->lock);
    if (*out)
        return CLGEMM_SUCCESS;
    return clg_kernel_create(program->source, program->built, out);
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

bool clg_programs_compile_late(const struct clg_programs *programs) {
    return programs->compile_late;
}

bool clg_program_awaits_launch(struct clg_program *program) {
    if (!program->owner->compile_late)
        return false;
    pthread_mutex_lock(&program->owner->lock);
    const bool awaits = program->awaits_launch && !program->launch;
    pthread_mutex_unlock(&program->owner->lock);
    return awaits;
}

void clg_program_launched(struct clg_program *program, cl_event launch) {
    pthread_mutex_lock(&program->owner->lock);
    if (program->awaits_launch && !program->launch && clRetainEvent(launch) == CL_SUCCESS) {
        program->launch = launch;
        program->owner->num_launched++;
    }
    pthread_mutex_unlock(&program->owner->lock);
}

/* CL_COMPLETE, a larger number while it is under way, a smaller one if it failed. */
static cl_int progress_of(cl_event event) {
    cl_int progress = CL_QUEUED;
    const cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL);
    return error ? error : progress;
}

/* Takes a program whose launch is through off the list of those that wait; NULL if there is none.
 * After a failed one, the next launch counts. */
static struct clg_program *take_launched(struct clg_programs *programs) {
    struct clg_program *found = NULL;
    pthread_mutex_lock(&programs->lock);
    for (struct clg_program *program = programs->num_launched ? programs->list : NULL;
         program && !found; program = program->next) {
        const cl_int progress = program->launch ? progress_of(program->launch) : CL_QUEUED;
        if (progress > CL_COMPLETE)
            continue;
        clReleaseEvent(program->launch);
        program->launch = NULL;
        programs->num_launched--;
        if (progress == CL_COMPLETE) {
            program->awaits_launch = false;
            found = program;
        }
    }
    pthread_mutex_unlock(&programs->lock);
    return found;
}

void clg_programs_settle(struct clg_programs *programs) {
    for (struct clg_program *program; (program = take_launched(programs));) {
        const struct clg_recipe recipe = recipe_of(program);
        const bool kept = clg_cache_keep(&recipe, program->built);
        pthread_mutex_lock(&programs->lock);
        programs->kept += kept;
        pthread_mutex_unlock(&programs->lock);
    }
}
