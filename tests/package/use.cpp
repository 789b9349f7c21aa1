/* SPDX-License-Identifier: Apache-2.0
 * The user's program in C++, with both headers. */
#include <clgemm_cl.h>

#include "use.h"

int main() {
    // Taking addresses proves that the second header links from C++ too.
    auto *enqueue = &clgemm_sgemm_cl;
    auto *multiply_packed = &clgemm_gemm_packed_cl;
    clgemm_packed *nothing = nullptr;
    clgemm_packed_release(nothing);
    return enqueue != nullptr && multiply_packed != nullptr ? use() : 1;
}
