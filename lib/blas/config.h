/* SPDX-License-Identifier: Apache-2.0
 * The user's settings of the drop-in, from the environment, else from a file. */
#ifndef CLG_BLAS_CONFIG_H
#define CLG_BLAS_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct clg_config {
    double min_flops;        /* smaller calls stay on the CPU; negative: use the measured value */
    char cpu_blas[PATH_MAX]; /* a library's file; "": not set */
    bool disabled;
    int pblas_nb;     /* PBLAS's block for products; 0: not set */
    char device[256]; /* as for clgemm_create(); "": the library's choice */
};

/* The settings are read at the first call and never change after that. */
const struct clg_config *clg_config(void);

/* Writes the device to pass to clgemm_create(). If an MPI launcher has set the local rank, appends
 * this process's share of the devices, as in "gpu%1/4", and logs it. */
void clg_config_device(char *out, size_t size);

#endif
