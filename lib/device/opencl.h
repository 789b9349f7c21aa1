/* SPDX-License-Identifier: Apache-2.0
 * The OpenCL headers, at the version that the library targets. */
#ifndef CLG_DEVICE_OPENCL_H
#define CLG_DEVICE_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#endif
