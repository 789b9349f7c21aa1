/* SPDX-License-Identifier: Apache-2.0
 * A stand-in for libcuda. The build defines CLG_TEST_LIBCUDA. */
#define _GNU_SOURCE /* RTLD_NODELETE */
#include "support/cuda.h"

#include <dlfcn.h>
#include <string.h>

#include "support/check.h"

static void (*pin)(const void *, size_t, const void *);
static void (*unpin_all)(void);

void clg_test_cuda_load(void) {
    if (pin)
        return;
    void *library = dlopen(CLG_TEST_LIBCUDA, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    assert_non_null(library);
    void *found[] = {dlsym(library, "clg_pin"), dlsym(library, "clg_unpin_all")};
    assert_true(found[0] && found[1]);
    memcpy(&pin, &found[0], sizeof pin);
    memcpy(&unpin_all, &found[1], sizeof unpin_all);
    dlclose(library); /* it stays loaded */
}

void clg_test_cuda_pin(const void *memory, size_t bytes, const void *context) {
    pin(memory, bytes, context);
}

void clg_test_cuda_unpin_all(void) {
    unpin_all();
}
