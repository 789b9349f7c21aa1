/* SPDX-License-Identifier: Apache-2.0
 * NVIDIA: machine code from PTX, by the linker in the driver's libcuda. */
#define _GNU_SOURCE /* memmem */
#include "program/cubin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"
#include "device/cuda.h"
#include "device/signals.h"
#include "program/build.h"

/* Values of cuda.h. */
enum { INPUT_PTX = 1, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
enum { OPTION_REGISTERS, OPTION_ERRORS = 5, OPTION_ERRORS_SIZE, OPTION_TARGET = 9 };
enum { OPTIONS = 4, ACCELERATED = 0x10000 };

/* Whether the folder is writable, or could be made so. Shortens `folder`. */
static bool can_write(char *folder) {
    while (access(folder, F_OK)) {
        char *last = strrchr(folder, '/');
        if (!last || last == folder)
            return false;
        *last = 0;
    }
    return !access(folder, W_OK | X_OK);
}

bool clg_cubin_driver_keeps(void) {
    const char *disabled = clg_env("CUDA_CACHE_DISABLE"), *folder = clg_env("CUDA_CACHE_PATH");
    const char *home = clg_env("HOME");
    char path[PATH_MAX];
    if ((disabled && strcmp(disabled, "0") != 0) || clg_env_is_off("CUDA_CACHE_MAXSIZE") ||
        (!folder && !home))
        return false;
    const int length = snprintf(path, sizeof path, "%s%s", folder ? folder : home,
                                folder ? "" : "/.nv/ComputeCache");
    return length < (int)sizeof path && can_write(path);
}

/* The compute capability that the PTX targets, as 10 * major + minor; 0 if the binary is not PTX.
 */
static int target_of(const unsigned char *binary, size_t size) {
    static const char directive[] = ".target sm_";
    const char *found = memmem(binary, size, directive, sizeof directive - 1);
    int target = 0;
    if (found)
        for (const char *digit = found + sizeof directive - 1;
             digit < (const char *)binary + size && *digit >= '0' && *digit <= '9' && target < 1000;
             digit++)
            target = 10 * target + (*digit - '0');
    return target;
}

/* A device of the capability that the PTX targets. Any one will do, because all get the same
 * machine code. */
static bool find_device(const struct clg_cuda *cuda, int target, clg_cuda_device *out) {
    int count = 0, major = 0, minor = 0;
    if (cuda->count(&count))
        return false;
    for (int i = 0; i < count; i++)
        if (!cuda->get(out, i) && !cuda->attribute(&major, CAPABILITY_MAJOR, *out) &&
            !cuda->attribute(&minor, CAPABILITY_MINOR, *out) && 10 * major + minor == target)
            return true;
    return false;
}

struct clg_cubin_context {
    struct clg_cuda cuda;
    clg_cuda_device device;
    clg_cuda_context context; /* the device's primary one, retained */
};

static bool retain(struct clg_cubin_context *out, int target) {
    if (!clg_cuda_open(&out->cuda))
        return false;
    if (find_device(&out->cuda, target, &out->device) &&
        out->cuda.retain(&out->context, out->device) == 0)
        return true;
    clg_cuda_close(&out->cuda);
    return false;
}

static void release(struct clg_cubin_context *held) {
    held->cuda.release(held->device);
    clg_cuda_close(&held->cuda);
}

struct clg_cubin_context *clg_cubin_context_keep(struct clg_device *device) {
    const int target = (int)device->facts.capability;
    struct clg_cubin_context *out = target ? calloc(1, sizeof *out) : NULL;
    if (!out)
        return NULL;
    clg_signals_save();
    const bool kept = retain(out, target);
    clg_signals_restore();
    if (kept)
        return out;
    free(out);
    return NULL;
}

void clg_cubin_context_release(struct clg_cubin_context *context) {
    if (!context)
        return;
    release(context);
    free(context);
}

/* Whether the PTX targets one capability alone: ".target sm_90a". */
static bool is_accelerated(const char *ptx) {
    const char *target = strstr(ptx, ".target sm_");
    return target && target[strcspn(target, ",\n") - 1] == 'a';
}

/* Options of the linker and their values, with numbers as pointers. */
struct link_options {
    unsigned count;
    int options[OPTIONS];
    void *values[OPTIONS];
};

static void tell(struct link_options *told, int option, uintptr_t value) {
    told->options[told->count] = option;
    told->values[told->count++] = (void *)value;
}

/* Links in the current context, for its device or for the accelerated target of the PTX. Applies
 * the limit on registers of the program's build options, if they have one. */
static unsigned char *link_ptx(const struct clg_cuda *cuda, char *ptx, const char *build_options,
                               int target, size_t *size) {
    char errors[512] = "";
    struct link_options told = {0};
    const char *bound = strstr(build_options, CLG_REGISTERS_OPTION);
    clg_cuda_link link = NULL;
    void *code = NULL; /* owned by the link */
    unsigned char *copy = NULL;
    tell(&told, OPTION_ERRORS, (uintptr_t)errors);
    tell(&told, OPTION_ERRORS_SIZE, sizeof errors);
    if (is_accelerated(ptx))
        tell(&told, OPTION_TARGET, ACCELERATED + (uintptr_t)target);
    if (bound)
        tell(&told, OPTION_REGISTERS, strtoul(bound + strlen(CLG_REGISTERS_OPTION), NULL, 10));
    if (cuda->link(told.count, told.options, told.values, &link))
        return NULL;
    /* The size of PTX includes the final NUL. */
    if (!cuda->add(link, INPUT_PTX, ptx, strlen(ptx) + 1, "clgemm", 0, NULL, NULL) &&
        !cuda->complete(link, &code, size) && *size > 0 && (copy = malloc(*size)))
        memcpy(copy, code, *size);
    if (!copy && *errors)
        clg_log(CLG_LOG_PROBES, "libcuda's linker: %s", errors);
    cuda->destroy(link);
    return copy;
}

static unsigned char *machine_code(char *ptx, const char *build_options, int target, size_t *size) {
    struct clg_cubin_context held;
    clg_cuda_context popped = NULL;
    unsigned char *code = NULL;
    if (!retain(&held, target))
        return NULL;
    /* The linker needs a current context. If the program uses CUDA, its own is restored afterwards.
     */
    if (!held.cuda.push(held.context)) {
        code = link_ptx(&held.cuda, ptx, build_options, target, size);
        held.cuda.pop(&popped);
    }
    release(&held);
    return code;
}

void clg_cubin_replace(struct clg_device *device, const struct clg_source *source,
                       const char *options, unsigned char **binary, size_t *size) {
    const int target = target_of(*binary, *size);
    char *ptx = target ? strndup((const char *)*binary, *size) : NULL;
    if (!ptx || strstr(ptx, "setmaxnreg")) { /* see the header */
        free(ptx);
        return;
    }
    size_t code_size = 0;
    clg_signals_save();
    unsigned char *code = machine_code(ptx, options, target, &code_size);
    clg_signals_restore();
    free(ptx);
    cl_program program = NULL;
    if (clg_build_accepts(device, source, code, code_size, options, &program)) {
        clReleaseProgram(program);
        free(*binary);
        *binary = code;
        *size = code_size;
    } else {
        clg_log(CLG_LOG_PLANS, "program %s stays PTX: %s", source->name,
                code ? "the driver refuses the machine code" : "libcuda makes no machine code");
        free(code);
    }
}
