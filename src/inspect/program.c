/* SPDX-License-Identifier: Apache-2.0
 * Inspects one program: builds it without any cache, launches it once, queries it. */
#define _GNU_SOURCE /* memmem */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "device/buffer.h"
#include "program/build.h"
#include "run/warm_launch.h"
#include "src/inspect/inspect.h"

static char *build_log(cl_program program, cl_device_id id) {
    size_t size = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ||
        !(log = calloc(1, size + 1)) ||
        clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
        free(log);
        return NULL;
    }
    return log;
}

/* The number before `words` or, with `after`, after them. The last such number counts, because the
 * lines of helper functions come first. -1 if there is none. */
static int64_t number_at(const char *log, const char *words, bool after) {
    int64_t found = -1;
    for (const char *at = log; at && (at = strstr(at, words)); at += strlen(words)) {
        const char *digits = at;
        if (after) {
            digits += strlen(words);
        } else {
            while (digits > log && digits[-1] == ' ')
                digits--;
            while (digits > log && digits[-1] >= '0' && digits[-1] <= '9')
                digits--;
        }
        if (*digits >= '0' && *digits <= '9')
            found = strtoll(digits, NULL, 10);
    }
    return found;
}

/* NVIDIA's assembler logs them if -cl-nv-verbose is set. */
static void read_log(struct inspect_finding *f) {
    f->registers = number_at(f->log, "Used ", true);
    f->spill_stores = number_at(f->log, " bytes spill stores", false);
    f->spill_loads = number_at(f->log, " bytes spill loads", false);
}

/* One work-group over two tiles along k. */
static clgemm_status launch_ladder(const struct inspect_subject *s, struct clg_device *device,
                                   cl_kernel kernel) {
    const struct ladder_launch *l = &s->launch;
    const size_t m = (size_t)l->tile_m, n = (size_t)l->tile_n, k = 2 * (size_t)l->tile_k;
    const size_t group[2] = {(size_t)l->group_m, (size_t)l->group_n};
    const size_t counts[3] = {m * k, n * k, m * n};
    const cl_int sizes[3] = {(cl_int)m, (cl_int)n, (cl_int)k};
    cl_mem matrices[3] = {NULL};
    cl_command_queue queue = NULL;
    cl_int code = CL_SUCCESS;
    clgemm_status status = clg_queue_take(device, &queue);
    for (cl_uint i = 0; i < 3 && !status; i++)
        if (!(status = clg_buffer_create(device, counts[i] * sizeof(float), &matrices[i])) &&
            !(code = clSetKernelArg(kernel, i, sizeof *sizes, &sizes[i])))
            code = clSetKernelArg(kernel, i + 3, sizeof(cl_mem), &matrices[i]);
    if (!status && !code)
        code = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, group, group, 0, NULL, NULL);
    if (queue && !status && !code)
        code = clFinish(queue);
    for (int i = 0; i < 3; i++)
        clg_buffer_release(matrices[i]);
    if (queue)
        clg_queue_give(device, queue, false);
    return status ? status : (clgemm_status)code;
}

/* PoCL makes machine code at the first launch. */
static void launch(const struct inspect_subject *s, struct clg_device *device, cl_program program,
                   cl_kernel kernel) {
    if (s->plan)
        (void)clg_warm_launch_run(&(struct clg_warm_step){device, s->plan, s->plan_step}, program);
    else
        (void)launch_ladder(s, device, kernel);
}

static void ask_kernel(cl_kernel kernel, cl_device_id id, struct inspect_finding *f) {
    cl_ulong local = 0, private = 0;
    size_t group = 0;
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private,
                             NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    f->local_memory = local;
    f->private_memory = private;
    f->max_group = group;
}

/* Finds where an ELF file begins, and its length from its header. */
static const unsigned char *find_elf(const unsigned char *bytes, size_t size, size_t *length) {
    const unsigned char *elf = bytes ? memmem(bytes, size, ELFMAG, SELFMAG) : NULL;
    Elf64_Ehdr head;
    if (!elf || size - (size_t)(elf - bytes) < sizeof head)
        return NULL;
    const size_t left = size - (size_t)(elf - bytes);
    memcpy(&head, elf, sizeof head);
    const uint64_t end = head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff > left || end > left)
        return NULL;
    *length = (size_t)end;
    return elf;
}

const unsigned char *inspect_elf(const struct inspect_finding *f, size_t *size) {
    return find_elf(f->binary, f->binary_size, size);
}

static void count(struct inspect_finding *f, const char *kernel) {
    size_t size;
    const unsigned char *elf = inspect_elf(f, &size);
    if (f->binary && memmem(f->binary, f->binary_size, ".version ", 9) &&
        (f->text = calloc(1, f->binary_size + 1))) {
        memcpy(f->text, f->binary, f->binary_size);
        f->binary_kind = "PTX";
        if (inspect_count_ptx(f->text, kernel, f->values))
            f->counted = "PTX";
        else
            f->uncounted = "the PTX has no such kernel";
    } else if (elf) {
        f->binary_kind =
            elf == f->binary ? "ELF file" : "the runtime's own, with an ELF file in it";
        f->text = inspect_disassemble(elf, size, &f->uncounted);
        if (f->text && inspect_count_x86(f->text, kernel, f->values))
            f->counted = "x86-64 machine code";
        else if (f->text)
            f->uncounted = "the machine code has no such kernel";
    } else {
        f->binary_kind = f->binary ? "the runtime's own" : "none";
        f->uncounted = f->binary ? "the binary holds neither PTX nor an ELF file"
                                 : "the runtime returns no binary";
    }
}

void inspect_program(const struct inspect_subject *s, struct clg_device *device,
                     struct inspect_finding *out) {
    char options[INSPECT_OPTIONS + 32], name[64];
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    *out = (struct inspect_finding){.binary_kind = "none"};
    out->registers = out->spill_stores = out->spill_loads = -1;
    for (int i = 0; i < COUNTS; i++)
        out->values[i] = -1;
    snprintf(options, sizeof options, "%s%s", s->options,
             ladder_has_extension(device->id, "cl_nv_compiler_options") ? " -cl-nv-verbose" : "");
    snprintf(name, sizeof name, "clg_%s", s->source->name);
    if (clg_build_source(device, s->source, options, &program) ||
        clg_kernel_create(s->source, program, &kernel)) {
        snprintf(out->failure, sizeof out->failure, "%s", clgemm_last_error());
    } else {
        out->log = build_log(program, device->id);
        read_log(out);
        ask_kernel(kernel, device->id, out);
        launch(s, device, program, kernel);
        out->binary = clg_program_binary(program, &out->binary_size);
        count(out, name);
    }
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
}

void inspect_release(struct inspect_finding *f) {
    free(f->log);
    free(f->binary);
    free(f->text);
    *f = (struct inspect_finding){0};
}
