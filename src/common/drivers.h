/* SPDX-License-Identifier: Apache-2.0
 * What tells an OpenCL loader where the drivers are, kept for the programs that are started.
 *
 * The Khronos loader, and CUDA's, cut lists of files (OCL_ICD_FILENAMES) at their colons in the
 * environment itself when they read them: a process started after that would find fewer drivers
 * than this one did. */
#ifndef CLG_SRC_DRIVERS_H
#define CLG_SRC_DRIVERS_H

#include <stdbool.h>

/* Sets the variables to what this process was started with; before a process is started. False
 * where there is no memory for it. */
bool drivers_restore(void);

#endif
