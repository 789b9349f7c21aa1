/* SPDX-License-Identifier: Apache-2.0
 * Finds properties of a device by trying. */
#include "device/probe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "device/error.h"
#include "device/select.h"
#include "device/signals.h"

/* Each kernel is named "probe". Its work-items write SALT + their id + their result. SALT is an
 * argument so that no compiler can precompute the result. */
enum { GROUP = 64, SALT = 4096 };

/* Each work-item reads words that others wrote, over the whole array. */
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

/* SALT rounds of FP16 products on tensor cores (PRODUCTS), or of fused multiply-adds. None changes
 * a sum. */
enum { SUMS = 32, PRODUCTS_A_ROUND = SUMS / 4 * (16 * 8 * 16 / 32) };
static const char rate_kernel[] =
    "#define SUMS 32\n"
    "__kernel void probe(__global uint *out, uint salt) {\n"
    "    uint me = get_global_id(0), none = salt & 1u, right = 1;\n"
    "    float one = (float)salt * 0x1p-12f, zero = (float)none, sums[SUMS];\n"
    "    for (int i = 0; i < SUMS; i++)\n"
    "        sums[i] = one;\n"
    "    for (uint round = 0; round < salt; round++)\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < SUMS; i += 4) {\n"
    "#if PRODUCTS\n"
    "            __asm__ volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \"\n"
    "                \"{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};\"\n"
    "                : \"+f\"(sums[i]), \"+f\"(sums[i + 1]), \"+f\"(sums[i + 2]), \"+f\"(sums[i + "
    "3])\n"
    "                : \"r\"(none));\n"
    "#else\n"
    "            for (int e = i; e < i + 4; e++)\n"
    "                sums[e] = fma(sums[e], one, zero);\n"
    "#endif\n"
    "        }\n"
    "    for (int i = 0; i < SUMS; i++)\n"
    "        right &= sums[i] == one;\n"
    "    out[me] = salt + me + right;\n"
    "}\n";

/* The context and queue for the kernels. A kernel that fails may damage its context, so that is
 * then closed, and the next kernel opens a new one. */
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

/* A kernel to try, and the result expected of each work-item. */
struct trial {
    const char *name, *text, *options;
    cl_uint expected;
    size_t groups;
    int times; /* number of launches */
    /* Results. */
    size_t multiple; /* preferred multiple of work-items; 0 if unknown */
    double seconds;  /* of the fastest launch */
};

static cl_int launch_timed(struct lab *lab, cl_kernel kernel, struct trial *trial) {
    const size_t group = group_size(lab->facts), size = trial->groups * group;
    cl_int error = CL_SUCCESS;
    trial->seconds = HUGE_VAL;
    for (int t = 0; t < trial->times && !error; t++) {
        const double start = clg_clock_seconds();
        error = clEnqueueNDRangeKernel(lab->queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL);
        if (!error)
            error = clFinish(lab->queue);
        trial->seconds = fmin(trial->seconds, clg_clock_seconds() - start);
    }
    return error;
}

