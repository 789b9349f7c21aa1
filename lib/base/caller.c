/* SPDX-License-Identifier: Apache-2.0
 * The thread state that a call preserves. */
#include "base/caller.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "base/thread.h"

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
    struct clg_caller caller = {.cancel = clg_cancel_hold()};
    feholdexcept(&caller.arithmetic);
    stop_flushing();
    return caller;
}

clgemm_status clg_caller_release(const struct clg_caller *caller, clgemm_status status) {
    fesetenv(&caller->arithmetic);
    clg_cancel_release(caller->cancel);
    return status;
}
