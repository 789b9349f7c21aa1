/* SPDX-License-Identifier: Apache-2.0
 * Readers of the values that options take. Each returns false with a sentence in `why` for what it
 * does not understand. */
#ifndef BENCH_OPTION_VALUES_H
#define BENCH_OPTION_VALUES_H

#include "options.h"

bool option_trans(struct options *options, const char *text, char *why, size_t room);
bool option_peers(struct options *options, const char *text, char *why, size_t room);
bool option_scalar(float *value, const char *text, char *why, size_t room);
bool option_gate(struct options *options, const char *text, char *why, size_t room);
bool option_layout(struct options *options, const char *text, char *why, size_t room);
bool option_format(struct options *options, const char *text, char *why, size_t room);
bool option_coretypes(struct options *options, const char *text, char *why, size_t room);
bool option_repeat(struct options *options, const char *text, char *why, size_t room);

#endif
