/* SPDX-License-Identifier: Apache-2.0
 * The colours of the series in charts. A library has the same colour in all charts; page.css has
 * them too. */
#ifndef BENCH_REPORT_COLOURS_H
#define BENCH_REPORT_COLOURS_H

#include "bench/measure.h"

/* Second series of a library have another shade. */
static const char *const series_colours[CONTENDERS] = {
    [OURS_HOST] = "#56a8db", [OURS_DEVICE] = "#0072b2", [OURS_PACKED] = "#004a75",
    [OPENBLAS] = "#009e73",  [CLBLAST] = "#cc79a7",     [CUBLAS] = "#d55e00",
    [VIENNACL] = "#777777",  [CUBLASXT] = "#b8860b",    [CUBLASXT_PINNED] = "#d9ab3c",
};

#endif
