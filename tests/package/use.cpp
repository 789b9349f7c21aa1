/* SPDX-License-Identifier: Apache-2.0
 * The user's program in C++, with both headers. */
#include <clgemm_cl.h>

#include "use.h"

int main() {
    // Taking the address proves that the second header links from C++ too.
    auto *enqueue = &clgemm_sgemm_cl;
    return enqueue != nullptr ? use() : 1;
}
