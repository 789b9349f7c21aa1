/* SPDX-License-Identifier: Apache-2.0
 * Fresh processes of this program. */
#ifndef BENCH_SPAWN_H
#define BENCH_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs this program again with these arguments (NULL at the end), waits, and takes the `size` bytes
 * that it passes to spawn_answer. `settings` (NULL at the end) stand in the environment's place:
 * "NAME=VALUE", or "NAME=" to leave it out. False with a reason where no answer comes back. The new
 * process is a real exec: what a runtime such as OpenCL keeps does not survive a bare fork. */
bool spawn_self(const char *const *arguments, const char *const *settings, void *answer,
                size_t size, char *why, size_t room);

/* In the process that spawn_self started. */
bool spawn_answer(const void *answer, size_t size);

#endif
