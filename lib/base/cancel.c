/* SPDX-License-Identifier: Apache-2.0
 * Calls that a thread's cancellation waits for. */
#include "base/cancel.h"

#include <pthread.h>

int clg_cancel_hold(void) {
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

clgemm_status clg_cancel_release(int state, clgemm_status status) {
    pthread_setcancelstate(state, NULL);
    return status;
}
