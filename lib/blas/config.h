/* SPDX-License-Identifier: Apache-2.0
 * What the user has set for the drop-in: in the environment, else in a file. */
#ifndef CLG_BLAS_CONFIG_H
#define CLG_BLAS_CONFIG_H

#include <limits.h>
#include <stdbool.h>

struct clg_config {
    double min_flops;        /* below it calls go to the CPU; negative: as measured */
    char cpu_blas[PATH_MAX]; /* a library's file; "": none is named */
    bool disabled;
    int pblas_nb;     /* PBLAS's block for products; 0: not set */
    char device[256]; /* as clgemm_create() takes it; "": the library's choice */
};

/* Read at the first call; never changes after that. */
const struct clg_config *clg_config(void);

#endif
