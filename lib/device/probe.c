/* SPDX-License-Identifier: Apache-2.0
 * Tries kernels on a device. */
#include "device/probe.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/error.h"
#include "device/select.h"
#include "device/signals.h"

enum { GROUP = 64, SALT = 4096 };

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

void clg_lab_close(struct clg_lab *lab) {
    if (lab->queue)
        clReleaseCommandQueue(lab->queue);
    if (lab->context)
        clReleaseContext(lab->context);
    lab->queue = NULL;
    lab->context = NULL;
}

static cl_int lab_open(struct clg_lab *lab) {
    cl_int error = CL_SUCCESS;
    if (lab->queue)
        return CL_SUCCESS;
    lab->context = clCreateContext(NULL, 1, &lab->id, NULL, NULL, &error);
    if (!error)
        lab->queue = clCreateCommandQueue(lab->context, lab->id, 0, &error);
    if (error)
        clg_lab_close(lab);
    return error;
}

static cl_int build(struct clg_lab *lab, const char *text, const char *options, cl_kernel *out) {
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

static cl_int launch_timed(struct clg_lab *lab, cl_kernel kernel, struct clg_trial *trial) {
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
static cl_int launch(struct clg_lab *lab, cl_kernel kernel, struct clg_trial *trial,
                     cl_uint *results) {
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

static cl_int try(struct clg_lab *lab, struct clg_trial *trial, cl_uint *results) {
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
        clg_lab_close(lab);
    return error;
}

bool clg_trial_works(struct clg_lab *lab, struct clg_trial *trial) {
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

/* Uses enough work-items per compute unit to keep both kinds of unit busy. */
bool clg_lab_rates(struct clg_lab *lab, struct clg_rates *out) {
    enum { GROUPS_A_UNIT = 16, TIMES = 5 };
    const size_t groups = (size_t)GROUPS_A_UNIT * lab->facts->compute_units;
    const double rounds = (double)SALT * (double)(groups * group_size(lab->facts));
    struct clg_trial products = {"products", rate_kernel,      "-DPRODUCTS=1",
                                 1,          .groups = groups, .times = TIMES};
    struct clg_trial fmas = {"multiply_adds",  rate_kernel,   "-DPRODUCTS=0", 1,
                             .groups = groups, .times = TIMES};
    if (!lab->facts->mma || !clg_trial_works(lab, &products) || !clg_trial_works(lab, &fmas))
        return false;
    *out = (struct clg_rates){rounds * PRODUCTS_A_ROUND / products.seconds,
                              rounds * SUMS / fmas.seconds};
    clg_log(CLG_LOG_PROBES, "probe=rates device=\"%s\" products=%.3g multiply_adds=%.3g",
            lab->facts->name, out->products, out->multiply_adds);
    return true;
}

bool clg_probe_rates(cl_device_id id, const struct clg_facts *facts, struct clg_rates *out) {
    struct clg_lab lab = {.id = id, .facts = facts};
    *out = (struct clg_rates){0, 0};
    if (clg_device_unusable(facts))
        return false;
    clg_signals_save();
    const bool measured = clg_lab_rates(&lab, out);
    clg_lab_close(&lab);
    clg_signals_restore();
    return measured;
}
