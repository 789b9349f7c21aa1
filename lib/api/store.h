/* SPDX-License-Identifier: Apache-2.0
 * The process's store of compiled programs, which all handles share. */
#ifndef CLG_API_STORE_H
#define CLG_API_STORE_H

struct clg_binaries;

/* Created at first use. NULL if memory is short. */
struct clg_binaries *clg_store(void);

#endif
