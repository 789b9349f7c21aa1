/* SPDX-License-Identifier: Apache-2.0
 * The persona layer: an OpenCL layer that gives the real devices the limits of another one,
 * CLG_PERSONA (a name in personas.c), and refuses what that one would refuse.
 *
 * Load it with OPENCL_LAYERS=path/to/libclg_persona_layer.so. It refuses, with the code that the
 * standard requires: work-groups and local memory past the limits, groups that do not divide the
 * launch, buffers that are too large, misaligned sub-buffers, out-of-order queues, host pointers,
 * and doubles in a source. The persona's driver lacks functions of later versions of OpenCL:
 * calling one ends the process. */
#include "personas/persona.h"

#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch next; /* the loader, or the next layer */
static cl_icd_dispatch ours;
static const struct persona *persona;

static void *no_object(cl_int code, cl_int *err) {
    if (err)
        *err = code;
    return NULL;
}

/* ---- What the device reports --------------------------------------------------------------- */

static cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                                size_t size, void *value, size_t *size_ret) {
    const cl_int code = what == PERSONA_SUB_GROUP_SIZES_INTEL /* kernels need them to be real */
                            ? PERSONA_PASS
                            : persona_device_info(persona, what, size, value, size_ret);
    return code == PERSONA_PASS ? next.clGetDeviceInfo(device, what, size, value, size_ret) : code;
}

static cl_int CL_API_CALL layer_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                                  size_t size, void *value, size_t *size_ret) {
    const cl_int code = persona_platform_info(persona, what, size, value, size_ret);
    return code == PERSONA_PASS ? next.clGetPlatformInfo(platform, what, size, value, size_ret)
                                : code;
}

static cl_int CL_API_CALL layer_clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                                               cl_uint n, cl_device_id *devices, cl_uint *num) {
    if (!(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
        return CL_DEVICE_NOT_FOUND;
    return next.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, devices, num);
}

/* The largest group of the kernel, if its row has a lower limit for it than for the device. */
static cl_int ask_kernel(cl_kernel kernel, cl_device_id device, cl_ulong *local, size_t *most) {
    cl_int code = next.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE,
                                                sizeof *local, local, NULL);
    *most = *local && persona->kernel_group ? persona->kernel_group : persona->work_group;
    return code;
}

static cl_int CL_API_CALL layer_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info what,
                                                         size_t size, void *value,
                                                         size_t *size_ret) {
    size_t real = 0, most = 0;
    cl_ulong local = 0;
    if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
        return persona_hand_over(&(size_t){persona->simd}, sizeof(size_t), size, value, size_ret);
    if (what == CL_KERNEL_PRIVATE_MEM_SIZE) /* a CPU's stack is no memory of a GPU's */
        return persona_hand_over(&(cl_ulong){0}, sizeof(cl_ulong), size, value, size_ret);
    cl_int code = next.clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
    if (code || what != CL_KERNEL_WORK_GROUP_SIZE || !value)
        return code;
    code = ask_kernel(kernel, device, &local, &most);
    memcpy(&real, value, sizeof real);
    real = real < most ? real : most;
    memcpy(value, &real, sizeof real);
    return code;
}

/* ---- What it refuses ---------------------------------------------------------------------- */

static cl_mem CL_API_CALL layer_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *host, cl_int *err) {
    if (size > persona->buffer)
        return no_object(CL_INVALID_BUFFER_SIZE, err);
    return next.clCreateBuffer(context, flags, size, host, err);
}

static cl_mem CL_API_CALL layer_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                                  cl_buffer_create_type type, const void *info,
                                                  cl_int *err) {
    if (type == CL_BUFFER_CREATE_TYPE_REGION && info &&
        ((const cl_buffer_region *)info)->origin % (persona->alignment / 8))
        return no_object(CL_MISALIGNED_SUB_BUFFER_OFFSET, err);
    return next.clCreateSubBuffer(buffer, flags, type, info, err);
}

