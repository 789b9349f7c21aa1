/* SPDX-License-Identifier: Apache-2.0
 * An operand that many products share, such as a layer's weights: packed once, used often.
 *
 *     cc packed.c $(pkg-config --cflags --libs clgemm) -lOpenCL && ./a.out
 *
 * Y = X W by rows. W is K x N and stays; X has another number of rows in each call. */
#include <clgemm_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, K = 96, MOST_ROWS = 100 };

static float w[K * N], x[MOST_ROWS * K], y[MOST_ROWS * N];

/* Ends the program if a call has failed. The codes of OpenCL and of the library do not overlap. */
static void check(int code, const char *call) {
    if (code != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s: %s: %s\n", call, clgemm_status_name((clgemm_status)code),
                clgemm_last_error());
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

static cl_mem buffer_of(cl_context context, cl_mem_flags flags, size_t bytes, void *host) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, flags, bytes, host, &code);
    check(code, "clCreateBuffer");
    return buffer;
}

/* Sums of small whole numbers are exact, so every element must be equal. */
static int count_wrong(int rows) {
    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int p = 0; p < K; p++)
                sum += x[i * K + p] * w[p * N + j];
            wrong += y[i * N + j] != sum;
        }
    return wrong;
}

int main(void) {
    for (int i = 0; i < K * N; i++)
        w[i] = (float)(i % 7) - 3;
    for (int i = 0; i < MOST_ROWS * K; i++)
        x[i] = (float)(i % 5) - 2;

    cl_int code;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem weights = buffer_of(context, copied, sizeof w, w);
    cl_mem input = buffer_of(context, copied, sizeof x, x);
    cl_mem output = buffer_of(context, CL_MEM_READ_WRITE, sizeof y, NULL);

    /* The description of the products; m is a typical number of rows. */
    clgemm_desc desc = {.size = sizeof desc,
                        .type = CLGEMM_F32,
                        .layout = CLGEMM_ROW_MAJOR,
                        .ta = CLGEMM_NO_TRANS,
                        .tb = CLGEMM_NO_TRANS,
                        .m = MOST_ROWS,
                        .n = N,
                        .k = K,
                        .lda = K,
                        .ldb = N,
                        .ldc = N};
    clgemm_packed *packed;
    check(clgemm_pack_cl(NULL, &desc, CLGEMM_PACK_B, weights, 0, queue, 0, NULL, NULL, &packed),
          "clgemm_pack_cl");
    clReleaseMemObject(weights); /* the packed operand keeps it; its elements must not change */

    /* Products wait for the packing by themselves. */
    static const int rows[] = {1, 7, MOST_ROWS};
    const float alpha = 1, beta = 0;
    int wrong = 0, all = 0;
    for (size_t call = 0; call < sizeof rows / sizeof *rows; call++) {
        desc.m = rows[call];
        check(clgemm_gemm_packed_cl(NULL, &desc, &alpha, packed, input, 0, &beta, output, 0, queue,
                                    0, NULL, NULL),
              "clgemm_gemm_packed_cl");
        check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        wrong += count_wrong(rows[call]);
        all += rows[call] * N;
    }
    printf("packed: %d of %d elements are right\n", all - wrong, all);

    clgemm_packed_release(packed);
    clReleaseMemObject(input);
    clReleaseMemObject(output);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    clgemm_clear_cache(); /* the library keeps programs for the context until then */
    return wrong != 0;
}
