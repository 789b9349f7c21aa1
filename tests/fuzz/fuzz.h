/* SPDX-License-Identifier: Apache-2.0
 * What the fuzz targets share. A target is one function whose name libFuzzer knows, and which
 * driver.c calls if there is no libFuzzer. It ends the program if something is wrong. */
#ifndef CLG_TESTS_FUZZ_H
#define CLG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Always 0, as libFuzzer requires. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the line, unless the condition holds. */
#define FUZZ_CHECK(condition) fuzz_check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
void fuzz_check(int holds, const char *condition, const char *file, int line);

/* The input as a terminated string; free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Input that is consumed byte by byte; zeros once it is used up. */
struct fuzz_bytes {
    const uint8_t *at, *end;
};
int fuzz_take(struct fuzz_bytes *bytes, int low, int high); /* both included; 256 values at most */

#endif