static bool has_queues(cl_command_queue_properties properties) {
    return persona->out_of_order || !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static cl_command_queue CL_API_CALL layer_clCreateCommandQueue(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *err) {
    if (!has_queues(properties))
        return no_object(CL_INVALID_QUEUE_PROPERTIES, err);
    return next.clCreateCommandQueue(context, device, properties, err);
}

static cl_command_queue CL_API_CALL layer_clCreateCommandQueueWithProperties(
    cl_context context, cl_device_id device, const cl_queue_properties *list, cl_int *err) {
    for (const cl_queue_properties *p = list; p && *p; p += 2)
        if (p[0] == CL_QUEUE_PROPERTIES && !has_queues(p[1]))
            return no_object(CL_INVALID_QUEUE_PROPERTIES, err);
    return next.clCreateCommandQueueWithProperties(context, device, list, err);
}

/* Without cl_khr_fp64 there is no type double. The compiler's own headers, which precede the
 * source, are not changed. */
static cl_program CL_API_CALL layer_clCreateProgramWithSource(cl_context context, cl_uint n,
                                                              const char **text,
                                                              const size_t *sizes, cl_int *err) {
    enum { MOST = 16 };
    static const char without[] = "#undef cl_khr_fp64\n#undef __opencl_c_fp64\n"
                                  "#define double no_double_here\n#line 1\n";
    const char *all[MOST + 1] = {without};
    size_t all_sizes[MOST + 1] = {sizeof without - 1};
    if (persona->fp64 || n > MOST || !text)
        return next.clCreateProgramWithSource(context, n, text, sizes, err);
    for (cl_uint i = 0; i < n; i++) {
        all[i + 1] = text[i];
        all_sizes[i + 1] = sizes && sizes[i] ? sizes[i] : strlen(text[i]);
    }
    return next.clCreateProgramWithSource(context, n + 1, all, all_sizes, err);
}

/* No persona shares the host's own memory by pointer. */
static cl_int CL_API_CALL layer_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                         const void *pointer) {
    (void)kernel;
    (void)index;
    (void)pointer;
    return persona->svm ? CL_INVALID_ARG_VALUE : CL_INVALID_OPERATION;
}

/* The code with which the device refuses such groups, or success; *group is their size. */
static cl_int refuses_groups(cl_uint dimensions, const size_t *global, const size_t *local,
                             size_t *group) {
    *group = 1;
    for (cl_uint d = 0; d < dimensions && d < 3; d++) {
        if (local[d] > persona->work_items[d])
            return CL_INVALID_WORK_ITEM_SIZE;
        if (local[d] == 0 || global[d] % local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        *group *= local[d];
    }
    return CL_SUCCESS;
}

static cl_int refuses_kernel(cl_command_queue queue, cl_kernel kernel, size_t group) {
    cl_device_id device = NULL;
    cl_ulong local = 0;
    size_t most = 0;
    cl_int code =
        next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, NULL);
    if (!code)
        code = ask_kernel(kernel, device, &local, &most);
    return code                     ? code
           : local > persona->local ? CL_OUT_OF_RESOURCES
           : group > most           ? CL_INVALID_WORK_GROUP_SIZE
                                    : CL_SUCCESS;
}

static cl_int CL_API_CALL layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint num_wait, const cl_event *wait,
                                                       cl_event *event) {
    size_t group = 0; /* without `local` the runtime chooses one that fits */
    cl_int code = global && local ? refuses_groups(dimensions, global, local, &group) : CL_SUCCESS;
    if (!code)
        code = refuses_kernel(queue, kernel, group);
    return code ? code
                : next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                              num_wait, wait, event);
}

/* ---- Functions that the driver lacks -------------------------------------------------------- */

/* In OpenCL's loader the table of an older driver's functions ends here, or is followed by
 * unrelated memory. */
static void missing(const char *name) {
    fprintf(stderr, "%s was called: persona %s has no such function, with OpenCL %d.%d\n", name,
            persona->name, persona->opencl / 100, persona->opencl / 10 % 10);
    abort();
}

