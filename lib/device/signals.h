/* SPDX-License-Identifier: Apache-2.0
 * Keeping the process's signal handlers its own.
 *
 * OpenCL runtimes install handlers where the caller does not expect it: PoCL 3.1 replaces fifteen
 * dispositions in the first clGetDeviceIDs, and LLVM more during builds. Between clg_signals_save
 * and clg_signals_restore such changes are undone. Pairs may nest and overlap across threads: the
 * first saves, the last restores. A disposition that the program itself changes in another thread
 * meanwhile is lost; that window is first use and builds only. */
#ifndef CLG_DEVICE_SIGNALS_H
#define CLG_DEVICE_SIGNALS_H

void clg_signals_save(void);
void clg_signals_restore(void);

#endif
