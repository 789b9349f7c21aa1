/* SPDX-License-Identifier: Apache-2.0
 * The thread state that a call preserves. */
#include "base/caller.h"

#include <pthread.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

/* fesetenv(FE_DFL_ENV) would do it too, but on x86 takes as long as the rest of a hold. */
static void stop_flushing(void) {
#if defined(__SSE__)
    enum { FTZ_AND_DAZ = 0x8040 };
    const unsigned state = _mm_getcsr();
    if (state & FTZ_AND_DAZ)
        _mm_setcsr(state & ~(unsigned)FTZ_AND_DAZ);
#else
    const int rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    fesetround(rounding);
#endif
}

struct clg_caller clg_caller_hold(void) {
    struct clg_caller caller = {.cancel = PTHREAD_CANCEL_ENABLE};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &caller.cancel);
    feholdexcept(&caller.arithmetic);
    stop_flushing();
    return caller;
}

clgemm_status clg_caller_release(const struct clg_caller *caller, clgemm_status status) {
    fesetenv(&caller->arithmetic);
    pthread_setcancelstate(caller->cancel, NULL);
    return status;
}
