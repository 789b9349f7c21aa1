/* SPDX-License-Identifier: Apache-2.0
 * Failing with a reason. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

/* Static, not allocated: the text must also be there when memory is what ran out. */
static _Thread_local char last_error[CLG_LAST_ERROR_SIZE];

clgemm_status clg_fail(clgemm_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    return status;
}

const char *clg_last_error(void) {
    return last_error;
}

void clg_copy_last_error(char *out, size_t size) {
    snprintf(out, size, "%s", last_error);
}

const char *clg_own_status_name(clgemm_status status) {
    switch (status) {
    case CLGEMM_SUCCESS:
        return "CLGEMM_SUCCESS";
#define NAME_CASE(name, value, text) \
    case CLGEMM_STATUS_##name:       \
        return "CLGEMM_STATUS_" #name;
        CLGEMM_STATUS_MAP(NAME_CASE)
#undef NAME_CASE
    }
    return NULL;
}

const char *clg_own_status_text(clgemm_status status) {
    switch (status) {
    case CLGEMM_SUCCESS:
        return "no error";
#define TEXT_CASE(name, value, text) \
    case CLGEMM_STATUS_##name:       \
        return text;
        CLGEMM_STATUS_MAP(TEXT_CASE)
#undef TEXT_CASE
    }
    return NULL;
}
