/* SPDX-License-Identifier: Apache-2.0
 * Describes the speed of host and bus. */
#include "src/common/host_speeds.h"

#include <inttypes.h>

void host_speeds_print(FILE *out, const struct clg_host_speeds *speeds) {
    fprintf(
        out,
        "The bus transfers %.1f GB/s up and %.1f GB/s down, plus %.1f us per transfer. One thread "
        "copies %.1f GB/s, %" PRId64 " threads copy %.1f GB/s.",
        1e-3 * (double)speeds->up_mb_s, 1e-3 * (double)speeds->down_mb_s,
        1e-3 * (double)speeds->transfer_ns, 1e-3 * (double)speeds->copy_mb_s, speeds->threads,
        1e-3 * (double)speeds->copy_all_mb_s);
}
