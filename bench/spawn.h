/* SPDX-License-Identifier: Apache-2.0
 * New processes of this program. */
#ifndef BENCH_SPAWN_H
#define BENCH_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs this program again with these arguments (NULL at the end), waits, and takes the `size` bytes
 * that it passes to spawn_answer. `settings` (NULL at the end) override the environment:
 * "NAME=VALUE", or "NAME=" to remove it. Returns false with a reason if there is no answer. The new
 * process is started by exec, because the state of a runtime such as OpenCL does not survive a bare
 * fork. */
bool spawn_self(const char *const *arguments, const char *const *settings, void *answer,
                size_t size, char *why, size_t room);

/* In the process that spawn_self started. */
bool spawn_answer(const void *answer, size_t size);

#endif
