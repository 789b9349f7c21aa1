/* SPDX-License-Identifier: Apache-2.0
 * pilaenv_: the logical block in which ScaLAPACK's PBLAS passes its products on to ?gemm_. PBLAS's
 * own value is 32, so that k is 32 in every product. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "blas/config.h"
#include "blas/find.h"

enum { OWN_BLOCK = 512, USUAL_BLOCK = 32 };

typedef int pilaenv(const int *context, const char *precision, size_t length);

__attribute__((visibility("default"))) int pilaenv_(const int *context, const char *precision) {
    const int error = errno;
    const struct clg_config *config = clg_config();
    const char letter = (char)(*precision | ' '); /* lower case */
    const bool ours = strchr("sdcz", letter) && !config->disabled;
    pilaenv *next =
        ours ? NULL : (pilaenv *)clg_next_symbol("pilaenv_", __builtin_return_address(0));
    errno = error;
    if (ours)
        return config->pblas_nb ? config->pblas_nb : OWN_BLOCK;
    return next ? next(context, precision, 1) : USUAL_BLOCK;
}
