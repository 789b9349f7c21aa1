/* SPDX-License-Identifier: Apache-2.0
 * Finds out which of step 8's device extras work, by running them where they can do no harm. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "device/buffer.h"
#include "device/device.h"
#include "program/build.h"
#include "src/common/ladder_steps.h"

/* The extras to try, each with the extension without which a compiler might not survive the trial.
 * The extension does not promise that the extra works. Of two shuffles, the first that works is
 * used. */
static const struct extra {
    const char *setting, *extension;
    int value;
    bool shuffle;
} extras[] = {
    {"PTX_LOAD", "cl_nv_compiler_options", 1, false},
    {"PTX_SHUFFLE", "cl_nv_compiler_options", 1, true},
    {"SUBGROUP_SHUFFLE", "cl_khr_subgroup_shuffle", 1, true},
    {"SUBGROUP_SHUFFLE", "cl_intel_subgroups", 2, true},
};

static struct ladder_setting *find(struct ladder_step *step, const char *name) {
    for (struct ladder_setting *s = step->settings; s->name; s++)
        if (!strcmp(s->name, name))
            return s;
    return NULL;
}

static bool was_asked(const struct ladder_settings *asked, const char *name) {
    for (int i = 0; i < asked->count; i++)
        if (!strcmp(asked->items[i].name, name))
            return true;
    return false;
}

bool ladder_has_extension(cl_device_id id, const char *name) {
    size_t size = 0;
    char *all = NULL;
    bool found = false;
    if (!clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) && (all = calloc(1, size + 1)) &&
        !clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, all, NULL))
        found = strstr(all, name) != NULL;
    free(all);
    return found;
}

/* One work-group. Each work-item writes 1 if everything that it tried was right. */
static bool run_probe(struct clg_device *device, cl_kernel kernel,
                      const struct ladder_launch *launch, int width) {
    const size_t group[2] = {(size_t)launch->group_m, (size_t)launch->group_n};
    const size_t items = group[0] * group[1], floats = items * (size_t)width;
    cl_mem in = NULL, out = NULL;
    cl_command_queue queue = NULL;
    float *values = malloc(floats * sizeof *values);
    cl_int *answers = calloc(items, sizeof *answers);
    bool right = false;
    if (!values || !answers || clg_queue_take(device, &queue) ||
        clg_buffer_create(device, floats * sizeof *values, &in) ||
        clg_buffer_create(device, items * sizeof *answers, &out))
        goto done;
    for (size_t i = 0; i < floats; i++)
        values[i] = (float)i;
    right = !clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, floats * sizeof *values, values, 0, NULL,
                                  NULL) &&
            !clSetKernelArg(kernel, 0, sizeof in, &in) &&
            !clSetKernelArg(kernel, 1, sizeof out, &out) &&
            !clEnqueueNDRangeKernel(queue, kernel, 2, NULL, group, group, 0, NULL, NULL) &&
            !clEnqueueReadBuffer(queue, out, CL_TRUE, 0, items * sizeof *answers, answers, 0, NULL,
                                 NULL);
    for (size_t i = 0; i < items && right; i++)
        right = answers[i] == 1;
done:
    clg_buffer_release(in);
    clg_buffer_release(out);
    if (queue)
        clg_queue_give(device, queue, false);
    free(values);
    free(answers);
    return right;
}

/* In a context that is thrown away, because a failing kernel may corrupt it. */
static bool works(const struct ladder_step *step, const struct ladder_launch *launch,
                  cl_device_id id) {
    const struct clg_source *source = ladder_source_find("extras_probe");
    char options[LADDER_OPTIONS];
    struct clg_device *device = NULL;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_int code;
    ladder_options(step, "-D", options);
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    bool right = !code && !clg_device_adopt(&device, context, id) &&
                 !clg_build_source(device, source, options, &program) &&
                 !clg_kernel_create(source, program, &kernel) &&
                 run_probe(device, kernel, launch, ladder_value(step, "WIDTH", 1));
    if (kernel)
        clReleaseKernel(kernel);
    if (program)
        clReleaseProgram(program);
    clg_device_close(device);
    if (!code)
        clReleaseContext(context);
    return right;
}

void ladder_find_extras(struct ladder_step *step, cl_device_id id,
                        const struct ladder_settings *asked) {
    bool shuffles = was_asked(asked, "PTX_SHUFFLE") || was_asked(asked, "SUBGROUP_SHUFFLE");
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        const struct extra *e = &extras[i];
        struct ladder_setting *setting = find(step, e->setting);
        if (!setting || was_asked(asked, e->setting) || (e->shuffle && shuffles) ||
            !ladder_has_extension(id, e->extension))
            continue;
        struct ladder_launch launch;
        setting->value = e->value;
        step->launch(step, &launch);
        const bool right = !step->wrong(step, &launch) && works(step, &launch, id);
        if (!right)
            setting->value = 0;
        shuffles = shuffles || (e->shuffle && right);
    }
}
