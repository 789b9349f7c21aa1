/* SPDX-License-Identifier: Apache-2.0
 * The process's store of built programs, which all handles share. */
#ifndef CLG_API_STORE_H
#define CLG_API_STORE_H

struct clg_binaries;

/* Made at first use; NULL where memory is short. */
struct clg_binaries *clg_store(void);

#endif
