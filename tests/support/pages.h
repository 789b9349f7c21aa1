/* SPDX-License-Identifier: Apache-2.0
 * Pages as the system sees them. */
#ifndef CLG_TEST_PAGES_H
#define CLG_TEST_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Untouched memory that begins at a huge page's boundary; munmap it. Fails the test if there is
 * none. */
void *clg_test_pages_map(size_t bytes);

/* Whether huge pages were requested there (VmFlags of /proc/self/smaps). */
bool clg_test_pages_huge(const void *at);

/* Whether this system has huge pages. */
bool clg_test_pages_supported(void);

#endif
