/* SPDX-License-Identifier: Apache-2.0
 * The user's program in C; needs no OpenCL header. */
#include "use.h"

int main(void) {
    return use();
}
