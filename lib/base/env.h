/* SPDX-License-Identifier: Apache-2.0
 * The process's environment as the library may trust it. */
#ifndef CLG_BASE_ENV_H
#define CLG_BASE_ENV_H

/* The variable's value, or NULL where it is unset, empty, or the process is set-uid. */
const char *clg_env(const char *name);

#endif
