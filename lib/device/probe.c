/* SPDX-License-Identifier: Apache-2.0
 * Finding out by trying. */
#define _GNU_SOURCE /* strcasestr */
#include "device/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "device/error.h"
#include "device/select.h"
#include "device/signals.h"

/* Each kernel is "probe", runs as one work-group and writes SALT + its id + what it found. SALT is
 * an argument, so that no compiler can work the answer out. */
enum { GROUP = 64, SALT = 4096 };

/* Each work-item reads what others wrote, over all of the array. */
static const char local_kernel[] = "__kernel void probe(__global uint *out, uint salt) {\n"
                                   "    __local uint space[WORDS];\n"
                                   "    uint me = get_local_id(0), wrong = 0;\n"
                                   "    for (uint i = me; i < WORDS; i += get_local_size(0))\n"
                                   "        space[i] = i * 2654435761u + salt;\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    for (uint i = me; i < WORDS; i += get_local_size(0)) {\n"
                                   "        uint other = WORDS - 1 - i;\n"
                                   "        wrong |= space[other] ^ (other * 2654435761u + salt);\n"
                                   "    }\n"
                                   "    out[me] = salt + me + (wrong ? 0 : 1);\n"
                                   "}\n";

/* x = 1 + 2^-12: x * x - (1 + 2^-11) is 2^-24 if rounded once, 0 if the product is rounded too. */
static const char fma_kernel[] = "__kernel void probe(__global uint *out, uint salt) {\n"
                                 "    uint me = get_local_id(0), fast = 0;\n"
                                 "#ifdef FP_FAST_FMAF\n"
                                 "    float x = 1.0f + (float)salt * 0x1p-24f;\n"
                                 "    fast = fma(x, x, -1.0f - 0x1p-11f) == 0x1p-24f;\n"
                                 "#endif\n"
                                 "    out[me] = salt + me + fast;\n"
                                 "}\n";

static const char ptx_kernel[] =
    "__kernel void probe(__global uint *out, uint salt) {\n"
    "    uint me = get_local_id(0), x = salt + me, y;\n"
    "    __asm__ volatile(\"add.u32 %0, %1, 7;\" : \"=r\"(y) : \"r\"(x));\n"
    "    out[me] = y;\n"
    "}\n";

/* Where kernels run. A kernel that fails may spoil its context for others, so it is then closed,
 * and opened anew by the next. */
struct lab {
    cl_device_id id;
    const struct clg_facts *facts;
    cl_context context;
    cl_command_queue queue;
};

static void lab_close(struct lab *lab) {
    if (lab->queue)
        clReleaseCommandQueue(lab->queue);
    if (lab->context)
        clReleaseContext(lab->context);
    lab->queue = NULL;
    lab->context = NULL;
}

static cl_int lab_open(struct lab *lab) {
    cl_int error = CL_SUCCESS;
    if (lab->queue)
        return CL_SUCCESS;
    lab->context = clCreateContext(NULL, 1, &lab->id, NULL, NULL, &error);
    if (!error)
        lab->queue = clCreateCommandQueue(lab->context, lab->id, 0, &error);
    if (error)
        lab_close(lab);
    return error;
}

static cl_int build(struct lab *lab, const char *text, const char *options, cl_kernel *out) {
    cl_int error = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(lab->context, 1, &text, NULL, &error);
    if (error)
        return error;
    error = clBuildProgram(program, 1, &lab->id, options, NULL, NULL);
    if (!error)
        *out = clCreateKernel(program, "probe", &error);
    clReleaseProgram(program); /* the kernel keeps it */
    return error;
}

static size_t group_size(const struct clg_facts *facts) {
    size_t size = GROUP;
    if (size > facts->max_work_group)
        size = facts->max_work_group;
    return size > facts->max_work_items[0] ? facts->max_work_items[0] : size;
}

