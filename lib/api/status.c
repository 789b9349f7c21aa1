/* SPDX-License-Identifier: Apache-2.0
 * Statuses as texts, and the version. */
#include <stddef.h>

#include "base/status.h"
#include "base/version.h"
#include "device/error.h"

/* The library's own. */
static const struct own {
    clgemm_status status;
    const char *name, *text;
} owns[] = {{CLGEMM_SUCCESS, "CLGEMM_SUCCESS", "no error"},
#define ROW(name, value, text) {CLGEMM_STATUS_##name, "CLGEMM_STATUS_" #name, text},
            CLGEMM_STATUS_MAP(ROW)
#undef ROW
};

static const struct own *find(clgemm_status status) {
    for (size_t i = 0; i < sizeof owns / sizeof *owns; i++)
        if (owns[i].status == status)
            return &owns[i];
    return NULL;
}

const char *clgemm_status_name(clgemm_status status) {
    const struct own *own = find(status);
    const char *name = own ? own->name : clg_cl_error_name((cl_int)status);
    return name ? name : "unknown status";
}

const char *clgemm_status_text(clgemm_status status) {
    const struct own *own = find(status);
    if (own)
        return own->text;
    return clg_cl_error_name((cl_int)status) ? "an OpenCL call failed with the error of that name"
                                             : "a status that this version does not know";
}

const char *clgemm_last_error(void) {
    return clg_last_error();
}

const char *clgemm_version(void) {
    return CLG_VERSION;
}
