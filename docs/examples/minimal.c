/* SPDX-License-Identifier: Apache-2.0
 * The smallest complete OpenCL SGEMM: a device, a kernel, three buffers, one launch, a check.
 *
 *     cc minimal.c -lOpenCL && ./a.out
 *
 * C = A * B, column-major: C is M x N, A is M x K, B is K x N. It does not use libclgemm;
 * docs/ladder.md continues from here. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 96, N = 64, K = 80 };

static const char *source = "__kernel void sgemm(int m, int k, __global const float *a,"
                            "                    __global const float *b, __global float *c) {"
                            "    int i = get_global_id(0), j = get_global_id(1);"
                            "    float sum = 0.0f;"
                            "    for (int p = 0; p < k; p++)"
                            "        sum += a[p * m + i] * b[j * k + p];"
                            "    c[j * m + i] = sum;"
                            "}";

/* Ends the program where a call has failed. */
static void check(cl_int code, const char *call) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, code);
        exit(1);
    }
}

/* C = A * B on the device. */
static void multiply(cl_device_id device, const float *a, const float *b, float *c) {
    cl_int code, m = M, k = K;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");

    /* The kernel is compiled for this device, now. */
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "sgemm", &code);
    check(code, "clCreateKernel");

    /* A and B are copied to the device; C is written there. */
    const size_t bytes[3] = {sizeof(float) * M * K, sizeof(float) * K * N, sizeof(float) * M * N};
    cl_mem buffers[3];
    for (int x = 0; x < 3; x++) {
        buffers[x] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes[x], NULL, &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel, 2 + x, sizeof(cl_mem), &buffers[x]), "clSetKernelArg");
    }
    check(clSetKernelArg(kernel, 0, sizeof m, &m), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof k, &k), "clSetKernelArg");
    check(clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, 0, bytes[0], a, 0, NULL, NULL), "write");
    check(clEnqueueWriteBuffer(queue, buffers[1], CL_TRUE, 0, bytes[1], b, 0, NULL, NULL), "write");

    /* One work-item for each element of C; reading C waits for them all. */
    const size_t items[2] = {M, N};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, NULL, 0, NULL, NULL), "launch");
    check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, bytes[2], c, 0, NULL, NULL), "read");

    for (int x = 0; x < 3; x++)
        clReleaseMemObject(buffers[x]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

int main(void) {
    static float a[M * K], b[K * N], c[M * N];
    for (int x = 0; x < M * K; x++)
        a[x] = (float)(x % 13) - 6;
    for (int x = 0; x < K * N; x++)
        b[x] = (float)(x % 7) - 3;

    /* The first device of the first platform. */
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        fprintf(stderr, "no OpenCL device\n");
        return 77;
    }
    multiply(device, a, b, c);

    /* Small whole numbers: their sums are exact, so every element must be equal. */
    int wrong = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            float sum = 0;
            for (int p = 0; p < K; p++)
                sum += a[p * M + i] * b[j * K + p];
            wrong += c[j * M + i] != sum;
        }
    printf("%d of %d elements are right\n", M * N - wrong, M * N);
    return wrong != 0;
}
