/* SPDX-License-Identifier: Apache-2.0
 * Calls README's function on buffers: a chain of products on a queue of its own, each after the one
 * before; the powers of a permutation, which come out exactly. */
#include <clgemm_cl.h>
#include <stdio.h>
#include <stdlib.h>

clgemm_status multiply(cl_command_queue queue, size_t n, cl_mem a, cl_mem b, cl_mem c,
                       cl_event after, cl_event *done);

enum { N = 64, STEPS = 8, SHIFT = 5 };

static void need(int good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, clgemm_last_error());
    exit(1);
}

/* Column j has its 1 in row (j + by) % N. */
static void shift(float *out, int by) {
    for (int i = 0; i < N * N; i++)
        out[i] = i % N == (i / N + by) % N;
}

int main(void) {
    static float matrix[N * N], wanted[N * N];
    cl_platform_id platform;
    cl_device_id device;
    cl_mem buffers[STEPS + 1];
    cl_event events[STEPS + 1];
    cl_int error;
    need(!clGetPlatformIDs(1, &platform, NULL), "no platform");
    need(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(!error, "no context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    need(!error, "no queue");
    for (int i = 0; i <= STEPS; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof matrix, NULL, &error);
        need(!error, "no buffer");
    }

    shift(matrix, SHIFT);
    need(!clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, sizeof matrix, matrix, 0, NULL,
                               &events[0]),
         "write");
    for (int i = 0; i < STEPS; i++)
        need(!multiply(queue, N, buffers[0], buffers[i], buffers[i + 1], events[i], &events[i + 1]),
             "multiply");
    need(!clEnqueueReadBuffer(queue, buffers[STEPS], CL_TRUE, 0, sizeof matrix, matrix, 1,
                              &events[STEPS], NULL),
         "read");

    shift(wanted, SHIFT * (STEPS + 1));
    for (int i = 0; i < N * N; i++)
        need(matrix[i] == wanted[i], "wrong");
    printf("%d buffers of %d x %d: right\n", STEPS, N, N);
    return 0;
}
