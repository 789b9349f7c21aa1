/* SPDX-License-Identifier: Apache-2.0
 * The OpenCL functions that the fault layer intercepts, grouped by the effect of a fault.
 *
 * Each line is MACRO(name, parameters, arguments), preceded by the kind of object if the function
 * creates or releases one. Parameters that the macros use are always called `err` and `event`.
 * Image transfers and graphics interfaces are left out. check_calls.sh fails if the library uses a
 * function that is not listed here. */

#define EVENTS cl_uint num_wait, const cl_event *wait

/* ---- Queries and other calls that return a code and make nothing -------------------------- */
STATUS(clGetPlatformIDs, (cl_uint n, cl_platform_id *ids, cl_uint *num), (n, ids, num))
STATUS(clGetPlatformInfo, (cl_platform_id o, cl_platform_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clGetDeviceIDs,
       (cl_platform_id o, cl_device_type t, cl_uint n, cl_device_id *ids, cl_uint *num),
       (o, t, n, ids, num))
STATUS(clGetContextInfo, (cl_context o, cl_context_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clGetCommandQueueInfo,
       (cl_command_queue o, cl_command_queue_info i, size_t n, void *p, size_t *r), (o, i, n, p, r))
STATUS(clGetMemObjectInfo, (cl_mem o, cl_mem_info i, size_t n, void *p, size_t *r), (o, i, n, p, r))
STATUS(clGetProgramInfo, (cl_program o, cl_program_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clGetKernelInfo, (cl_kernel o, cl_kernel_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clGetKernelArgInfo,
       (cl_kernel o, cl_uint a, cl_kernel_arg_info i, size_t n, void *p, size_t *r),
       (o, a, i, n, p, r))
STATUS(clGetEventProfilingInfo, (cl_event o, cl_profiling_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clGetSupportedImageFormats,
       (cl_context o, cl_mem_flags f, cl_mem_object_type t, cl_uint n, cl_image_format *p,
        cl_uint *num),
       (o, f, t, n, p, num))
STATUS(clGetImageInfo, (cl_mem o, cl_image_info i, size_t n, void *p, size_t *r), (o, i, n, p, r))
STATUS(clGetSamplerInfo, (cl_sampler o, cl_sampler_info i, size_t n, void *p, size_t *r),
       (o, i, n, p, r))
STATUS(clCompileProgram,
       (cl_program o, cl_uint n, const cl_device_id *d, const char *options, cl_uint num,
        const cl_program *headers, const char **names, void(CL_CALLBACK *fn)(cl_program, void *),
        void *user),
       (o, n, d, options, num, headers, names, fn, user))
STATUS(clUnloadPlatformCompiler, (cl_platform_id o), (o))
STATUS(clSetKernelArg, (cl_kernel o, cl_uint i, size_t n, const void *p), (o, i, n, p))
STATUS(clSetKernelArgSVMPointer, (cl_kernel o, cl_uint i, const void *p), (o, i, p))
STATUS(clSetEventCallback,
       (cl_event o, cl_int type, void(CL_CALLBACK *fn)(cl_event, cl_int, void *), void *user),
       (o, type, fn, user))
STATUS(clSetMemObjectDestructorCallback,
       (cl_mem o, void(CL_CALLBACK *fn)(cl_mem, void *), void *user), (o, fn, user))
STATUS(clFlush, (cl_command_queue o), (o))

/* ---- Waits -------------------------------------------------------------------------------- */
WAIT(clFinish, (cl_command_queue o), (o))
WAIT(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))

/* ---- Creates ------------------------------------------------------------------------------ */
CREATE(FAULT_CONTEXT, cl_context, clCreateContext,
       (const cl_context_properties *props, cl_uint n, const cl_device_id *d,
        void(CL_CALLBACK *fn)(const char *, const void *, size_t, void *), void *user, cl_int *err),
       (props, n, d, fn, user, err))
CREATE(FAULT_CONTEXT, cl_context, clCreateContextFromType,
       (const cl_context_properties *props, cl_device_type t,
        void(CL_CALLBACK *fn)(const char *, const void *, size_t, void *), void *user, cl_int *err),
       (props, t, fn, user, err))
CREATE(FAULT_QUEUE, cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties props, cl_int *err),
       (c, d, props, err))
CREATE(FAULT_QUEUE, cl_command_queue, clCreateCommandQueueWithProperties,
       (cl_context c, cl_device_id d, const cl_queue_properties *props, cl_int *err),
       (c, d, props, err))
CREATE(FAULT_MEMORY, cl_mem, clCreateBuffer,
       (cl_context c, cl_mem_flags f, size_t n, void *host, cl_int *err), (c, f, n, host, err))
CREATE(FAULT_MEMORY, cl_mem, clCreateSubBuffer,
       (cl_mem m, cl_mem_flags f, cl_buffer_create_type t, const void *info, cl_int *err),
       (m, f, t, info, err))
CREATE(FAULT_MEMORY, cl_mem, clCreateImage,
       (cl_context c, cl_mem_flags f, const cl_image_format *format, const cl_image_desc *desc,
        void *host, cl_int *err),
       (c, f, format, desc, host, err))
CREATE(FAULT_SAMPLER, cl_sampler, clCreateSampler,
       (cl_context c, cl_bool normal, cl_addressing_mode a, cl_filter_mode f, cl_int *err),
       (c, normal, a, f, err))
CREATE(FAULT_PROGRAM, cl_program, clLinkProgram,
       (cl_context c, cl_uint n, const cl_device_id *d, const char *options, cl_uint num,
        const cl_program *in, void(CL_CALLBACK *fn)(cl_program, void *), void *user, cl_int *err),
       (c, n, d, options, num, in, fn, user, err))
CREATE(FAULT_KERNEL, cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *err),
       (p, name, err))
CREATE(FAULT_EVENT, cl_event, clCreateUserEvent, (cl_context c, cl_int *err), (c, err))

/* ---- Retains and releases ----------------------------------------------------------------- */
RETAIN(FAULT_CONTEXT, clRetainContext, (cl_context o), (o))
RETAIN(FAULT_QUEUE, clRetainCommandQueue, (cl_command_queue o), (o))
RETAIN(FAULT_MEMORY, clRetainMemObject, (cl_mem o), (o))
RETAIN(FAULT_SAMPLER, clRetainSampler, (cl_sampler o), (o))
RETAIN(FAULT_PROGRAM, clRetainProgram, (cl_program o), (o))
RETAIN(FAULT_KERNEL, clRetainKernel, (cl_kernel o), (o))
RETAIN(FAULT_EVENT, clRetainEvent, (cl_event o), (o))
RETAIN(FAULT_DEVICE, clRetainDevice, (cl_device_id o), (o))
RELEASE(FAULT_CONTEXT, clReleaseContext, (cl_context o), (o))
RELEASE(FAULT_QUEUE, clReleaseCommandQueue, (cl_command_queue o), (o))
RELEASE(FAULT_MEMORY, clReleaseMemObject, (cl_mem o), (o))
RELEASE(FAULT_SAMPLER, clReleaseSampler, (cl_sampler o), (o))
RELEASE(FAULT_PROGRAM, clReleaseProgram, (cl_program o), (o))
RELEASE(FAULT_KERNEL, clReleaseKernel, (cl_kernel o), (o))
RELEASE(FAULT_EVENT, clReleaseEvent, (cl_event o), (o))
RELEASE(FAULT_DEVICE, clReleaseDevice, (cl_device_id o), (o))

/* ---- Commands: each may make an event; a TRANSFER may be `blocking` ----------------------- */
TRANSFER(clEnqueueReadBuffer,
         (cl_command_queue q, cl_mem m, cl_bool blocking, size_t at, size_t n, void *p, EVENTS,
          cl_event *event),
         (q, m, blocking, at, n, p, num_wait, wait, event))
TRANSFER(clEnqueueWriteBuffer,
         (cl_command_queue q, cl_mem m, cl_bool blocking, size_t at, size_t n, const void *p,
          EVENTS, cl_event *event),
         (q, m, blocking, at, n, p, num_wait, wait, event))
TRANSFER(clEnqueueReadBufferRect,
         (cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *from, const size_t *to,
          const size_t *size, size_t row, size_t slice, size_t host_row, size_t host_slice, void *p,
          EVENTS, cl_event *event),
         (q, m, blocking, from, to, size, row, slice, host_row, host_slice, p, num_wait, wait,
          event))
TRANSFER(clEnqueueWriteBufferRect,
         (cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *from, const size_t *to,
          const size_t *size, size_t row, size_t slice, size_t host_row, size_t host_slice,
          const void *p, EVENTS, cl_event *event),
         (q, m, blocking, from, to, size, row, slice, host_row, host_slice, p, num_wait, wait,
          event))
ENQUEUE(clEnqueueCopyBuffer,
        (cl_command_queue q, cl_mem a, cl_mem b, size_t from, size_t to, size_t n, EVENTS,
         cl_event *event),
        (q, a, b, from, to, n, num_wait, wait, event))
ENQUEUE(clEnqueueCopyBufferRect,
        (cl_command_queue q, cl_mem a, cl_mem b, const size_t *from, const size_t *to,
         const size_t *size, size_t row, size_t slice, size_t to_row, size_t to_slice, EVENTS,
         cl_event *event),
        (q, a, b, from, to, size, row, slice, to_row, to_slice, num_wait, wait, event))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem m, const void *pattern, size_t size, size_t at, size_t n,
         EVENTS, cl_event *event),
        (q, m, pattern, size, at, n, num_wait, wait, event))
