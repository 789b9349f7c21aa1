/* SPDX-License-Identifier: Apache-2.0
 * Preserves the process's signal handlers.
 *
 * OpenCL runtimes install handlers that the caller does not expect: PoCL 3.1 replaces fifteen
 * dispositions in the first clGetDeviceIDs. Such changes between clg_signals_save and
 * clg_signals_restore are undone. Changes that the program makes meanwhile in other threads stay.
 * Pairs may nest, and may overlap across threads; the last one restores.
 *
 * A handler is the runtime's if it is a function in one of these objects (loaded libraries):
 *
 * - an object loaded between the two calls, in this pair or an earlier one;
 * - an OpenCL driver (it exports clGetExtensionFunctionAddress) or LLVM (by name), whenever it was
 *   loaded.
 *
 * Every other disposition is the program's: handlers in the program, in libraries it had before and
 * in code outside all objects, SIG_DFL, and SIG_IGN.
 *
 * Two cases are not recognized. One is a runtime that sets SIG_DFL or SIG_IGN itself; none is
 * known. The other is a handler that the program installs during the runtime's call, right before
 * the runtime replaces it. A thread notes the program's handlers 50 us after it did so before, so
 * the window is some 0.1 ms, or what the system takes to let the thread run. */
#ifndef CLG_DEVICE_SIGNALS_H
#define CLG_DEVICE_SIGNALS_H

void clg_signals_save(void);
void clg_signals_restore(void);

#endif