/* Launches the kernel and reads what each work-item wrote. */
static cl_int launch(struct lab *lab, cl_kernel kernel, struct trial *trial, cl_uint *results) {
    const size_t bytes = trial->groups * group_size(lab->facts) * sizeof *results;
    cl_uint salt = SALT;
    cl_int error = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(lab->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                   results, &error);
    if (error)
        return error;
    if (!(error = clSetKernelArg(kernel, 0, sizeof buffer, &buffer)) &&
        !(error = clSetKernelArg(kernel, 1, sizeof salt, &salt)) &&
        !(error = launch_timed(lab, kernel, trial)))
        error = clEnqueueReadBuffer(lab->queue, buffer, CL_TRUE, 0, bytes, results, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return error;
}

static cl_int try(struct lab *lab, struct trial *trial, cl_uint *results) {
    cl_kernel kernel = NULL;
    cl_int error = lab_open(lab);
    if (!error)
        error = build(lab, trial->text, trial->options, &kernel);
    if (!error &&
        clGetKernelWorkGroupInfo(kernel, lab->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof trial->multiple, &trial->multiple, NULL))
        trial->multiple = 0;
    const bool built = !error;
    if (built)
        error = launch(lab, kernel, trial, results);
    if (kernel)
        clReleaseKernel(kernel);
    if (built && error)
        lab_close(lab);
    return error;
}

/* Whether the kernel builds and runs, and each work-item has the expected result. */
static bool works(struct lab *lab, struct trial *trial) {
    const size_t items = trial->groups * group_size(lab->facts);
    cl_uint *results = calloc(items, sizeof *results);
    const cl_int error = results ? try(lab, trial, results) : CL_OUT_OF_HOST_MEMORY;
    bool right = !error;
    for (cl_uint i = 0; i < items && right; i++)
        right = results[i] == SALT + i + trial->expected;
    free(results);
    const char *code = error ? clg_cl_error_name(error) : "CL_SUCCESS";
    clg_log(CLG_LOG_PROBES, "probe=%s options=\"%s\" device=\"%s\" works=%s code=%s", trial->name,
            trial->options, lab->facts->name, right ? "yes" : "no", code ? code : "unknown");
    return right;
}

static struct trial of_one_group(const char *name, const char *text, cl_uint expected) {
    return (struct trial){name, text, "", expected, .groups = 1, .times = 1};
}

static bool local_works(struct lab *lab, uint64_t bytes) {
    char options[64];
    struct trial trial = of_one_group("local_static", local_kernel, 1);
    snprintf(options, sizeof options, "-DWORDS=%" PRIu64 "u", bytes / sizeof(cl_uint));
    trial.options = options;
    return bytes >= sizeof(cl_uint) && works(lab, &trial);
}

/* Tries the reported size first, then larger ones in descending order: two builds if all goes well.
 * Only on GPUs is more than the reported size tried. NVIDIA's driver supports up to 224 KiB but
 * reports 48. On a CPU nothing would be gained, and the runtime may crash. */
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

/* Uses enough work-items per compute unit to keep both kinds of unit busy. */
static bool measure_rates(struct lab *lab, struct clg_rates *out) {
    enum { GROUPS_A_UNIT = 16, TIMES = 5 };
    const size_t groups = (size_t)GROUPS_A_UNIT * lab->facts->compute_units;
    const double rounds = (double)SALT * (double)(groups * group_size(lab->facts));
    struct trial products = {"products", rate_kernel,      "-DPRODUCTS=1",
                             1,          .groups = groups, .times = TIMES};
    struct trial fmas = {"multiply_adds",  rate_kernel,   "-DPRODUCTS=0", 1,
                         .groups = groups, .times = TIMES};
    if (!lab->facts->mma || !works(lab, &products) || !works(lab, &fmas))
        return false;
    *out = (struct clg_rates){rounds * PRODUCTS_A_ROUND / products.seconds,
                              rounds * SUMS / fmas.seconds};
    clg_log(CLG_LOG_PROBES, "probe=rates device=\"%s\" products=%.3g multiply_adds=%.3g",
            lab->facts->name, out->products, out->multiply_adds);
    return true;
}

bool clg_probe_rates(cl_device_id id, const struct clg_facts *facts, struct clg_rates *out) {
    struct lab lab = {.id = id, .facts = facts};
    *out = (struct clg_rates){0, 0};
    if (clg_device_unusable(facts))
        return false;
    clg_signals_save();
    const bool measured = measure_rates(&lab, out);
    lab_close(&lab);
    clg_signals_restore();
    return measured;
}

void clg_probes_run(cl_device_id id, const struct clg_facts *facts, struct clg_probes *out) {
    struct lab lab = {.id = id, .facts = facts};
    struct trial fma = of_one_group("fast_fma", fma_kernel, 1);
    struct trial ptx = of_one_group("inline_ptx", ptx_kernel, 7);
    memset(out, 0, sizeof *out);
    if (clg_device_unusable(facts))
        return;
    clg_signals_save();
    out->fast_fma = works(&lab, &fma);
    out->subgroup = (uint32_t)fma.multiple;
    clg_log(CLG_LOG_PROBES, "probe=subgroup device=\"%s\" width=%zu", facts->name, fma.multiple);
    if (clg_find_text(facts->vendor, "NVIDIA"))
        out->inline_ptx = works(&lab, &ptx);
    out->local_static = largest_local(&lab);
    measure_rates(&lab, &out->rates);
    lab_close(&lab);
    clg_signals_restore();
}
