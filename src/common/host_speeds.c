/* SPDX-License-Identifier: Apache-2.0
 * How fast host and bus are, in words. */
#include "src/common/host_speeds.h"

#include <inttypes.h>

void host_speeds_print(FILE *out, const struct clg_host_speeds *speeds) {
    fprintf(out,
            "The bus takes %.1f GB/s up and %.1f down, %.1f us for a transfer beside; a thread "
            "copies %.1f GB/s, %" PRId64 " together %.1f.",
            1e-3 * (double)speeds->up_mb_s, 1e-3 * (double)speeds->down_mb_s,
            1e-3 * (double)speeds->transfer_ns, 1e-3 * (double)speeds->copy_mb_s, speeds->threads,
            1e-3 * (double)speeds->copy_all_mb_s);
}
