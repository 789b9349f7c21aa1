/* SPDX-License-Identifier: Apache-2.0
 * The thread state that a call preserves. */
#include "base/caller.h"

#include <pthread.h>

struct clg_caller clg_caller_hold(void) {
    struct clg_caller caller = {.cancel = PTHREAD_CANCEL_ENABLE};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &caller.cancel);
    feholdexcept(&caller.arithmetic);
    return caller;
}

clgemm_status clg_caller_release(const struct clg_caller *caller, clgemm_status status) {
    fesetenv(&caller->arithmetic);
    pthread_setcancelstate(caller->cancel, NULL);
    return status;
}