/* X(version, name) */
#define LATER_FUNCTIONS(X)                     \
    X(110, clSetEventCallback)                 \
    X(110, clCreateSubBuffer)                  \
    X(110, clSetMemObjectDestructorCallback)   \
    X(110, clCreateUserEvent)                  \
    X(110, clSetUserEventStatus)               \
    X(110, clEnqueueReadBufferRect)            \
    X(110, clEnqueueWriteBufferRect)           \
    X(110, clEnqueueCopyBufferRect)            \
    X(120, clRetainDevice)                     \
    X(120, clReleaseDevice)                    \
    X(120, clCreateSubDevices)                 \
    X(120, clCreateImage)                      \
    X(120, clCreateProgramWithBuiltInKernels)  \
    X(120, clCompileProgram)                   \
    X(120, clLinkProgram)                      \
    X(120, clUnloadPlatformCompiler)           \
    X(120, clGetKernelArgInfo)                 \
    X(120, clEnqueueFillBuffer)                \
    X(120, clEnqueueFillImage)                 \
    X(120, clEnqueueMigrateMemObjects)         \
    X(120, clEnqueueMarkerWithWaitList)        \
    X(120, clEnqueueBarrierWithWaitList)       \
    X(200, clCreateCommandQueueWithProperties) \
    X(200, clCreatePipe)                       \
    X(200, clSVMAlloc)                         \
    X(200, clSVMFree)                          \
    X(200, clEnqueueSVMFree)                   \
    X(200, clEnqueueSVMMemcpy)                 \
    X(200, clEnqueueSVMMemFill)                \
    X(200, clEnqueueSVMMap)                    \
    X(200, clEnqueueSVMUnmap)                  \
    X(200, clCreateSamplerWithProperties)      \
    X(200, clSetKernelArgSVMPointer)           \
    X(200, clSetKernelExecInfo)                \
    X(210, clCloneKernel)                      \
    X(210, clCreateProgramWithIL)              \
    X(210, clEnqueueSVMMigrateMem)             \
    X(210, clGetDeviceAndHostTimer)            \
    X(210, clGetHostTimer)                     \
    X(210, clGetKernelSubGroupInfo)            \
    X(210, clSetDefaultDeviceCommandQueue)     \
    X(220, clSetProgramReleaseCallback)        \
    X(220, clSetProgramSpecializationConstant) \
    X(300, clCreateBufferWithProperties)       \
    X(300, clCreateImageWithProperties)        \
    X(300, clSetContextDestructorCallback)

#define MISSING(version, name)                     \
    static void CL_API_CALL missing_##name(void) { \
        missing(#name);                            \
    }
LATER_FUNCTIONS(MISSING)

/* ---- The layer's own interface (cl_layer.h) ----------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *size_ret) {
    static const char name[] = "libclgemm persona layer";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what == CL_LAYER_API_VERSION)
        return persona_hand_over(&version, sizeof version, size, value, size_ret);
    return what == CL_LAYER_NAME ? persona_hand_over(name, sizeof name, size, value, size_ret)
                                 : CL_INVALID_VALUE;
}

static void put_on(void) {
#define OVER(name) ours.name = layer_##name;
    OVER(clGetPlatformInfo)
    OVER(clGetDeviceIDs)
    OVER(clGetDeviceInfo)
    OVER(clGetKernelWorkGroupInfo)
    OVER(clCreateBuffer)
    OVER(clCreateSubBuffer)
    OVER(clCreateCommandQueue)
    OVER(clCreateCommandQueueWithProperties)
    OVER(clCreateProgramWithSource)
    OVER(clSetKernelArgSVMPointer)
    OVER(clEnqueueNDRangeKernel)
#define LACK(version, name)          \
    if (persona->opencl < (version)) \
        memcpy(&ours.name, &(void (*)(void)){(void (*)(void))missing_##name}, sizeof ours.name);
    LATER_FUNCTIONS(LACK)
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target,
                                            cl_uint *num_entries_ret,
                                            const cl_icd_dispatch **dispatch_ret) {
    if (!target || !num_entries_ret || !dispatch_ret)
        return CL_INVALID_VALUE;
    /* An older loader knows fewer functions than our header: its table is shorter. */
    const size_t size = num_entries * sizeof(void *);
    memcpy(&next, target, size < sizeof next ? size : sizeof next);
    ours = next;
    const char *name = getenv("CLG_PERSONA");
    persona = persona_find(name);
    if (persona)
        put_on();
    else
        fprintf(stderr, "CLG_PERSONA=%s is no persona\n", name ? name : "");
    *num_entries_ret = sizeof ours / sizeof(void *);
    *dispatch_ret = &ours;
    return persona ? CL_SUCCESS : CL_INVALID_VALUE;
}
