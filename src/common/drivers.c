/* SPDX-License-Identifier: Apache-2.0
 * Saves the variables before main, and so before any loader has read them. */
#define _POSIX_C_SOURCE 200809L /* setenv, strdup */
#include "src/common/drivers.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *name;
    char *value; /* NULL if it was not set */
} given[] = {{"OCL_ICD_FILENAMES", NULL}, {"OCL_ICD_VENDORS", NULL}, {"OPENCL_LAYERS", NULL}};
enum { GIVEN = sizeof given / sizeof *given };

__attribute__((constructor)) static void keep(void) {
    for (int i = 0; i < GIVEN; i++) {
        const char *value = getenv(given[i].name);
        given[i].value = value ? strdup(value) : NULL;
    }
}

bool drivers_restore(void) {
    for (int i = 0; i < GIVEN; i++)
        if (given[i].value && setenv(given[i].name, given[i].value, 1))
            return false;
    return true;
}
