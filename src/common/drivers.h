/* SPDX-License-Identifier: Apache-2.0
 * The variables that tell an OpenCL loader where the drivers are, saved for the programs that are
 * started.
 *
 * When the Khronos loader and CUDA's read lists of files (OCL_ICD_FILENAMES), they cut them at
 * their colons in the environment itself. A process started later would find fewer drivers. */
#ifndef CLG_SRC_DRIVERS_H
#define CLG_SRC_DRIVERS_H

#include <stdbool.h>

/* Restores the variables' values from the start of this process; call it before a process is
 * started. False if there is no memory for it. */
bool drivers_restore(void);

#endif
