/* SPDX-License-Identifier: Apache-2.0
 * Keeping the process's signal handlers its own.
 *
 * OpenCL runtimes install handlers where the caller does not expect it: PoCL 3.1 replaces fifteen
 * dispositions in the first clGetDeviceIDs. Between clg_signals_save and clg_signals_restore such
 * changes are undone, and no others: what the program itself sets meanwhile, in other threads,
 * stays. Pairs may nest and overlap across threads: the last restores.
 *
 * A disposition is the runtime's where its handler is a function in an object (a loaded library)
 * that was loaded between the two, now or in an earlier pair, or that is an OpenCL driver (it
 * exports clGetExtensionFunctionAddress) or LLVM (by its name), whenever that was loaded. All else
 * is the program's: handlers in the program and in the libraries that it had before, in code that
 * lies in no object, SIG_DFL and SIG_IGN. Two things cannot be told, and go wrong: a runtime that
 * sets SIG_DFL or SIG_IGN itself (none is known to), and a handler that the program installs within
 * the runtime's call but before the runtime replaces it, a millisecond at first use. Each save
 * notes anew what the program has set, so one before each such call keeps that window short. */
#ifndef CLG_DEVICE_SIGNALS_H
#define CLG_DEVICE_SIGNALS_H

void clg_signals_save(void);
void clg_signals_restore(void);

#endif
