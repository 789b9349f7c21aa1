/* SPDX-License-Identifier: Apache-2.0
 * ViennaCL's product on existing OpenCL buffers. */
#define VIENNACL_WITH_OPENCL

#include "bench/peers/viennacl_gemm.h"

#include <cstdio>
#include <exception>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/version.hpp>

namespace {

/* ViennaCL's contexts have numbers, and cannot be removed. */
long used = 0;

template <typename Element> void multiply(const viennacl_call &call, int calls) {
    typedef viennacl::matrix_base<Element> matrix;
    typedef typename matrix::size_type size;
    const viennacl::context context(viennacl::ocl::get_context(used));
    const size m = static_cast<size>(call.m), n = static_cast<size>(call.n),
               k = static_cast<size>(call.k);
    const Element alpha = static_cast<Element>(call.alpha), beta = static_cast<Element>(call.beta);
    /* Copies of these would copy the data. */
    const matrix a(call.a, call.ta ? k : m, call.ta ? m : k, call.row_major, context);
    const matrix b(call.b, call.tb ? n : k, call.tb ? k : n, call.row_major, context);
    matrix c(call.c, m, n, call.row_major, context);
    /* linalg::prod_impl would lead here too, but also compiles its products for the host, which
     * takes half a minute. */
    for (int i = 0; i < calls; i++)
        viennacl::linalg::opencl::prod_impl(a, call.ta, b, call.tb, c, alpha, beta);
    viennacl::ocl::get_context(used).get_queue().finish();
}

bool refuse(const char *text, char *why, size_t room) {
    std::snprintf(why, room, "ViennaCL: %s", text);
    return false;
}

} // namespace

bool viennacl_use(cl_context context, cl_device_id device, cl_command_queue queue, char *why,
                  size_t room) {
    try {
        viennacl::ocl::setup_context(++used, context, device, queue);
        viennacl::ocl::switch_context(used);
        return true;
    } catch (const std::exception &error) {
        return refuse(error.what(), why, room);
    }
}

bool viennacl_multiply(const viennacl_call *call, int calls, char *why, size_t room) {
    try {
        if (call->type == CLGEMM_F64)
            multiply<double>(*call, calls);
        else
            multiply<float>(*call, calls);
        return true;
    } catch (const std::exception &error) {
        return refuse(error.what(), why, room);
    } catch (const char *error) {
        return refuse(error, why, room);
    }
}

const char *viennacl_version(void) {
    static char text[32];
    std::snprintf(text, sizeof text, "%d.%d.%d", VIENNACL_MAJOR_VERSION, VIENNACL_MINOR_VERSION,
                  VIENNACL_PATCH_VERSION);
    return text;
}
