/* SPDX-License-Identifier: Apache-2.0
 * A processor for what prepares the device: the program's OpenBLAS takes one thread fewer
 * meanwhile. Its threads divide a call evenly, so if one of them shares its processor with the
 * opener or a compiler, all wait for it. */
#ifndef CLG_BLAS_SPARE_H
#define CLG_BLAS_SPARE_H

#include <stdbool.h>

/* Spares a processor, if OpenBLAS has at least 8 threads of its own (no OpenMP's) and one for each
 * processor. With fewer threads, one less costs more than it saves. */
void clg_spare_begin(void);

/* Gives it back, unless the program has set the number of threads itself since. */
void clg_spare_end(void);

/* Whether one is spared. */
bool clg_spare_is_on(void);

#endif
