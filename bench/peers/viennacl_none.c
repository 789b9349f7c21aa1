/* SPDX-License-Identifier: Apache-2.0
 * Replaces bench/peers/viennacl_gemm.cpp if ViennaCL's headers or a C++ compiler were not found. */
#include <stdio.h>

#include "bench/peers/viennacl_gemm.h"

static bool refuse(char *why, size_t room) {
    snprintf(why, room, "this program was built without ViennaCL");
    return false;
}

bool viennacl_use(cl_context context, cl_device_id device, cl_command_queue queue, char *why,
                  size_t room) {
    (void)context;
    (void)device;
    (void)queue;
    return refuse(why, room);
}

bool viennacl_multiply(const struct viennacl_call *call, int calls, char *why, size_t room) {
    (void)call;
    (void)calls;
    return refuse(why, room);
}

const char *viennacl_version(void) {
    return NULL;
}
