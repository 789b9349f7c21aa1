/* SPDX-License-Identifier: Apache-2.0
 * Compares limits with what opening a device takes. */
#include "run/room.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/process.h"
#include "base/thread.h"
#include "run/helper.h"

/* PoCL starts one for each processor; the library's own builder and copying threads are few. */
static clgemm_status check_threads(void) {
    const long needed = sysconf(_SC_NPROCESSORS_ONLN) + 2;
    return clg_thread_may_start((int)needed)
               ? CLGEMM_SUCCESS
               : clg_fail(CLGEMM_STATUS_OUT_OF_MEMORY,
                          "%ld more threads, which a runtime needs, may not be started (ulimit -u)",
                          needed);
}

static clgemm_status try_in(const char *device, uint64_t room) {
    struct clg_helper *helper = clg_helper_new();
    const clgemm_status status = helper ? clg_helper_open(helper, device, room) : CLGEMM_SUCCESS;
    clg_helper_free(helper);
    return status;
}

clgemm_status clg_room_check(const char *device) {
    char why[CLG_LAST_ERROR_SIZE];
    struct rlimit limit;
    const uint64_t used = clg_process_address_space();
    clgemm_status status = check_threads();
    if (status || getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || used == 0)
        return status;
    const uint64_t room = limit.rlim_cur > used ? (limit.rlim_cur - used) / 2 : 1;
    status = try_in(device, 0); /* what must be compiled, is */
    if (!status)
        status = try_in(device, room);
    clg_copy_last_error(why, sizeof why);
    return status ? clg_fail(status, "in %llu MB of address space (ulimit -v): %s",
                             (unsigned long long)(room >> 20), why)
                  : CLGEMM_SUCCESS;
}