/* Runs one work-group and reads what each work-item wrote. */
static cl_int launch(struct lab *lab, cl_kernel kernel, cl_uint results[GROUP]) {
    size_t group = group_size(lab->facts);
    cl_uint salt = SALT;
    cl_int error = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(lab->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   GROUP * sizeof *results, results, &error);
    if (error)
        return error;
    if (!(error = clSetKernelArg(kernel, 0, sizeof buffer, &buffer)) &&
        !(error = clSetKernelArg(kernel, 1, sizeof salt, &salt)) &&
        !(error =
              clEnqueueNDRangeKernel(lab->queue, kernel, 1, NULL, &group, &group, 0, NULL, NULL)))
        error = clEnqueueReadBuffer(lab->queue, buffer, CL_TRUE, 0, group * sizeof *results,
                                    results, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return error;
}

/* Whether the kernel builds, runs, and each work-item found `expected`. *multiple, if not NULL,
 * receives the kernel's preferred multiple of work-items, 0 if unknown. */
static bool works(struct lab *lab, const char *name, const char *text, const char *options,
                  cl_uint expected, size_t *multiple) {
    cl_uint results[GROUP] = {0};
    cl_kernel kernel = NULL;
    cl_int error = lab_open(lab);
    if (!error)
        error = build(lab, text, options, &kernel);
    if (!error && multiple &&
        clGetKernelWorkGroupInfo(kernel, lab->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof *multiple, multiple, NULL))
        *multiple = 0;
    bool built = !error;
    if (built)
        error = launch(lab, kernel, results);
    bool right = !error;
    for (cl_uint i = 0; i < group_size(lab->facts) && right; i++)
        right = results[i] == SALT + i + expected;
    if (kernel)
        clReleaseKernel(kernel);
    if (built && error)
        lab_close(lab);
    const char *code = error ? clg_cl_error_name(error) : "CL_SUCCESS";
    clg_log(CLG_LOG_PROBES, "probe=%s options=\"%s\" device=\"%s\" works=%s code=%s", name, options,
            lab->facts->name, right ? "yes" : "no", code ? code : "unknown");
    return right;
}

static bool local_works(struct lab *lab, uint64_t bytes) {
    char options[64];
    snprintf(options, sizeof options, "-DWORDS=%" PRIu64 "u", bytes / sizeof(cl_uint));
    return bytes >= sizeof(cl_uint) && works(lab, "local_static", local_kernel, options, 1, NULL);
}

/* The reported size first, then others that would be more, the largest first: two builds where all
 * goes well. More than is reported is tried on GPUs only: NVIDIA's driver takes up to 224 KiB where
 * it reports 48; on a CPU, where nothing is gained, a runtime may crash on it. */
static uint64_t largest_local(struct lab *lab) {
    static const uint64_t kibibytes[] = {224, 192, 160, 128, 96, 64, 48, 32};
    uint64_t reported = lab->facts->local_memory;
    uint64_t best = local_works(lab, reported) ? reported : 0;
    for (size_t i = 0; i < sizeof kibibytes / sizeof kibibytes[0]; i++) {
        uint64_t bytes = kibibytes[i] * 1024;
        bool allowed = bytes < reported || lab->facts->kind == CLG_DEVICE_GPU;
        if (allowed && bytes > best && local_works(lab, bytes))
            best = bytes;
    }
    return best;
}

void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out) {
    struct lab lab = {.id = id, .facts = facts};
    size_t multiple = 0;
    memset(out, 0, sizeof *out);
    if (clg_device_unusable(facts))
        return;
    clg_signals_save();
    out->fast_fma = works(&lab, "fast_fma", fma_kernel, "", 1, &multiple);
    out->subgroup = (uint32_t)multiple;
    clg_log(CLG_LOG_PROBES, "probe=subgroup device=\"%s\" width=%zu", facts->name, multiple);
    if (strcasestr(facts->vendor, "NVIDIA"))
        out->inline_ptx = works(&lab, "inline_ptx", ptx_kernel, "", 7, NULL);
    out->local_static = largest_local(&lab);
    lab_close(&lab);
    clg_signals_restore();
}
