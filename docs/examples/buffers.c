/* SPDX-License-Identifier: Apache-2.0
 * Matrices in the program's own OpenCL buffers: calls that enqueue and return, ordered by events.
 *
 *     cc buffers.c $(pkg-config --cflags --libs clgemm) -lOpenCL && ./a.out
 *
 * One queue copies, another multiplies: D = A B, then E = D B. All matrices are N x N. */
#include <clgemm_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 96 };
static const size_t bytes = sizeof(float) * N * N;

/* Ends the program if an OpenCL call has failed. clgemm_status_name() knows OpenCL's codes too. */
static void check(cl_int code, const char *call) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", call, clgemm_status_name((clgemm_status)code));
        exit(1);
    }
}

/* The first device of any platform. */
static cl_device_id first_device(void) {
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 16; p++)
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    fprintf(stderr, "no OpenCL device\n");
    exit(1);
}

/* Enqueues C = A B after `num_wait` events. The caller releases *done. */
static void multiply(cl_command_queue queue, cl_mem a, cl_mem b, cl_mem c, cl_uint num_wait,
                     const cl_event *wait_list, cl_event *done) {
    clgemm_status status =
        clgemm_sgemm_cl(CLGEMM_COL_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, N, N, N, 1.0F, a, 0, N,
                        b, 0, N, 0.0F, c, 0, N, queue, num_wait, wait_list, done);
    if (status != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", clgemm_status_name(status), clgemm_last_error());
        exit(1);
    }
}

int main(void) {
    static float a[N * N], b[N * N], e[N * N];
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 5) - 2;
        b[i] = (float)(i % 3) - 1;
    }

    cl_int code;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue copies = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    cl_command_queue products = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");

    /* Operands may be read-only; a matrix that is written needs CL_MEM_READ_WRITE. */
    const cl_mem_flags flags[4] = {CL_MEM_READ_ONLY, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE,
                                   CL_MEM_READ_WRITE};
    cl_mem matrix[4]; /* A, B, D, E */
    for (int i = 0; i < 4; i++) {
        matrix[i] = clCreateBuffer(context, flags[i], bytes, NULL, &code);
        check(code, "clCreateBuffer");
    }

    /* The first product waits for both copies, the second for the first product. */
    cl_event copied[2], first, second;
    check(clEnqueueWriteBuffer(copies, matrix[0], CL_FALSE, 0, bytes, a, 0, NULL, &copied[0]),
          "clEnqueueWriteBuffer");
    check(clEnqueueWriteBuffer(copies, matrix[1], CL_FALSE, 0, bytes, b, 0, NULL, &copied[1]),
          "clEnqueueWriteBuffer");
    check(clFlush(copies), "clFlush"); /* or the other queue could wait for ever */
    multiply(products, matrix[0], matrix[1], matrix[2], 2, copied, &first);
    multiply(products, matrix[2], matrix[1], matrix[3], 1, &first, &second);
    check(clFlush(products), "clFlush");

    /* A blocking read: until here the program has waited for nothing on the device. */
    check(clEnqueueReadBuffer(copies, matrix[3], CL_TRUE, 0, bytes, e, 1, &second, NULL),
          "clEnqueueReadBuffer");

    /* Sums of small whole numbers are exact, so every element must be equal. */
    static float d[N * N];
    int wrong = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            for (int p = 0; p < N; p++)
                d[j * N + i] += a[p * N + i] * b[j * N + p];
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            float sum = 0;
            for (int p = 0; p < N; p++)
                sum += d[p * N + i] * b[j * N + p];
            wrong += e[j * N + i] != sum;
        }
    printf("buffers: %d of %d elements are right\n", N * N - wrong, N * N);

    for (int i = 0; i < 4; i++)
        clReleaseMemObject(matrix[i]);
    clReleaseEvent(copied[0]);
    clReleaseEvent(copied[1]);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseCommandQueue(copies);
    clReleaseCommandQueue(products);
    clReleaseContext(context);
    clgemm_clear_cache(); /* the library keeps programs for the context until then */
    return wrong != 0;
}
