/* SPDX-License-Identifier: Apache-2.0
 * Statuses as texts, and the version. */
#include "base/status.h"
#include "base/version.h"
#include "device/error.h"

const char *clgemm_status_name(clgemm_status status) {
    const char *name = clg_own_status_name(status);
    if (!name)
        name = clg_cl_error_name((cl_int)status);
    return name ? name : "unknown status";
}

const char *clgemm_status_text(clgemm_status status) {
    const char *text = clg_own_status_text(status);
    if (text)
        return text;
    return clg_cl_error_name((cl_int)status) ? "an OpenCL call failed with the error of that name"
                                             : "a status that this version does not know";
}

const char *clgemm_last_error(void) {
    return clg_last_error();
}

const char *clgemm_version(void) {
    return CLG_VERSION;
}
