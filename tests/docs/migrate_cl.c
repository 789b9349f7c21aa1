/* SPDX-License-Identifier: Apache-2.0
 * The same for examples on buffers. */
#include "migrate.h"

#include <clgemm_cl.h>

int theirs(size_t m, size_t n, size_t k, cl_mem a, cl_mem b, cl_mem c, cl_command_queue queue,
           cl_event *done);
int ours(size_t m, size_t n, size_t k, cl_mem a, cl_mem b, cl_mem c, cl_command_queue queue,
         cl_event *done);

static cl_mem buffer_of(cl_context context, void *from, size_t size) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, from, NULL);
}

int main(void) {
    static struct matrices all;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return SKIP;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    fill(&all);
    cl_mem a = buffer_of(context, all.a, sizeof all.a), b = buffer_of(context, all.b, sizeof all.b);
    for (int i = 0; i < 2; i++) {
        cl_mem c = buffer_of(context, all.c[i], sizeof all.c[i]);
        cl_event done = NULL;
        const int status = (i ? ours : theirs)(M, N, K, a, b, c, queue, &done);
        if (status ||
            clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof all.c[i], all.c[i], 1, &done, NULL)) {
            printf("%s failed: %d\n", i ? "ours" : "theirs", status);
            return 1;
        }
        clReleaseEvent(done);
        clReleaseMemObject(c);
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    clgemm_clear_cache();
    return agree(&all);
}