ENQUEUE(clEnqueueMigrateMemObjects,
        (cl_command_queue q, cl_uint n, const cl_mem *m, cl_mem_migration_flags f, EVENTS,
         cl_event *event),
        (q, n, m, f, num_wait, wait, event))
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
         const size_t *local, EVENTS, cl_event *event),
        (q, k, dims, offset, global, local, num_wait, wait, event))
ENQUEUE(clEnqueueTask, (cl_command_queue q, cl_kernel k, EVENTS, cl_event *event),
        (q, k, num_wait, wait, event))
ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue q, EVENTS, cl_event *event),
        (q, num_wait, wait, event))
ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, EVENTS, cl_event *event),
        (q, num_wait, wait, event))

/* ---- Written out in layer*.c -------------------------------------------------------------- */
OTHER(clGetEventInfo)
OTHER(clGetDeviceInfo)
OTHER(clBuildProgram)
OTHER(clGetProgramBuildInfo)
OTHER(clGetKernelWorkGroupInfo)
OTHER(clCreateProgramWithSource)
OTHER(clCreateProgramWithBinary)
OTHER(clEnqueueMapBuffer)
OTHER(clEnqueueUnmapMemObject)
OTHER(clCreateKernelsInProgram)
OTHER(clSetUserEventStatus)
OTHER(clGetExtensionFunctionAddressForPlatform)

#undef EVENTS
#undef STATUS
#undef WAIT
#undef CREATE
#undef RETAIN
#undef RELEASE
#undef ENQUEUE
#undef TRANSFER
#undef OTHER
